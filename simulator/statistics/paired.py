"""Two measurements of the same conversations: intervals of their differences, tests, and power.

Everything here speaks of differences d_i = after - before of conversation means, summed by
scenario: conversations of one scenario go up and down together.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import accumulate
from statistics import median
from typing import TYPE_CHECKING

from simulator.core.outcome import Count, Interval
from simulator.statistics.intervals import (
    FEWEST_CLUSTERS,
    Z95,
    mean_of,
    portions,
    t_quantile,
    t_within,
)

if TYPE_CHECKING:  # a tenth of a second, which most runs do without
    import numpy as np
    from numpy.typing import NDArray

_EXACT_UP_TO = 15  # scenarios that moved: 2¹⁴ ways to choose their signs
_MANY = 2_000  # scenarios; beyond that fewer draws tell as much
_FLIPS, _FEWER_FLIPS = 9_999, 1_999
_SEED = 20_251
_AT_ONCE = 1_000_000  # numbers in memory
_HAIR = 1e-9  # sums of binary fractions that should be equal are
_UNSEEN = 0.75  # scenarios that may have changed wholly, and are not among these
_NEAR = 0.1  # of the greatest difference: so near each other differences count as alike
_MOST_ALIKE = 0.75  # of the conversations
_TELLING = 3.0  # scenarios that moved: so many tell how far the others may


@dataclass(frozen=True, slots=True)
class Differences:
    """Differences by scenario: their mean over conversations, each scenario's sum and size.

    `unseen`: the variance that is added for what so few scenarios cannot show (see `_unseen`);
    `reach`: the greatest difference there can be. Sorted, so that nothing depends on the order in
    which conversations came.
    """

    mean: float | None
    sums: Sequence[float]
    sizes: Sequence[int]
    unseen: float
    reach: float

    @property
    def pairs(self) -> int:
        """How many conversations there are."""
        return sum(self.sizes)

    @property
    def moved(self) -> Sequence[float]:
        """The sums that are not 0."""
        scale = math.fsum(map(abs, self.sums))
        return [s for s in self.sums if abs(s) > _HAIR * scale]

    @property
    def standard_error(self) -> float:
        """Of the mean; 0 below 2 scenarios.

        SE² = C/(C-1) · N⁻² · Σ_c (Σ_{i∈c} (d_i - d̄))² (Miller 2024, arXiv:2411.00640) + `unseen`.
        """
        if self.mean is None or len(self.sums) < 2:
            return 0.0
        return math.sqrt(_spread(self.sums, self.sizes, self.mean) + self.unseen)


@dataclass(frozen=True, slots=True)
class Test:
    """A two-sided p-value.

    `moved`: the scenarios whose sum is not 0; `least`: the smallest p that so many could have
    given, 2/2^moved. Where that is above alpha, the test cannot tell.
    """

    p: float
    least: float
    moved: int
    exact: bool

    def can_tell(self, alpha: float) -> bool:
        """Whether so many moved scenarios could have shown a difference at `alpha`."""
        return self.least <= alpha


def by_cluster(
    differences: Sequence[float], scenarios: Sequence[Hashable], *, reach: float = 1.0
) -> Differences:
    """Differences grouped by scenario.

    Args:
        differences: one for each pair of conversations, -reach … reach.
        scenarios: the scenario of each, in the same order.
        reach: the length of the scale; where it has no end, the greatest difference seen stands for
            it, 1 at least.
    """
    by_scenario: dict[Hashable, list[float]] = defaultdict(list)
    for difference, scenario in zip(differences, scenarios, strict=True):
        by_scenario[scenario].append(difference)
    clusters = sorted((math.fsum(group), len(group)) for group in by_scenario.values())
    sums, sizes = array("d", (s for s, _ in clusters)), array("l", (n for _, n in clusters))
    mean = mean_of(differences)
    unseen = 0.0 if mean is None else _unseen(list(by_scenario.values()), reach)
    return Differences(mean, sums, sizes, unseen, reach)


def _spread(sums: Sequence[float], sizes: Sequence[int], mean: float) -> float:
    c = len(sums)
    squares = math.fsum((s - mean * n) ** 2 for s, n in zip(sums, sizes, strict=True))
    return c / (c - 1) * squares / sum(sizes) ** 2


def _unseen(groups: Sequence[Sequence[float]], reach: float) -> float:
    """The variance that is added for scenarios that changed wholly, and are not among these.

    w·(½ + ½/k)·reach²/C² for C scenarios of k conversations: w of a scenario more, as is done for
    rates (Agresti & Coull 1998, doi:10.1080/00031305.1998.10480550), half of it alike within a
    scenario. It is added where differences are of pass or fail, where most are alike, and where
    few scenarios make up most of the spread; w = ¾, from the simulation of `benchmarks/coverage`.
    Where r > 3 scenarios moved, it is 3/r of that; r = (Σ s²)² / Σ s⁴ over their deviations s, so
    that one which moved far is not lost among many that moved a little.
    """
    every = [d for group in groups for d in group]
    if math.isinf(reach):
        reach = max(1.0, *map(abs, every))
    count, middle = len(groups), median(every)
    away = [_beyond(group, middle, reach) for group in groups]
    mean = math.fsum(away) / len(every)
    squares = [(s - mean * len(g)) ** 2 for s, g in zip(away, groups, strict=True)]
    fourth = math.fsum(q * q for q in squares)
    moved = math.fsum(squares) ** 2 / fourth if fourth > _HAIR**4 else 0.0
    alike = sum(abs(d - middle) <= _NEAR * reach for d in every)
    pass_or_fail = set(every) <= {-1.0, 0.0, 1.0}
    lopsided = moved < count / 6 or _still(groups)
    if not (pass_or_fail or alike >= _MOST_ALIKE * len(every) or lopsided):
        return 0.0
    whole = _UNSEEN * reach**2 * (0.5 + 0.5 * count / len(every)) / count**2
    return whole * min(1.0, _TELLING / moved) if moved else whole


def _beyond(group: Sequence[float], middle: float, reach: float) -> float:
    """How far the conversations that are not near the middle are away from it, added up."""
    return math.fsum(d - middle for d in group if abs(d - middle) > _NEAR * reach)


def _still(groups: Sequence[Sequence[float]]) -> bool:
    """Whether the means of the scenarios are all the same."""
    means = [math.fsum(group) / len(group) for group in groups]
    return max(means) - min(means) <= _HAIR


def interval(differences: Differences, test: Test, alpha: float = 0.05) -> Interval:
    """The mean difference and its 95 % interval: d̄ ± t·SE with C-1 degrees, on the scale.

    It holds 0 where `test` could have told the mean from 0 at `alpha`, and does not: its end is
    moved to 0. As the p of `difference_test` is not under that of this t, an interval that
    excludes 0 never stands beside "no difference", nor one that holds it beside a difference (at
    an alpha up to .05). The ends are None below 5 scenarios: nothing tells how much these differ.
    """
    c, mean = len(differences.sums), differences.mean
    if mean is None or c < FEWEST_CLUSTERS:
        return Interval(mean)
    half = t_quantile(c - 1) * differences.standard_error
    low, high = max(-differences.reach, mean - half), min(differences.reach, mean + half)
    if test.can_tell(alpha) and test.p > alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    return Interval(mean, low, high)


def difference_test(differences: Differences) -> Test:
    """Whether the mean difference is 0: the larger p of `sign_flip` and of the t of `interval`.

    Both have to tell it, so that test and interval never contradict each other; below 5 scenarios
    there is no t.
    """
    test, c = sign_flip(differences), len(differences.sums)
    if differences.mean is None or c < FEWEST_CLUSTERS:
        return test
    p = 1 - t_within(abs(differences.mean) / differences.standard_error, c - 1)
    return replace(test, p=max(test.p, p))


def sign_flip(differences: Differences) -> Test:
    """Whether the mean difference is 0: the permutation test that flips the signs of scenarios.

    If the two runs are alike, each scenario's sum is as likely to be its opposite. p is the share
    of all ways to choose the signs whose total is at least as far from 0; where these are too
    many, of some thousand that are drawn (seeded), and then p = (b + 1)/(m + 1) (Phipson & Smyth
    2010, doi:10.2202/1544-6115.1585). Flipping a 0 changes nothing, so that k scenarios that moved
    cannot give a p below 2/2^k: 6 are the fewest that tell anything at .05.
    """
    moved, hair = differences.moved, _HAIR * math.fsum(map(abs, differences.sums))
    least = min(1.0, 2.0 ** (1 - len(moved)))
    if len(moved) <= _EXACT_UP_TO:
        return Test(_exact(moved, hair), least, len(moved), exact=True)
    draws = _FLIPS if len(moved) <= _MANY else _FEWER_FLIPS
    far = abs(math.fsum(moved)) - hair
    beyond = sum(int((abs(totals) >= far).sum()) for totals in _flipped(moved, draws))
    p = (beyond + 1) / (draws + 1)
    return Test(p, max(least, 1 / (draws + 1)), len(moved), exact=False)


def mcnemar(worse: int, better: int) -> float:
    """The exact, two-sided p of McNemar's test (1947): which way those went that changed sides."""
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


