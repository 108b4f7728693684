"""Two measurements of the same conversations: intervals of their differences, tests, and power.

Everything here speaks of differences d_i = after - before of conversation means, summed by
cluster: conversations of one scenario go up and down together.
"""

import math
from array import array
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.core.run import Interval
from simulator.statistics.intervals import (
    FEWEST_CLUSTERS,
    expanded_tail,
    mean_of,
    portions,
    t_quantile,
)

_EXACT_UP_TO = 15  # clusters that moved: 2¹⁴ ways to choose their signs
_MANY = 2_000  # clusters; beyond that fewer draws tell as much
_FLIPS, _FEWER_FLIPS = 9_999, 1_999
_RESAMPLES, _FEWER_RESAMPLES = 10_000, 2_000
_SEED = 20_251
_AT_ONCE = 1_000_000  # numbers in memory
_HAIR = 1e-9  # sums of binary fractions that should be equal are


@dataclass(frozen=True, slots=True)
class Differences:
    """Differences by cluster: their mean over conversations, each cluster's sum and size.

    `of_scenarios`: the clusters are scenarios; else every conversation is its own. Sorted, so that
    nothing depends on the order in which conversations came.
    """

    mean: float | None
    sums: Sequence[float]
    sizes: Sequence[int]
    of_scenarios: bool

    @property
    def pairs(self) -> int:
        """How many conversations there are."""
        return sum(self.sizes)

    @property
    def vary(self) -> bool:
        """Whether there is any spread between clusters that could be resampled."""
        return self.standard_error > _HAIR

    @property
    def standard_error(self) -> float:
        """Of the mean; 0 below 2 clusters.

        SE² = C/(C-1) · N⁻² · Σ_c (Σ_{i∈c} (d_i - d̄))² (Miller 2024, arXiv:2411.00640).
        """
        c, mean = len(self.sums), self.mean
        if mean is None or c < 2:
            return 0.0
        squares = ((s - mean * n) ** 2 for s, n in zip(self.sums, self.sizes, strict=True))
        return math.sqrt(c / (c - 1) * math.fsum(squares)) / self.pairs


@dataclass(frozen=True, slots=True)
class Test:
    """A two-sided p-value. `least`: the smallest that so many clusters could have given."""

    p: float
    least: float
    exact: bool


def by_cluster(differences: Sequence[float], scenarios: Sequence[Hashable]) -> Differences:
    """Differences grouped by scenario, or one by one where there are fewer than 5 scenarios.

    Args:
        differences: one for each pair of conversations.
        scenarios: the scenario of each, in the same order.
    """
    found: dict[Hashable, list[float]] = defaultdict(list)
    for difference, scenario in zip(differences, scenarios, strict=True):
        found[scenario].append(difference)
    of_scenarios = len(found) >= FEWEST_CLUSTERS
    groups = list(found.values()) if of_scenarios else [[d] for d in differences]
    clusters = sorted((math.fsum(group), len(group)) for group in groups)
    sums, sizes = array("d", (s for s, _ in clusters)), array("l", (n for _, n in clusters))
    return Differences(mean_of(differences), sums, sizes, of_scenarios)


def interval(found: Differences) -> Interval:
    """The mean difference and its 95 % interval: a paired bootstrap that draws clusters.

    The percentiles are expanded for few clusters (see `expanded_tail`). Seeded: the same every
    time. The ends are None below 5 clusters, and where all differences are the same: there is
    nothing to resample.
    """
    c = len(found.sums)
    if c < FEWEST_CLUSTERS or not found.vary:
        return Interval(found.mean)
    tail = expanded_tail(c)
    low, high = np.quantile(_resampled(found), (tail, 1 - tail))
    return Interval(found.mean, float(low), float(high))


def sign_flip(found: Differences) -> Test:
    """Whether the mean difference is 0: the permutation test that flips the signs of clusters.

    If the two runs are alike, each cluster's sum is as likely to be its opposite. p is the share
    of all ways to choose the signs whose total is at least as far from 0; where these are too
    many, of some thousand that are drawn (seeded), and then p = (b + 1)/(m + 1) (Phipson & Smyth
    2010, doi:10.2202/1544-6115.1585).
    """
    least = 2.0 ** (1 - len(found.sums)) if found.sums else 1.0
    scale = math.fsum(map(abs, found.sums))
    moved = [s for s in found.sums if abs(s) > _HAIR * scale]  # flipping a 0 changes nothing
    if len(moved) <= _EXACT_UP_TO:
        return Test(_exact(moved, _HAIR * scale), least, exact=True)
    draws = _FLIPS if len(moved) <= _MANY else _FEWER_FLIPS
    far = abs(math.fsum(moved)) - _HAIR * scale
    beyond = sum(int((abs(totals) >= far).sum()) for totals in _flipped(moved, draws))
    p = (beyond + 1) / (draws + 1)
    return Test(p, max(least, 1 / (draws + 1)), exact=False)


def mcnemar(worse: int, better: int) -> float:
    """The exact, two-sided p of McNemar's test (1947): which way those went that changed sides.

    Raises:
        ValueError: a count is negative.
    """
    if min(worse, better) < 0:
        raise ValueError(f"counts are not negative; got {worse} and {better}")
    n, fewer = worse + better, min(worse, better)
    ways = chosen = 1
    for k in range(fewer):
        chosen = chosen * (n - k) // (k + 1)
        ways += chosen
    p: float = 2 * ways / 2**n
    return min(1.0, p)


def holm(ps: Sequence[float]) -> list[float]:
    """p-values, in their order, adjusted for there being several (Holm 1979)."""
    adjusted, least = [0.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, (len(ps) - rank) * ps[place]))
        adjusted[place] = least
    return adjusted


def noticeable(found: Differences, alpha: float, power: float = 0.8) -> float | None:
    """The smallest true difference that a test at `alpha` sees with probability `power`.

    (t_{1-α/2} + t_{power}) · SE with C-1 degrees of freedom (Bloom 1995, doi:10.1177/
    0193841X9501900504). None where there is no spread to reckon with.
    """
    c = len(found.sums)
    if c < FEWEST_CLUSTERS or not found.vary:
        return None
    reach = t_quantile(c - 1, 1 - alpha) + t_quantile(c - 1, 2 * power - 1)
    return reach * found.standard_error


def _exact(sums: Sequence[float], hair: float) -> float:
    """The share of all choices of signs; the first is fixed, because opposites come in pairs."""
    if not sums:
        return 1.0
    totals = np.array([sums[0]])
    for s in sums[1:]:
        totals = np.concatenate((totals + s, totals - s))
    return float((abs(totals) >= abs(math.fsum(sums)) - hair).mean())


def _flipped(sums: Sequence[float], draws: int) -> Iterator[NDArray[np.float64]]:
    """Totals with signs that are drawn."""
    rng, values = np.random.default_rng(_SEED), np.array(sums)
    for rows in portions(draws, len(values), _AT_ONCE):
        signs = rng.integers(0, 2, size=(rows, len(values)), dtype=np.int8) * 2 - 1
        yield signs.astype(np.float64) @ values


def _resampled(found: Differences) -> NDArray[np.float64]:
    """Mean differences over clusters that are drawn with replacement."""
    rng = np.random.default_rng(_SEED)
    sums, sizes = np.array(found.sums), np.array(found.sizes, dtype=np.float64)
    c = len(sums)
    draws = _RESAMPLES if c <= _MANY else _FEWER_RESAMPLES
    drawn_means = []
    for rows in portions(draws, c, _AT_ONCE):
        drawn = rng.integers(0, c, size=(rows, c))
        drawn_means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    return np.concatenate(drawn_means)
