"""Waiting in tests: for what happens, however long it takes; a deadline is passed, not sat out."""

import asyncio
import time
from collections.abc import Callable

# Only what never happens takes so long. Seconds.
PATIENCE_S = 300


async def until(happened: Callable[[], object]) -> None:
    """Let the event loop turn until it has happened."""
    async with asyncio.timeout(PATIENCE_S):
        while not happened():
            await asyncio.sleep(0.001)


async def settle() -> None:
    """Let the event loop turn until all has arrived that is on its way, on loopback too."""
    for _ in range(200):
        await asyncio.sleep(0)


def until_now(happened: Callable[[], object]) -> None:
    """Wait for another thread or process until it has happened."""
    end = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.001)


def pass_time(seconds: float) -> None:
    """Put the running event loop's clock ahead: what waits no longer than this has waited."""
    loop = asyncio.get_running_loop()
    now = loop.time
    setattr(loop, "time", lambda: now() + seconds)  # noqa: B010  mypy takes it for a method
