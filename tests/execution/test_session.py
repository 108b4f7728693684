import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import (
    HaltReason,
    InputError,
    ModelError,
    ModelFault,
    RunStopped,
    StoreError,
)
from simulator.core.plan import Gate
from simulator.core.run import Run
from simulator.core.talk import Reply, Talk
from simulator.execution.request import RunRequest
from simulator.store.store import Store
from tests.execution.played import (
    LINES,
    SCENARIOS,
    Bot,
    Watcher,
    played,
    requested,
    status_of,
    url,
)
from tests.waiting import until

FEWER = SCENARIOS.splitlines(keepends=True)[0]
JUDGED = "metrics: [overall]\nscore_by: overall\ngate: {score: 0.9}\n"


def only(episode: str, halt: Halt) -> Bot:
    """A bot that stops the run in the first turn of every other conversation."""

    async def act(question: str, talk: Talk) -> None:
        if talk.episode != episode:
            raise halt.throw(HaltReason.BUDGET, "no money left")

    return Bot(act)


async def broken_off(cwd: Path, lines: str = LINES, **said: Any) -> Run:
    """A run of which one conversation of four was held."""
    halt = Halt()
    bot = only("shipping/angry/1", halt)
    run = await played(requested(cwd, lines, bot=bot, concurrency=1, **said), halt)
    assert (3, "budget") == (run.summary.unfinished, run.header.status)
    return run


async def test_a_run_is_kept_with_its_figures(tmp_path: Path) -> None:
    watcher, bot = Watcher(), Bot()
    run = await played(requested(tmp_path, bot=bot), watcher=watcher)
    summary = run.summary
    assert (4, 8, 0) == (summary.conversations, summary.turns, summary.unfinished)
    assert summary.score is not None
    assert 1.0 == summary.score.value.mean
    assert ({"target": 8}, 0) == (summary.ledger.calls, summary.ledger.model_calls)
    assert ("finished", "finished") == (run.header.status, status_of(tmp_path, run.header.id))
    assert (8, 4, 0) == (len(bot.asked), len(watcher.ended), watcher.planned[0].complete)
    assert run.header.wall_s > 0


