"""What repeats tell: how many cells newly fail by chance alone, and pass^k."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from simulator.statistics.intervals import Z95, mean_of

Floats = NDArray[np.float64]

_GRID = np.linspace(0, 1, 41)  # rates of passing
_COIN = (_GRID == 0.5).astype(np.float64)
_STEPS = 500
_TAIL = 0.025
_EXACT_UP_TO = 2_000  # cells that could newly fail


@dataclass(frozen=True, slots=True)
class Repeats:
    """The repeats of a cell in one run: `passed` of `n` that passed or failed; more are `open`."""

    passed: int
    n: int
    open: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            ValueError: not 0 <= passed <= n.
        """
        if not 0 <= self.passed <= self.n:
            raise ValueError(f"repeats need 0 <= passed <= n; got {self.passed} of {self.n}")


@dataclass(frozen=True, slots=True)
class ByChance:
    """How many cells newly fail where nothing changed: `mean`, and 95 % of all counts lie within.

    `cells`: of so many.
    """

    mean: float
    low: int
    high: int
    cells: int


def expected_by_chance(cells: Sequence[tuple[Repeats, Repeats]]) -> ByChance | None:
    """From repeats: how many cells newly fail if A and B are the same bot.

    A cell newly fails if most of its repeats in A passed and most in B failed. How the rates of
    cells are distributed, g, is what makes the repeats of each cell within each run likeliest
    (non-parametric maximum likelihood by EM: Laird 1978, doi:10.1080/01621459.1978.10480103). If
    nothing changed, a cell newly fails with the chance Σ_p g(p)·P(most of n_A pass)·P(most of n_B
    fail); the count is a sum of such cells. A and B are looked at apart, so that cells which the
    change broke are not taken for unsteady ones.

    Args:
        cells: of each cell its repeats in A and in B.

    Returns:
        None where it is not known: fewer than half of the cells were repeated in a run.
    """
    both = [(a, b) for a, b in cells if a.n and b.n]
    repeated = [r for pair in cells for r in pair if r.n > 1]
    if not both or sum(max(a.n, b.n) > 1 for a, b in both) < len(both) / 2:
        return None
    weights = (len(repeated) * _rates(Counter(repeated)) + 0.5 * _COIN) / (len(repeated) + 0.5)
    sizes = Counter((a.n, b.n) for a, b in both)
    chance = {size: _newly(*size, weights) for size in sizes}
    chances = [chance[size] for size, n in sizes.items() for _ in range(n)]
    low, high = _range(chances)
    return ByChance(math.fsum(chances), low, high, len(chances))


def _rates(found: Counter[Repeats]) -> Floats:
    """The weight of each rate in `_GRID` that makes what was found likeliest."""
    passed, n = (np.array([[getattr(r, name)] for r in found]) for name in ("passed", "n"))
    likely = _GRID**passed * (1 - _GRID) ** (n - passed)
    counts = np.array([[count] for count in found.values()]) / found.total()
    weights = np.full(len(_GRID), 1 / len(_GRID))
    for _ in range(_STEPS):
        joint = likely * weights
        weights = (counts * joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
    return weights


def _newly(before: int, after: int, weights: Floats) -> float:
    """The chance that a cell of so many repeats newly fails by chance."""
    passes = sum(_exactly(c, before) for c in range(before // 2 + 1, before + 1))
    fails = sum(_exactly(c, after) for c in range((after + 1) // 2))
    return float((weights * passes * fails).sum())


def _exactly(c: int, n: int) -> Floats:
    chance: Floats = math.comb(n, c) * _GRID**c * (1 - _GRID) ** (n - c)
    return chance


def expected_from_same(failing: int, fixed: int, cells: int) -> ByChance:
    """From two runs of the same bot (A/A): how many cells newly fail by chance.

    Which of the two came first means nothing, so the mean is that of newly failing and newly
    fixed. The range is Jeffreys' prediction of a Poisson count from one that is known over twice
    the exposure: negative binomial with failing + fixed + ½ and 2/3.

    Args:
        failing: cells that newly fail in the second run.
        fixed: cells that newly pass in it.
        cells: that both runs have.

    Raises:
        ValueError: not 0 <= failing + fixed <= cells.
    """
    if min(failing, fixed) < 0 or failing + fixed > cells:
        raise ValueError(f"of {cells} cells {failing} cannot fail and {fixed} be fixed")
    size = failing + fixed + 0.5
    start = size * math.log(2 / 3) - math.lgamma(size)  # as logarithms: 0.67 ** 2,000 is 0.0
    of = [
        math.exp(start + math.lgamma(n + size) - math.lgamma(n + 1) - n * math.log(3))
        for n in range(cells + 1)
    ]
    return ByChance((failing + fixed) / 2, *_ends(of), cells)


def _range(chances: Sequence[float]) -> tuple[int, int]:
    """Between which counts 95 % lie."""
    if len(chances) > _EXACT_UP_TO:
        mean = math.fsum(chances)
        half = Z95 * math.sqrt(math.fsum(p * (1 - p) for p in chances))
        return max(0, round(mean - half)), min(len(chances), round(mean + half))
    of = [1.0]  # of each count its probability
    for p in chances:
        of = [x * (1 - p) + y * p for x, y in zip([*of, 0.0], [0.0, *of], strict=True)]
    return _ends(of)


def _ends(of: Sequence[float]) -> tuple[int, int]:
    """The 2.5 % and 97.5 % quantiles of a count of which each probability is given."""
    below = list(accumulate(of))
    low = sum(share <= _TAIL for share in below)
    return low, min(len(of) - 1, sum(share < 1 - _TAIL for share in below))


def seldom(hits: int, of: int, others: int, of_others: int) -> float:
    """How likely at least so many hits of `of` are, if they are as frequent among the others.

    Fisher's exact test, one-sided: the hypergeometric tail.
    """
    every = math.comb(of + of_others, hits + others)
    most = min(of, hits + others)
    ways = (
        math.comb(of, n) * math.comb(of_others, hits + others - n) for n in range(hits, most + 1)
    )
    return sum(ways) / every


def pass_power(repeats: Repeats, k: int) -> float | None:
    """pass^k of a cell: the chance that k repeats all pass, C(c,k)/C(n,k).

    Unbiased (Yao et al. 2024, arXiv:2406.12045). None where n < k; but 0 where no k can pass,
    whatever the open ones would have been: else whoever failed once and is undecided otherwise
    would be left out, and whoever passed is not.

    Raises:
        ValueError: k is below 1.
    """
    if k < 1:
        raise ValueError(f"pass^k takes k >= 1; got {k}")
    if repeats.passed + repeats.open < k <= repeats.n + repeats.open:
        return 0.0
    if repeats.n < k:
        return None
    return math.comb(repeats.passed, k) / math.comb(repeats.n, k)


def pass_power_mean(cells: Sequence[Repeats], k: int) -> float | None:
    """pass^k of a run: its mean over the cells with at least k repeats; None without any."""
    return mean_of(p for cell in cells if (p := pass_power(cell, k)) is not None)


def more_often(hits: int, n: int, rate: float) -> float:
    """P(X >= hits) for X ~ Binomial(n, rate), exact: how likely so many are by chance."""
    return math.fsum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(hits, n + 1))
