"""The Python API: a client, a callable, a run."""

import asyncio
import contextlib
import inspect
import json
import os
import shutil
import signal
import tempfile
import threading
from functools import partial
from pathlib import Path

import pytest

import simulator
from simulator import (
    Options,
    Reply,
    config,
    load,
    load_run,
    score,
    score_sync,
    simulate,
    simulate_sync,
)
from simulator.core.errors import InputError
from simulator.events import (
    CallMade,
    ConversationEnded,
    ConversationStarted,
    Event,
    RunEnded,
    RunPlanned,
    TurnPlayed,
    TurnScored,
)
from tests.execution.clients import SCENARIOS, client
from tests.loopback.server import ChatServer

LINES = "user: {kind: scripted}\nmax_turns: 2\n"


def answer(question: str, history: list[tuple[str, str]]) -> str:
    return f"{len(history)}: 送料は500円です。"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return f"sqlite:///{tmp_path / 'runs.db'}"


async def test_a_callable_stands_in_for_the_clients_own_bot(tmp_path: Path, store: str) -> None:
    loaded = client(tmp_path, LINES)
    run = await simulate(loaded, target=answer, store=store)
    first = next(run.episodes())
    assert "0: 送料は500円です。" == first.turns[0].exchange.assistant
    assert 4 == run.summary.conversations
    assert "tests.test_api:answer" == run.header.snapshot["client.target.settings.function"]


async def test_what_the_file_says_of_every_kind_of_bot_holds_for_the_callable(
    tmp_path: Path, store: str
) -> None:
    least = (
        "language: ja\npersonas: [calm]\n"
        'target: {kind: function, function: "b:a", timeout_s: 0.05, stateful: true, version: v7}\n'
    )
    loaded = client(tmp_path, LINES, least=least)

    async def slow(question: str, history: object) -> str:
        import asyncio

        await asyncio.sleep(30)
        return "too late"

    run = await simulate(loaded, target=slow, store=store)
    assert {"target_failed": 2} == run.summary.stops
    told = {k.removeprefix("client.target."): v for k, v in run.header.snapshot.items()}
    assert ("v7", True, 0.05) == (told["version"], told["stateful"], told["timeout_s"])


async def test_callables_of_every_sort_have_a_name(tmp_path: Path, store: str) -> None:
    class Bot:
        async def __call__(self, question: str, history: object) -> Reply:
            return Reply("はい。")

    def with_prompt(prompt: str, question: str, history: object) -> tuple[str, list[str]]:
        return prompt, ["文書"]

    for target in (Bot(), partial(with_prompt, "はい。"), lambda question, history: "はい。"):
        run = await simulate(client(tmp_path, LINES), target=target, store=store)
        assert "はい。" == next(run.episodes()).turns[0].exchange.assistant


async def test_a_client_may_be_named_or_be_a_folder(tmp_path: Path, store: str) -> None:
    client(tmp_path, LINES)
    options = Options(limit=1)
    for where in ("acme", tmp_path / "scenarios" / "acme", load("acme")):
        run = await simulate(where, target=answer, store=store, options=options)
        assert (1, "acme") == (run.summary.conversations, run.header.client)
    with pytest.raises(InputError, match="did you mean acme"):
        load("acne")


async def test_a_run_is_resumed_by_a_name_for_it(tmp_path: Path, store: str) -> None:
    client(tmp_path, LINES)
    first = await simulate("acme", target=answer, store=store)
    again = await simulate("acme", target=answer, store=store, resume="latest")
    assert first.header.id == again.header.id
    assert first.summary.score == again.summary.score
    with pytest.raises(InputError, match="no run"):
        await simulate("acme", target=answer, store=store, resume="zz")


async def test_another_callable_is_another_run(tmp_path: Path, store: str) -> None:
    client(tmp_path, LINES)
    await simulate("acme", target=answer, store=store)
    with pytest.raises(InputError, match=r"tests.test_api:answer.*-> "):
        await simulate("acme", target=lambda q, h: "x", store=store, resume="latest")


