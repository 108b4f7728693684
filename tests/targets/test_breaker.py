"""A bot that only fails ends the run; one scenario that always fails ends nothing."""

import asyncio
from itertools import cycle, islice

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason
from simulator.core.talk import Reply, Talk
from simulator.targets._guard import TargetGuard
from tests.targets.fakes import MemoryJournal, Scripted, guarded


def _guard(halt: Halt, journal: MemoryJournal | None = None, scenarios: int = 5) -> TargetGuard:
    async def act(question: str) -> Reply:
        if question == "fails":
            raise RuntimeError("no index")
        if question == "fails late":
            await asyncio.sleep(0.01)
            raise RuntimeError("no index")
        return Reply(question)

    guard = guarded(Scripted(act), halt=halt, journal=journal)
    return TargetGuard(
        guard.target,
        timeout_s=20,
        caps=guard.caps,
        halt=halt,
        journal=guard.journal,
        stateful=False,
        scenarios=scenarios,
    )


async def _ask(guard: TargetGuard, question: str, n: int, scenarios: int) -> None:
    for i, scenario in enumerate(islice(cycle(range(scenarios)), n)):
        await guard.answer(question, Talk(f"s{scenario}/p/{i}"))


async def test_ten_failures_in_a_row_from_five_scenarios_end_the_run() -> None:
    halt = Halt()
    guard = _guard(halt)
    await _ask(guard, "fails", 9, 5)
    assert halt.reason is None
    await guard.answer("fails", Talk("s0/p/9"))
    assert HaltReason.UNREACHABLE is halt.reason
    assert "the bot failed 10 times in a row, in 5 scenarios; last error: raised:" in halt.message
    assert "no index" in halt.message
    assert "--force" in halt.message


async def test_one_scenario_that_always_fails_ends_nothing() -> None:
    halt = Halt()
    await _ask(_guard(halt), "fails", 200, 1)
    assert halt.reason is None
    await _ask(_guard(halt), "fails", 200, 4)
    assert halt.reason is None


async def test_where_there_are_fewer_scenarios_all_of_them_are_enough() -> None:
    halt = Halt()
    await _ask(_guard(halt, scenarios=2), "fails", 10, 2)
    assert HaltReason.UNREACHABLE is halt.reason


async def test_an_answer_begins_the_row_anew_and_clears_the_conversations_before_it() -> None:
    halt = Halt()
    guard = _guard(halt)
    for n in range(50):
        await guard.answer("fails", Talk(f"s{n}/p/1"))
        assert halt.in_doubt(f"s{n}/p/1")
        if n % 9 == 8:
            await guard.answer("fine", Talk(f"s{n}/p/2"))
            assert not halt.in_doubt(f"s{n}/p/1")
    assert halt.reason is None


async def test_the_failures_that_ended_it_are_asked_again_on_a_resume() -> None:
    halt, journal = Halt(), MemoryJournal()
    guard = _guard(halt, journal)
    late = asyncio.create_task(guard.answer("fails late", Talk("s7/p/1")))
    await asyncio.sleep(0)
    await _ask(guard, "fails", 10, 5)
    await late
    assert all(halt.in_doubt(call.episode) for call in journal.records)
    assert 11 == len(journal.records)
    assert {("", True)} == {(record.digest, record.reused) for record in journal.records.values()}
    again = guarded(Scripted(lambda question: _answer()), journal=journal)
    assert Reply("mended") == _untimed(await again.answer("fails", Talk("s0/p/0")))


async def _answer() -> Reply:
    return Reply("mended")


def _untimed(said: object) -> Reply:
    assert isinstance(said, Reply)
    return Reply(said.text)
