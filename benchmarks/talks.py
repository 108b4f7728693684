"""mogi beside two bare loops that make the same calls with the same overlap.

400 conversations × 3 turns, 50 at once; model and target answer after 200 ms. A conversation
makes 2 user calls and 3 judge calls; the store is on for mogi, the bare loops keep nothing.
"""

import statistics

from benchmarks.process import chat_server, contender

CONVERSATIONS = 400
LATENCY_S = 0.2


def main(rounds: int) -> None:
    """Print CPU per conversation and wall clock of each, and the ratios that are promised."""
    names = ("create", "post", "mogi")
    seen: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    with chat_server(LATENCY_S) as url:
        for _ in range(rounds):
            for name in names:
                module = "benchmarks.mogi_loop" if name == "mogi" else "benchmarks.bare_loop"
                seen[name].append(contender(module, url, str(CONVERSATIONS), name))
    print(f"\ntalks: {CONVERSATIONS} conversations x 3 turns, 50 at once, {rounds} rounds, medians")
    cpu = {n: statistics.median(f["cpu_ms"] for f in seen[n]) for n in names}
    wall = {n: statistics.median(f["wall_s"] for f in seen[n]) for n in names}
    for name in names:
        print(f"  {name:8} {cpu[name]:7.1f} CPU ms/conversation  {wall[name]:6.2f} s wall")
    print(f"  CPU  mogi / create  {cpu['mogi'] / cpu['create']:.2f}   (promised <= 0.8)")
    print(f"  CPU  mogi / post    {cpu['mogi'] / cpu['post']:.2f}   (promised <= 1.4)")
    fastest = min(wall["create"], wall["post"])
    print(f"  wall mogi / faster  {wall['mogi'] / fastest:.3f}  (promised <= 1.05)")