def noticeable(differences: Differences, alpha: float, power: float = 0.8) -> float | None:
    """The smallest true difference that a test at `alpha` sees with probability `power`.

    (t_{1-α/2} + t_{power}) · SE with C-1 degrees of freedom (Bloom 1995, doi:10.1177/
    0193841X9501900504). None below 5 scenarios.
    """
    c = len(differences.sums)
    if c < FEWEST_CLUSTERS:
        return None
    reach = t_quantile(c - 1, 1 - alpha) + t_quantile(c - 1, 2 * power - 1)
    return reach * differences.standard_error


def _exact(sums: Sequence[float], hair: float) -> float:
    """The share of all choices of signs; the first is fixed, because opposites come in pairs."""
    import numpy as np

    if not sums:
        return 1.0
    totals = np.array([sums[0]])
    for s in sums[1:]:
        totals = np.concatenate((totals + s, totals - s))
    return float((abs(totals) >= abs(math.fsum(sums)) - hair).mean())


def _flipped(sums: Sequence[float], draws: int) -> "Iterator[NDArray[np.float64]]":
    """Totals with signs that are drawn."""
    import numpy as np

    rng, values = np.random.default_rng(_SEED), np.array(sums)
    for rows in portions(draws, len(values), _AT_ONCE):
        signs = rng.integers(0, 2, size=(rows, len(values)), dtype=np.int8) * 2 - 1
        yield signs.astype(np.float64) @ values


