import asyncio
import os
import signal
from collections.abc import Awaitable, Callable

import pytest

from simulator.core import concurrency
from simulator.core.concurrency import Halt, interruptible
from simulator.core.errors import HaltReason
from tests.waiting import settle, until


async def interrupted(work: Callable[[Halt], Awaitable[None]], halt: Halt) -> list[str]:
    """What a person was told while `work` went on, in a task of its own."""
    told: list[str] = []

    async def guarded() -> None:
        async with interruptible(halt, told.append):
            await work(halt)

    await asyncio.create_task(guarded())
    return told


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


async def test_the_first_signal_only_throws_the_halt() -> None:
    async def work(halt: Halt) -> None:
        press_ctrl_c()
        await until(lambda: halt.reason)

    halt = Halt()
    told = await interrupted(work, halt)
    assert (HaltReason.INTERRUPTED, False, 1) == (halt.reason, halt.leaving, len(told))


async def test_the_second_one_cancels_what_is_in_flight() -> None:
    async def work(halt: Halt) -> None:
        press_ctrl_c()
        await until(lambda: halt.reason)
        press_ctrl_c()
        await asyncio.sleep(60)

    halt = Halt()
    with pytest.raises(asyncio.CancelledError):
        await interrupted(work, halt)
    assert halt.leaving


async def test_a_run_that_stops_already_is_let_finish_by_the_first_signal() -> None:
    async def work(halt: Halt) -> None:
        halt.throw(HaltReason.BUDGET, "no money left")
        press_ctrl_c()
        await settle()

    halt = Halt()
    told = await interrupted(work, halt)
    assert (HaltReason.BUDGET, False, 1) == (halt.reason, halt.leaving, len(told))


async def test_what_does_not_end_in_time_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "_PATIENCE_S", 0.01)

    async def work(halt: Halt) -> None:
        press_ctrl_c()
        await asyncio.sleep(60)

    halt = Halt()
    with pytest.raises(asyncio.CancelledError):
        await interrupted(work, halt)
    assert halt.leaving


async def test_afterwards_signals_mean_again_what_they_did() -> None:
    before = signal.getsignal(signal.SIGTERM)

    async def work(halt: Halt) -> None: ...

    await interrupted(work, Halt())
    assert before is signal.getsignal(signal.SIGTERM)
