import asyncio

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, RunStopped


def test_nothing_is_stopped_before_it_is_thrown() -> None:
    Halt().check()


def test_the_first_reason_counts() -> None:
    halt = Halt()
    first = halt.throw(HaltReason.BUDGET, "no money left")
    second = halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
    assert (HaltReason.BUDGET, "no money left") == (second.reason, str(second))
    assert str(first) == halt.message
    with pytest.raises(RunStopped, match="no money left"):
        halt.check()


async def test_who_is_to_leave_is_cancelled_on_purpose() -> None:
    halt = Halt()
    task = asyncio.create_task(asyncio.sleep(60))
    assert not halt.leaving
    halt.leave(task)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert halt.leaving


async def test_who_waits_for_something_free_is_let_go_when_the_run_stops() -> None:
    halt = Halt()
    waiting = [asyncio.create_task(halt.unless_stopped(asyncio.sleep(60))) for _ in range(3)]
    await asyncio.sleep(0)
    halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert ["Ctrl-C"] * 3 == [str(error) for error in ended]
    assert [RunStopped] * 3 == [type(error) for error in ended]
    assert [0, 0, 0] == [task.cancelling() for task in waiting]


async def test_what_ends_by_itself_is_told_as_it_is() -> None:
    async def late() -> None:
        raise TimeoutError("its own")

    halt = Halt()
    assert "done" == await halt.unless_stopped(asyncio.sleep(0, "done"))
    with pytest.raises(TimeoutError, match="its own"):
        await halt.unless_stopped(late())
    halt.throw(HaltReason.BUDGET, "no money left")
    with pytest.raises(RunStopped):
        await halt.unless_stopped(asyncio.sleep(0))