async def test_episodes_are_read_when_they_are_asked_for_wherever_one_is_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = await played(requested(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.chdir(elsewhere)
    assert ["shipping/angry/1", "shipping/calm/1", "returns/angry/1", "returns/calm/1"] == [
        e.cell.key for e in run.episodes()
    ]
    assert 4 == sum(1 for _ in run.episodes())  # as often as one likes


async def test_a_resumed_run_is_the_run_that_was_begun(tmp_path: Path) -> None:
    first = await broken_off(tmp_path)
    bot, watcher = Bot(), Watcher()
    run = await played(requested(tmp_path, bot=bot, resume=first.header.id), watcher=watcher)
    assert (first.header.id, first.header.started, first.header.secret) == (
        run.header.id, run.header.started, run.header.secret,
    )  # fmt: skip
    assert (4, 0, "finished") == (
        run.summary.conversations, run.summary.unfinished, run.header.status,
    )  # fmt: skip
    assert [1] == [planned.complete for planned in watcher.planned]
    assert not any(asked.startswith("shipping/angry/1") for asked in bot.asked)
    assert run.header.wall_s > first.header.wall_s


async def test_what_was_said_at_the_start_holds_for_the_resume(tmp_path: Path) -> None:
    first = await broken_off(tmp_path, repeat=1, fail_under=0.9, budget_usd=1.0)
    run = await played(requested(tmp_path, resume=first.header.id))
    assert Gate(0.9) == run.header.gate
    assert {**first.header.options} == {**run.header.options}
    again = await played(requested(tmp_path, resume=first.header.id, fail_under=0.2))
    assert Gate(0.2) == again.header.gate
    assert 0.2 == again.header.options["fail_under"]


async def test_a_changed_config_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    first = await broken_off(tmp_path)
    bot = Bot()
    with pytest.raises(InputError, match=r"client.max_turns: 2 -> 3"):
        await played(requested(tmp_path, bot=bot, resume=first.header.id, max_turns=3))
    assert [] == bot.asked
    assert "budget" == status_of(tmp_path, first.header.id)


async def test_a_forced_resume_may_have_more_conversations(tmp_path: Path) -> None:
    first = await played(requested(tmp_path))
    bot = Bot()
    run = await played(requested(tmp_path, bot=bot, resume=first.header.id, force=True, repeat=2))
    assert (8, 8, 0) == (run.header.planned, run.summary.conversations, run.summary.unfinished)
    assert 8 == len(bot.asked)
    assert {2} == {int(asked.partition(":")[0][-1]) for asked in bot.asked}
    with Store.read(url(tmp_path)) as store:
        assert 2 == store.header(first.header.id).options["repeat"]


async def test_a_forced_resume_with_fewer_conversations_keeps_those_that_were_held(
    tmp_path: Path,
) -> None:
    first = await played(requested(tmp_path))
    fewer = requested(tmp_path, resume=first.header.id, force=True, scenarios=FEWER)
    run = await played(fewer)
    assert (4, 0) == (run.summary.conversations, run.summary.unfinished)


async def test_wrong_input_leaves_nothing_behind(tmp_path: Path) -> None:
    for said in ({"personas": ("clam",)}, {"reuse": "latest"}):
        with pytest.raises(InputError):
            await played(requested(tmp_path, **said))
    assert not list(tmp_path.glob("mogi.db*"))


async def test_a_run_that_cannot_be_opened_is_not_begun(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no key"):
        await played(requested(tmp_path, model="m"))
    with Store.read(url(tmp_path)) as store:
        assert [] == store.runs()


async def test_the_run_whose_judgements_are_reused_is_kept_by_its_id(tmp_path: Path) -> None:
    first = await played(requested(tmp_path))
    second = await played(requested(tmp_path, reuse="latest"))
    assert first.header.id == second.header.options["reuse"]


async def test_the_gate_of_a_judged_client_says_nothing_of_another_score(tmp_path: Path) -> None:
    run = await played(requested(tmp_path, LINES + JUDGED))
    assert run.header.gate is None
    assert "overall" in run.header.notes[0]
    run = await played(requested(tmp_path, LINES + JUDGED, fail_under=0.3))
    assert (Gate(0.3), ()) == (run.header.gate, run.header.notes)
    own = "metrics: [refusal]\nscore_by: refusal\ngate: {score: 0.9}\n"
    run = await played(requested(tmp_path, LINES + own))
    assert (Gate(0.9), ()) == (run.header.gate, run.header.notes)


async def test_a_conversation_that_infrastructure_broke_stays_unfinished(tmp_path: Path) -> None:
    async def act(question: str, talk: Talk) -> None:
        if talk.episode == "returns/calm/1":
            raise ModelError(ModelFault.UNAVAILABLE, "nobody answers")

    halt = Halt()
    run = await played(requested(tmp_path, bot=Bot(act)), halt)
    assert (3, 1) == (run.summary.conversations, run.summary.unfinished)
    assert 1 == run.summary.failures["infrastructure"]
    assert ("unfinished", None, "nobody answers") == (
        run.header.status, halt.reason, halt.trouble,
    )  # fmt: skip


async def test_a_fault_of_our_own_is_raised_and_the_rest_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from simulator.execution.scoring import Scorer

    score = Scorer.score

    async def breaks(judge: Scorer, evidence: Any) -> Any:
        if evidence.talk.episode == "returns/angry/1":
            raise ZeroDivisionError("ours")
        return await score(judge, evidence)

    monkeypatch.setattr(Scorer, "score", breaks)
    halt, watcher = Halt(), Watcher()
    with pytest.raises(ZeroDivisionError):
        await played(requested(tmp_path, concurrency=1), halt, watcher)
    assert HaltReason.INTERNAL is halt.reason
    run = watcher.planned[0].run
    assert "internal" == status_of(tmp_path, run)
    monkeypatch.undo()
    resumed = await played(requested(tmp_path, resume=run))
    assert (4, 0) == (resumed.summary.conversations, resumed.summary.unfinished)


async def test_a_caller_that_cancels_is_obeyed_and_the_run_can_go_on(tmp_path: Path) -> None:
    waiting: list[str] = []

    async def act(question: str, talk: Talk) -> None:
        if talk.episode != "shipping/angry/1":
            waiting.append(talk.episode)
            await asyncio.sleep(60)

    watcher = Watcher()
    task = asyncio.create_task(played(requested(tmp_path, bot=Bot(act)), watcher=watcher))
    await until(lambda: 3 == len(waiting))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    run = watcher.planned[0].run
    assert "interrupted" == status_of(tmp_path, run)
    resumed = await played(requested(tmp_path, resume=run))
    assert (4, 0) == (resumed.summary.conversations, resumed.summary.unfinished)


async def test_who_is_told_to_leave_at_once_still_says_what_came_of_it(tmp_path: Path) -> None:
    halt = Halt()
    working = asyncio.Event()

    async def act(question: str, talk: Talk) -> None:
        if talk.episode != "shipping/angry/1":
            working.set()
            await asyncio.sleep(60)

    request = requested(tmp_path, bot=Bot(act), concurrency=1)
    task = asyncio.create_task(played(request, halt))
    await working.wait()
    halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
    halt.leave(task)
    run = await task
    assert (1, 3) == (run.summary.conversations, run.summary.unfinished)
    assert "interrupted" == run.header.status
    assert 0 == task.cancelling()


async def test_figures_that_cannot_be_read_any_more_are_no_wrong_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(store: Store, run: str) -> Any:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(Store, "reviewed", gone)
    halt = Halt()
    with pytest.raises(RunStopped, match="the disk is gone"):
        await played(requested(tmp_path), halt)
    assert HaltReason.STORE is halt.reason


async def test_a_header_that_cannot_be_saved_any_more_still_tells_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(store: Store, header: Any, *figures: Any) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Store, "finish", full)
    run = await played(requested(tmp_path))
    assert (4, "store") == (run.summary.conversations, run.header.status)


class HandsOut(Bot):
    """Hands out an id that its settings send back nowhere."""

    async def answer(self, question: str, talk: Talk) -> Reply:
        return replace(await super().answer(question, talk), unsent="conversation_id")


async def test_an_id_that_the_bot_was_never_sent_back_is_noted_once(tmp_path: Path) -> None:
    run = await played(requested(tmp_path, bot=HandsOut()))
    assert 1 == sum("conversation_id" in note for note in run.header.notes)


async def test_a_forced_resume_with_another_bot_says_which_conversations_are_whose(
    tmp_path: Path,
) -> None:
    first = await broken_off(tmp_path)
    resume = first.header.id

    def other(*, force: bool) -> RunRequest:
        request = requested(tmp_path, resume=resume, force=force)
        client = request.loaded.client
        client = replace(client, target=replace(client.target, version="two"))
        return replace(request, loaded=replace(request.loaded, client=client))

    run = await played(other(force=True))
    [note] = [each for each in run.header.notes if "client.target.version" in each]
    assert "two" in note
    assert "1 conversations ended before" in note or "1 件、変更後" in note
    assert "3 were played after it" in note or "3 件" in note
    again = await played(other(force=False))
    assert note in again.header.notes


async def test_a_forced_resume_with_the_same_bot_says_nothing_of_bots(tmp_path: Path) -> None:
    first = await broken_off(tmp_path)
    run = await played(requested(tmp_path, resume=first.header.id, force=True))
    assert not [each for each in run.header.notes if "client.target" in each]
