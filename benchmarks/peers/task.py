"""What every tool is asked to do, and how it is counted; the standard library only."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable

from benchmarks.process import Meter

QUERY = "I cannot log in."
ANSWER = "If you forgot your password, go to the screen for logging in and choose a new one. " * 3
WHO = (
    "You are an angry customer who cannot log in to a service and wants to be able to again. You "
    "write short, blunt messages, and ask on until you know what to do."
)
CRITERION = "The desk answers what the customer asks, and says nothing that its documents do not."
TURNS = 3
AT_ONCE = 50
LATENCY_S = 0.2


async def bot() -> str:
    """The bot under test."""
    await asyncio.sleep(LATENCY_S)
    return ANSWER


async def _measured(talk: Callable[[], Awaitable[object]], count: int) -> None:
    await talk()
    gate = asyncio.Semaphore(AT_ONCE)

    async def one() -> None:
        async with gate:
            await talk()

    meter = Meter()
    await asyncio.gather(*(one() for _ in range(count)))
    print(json.dumps(meter.figures(count)))


def run(make: Callable[[str], Callable[[], Awaitable[object]]]) -> None:
    """Hold the conversations that a tool makes of the model's URL; the first is not counted."""
    asyncio.run(_measured(make(sys.argv[1]), int(sys.argv[2])))
