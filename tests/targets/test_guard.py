"""The guard: caps, deadlines and the journal, whatever the target."""

import asyncio
import json
import math
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from simulator.core.bounds import CUT_MARK, MAX_GIVEN
from simulator.core.concurrency import Halt
from simulator.core.errors import (
    HaltReason,
    InputError,
    ModelError,
    ModelFault,
    RunStopped,
    StoreError,
    TargetError,
    TargetFault,
)
from simulator.core.plan import TargetCaps
from simulator.core.ports import CallId, Role
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.targets._context import HeldUp
from tests.targets.fakes import MemoryJournal, Scripted, guarded, run_leaping, talk_of


def _raising(error: BaseException) -> Scripted:
    async def act(question: str) -> Reply:
        raise error

    return Scripted(act)


def _taking(seconds: float) -> Callable[[str], Awaitable[Reply]]:
    async def act(question: str) -> Reply:
        await asyncio.sleep(seconds)
        return Reply(question)

    return act


@pytest.mark.parametrize("per_minute", [1, 2.5, 30, 61, 90, 120, 600, 1000])
def test_no_minute_sees_more_calls_than_the_cap(per_minute: float) -> None:
    """The time in which two and a half minutes' worth of calls begin, all asked for at once."""
    begun: list[float] = []

    async def act(question: str) -> Reply:
        begun.append(asyncio.get_running_loop().time())
        return Reply("a")

    async def ask_all() -> None:
        guard = guarded(Scripted(act), caps=TargetCaps(10_000, per_minute))
        count = int(per_minute * 2.5) + 1
        await asyncio.gather(*(guard.answer("q", Talk(f"{i}")) for i in range(count)))

    run_leaping(ask_all())
    windows = [sum(start <= t < start + 60 - 1e-6 for t in begun) for start in begun]
    assert max(windows) <= math.ceil(per_minute)
    assert begun[-1] <= 2.5 * 60 * 1.05 + 60 / per_minute


def test_waiting_for_a_turn_does_not_count_as_the_bots_time() -> None:
    said: list[Reply | TargetFailure] = []

    async def ask_all() -> None:
        guard = guarded(Scripted(_taking(8)), timeout_s=10, caps=TargetCaps(1, 60))
        said.extend(await asyncio.gather(*(guard.answer("q", Talk(f"{i}")) for i in range(4))))

    run_leaping(ask_all())
    assert [True] * 4 == [isinstance(s, Reply) for s in said]


def test_a_bot_that_swallows_its_deadline_is_still_too_late() -> None:
    async def act(question: str) -> Reply:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            return Reply("better late than never")
        raise AssertionError

    async def ask() -> None:
        said = await guarded(Scripted(act), timeout_s=10).answer("q", Talk("e"))
        assert isinstance(said, TargetFailure)
        assert (TargetFault.TIMEOUT, "no answer within 10 s") == (said.fault, said.message)

    run_leaping(ask())


def test_without_a_deadline_the_target_keeps_its_own() -> None:
    async def ask() -> None:
        said = await guarded(Scripted(_taking(10_000)), timeout_s=None).answer("q", Talk("e"))
        assert isinstance(said, Reply)

    run_leaping(ask())


@pytest.mark.parametrize(
    "error",
    [
        RunStopped(HaltReason.ACCOUNT, "401"),
        StoreError("disk full"),
        ModelError(ModelFault.UNAVAILABLE, "503 for five minutes"),
    ],
)
async def test_what_is_not_the_bots_fault_passes_and_leaves_no_record(error: Exception) -> None:
    journal = MemoryJournal()
    with pytest.raises(type(error)):
        await guarded(_raising(error), journal=journal).answer("q", Talk("e"))
    assert {} == journal.records


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ModelError(ModelFault.REFUSED, "no"), TargetFailure(TargetFault.RAISED, "no")),
        (TargetError(TargetFault.INVALID, "HTML"), TargetFailure(TargetFault.INVALID, "HTML")),
        (InputError("no such key"), TargetFailure(TargetFault.RAISED, "no such key")),
        (ValueError(), TargetFailure(TargetFault.RAISED, "ValueError")),
        (asyncio.CancelledError(), TargetFailure(TargetFault.RAISED, "asyncio.exceptions.Can")),
        (SystemExit(), TargetFailure(TargetFault.EXITED, "it called sys.exit(None)")),
    ],
)
async def test_whatever_else_it_raises_is_its_failure(
    error: BaseException, expected: TargetFailure
) -> None:
    said = await guarded(_raising(error)).answer("q", Talk("e"))
    assert isinstance(said, TargetFailure)
    assert expected.fault == said.fault
    assert said.message.startswith(expected.message)


async def test_a_long_error_is_cut() -> None:
    said = await guarded(_raising(ValueError("x" * 10_000))).answer("q", Talk("e"))
    assert isinstance(said, TargetFailure)
    assert (2000, "…") == (len(said.message), said.message[-1])


async def test_documents_are_sanitised_and_survive_the_journal() -> None:
    async def act(question: str) -> Reply:
        return Reply("答え\x00", (Document("a\ud800", "id\x07", "t\r\n"), Document("b")))

    journal = MemoryJournal()
    expected = (Document("a\ufffd", "id", "t\n"), Document("b"))
    for _ in range(2):
        said = await guarded(Scripted(act), journal=journal).answer("q\ud800", Talk("e"))
        assert isinstance(said, Reply)
        assert ("答え", expected) == (said.text, said.documents)
    (record,) = journal.records.values()
    assert record.response.encode("utf-8")


