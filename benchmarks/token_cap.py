"""How much of a cap of tokens per minute is used with a deep queue, in time that only leaps.

The share that was used over ten minutes, and the fullest minute, with estimates that learn and with
those that calls begin with.
"""

import asyncio
import random

from simulator.core.plan import ModelCaps
from simulator.core.ports import CallId, Role, Usage
from simulator.core.traffic import Traffic
from simulator.llm.client import Endpoint
from tests.llm.virtual import virtually

AT_ONCE, MINUTES = 50, 10
# Bytes of a prompt, tokens of a byte, tokens of an answer: a user's call and a judge's, ja and en.
KINDS = {
    "user ja": (3_000, 0.27, 60),
    "judge ja": (7_000, 0.27, 180),
    "user en": (4_000, 0.22, 50),
    "judge en": (9_000, 0.22, 160),
}


async def used(cap: float, learns: bool) -> list[float]:
    """The tokens that were used, by minute."""
    endpoint = Endpoint("http://x/v1", "m", "KEY", ModelCaps(tokens_per_minute=cap))
    track = Traffic().begin(CallId("e", 1, Role.USER), endpoint.where, "m")
    loop, draw = asyncio.get_running_loop(), random.Random(1)
    minutes = [0.0] * (MINUTES + 1)

    async def worker(number: int) -> None:
        kind = list(KINDS)[number % 2 + 2 * (number % 4 // 2)]
        size, rate, writes = KINDS[kind]
        while loop.time() < 60 * MINUTES:
            long = round(size * draw.lognormvariate(0, 0.3))
            usage = Usage(round(long * rate), round(writes * draw.lognormvariate(0, 0.5)))
            estimate = endpoint.estimates.tokens(kind, long)
            await endpoint.admit(estimate, track)
            minute = int(loop.time() // 60)
            minutes[min(minute, MINUTES)] += usage.input + usage.output
            await asyncio.sleep(draw.uniform(0.5, 4))
            endpoint.settle(estimate, usage.input + usage.output)
            if learns:
                endpoint.estimates.learn(kind, long, usage)

    await asyncio.gather(*(worker(number) for number in range(AT_ONCE)))
    return minutes[:MINUTES]


def main(rounds: int) -> None:
    """Print the shares; they are the same in each round."""
    del rounds
    print("\ntoken_cap: share of a cap of tokens per minute that is used, 50 calls at once")
    for cap in (20_000.0, 60_000.0, 200_000.0):
        for learns in (False, True):
            minutes = virtually(used(cap, learns))
            share, fullest = sum(minutes) / MINUTES / cap, max(minutes) / cap
            how = "learning" if learns else "static"
            print(f"  {cap:>11,.0f} tokens a minute  {how:9} {share:.0%}  fullest {fullest:.0%}")
