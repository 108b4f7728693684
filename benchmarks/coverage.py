"""How often 95 % intervals hold the truth, and how wide they are."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from simulator.statistics.intervals import FEWEST_CLUSTERS, clustered

_SEED = 20_261
_TRIALS = 2_000
_MEAN, _SPREAD = 3.9, 1.0  # of a rating from 1 to 5, before it is rounded


@dataclass(frozen=True, slots=True)
class Cell:
    """What is drawn: `kind` is `rating`, or the true rate of conversations that pass.

    `alike`: the intra-class correlation, 0–1: how much conversations of one scenario go together.
    `undecided`: the share of conversations that is left out at random, so that a pass rate is a
    ratio: passed / (passed + failed).
    """

    kind: str
    scenarios: int
    personas: int
    alike: float
    undecided: float = 0.0

    def __str__(self) -> str:
        name = f"{self.kind}-{self.scenarios}x{self.personas}-{self.alike}"
        return f"{name}-{self.undecided}" if self.undecided else name


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of intervals that hold the truth, and their mean width."""

    covered: float
    width: float


CELLS = tuple(
    Cell(kind, scenarios, personas, alike, undecided)
    for kind in ("rating", "0.5", "0.9", "0.95")
    for scenarios in (5, 10, 30, 100)
    for personas in (1, 3, 15)
    for alike in ((0.3,) if personas == 1 else (0.1, 0.5))
    for undecided in ((0.0,) if kind == "rating" or personas == 1 else (0.0, 0.3))
    if scenarios * personas < 1_500
)


def measure(cell: Cell, trials: int = _TRIALS) -> Coverage:
    """Draw runs of this shape, and see how often the truth lies within the interval."""
    rng, truth = random.Random(f"{_SEED} {cell}"), _truth(cell.kind)
    low = 0.2 if cell.kind == "rating" else 0.0
    clusters = [s for s in range(cell.scenarios) for _ in range(cell.personas)]
    held, trials_with, widths = 0, 0, 0.0
    for _ in range(trials):
        drawn = list(zip(_drawn(cell, rng), clusters, strict=True))
        kept = [pair for pair in drawn if rng.random() >= cell.undecided]
        found = clustered([m for m, _ in kept], [c for _, c in kept], low=low)
        if found.low is None and len({c for _, c in kept}) < FEWEST_CLUSTERS:
            continue  # of 5 scenarios one was wholly undecided
        trials_with += 1
        if found.low is None or found.high is None:
            raise ValueError(f"{cell} has no interval")
        held += found.low <= truth + 1e-12 and truth - 1e-12 <= found.high
        widths += found.high - found.low
    return Coverage(held / trials_with, widths / trials_with)


def _drawn(cell: Cell, rng: random.Random) -> Iterator[float]:
    for _ in range(cell.scenarios):
        if cell.kind == "rating":
            shared = rng.gauss(0, math.sqrt(cell.alike))
            own = math.sqrt(1 - cell.alike)
            yield from (_rating(shared + rng.gauss(0, own)) for _ in range(cell.personas))
        else:
            rate = float(cell.kind)
            weight = (1 - cell.alike) / cell.alike
            of_scenario = rng.betavariate(rate * weight, (1 - rate) * weight)
            yield from (float(rng.random() < of_scenario) for _ in range(cell.personas))


def _rating(deviation: float) -> float:
    return min(5, max(1, round(_MEAN + _SPREAD * deviation))) / 5


@cache
def _truth(kind: str) -> float:
    if kind != "rating":
        return float(kind)
    rng = random.Random(_SEED)
    n = 400_000
    return math.fsum(_rating(rng.gauss(0, 1)) for _ in range(n)) / n


def main(rounds: int) -> None:
    """Print the table; `rounds` times 700 runs are drawn for each row."""
    print("Coverage of 95 % intervals of a run's mean or pass rate, and their mean width")
    print(
        f"{'kind':>8}{'scenarios':>11}{'personas':>10}{'alike':>7}{'undecided':>11}{'covered':>10}{'width':>8}"
    )
    for cell in CELLS:
        found = measure(cell, 700 * rounds)
        print(
            f"{cell.kind:>8}{cell.scenarios:>11}{cell.personas:>10}{cell.alike:>7}{cell.undecided:>11}"
            f"{found.covered:>10.3f}{found.width:>8.2f}"
        )