async def test_the_store_is_where_the_environment_says(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client(tmp_path, LINES, scenarios=SCENARIOS)
    monkeypatch.setenv("MOGI_STORE", "sqlite:///other.db")
    run = await simulate("acme", target=answer)
    assert (tmp_path / "other.db").is_file()
    os.chdir("/")
    assert 4 == sum(1 for _ in run.episodes())


async def test_calls_are_told_to_a_file(tmp_path: Path, store: str) -> None:
    log = tmp_path / "calls.jsonl"
    run = await simulate(client(tmp_path, LINES), target=answer, store=store, log=log)
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    turns = sum(len(episode.turns) for episode in run.episodes())
    assert turns == len(lines)
    assert {(run.header.id, "target", "ok")} == {(a["run"], a["role"], a["status"]) for a in lines}


async def test_calls_about_scored_answers_are_told_too(
    tmp_path: Path, store: str, chat_server: ChatServer
) -> None:
    lines = f"judge: {{model: mock, base_url: {chat_server.base_url}}}\n"
    (tmp_path / "answers.csv").write_text("質問,回答\n送料は,500円です\n", "utf-8")
    judged = Options(metrics=("overall",))
    loaded, log = client(tmp_path, lines), tmp_path / "calls.jsonl"
    await score("answers.csv", client=loaded, options=judged, store=store, log=log)
    roles = [json.loads(line)["role"] for line in log.read_text("utf-8").splitlines()]
    assert roles
    assert {"judge"} == set(roles)


async def test_a_log_that_cannot_be_written_ends_it_before_anything_runs(
    tmp_path: Path, store: str
) -> None:
    with pytest.raises(InputError, match="doesn't exist; create it"):
        await simulate(client(tmp_path, LINES), target=answer, log=tmp_path / "no" / "c.jsonl")
    assert not (tmp_path / "runs.db").exists()


OFFERED = {
    *("Options", "Reply", "Run", "__version__", "load", "load_run", "progress"),
    *("score", "score_sync", "simulate", "simulate_sync"),
}


def test_the_package_offers_this_and_no_more() -> None:
    assert OFFERED == set(simulator.__all__) == set(dir(simulator))
    assert all(getattr(simulator, name) for name in simulator.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        simulator.nothing  # noqa: B018


def test_code_that_is_not_async_waits_for_the_run(tmp_path: Path, store: str) -> None:
    run = simulate_sync(client(tmp_path, LINES), target=answer, store=store)
    assert ("finished", 4) == (run.header.status, run.summary.conversations)
    assert inspect.signature(simulate) == inspect.signature(simulate_sync)
    (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
    scored = score_sync("answers.csv", options=Options(metrics=("sudachi_f1",)), store=store)
    assert 2 == scored.summary.conversations


async def test_it_waits_inside_of_a_running_loop_too(tmp_path: Path, store: str) -> None:
    here = threading.current_thread()
    threads = set()

    async def said(question: str, history: object) -> str:
        threads.add(threading.current_thread())
        return "はい。"

    with config.untrusting():  # what holds here holds there
        refused = pytest.raises(InputError, match="--untrusted")
        with refused:
            simulate_sync("acme" if client(tmp_path, LINES) else "", store=store)
    run = simulate_sync(client(tmp_path, LINES), target=said, store=store)
    assert 4 == run.summary.conversations
    assert threads
    assert here not in threads


def test_who_interrupts_it_in_a_notebook_finds_what_was_done(tmp_path: Path, store: str) -> None:
    asked: list[str] = []

    async def never(question: str, history: object) -> None:
        asked.append(question)
        if len(asked) == 1:  # a second Ctrl-C would leave at once
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        await asyncio.Event().wait()

    async def cell() -> None:
        simulate_sync(client(tmp_path, LINES), target=never, store=store)

    loop = asyncio.new_event_loop()  # which leaves an interrupt to the cell, as a kernel's does
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever other tests left
    with contextlib.closing(loop), pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(cell())
    signal.signal(signal.SIGINT, before)
    left = load_run(store=store)
    assert ("interrupted", 4) == (left.header.status, left.summary.unfinished)


def test_a_run_of_the_store_is_the_run_that_was_made(tmp_path: Path, store: str) -> None:
    made = simulate_sync(client(tmp_path, LINES), target=answer, store=store)
    read = load_run(made.header.id[:4], store=store)
    assert made.summary == read.summary
    assert list(made.episodes()) == list(read.episodes())
    with pytest.raises(InputError, match="no run"):
        load_run("zz", store=store)


def test_what_a_prompt_shows_of_a_run_and_of_a_client_is_a_line(tmp_path: Path, store: str) -> None:
    loaded = client(tmp_path, LINES)
    run = simulate_sync(loaded, target=answer, store=store)
    assert f"<Run {run.header.id} · acme · finished · 4 unchecked · no score>" == repr(run)
    assert "<LoadedClient acme · 2 scenarios · 2 personas · target function>" == repr(loaded)


ANSWERS = "質問,回答,正解\n送料は,500円です,送料は500円です\n返品は,できません,できます\n"


async def test_answers_of_a_file_are_scored_and_written_beside_them(
    tmp_path: Path, store: str
) -> None:
    (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
    run = await score(
        "answers.csv", options=Options(metrics=("sudachi_f1",)), output="out.csv", store=store
    )
    assert ("score", 2) == (run.header.kind, run.summary.metrics["sudachi_f1"].scored)
    head = (tmp_path / "out.csv").read_text("utf-8").splitlines()[0]
    assert head.startswith("質問,回答,正解,result,why,sudachi_f1,sudachi_f1.precision")


async def test_a_file_is_scored_by_what_a_client_measures(tmp_path: Path, store: str) -> None:
    (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
    loaded = client(tmp_path, "metrics: [sudachi_f1]\nscore_by: sudachi_f1\n")
    one = await score("answers.csv", client=loaded, options=Options(limit=1), store=store)
    assert ("sudachi_f1", 1) == (next(iter(one.summary.metrics)), one.summary.conversations)
    again = await score(
        "answers.csv", client=loaded, options=Options(limit=1), store=store, resume="latest"
    )
    assert one.header.id == again.header.id


async def test_where_the_scores_cannot_go_is_said_before_anything_runs(
    tmp_path: Path, store: str
) -> None:
    (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
    with pytest.raises(InputError, match="is the input file; use"):
        await score("answers.csv", output="answers.csv", store=store)
    assert not (tmp_path / "runs.db").exists()


async def test_a_folder_that_came_by_mail_is_played_without_trust(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STOLEN", "canary")
    (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
    least = "language: ja\npersonas: [calm]\ntarget: {kind: http, url: 'http://HOST/'KEY}\n"
    bad = least.replace("HOST", "bot.example").replace("KEY", ", headers: {X-Key: '${STOLEN}'}")
    trusted = client(tmp_path, LINES, least=bad)
    for given in ("acme", trusted):
        with pytest.raises(InputError, match=r"blocks the host http://bot\.example") as refused:
            await simulate(given, store=store, untrusted=True)
        with pytest.raises(InputError, match="blocks the variable STOLEN"):
            await score("answers.csv", client=given, store=store, untrusted=True)
        assert "blocks the variable STOLEN" in str(refused.value)
    with pytest.raises(InputError, match="blocks the variable STOLEN"):
        load("acme", untrusted=True)
    assert "canary" == config.secret("STOLEN")  # it held for that call alone
    client(tmp_path, LINES, least=least.replace("HOST", "127.0.0.1:1").replace("KEY", ""))
    with pytest.raises(InputError, match=r"blocks the host http://127\.0\.0\.1:1"):
        load("acme", untrusted=True)
    monkeypatch.setenv("MOGI_ALLOW_HOST", "127.0.0.1:1, 127.0.0.1:2")
    run = await simulate("acme", target=answer, store=store, untrusted=True)
    assert 2 == run.summary.conversations
    assert "target_failed" not in run.summary.stops


async def test_files_may_lie_where_the_call_allows_it(tmp_path: Path, store: str) -> None:
    client(tmp_path, LINES)
    with tempfile.TemporaryDirectory() as elsewhere:
        scenarios = tmp_path / "scenarios" / "acme" / "scenarios.yaml"
        shutil.copy(scenarios, elsewhere)
        scenarios.unlink()
        scenarios.symlink_to(Path(elsewhere) / "scenarios.yaml")
        with pytest.raises(InputError, match="--allow"):
            load("acme")
        (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
        scored = await score("answers.csv", client="acme", store=store, allow=[elsewhere])
        assert scored.summary.conversations
        assert load("acme", allow=[elsewhere]).scenarios
        run = await simulate("acme", target=answer, store=store, allow=[Path(elsewhere)])
    assert 4 == run.summary.conversations


async def test_who_listens_gets_each_event_in_its_order(tmp_path: Path, store: str) -> None:
    heard: list[Event] = []
    loaded, options = client(tmp_path, LINES), Options(limit=1)
    run = await simulate(loaded, target=answer, options=options, store=store, on_event=heard.append)
    calls = [event for event in heard if isinstance(event, CallMade)]
    others = [event for event in heard if not isinstance(event, CallMade)]
    _, started, played, scored, _, ended = others
    assert [
        RunPlanned,
        ConversationStarted,
        TurnPlayed,
        TurnScored,
        ConversationEnded,
        RunEnded,
    ] == list(map(type, others))
    assert {run.header.id} == {event.run for event in heard}
    assert [("target", 1, "ok")] == [(call.role, call.turn, call.status) for call in calls]
    (turn,) = next(run.episodes()).turns
    assert isinstance(started, ConversationStarted)
    assert isinstance(played, TurnPlayed)
    assert isinstance(scored, TurnScored)
    assert isinstance(ended, RunEnded)
    assert (turn.exchange.user, turn.exchange.assistant) == (played.user, played.assistant)
    assert (turn.outcomes, turn.readings) == (scored.outcomes, scored.readings)
    assert ("finished", 1, 1) == (ended.status, ended.conversations, ended.turns)


async def test_who_listens_and_raises_stops_nothing_and_is_told(tmp_path: Path, store: str) -> None:
    def listen(event: Event) -> None:
        if isinstance(event, RunPlanned):
            raise ValueError("not now")  # noqa: TRY004

    loaded = client(tmp_path, LINES)
    with pytest.warns(UserWarning, match="on_event failed: ValueError: not now"):
        run = await simulate(loaded, target=answer, store=store, on_event=listen)
    assert 4 == run.summary.conversations
