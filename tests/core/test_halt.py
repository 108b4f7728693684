import asyncio

import pytest

from simulator.core.errors import HaltReason, RunStopped
from simulator.core.halt import Halt


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
