"""What repeats tell: how many cells newly fail by chance alone, and pass^k."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from simulator.core.comparison import Count
from simulator.statistics.intervals import Z95, mean_of

Floats = NDArray[np.float64]

_GRID = np.linspace(0, 1, 41)  # rates of passing
_COIN = (_GRID == 0.5).astype(np.float64)
_STEPS = 500
_TAIL = 0.025
_FINE = 1e-9  # how near an end of an interval is found
_SIMULATED_ABOVE = 2_000  # cells that could newly fail


@dataclass(frozen=True, slots=True)
class Repeats:
    """The repeats of a cell in one run: `passed` of `n` that passed or failed; more are `open`."""

    passed: int
    n: int
    open: int = 0


def expected_by_chance(cells: Sequence[tuple[Repeats, Repeats]]) -> Count | None:
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
    newly_failing = cache(partial(_newly_failing, weights=weights))
    chances = [newly_failing(a.n, b.n) for a, b in both]
    low, high = _range(chances)
    return Count(math.fsum(chances), low, high)


def _rates(repeats: Counter[Repeats]) -> Floats:
    """The weight of each rate in `_GRID` that makes these repeats likeliest."""
    likely = np.array([_GRID**r.passed * (1 - _GRID) ** (r.n - r.passed) for r in repeats])
    counts = np.array([[count] for count in repeats.values()]) / repeats.total()
    weights = np.full(len(_GRID), 1 / len(_GRID))
    for _ in range(_STEPS):
        joint = likely * weights
        weights = (counts * joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
    return weights


def _newly_failing(before: int, after: int, weights: Floats) -> float:
    """The chance that a cell of so many repeats newly fails by chance."""
    passes = sum(_exactly(c, before) for c in range(before // 2 + 1, before + 1))
    fails = sum(_exactly(c, after) for c in range((after + 1) // 2))
    return float((weights * passes * fails).sum())


def _exactly(c: int, n: int) -> Floats:
    chance: Floats = math.comb(n, c) * _GRID**c * (1 - _GRID) ** (n - c)
    return chance


def expected_from_same(failing: int, fixed: int, cells: int) -> Count:
    """From two runs of the same bot (A/A): how many cells newly fail by chance.

    Which of the two came first means nothing, so the mean is that of newly failing and newly
    fixed. The range is Jeffreys' prediction of a Poisson count from one that is known over twice
    the exposure: negative binomial with failing + fixed + ½ and 2/3.

    Args:
        failing: cells that newly fail in the second run.
        fixed: cells that newly pass in it.
        cells: that both runs have.
    """
    size = failing + fixed + 0.5
    start = size * math.log(2 / 3) - math.lgamma(size)  # as logarithms: 0.67 ** 2,000 is 0.0
    of = [
        math.exp(start + math.lgamma(n + size) - math.lgamma(n + 1) - n * math.log(3))
        for n in range(cells + 1)
    ]
    return Count((failing + fixed) / 2, *_ends(of))


def _range(chances: Sequence[float]) -> tuple[int, int]:
    """Between which counts 95 % lie."""
    if len(chances) > _SIMULATED_ABOVE:
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

    Args:
        repeats: of the cell.
        k: 1 or more.
    """
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


def upper_bound(hits: int, n: int, level: float = 0.95) -> float:
    """The upper end of the one-sided exact interval of a rate (Clopper & Pearson 1934).

    The rate at which at most so many hits of `n` have the chance 1 - `level`; 1 without a trial.
    """
    low, high = 0.0, 1.0
    if hits >= n:
        return 1.0
    while high - low > _FINE:
        middle = (low + high) / 2
        is_beyond = 1 - more_often(hits + 1, n, middle) < 1 - level
        low, high = (low, middle) if is_beyond else (middle, high)
    return high