_GRID = [n / 40 for n in range(41)]  # rates of passing
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
    newly_failing = cache(partial(_newly_failing, weights=_weights(Counter(repeated))))
    chances = [newly_failing(a.n, b.n) for a, b in both]
    low, high = _range(chances)
    return Count(math.fsum(chances), low, high)


def _weights(repeats: Counter[Repeats]) -> list[float]:
    """The weight of each rate in `_GRID` that makes these repeats likeliest, and half a coin's."""
    import numpy as np

    grid = np.array(_GRID)
    likely = np.array([grid**r.passed * (1 - grid) ** (r.n - r.passed) for r in repeats])
    counts = np.array([[count] for count in repeats.values()]) / repeats.total()
    weights = np.full(len(grid), 1 / len(grid))
    for _ in range(_STEPS):
        joint = likely * weights
        weights = (counts * joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
    n = repeats.total()
    mixed: list[float] = ((n * weights + 0.5 * (grid == 0.5)) / (n + 0.5)).tolist()
    return mixed


def _newly_failing(before: int, after: int, weights: Sequence[float]) -> float:
    """The chance that a cell of so many repeats newly fails by chance."""
    return math.fsum(
        weight
        * more_often(before // 2 + 1, before, rate)
        * more_often(after // 2 + 1, after, 1 - rate)
        for rate, weight in zip(_GRID, weights, strict=True)
    )


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