async def test_documents_are_given_as_far_as_people_would_read() -> None:
    async def act(question: str) -> Reply:
        many = [Document("d", str(n)) for n in range(MAX_GIVEN + 5)]
        return Reply("a", (Document("x", "i" * 9_000, "t" * 9_000), *many))

    journal = MemoryJournal()
    said = await guarded(Scripted(act), journal=journal).answer("q", Talk("e"))
    assert isinstance(said, Reply)
    first, *_, last = said.documents
    assert [MAX_GIVEN] * 2 == [len(first.id or ""), len(first.title)]
    assert (MAX_GIVEN + 1, CUT_MARK) == (len(said.documents), last.text)
    (record,) = journal.records.values()
    assert len(record.response) > 18_000 + MAX_GIVEN


@pytest.mark.parametrize("reports", [True, False])
async def test_that_nothing_was_found_survives_the_journal(reports: bool) -> None:
    async def act(question: str) -> Reply:
        return Reply("a", reports_documents=reports)

    journal = MemoryJournal()
    for _ in range(2):
        said = await guarded(Scripted(act), journal=journal).answer("q", Talk("e"))
        assert isinstance(said, Reply)
        assert reports is said.reports_documents


@pytest.mark.parametrize("documents", [(), (Document("d"),)])
async def test_an_answer_kept_by_an_older_mogi_is_read(documents: tuple[Document, ...]) -> None:
    async def act(question: str) -> Reply:
        return Reply("a", documents)

    target, journal = Scripted(act), MemoryJournal()
    await guarded(target, journal=journal).answer("q", Talk("e"))
    ((call, record),) = journal.records.items()
    response = json.loads(record.response)
    del response["reply"]["reports_documents"]
    journal.records[call] = replace(record, response=json.dumps(response))
    said = await guarded(target, journal=journal).answer("q", Talk("e"))
    assert isinstance(said, Reply)
    assert (1, documents) == (len(target.asked), said.documents)
    assert bool(documents) is said.reports_documents


async def test_another_history_is_another_question() -> None:
    target, journal = Scripted(_taking(0)), MemoryJournal()
    for answer in ("b", "c", "c"):
        await guarded(target, journal=journal).answer("q", talk_of(("a", answer)))
    assert 2 == len(target.asked)


async def test_a_stateful_bot_is_asked_again_but_remembered_for_the_ledger() -> None:
    target, journal = Scripted(_taking(0)), MemoryJournal()
    for _ in range(2):
        await guarded(target, journal=journal, stateful=True).answer("q", Talk("e"))
    assert (2, 2) == (len(target.asked), journal.committed)
    assert [CallId("e", 1, Role.TARGET, "exchange")] == list(journal.records)


async def test_an_answer_that_cannot_be_saved_is_not_returned_and_halts_the_run() -> None:
    halt = Halt()
    guard = guarded(Scripted(_taking(0)), journal=MemoryJournal(broken=True), halt=halt)
    with pytest.raises(StoreError):
        await guard.answer("q", Talk("e"))
    assert HaltReason.STORE is halt.reason


async def test_a_run_halted_while_a_question_waits_does_not_ask_it() -> None:
    halt, target = Halt(), Scripted(_taking(0.01))
    guard = guarded(target, halt=halt, caps=TargetCaps(concurrency=1))
    first = asyncio.create_task(guard.answer("first", Talk("a")))
    second = asyncio.create_task(guard.answer("second", Talk("b")))
    await asyncio.sleep(0)
    halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
    with pytest.raises(RunStopped):
        await second
    assert isinstance(await first, Reply)
    assert ["first"] == target.asked


async def test_a_cancelled_episode_is_no_failure_of_the_bot() -> None:
    journal = MemoryJournal()
    task = asyncio.create_task(
        guarded(Scripted(_taking(30)), journal=journal).answer("q", Talk("e"))
    )
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert {} == journal.records


async def test_a_bot_cannot_make_a_failure_of_a_cancelled_episode() -> None:
    async def act(question: str) -> Reply:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            raise ValueError("not now") from None
        raise AssertionError

    task = asyncio.create_task(guarded(Scripted(act)).answer("q", Talk("e")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


class TestHeldUp:
    """One question kept the bot from another."""

    @staticmethod
    def _held(again: Callable[[str], Awaitable[Reply]]) -> Scripted:
        async def act(question: str) -> Reply:
            raise HeldUp(lambda: again(question))

        return Scripted(act)

    def test_it_is_asked_once_more_with_its_whole_time(self) -> None:
        async def ask() -> None:
            said = await guarded(self._held(_taking(8)), timeout_s=10).answer("q", Talk("e"))
            assert isinstance(said, Reply)

        run_leaping(ask())

    def test_the_second_time_is_the_last(self) -> None:
        async def ask() -> None:
            said = await guarded(self._held(_taking(12)), timeout_s=10).answer("q", Talk("e"))
            assert isinstance(said, TargetFailure)
            assert TargetFault.TIMEOUT == said.fault

        run_leaping(ask())

    async def test_a_stateful_bot_is_not_asked_twice(self) -> None:
        guard = guarded(self._held(_taking(0)), stateful=True)
        said = await guard.answer("q", Talk("e"))
        expected = "no answer within 20 s: the bot was still busy with another question"
        assert isinstance(said, TargetFailure)
        assert (TargetFault.TIMEOUT, expected) == (said.fault, said.message)

    async def test_a_cancelled_episode_is_not_asked_again(self) -> None:
        asked_again: list[str] = []

        async def again(question: str) -> Reply:
            asked_again.append(question)
            return Reply("a")

        async def act(question: str) -> Reply:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                raise HeldUp(lambda: again(question)) from None
            raise AssertionError

        task = asyncio.create_task(guarded(Scripted(act)).answer("q", Talk("e")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [] == asked_again
