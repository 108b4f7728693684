"""How often 95 % intervals of the difference of two runs hold the truth, and how wide they are."""

import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage import Coverage
from simulator.statistics.paired import by_cluster, difference_test, interval

_TRIALS = 1_000
_REACH = {"rating": 0.8}  # the length of the scale, where it is not 1
_BROKEN = 0.1  # of the scenarios
_MANY = 200_000
_AT_ONCE = 200_000  # conversations
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cell:
    """What two runs are drawn with.

    `kind`: `rating`, the rate of conversations that pass, or `near one`: scores of .9 to 1 with a
    rare 0. `change`: `none`; `lower`, by about as much in all scenarios (near one: zeros are more
    frequent); `broken`: one scenario in ten fails throughout. `alike`: the intra-class
    correlation of the scenarios, 0-1.
    """

    kind: str
    change: str
    scenarios: int
    personas: int
    repeats: int = 1
    alike: float = 0.3

    def __str__(self) -> str:
        size = f"{self.scenarios}x{self.personas}x{self.repeats}"
        return f"{self.kind}-{self.change}-{size}-{self.alike}"

    @property
    def reach(self) -> float:
        """The greatest difference there can be."""
        return _REACH.get(self.kind, 1.0)


_SIZES = [(c, k) for c in (5, 10, 30, 100) for k in (1, 3, 15) if c * k < 1_500]
CELLS = (
    *(
        Cell(kind, change, c, k)
        for kind in ("rating", "0.5", "0.9", "0.95", "near one")
        for change in ("none", "lower", "broken")
        for c, k in _SIZES
        if change != "broken" or kind != "near one"
        if change != "broken" or kind != "rating" or c >= 30  # see docs: what no scenario shows
    ),
    *(
        Cell(kind, change, c, 3, repeats=5)
        for kind in ("rating", "0.9")
        for change in ("none", "lower")
        for c in (5, 10, 30)
    ),
)


def measure(cell: Cell, trials: int = _TRIALS) -> Coverage:
    """Draw pairs of runs of this shape, and see how often the truth lies within the interval."""
    rng, truth = np.random.default_rng(zlib.crc32(str(cell).encode())), _truth(cell)
    conversations = cell.personas * cell.repeats
    scenarios = np.repeat(np.arange(cell.scenarios), conversations).tolist()
    held, widths = 0, 0.0
    for drawn in (_drawn(cell, rng, cell.scenarios) for _ in range(trials)):
        found = by_cluster(drawn.ravel().tolist(), scenarios, reach=cell.reach)
        made = interval(found, difference_test(found))
        if made.low is None or made.high is None:
            raise ValueError(f"{cell} has no interval")
        held += made.low <= truth + 1e-12 and truth - 1e-12 <= made.high
        widths += made.high - made.low
    return Coverage(held / trials, widths / trials)


def _drawn(cell: Cell, rng: np.random.Generator, scenarios: int) -> Floats:
    """The differences: scenarios × conversations."""
    broken = np.zeros((scenarios, 1), dtype=bool)
    if cell.change == "broken":
        broken = rng.random((scenarios, 1)) < _BROKEN
    if cell.kind == "rating":
        return _ratings(cell, rng, broken)
    if cell.kind == "near one":
        after = 0.05 if cell.change == "lower" else 0.02
        return _near_one(cell, rng, scenarios, after) - _near_one(cell, rng, scenarios, 0.02)
    rate, weight = float(cell.kind), (1 - cell.alike) / cell.alike
    p = rng.beta(rate * weight, (1 - rate) * weight, (scenarios, 1))
    if cell.repeats > 1:  # the persona's, about as much alike as those of a scenario
        p = np.clip(p, 1e-3, 1 - 1e-3)
        p = np.repeat(
            rng.beta(p * weight, (1 - p) * weight, (scenarios, cell.personas)), cell.repeats, 1
        )
    now = np.where(broken, 0.0, p * (0.9 if cell.change == "lower" else 1.0))
    shape = (scenarios, cell.personas * cell.repeats)
    return (rng.random(shape) < now).astype(float) - (rng.random(shape) < p)


def _ratings(cell: Cell, rng: np.random.Generator, broken: NDArray[np.bool_]) -> Floats:
    scenarios = len(broken)
    shared = rng.normal(0, cell.alike**0.5, (scenarios, 1))
    left = (1 - cell.alike) ** 0.5
    if cell.repeats > 1:
        of_cell = rng.normal(0, left * 0.5**0.5, (scenarios, cell.personas))
        shared, left = shared + np.repeat(of_cell, cell.repeats, 1), left * 0.5**0.5
    shape = (scenarios, cell.personas * cell.repeats)
    change = rng.normal(-0.3, 0.3, (scenarios, 1)) if cell.change == "lower" else 0.0
    before, after = (shared + left * rng.normal(0, 1, shape) + c for c in (0.0, change))
    return np.where(broken, 0.2, _rated(after)) - _rated(before)


def _rated(deviation: Floats) -> Floats:
    rated: Floats = np.clip(np.round(3.9 + deviation), 1, 5) / 5
    return rated


def _near_one(cell: Cell, rng: np.random.Generator, scenarios: int, rate: float) -> Floats:
    weight = (1 - cell.alike) / cell.alike
    p = rng.beta(rate * weight, (1 - rate) * weight, (scenarios, 1))
    shape = (scenarios, cell.personas * cell.repeats)
    return np.where(rng.random(shape) < p, 0.0, 1 - 0.1 * rng.random(shape))


@cache
def _truth(cell: Cell) -> float:
    if cell.change == "none":
        return 0.0
    if cell.kind not in ("rating", "near one") and cell.repeats == 1:
        return -0.1 * float(cell.kind)
    rng = np.random.default_rng(1)
    many = _AT_ONCE // (cell.personas * cell.repeats)
    return float(np.mean([_drawn(cell, rng, many).mean() for _ in range(2 * _MANY // many)]))


def main(rounds: int) -> None:
    """Print the table; `rounds` times 350 pairs of runs are drawn for each row."""
    print("Coverage of 95 % intervals of the difference of two runs, and their mean width")
    heads = f"{'kind':>10}{'change':>9}{'scenarios':>11}{'personas':>10}{'repeats':>9}"
    print(f"{heads}{'covered':>10}{'width':>8}")
    for cell in CELLS:
        found = measure(cell, 350 * rounds)
        print(
            f"{cell.kind:>10}{cell.change:>9}{cell.scenarios:>11}{cell.personas:>10}"
            f"{cell.repeats:>9}{found.covered:>10.3f}{found.width:>8.2f}"
        )
