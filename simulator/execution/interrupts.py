"""Ctrl-C, once and twice: end in good order within 30 seconds, or get out at once."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason

_PATIENCE_S = 30.0


@asynccontextmanager
async def interruptible(halt: Halt, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """Within the block, SIGINT and SIGTERM throw the halt instead of breaking anything off.

    The first signal lets calls in flight end, for at most 30 s; a second one cancels them.
    Outside the main thread (or on Windows, where loops take no handlers) nothing is changed.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    deadline: list[asyncio.TimerHandle] = []

    def on_signal() -> None:
        halt.throw(HaltReason.INTERRUPTED, "interrupted; what was paid for is saved")
        if task is None:
            return
        if deadline:
            halt.leave(task)
            return
        tell("interrupted: waiting for calls in flight (again to leave at once)")
        deadline.append(loop.call_later(_PATIENCE_S, halt.leave, task))

    signals = (signal.SIGINT, signal.SIGTERM)
    taken = []
    for number in signals:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, on_signal)
            taken.append(number)
    try:
        yield
    finally:
        for timer in deadline:
            timer.cancel()
        for number in taken:
            loop.remove_signal_handler(number)
