"""`--log` and `-v`: what each call was, while the run is under way, and never what was said."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import JUDGEMENT, SAYS, Mogi, is_judge
from tests.generate import writers
from tests.loopback.replies import Says, Status
from tests.loopback.server import ChatServer

KEYS = [
    "time", "run", "episode", "turn", "role", "endpoint", "model", "status", "attempts",
    "latency_ms", "waited_ms", "why", "tokens",
]  # fmt: skip
CANARY = "sk-canary-0123456789abcdef"


def logged(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_line_for_each_call_of_users_judge_and_bot(
    mogi: Mogi, acme: Path, model: ChatServer, tmp_path: Path
) -> None:
    done = mogi("run", "acme", "--log", "calls.jsonl", "--json")
    lines = logged(tmp_path / "calls.jsonl")
    assert 0 == done.status, done.err
    assert [KEYS] * 20 == [list(line) for line in lines]
    roles = [line["role"] for line in lines]
    assert (4, 8, 8) == tuple(map(roles.count, ("user", "judge", "target")))
    assert {done.json["run"]} == {line["run"] for line in lines}
    assert {("ok", 1)} == {(line["status"], line["attempts"]) for line in lines}
    assert {"shipping/angry/1", "shipping/calm/1", "returns/angry/1", "returns/calm/1"} == {
        line["episode"] for line in lines
    }
    of_judge = next(line for line in lines if line["role"] == "judge")
    assert (model.base_url, "mock") == (of_judge["endpoint"], of_judge["model"])
    assert {"input", "output", "cached"} == set(of_judge["tokens"])
    assert of_judge["tokens"]["input"] > 100
    of_bot = next(line for line in lines if line["role"] == "target")
    assert ("function", "") == (of_bot["endpoint"], of_bot["model"])


def test_generate_and_judge_check_tell_of_their_calls_too(
    mogi: Mogi, acme: Path, model: ChatServer, tmp_path: Path
) -> None:
    rows = "id,title,content\nf1,送料,送料は500円です。\n"
    (acme / "faq.csv").write_text(rows, "utf-8")
    model.answer = writers.good
    made = mogi("generate", "acme", "--faq", "scenarios/acme/faq.csv", "--log", "g.jsonl", "-v")
    lines = logged(tmp_path / "g.jsonl")
    assert (0, 2) == (made.status, len(lines)), made.err
    assert {("generate", "ok")} == {(line["role"], line["status"]) for line in lines}
    assert all(list(line) == KEYS and line["run"].startswith("generate-") for line in lines)
    assert made.err.count(" generate mock ") == 2
    model.answer = lambda body: JUDGEMENT
    check = ("judge-check", "acme", "--kind", "wrong_number", "--limit", "1")
    told = mogi(*check, "--log", "j.jsonl", "-v", "--json")
    lines = logged(tmp_path / "j.jsonl")
    assert {"judge"} == {line["role"] for line in lines}, told.err
    assert len(lines) == model.count - 2


def test_nobody_else_may_read_it_and_a_second_run_adds_to_it(
    mogi: Mogi, acme: Path, tmp_path: Path
) -> None:
    log = tmp_path / "calls.jsonl"
    log.write_text("", "utf-8")
    log.chmod(0o644)
    mogi("run", "acme", "--limit", "1", "--log", "calls.jsonl", "--quiet")
    assert 0o600 == log.stat().st_mode & 0o777
    before = len(logged(log))
    mogi("rejudge", "latest", "--log", "calls.jsonl", "--quiet")
    after = logged(log)[before:]
    assert ["judge"] * 2 == [line["role"] for line in after]
    assert 2 == len({line["run"] for line in logged(log)})


def test_it_grows_while_the_run_is_under_way(
    mogi: Mogi, acme: Path, model: ChatServer, tmp_path: Path
) -> None:
    seen: list[int] = []

    def answer(body: dict[str, Any]) -> Any:
        seen.append(len(logged(tmp_path / "calls.jsonl")))
        return JUDGEMENT if is_judge(body) else SAYS

    model.answer = answer
    mogi("run", "acme", "--concurrency", "1", "--log", "calls.jsonl", "--quiet")
    assert seen[0] <= 1  # the bot's first answer
    assert seen[-1] >= 10  # it is written in a thread of its own


def test_what_was_tried_again_says_why(
    mogi: Mogi, acme: Path, model: ChatServer, tmp_path: Path
) -> None:
    model.script(Status(429, "slow down", {"retry-after-ms": "20"}))
    mogi("run", "acme", "--concurrency", "1", "--log", "calls.jsonl", "--quiet")
    again = [line for line in logged(tmp_path / "calls.jsonl") if line["attempts"] == 2]
    assert 1 == len(again)
    assert "crowded (429: slow down); waited for Retry-After" == again[0]["why"]
    assert "ok" == again[0]["status"]
    assert again[0]["waited_ms"] >= 20


TOO_LONG = "rejected", "too_long (400: the prompt is too long)"


@pytest.mark.parametrize(
    ("reply", "ended"),
    [
        (Says("", finish="content_filter"), ("filtered", "")),
        (Status(400, "the prompt is too long"), TOO_LONG),
    ],
)
def test_a_call_without_an_answer_has_its_line(
    mogi: Mogi, acme: Path, model: ChatServer, reply: Any, ended: tuple[str, str]
) -> None:
    model.answer = lambda body: reply if is_judge(body) else SAYS
    mogi("run", "acme", "--limit", "1", "--log", "calls.jsonl", "--quiet")
    of_judge = [line for line in logged(Path("calls.jsonl")) if line["role"] == "judge"]
    assert {ended} == {(line["status"], _failures(line["why"])) for line in of_judge}


def _failures(why: str) -> str:
    """Without what the call waited for: those made at once wait for the first answer."""
    return "; ".join(part for part in why.split("; ") if not part.startswith("waited for "))


def test_a_bot_that_fails_has_its_line(mogi: Mogi, acme: Path, tmp_path: Path) -> None:
    bot = "def answer(question, history):\n    raise ValueError('it was ' + question)\n"
    (acme / "bot.py").write_text(bot, "utf-8")
    mogi("run", "acme", "--offline", "--limit", "1", "--log", "calls.jsonl", "--quiet")
    (line,) = logged(tmp_path / "calls.jsonl")
    assert ("raised", "") == (line["status"], line["why"])


def test_no_key_and_no_text_is_in_it(
    mogi: Mogi, acme: Path, model: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)

    def parrot(body: dict[str, Any]) -> Any:
        if is_judge(body):
            return JUDGEMENT
        said = body["messages"][-1]["content"]
        return Status(422, {"message": f"bad input: {said} with {CANARY}", "type": "x"})

    model.answer = parrot
    mogi("run", "acme", "--log", "calls.jsonl", "--quiet")
    text = (tmp_path / "calls.jsonl").read_text("utf-8")
    assert "rejected (it repeats the request)" in text
    for said in (CANARY, "送料", "返品", "適切である"):
        assert said not in text


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("scenarios", "--log scenarios: is a folder; use a file in it"),
        ("none/calls.jsonl", "--log none/calls.jsonl: the folder none doesn't exist; create it"),
        ("-", "--log -: isn't supported; use a file name, or -v"),
    ],
)
def test_a_place_where_no_log_can_be_is_refused_before_anything_runs(
    mogi: Mogi, acme: Path, model: ChatServer, path: str, told: str
) -> None:
    done = mogi("run", "acme", "--log", path)
    assert (2, 0) == (done.status, model.count)
    assert told in done.err


def test_a_full_disk_ends_the_log_and_not_the_run(mogi: Mogi, acme: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    done = mogi("run", "acme", "--log", "/dev/full", "--json")
    assert (0, 0) == (done.status, done.json["unfinished"])
    assert (
        "mogi: --log /dev/full failed 21 times, first with OSError: [Errno 28] No space" in done.err
    )


def test_a_dry_run_logs_nothing(mogi: Mogi, acme: Path, tmp_path: Path) -> None:
    assert 0 == mogi("run", "acme", "--dry-run", "--log", "calls.jsonl").status
    assert not (tmp_path / "calls.jsonl").exists()


def test_v_is_a_line_per_call_on_stderr(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    model.script(Status(429, "slow down", {"retry-after-ms": "20"}))
    done = mogi("run", "acme", "--limit", "1", "-v", "--json")
    assert 0 == done.status
    lines = [line for line in done.err.splitlines() if "shipping/angry/1 turn" in line]
    assert 5 == len(lines)
    assert 2 == len([line for line in lines if " target function " in line])
    again = next(line for line in lines if "2 attempts" in line)
    assert "waited" in again
    assert "crowded (429: slow down)" in again
