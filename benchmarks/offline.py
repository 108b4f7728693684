"""Without a model: conversations per second at 10,000, and memory from 1,000 to 10,000."""

import asyncio
import json
import sys
import tempfile

from benchmarks.process import Meter, contender
from simulator import Options, load, simulate


def main(rounds: int) -> None:
    """Print conversations per second and how much memory grows."""
    del rounds
    small, large = (contender("benchmarks.offline", str(n)) for n in (1_000, 10_000))
    print("\noffline: the demo client, agenda user, lexical metrics, store on")
    for count, figures in ((1_000, small), (10_000, large)):
        per_s = count / figures["wall_s"]
        print(f"  {count:6,} conversations  {per_s:7.0f}/s  peak {figures['peak_mb']:5.0f} MB")
    print(f"  memory grows by {large['peak_mb'] - small['peak_mb']:.0f} MB from 1,000 to 10,000")


async def run(count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        loaded = load("demo")
        store = f"sqlite:///{folder}/mogi.db"
        await simulate(loaded, options=Options(limit=3), store=store)
        options = Options(repeat=count // 90 + 1, limit=count)
        meter = Meter()
        done = await simulate(loaded, options=options, store=store)
        figures = meter.figures(count)
    assert done.summary.conversations == count, done.summary.conversations
    return figures


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(int(sys.argv[1])))))
