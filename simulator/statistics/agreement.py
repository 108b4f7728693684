"""How far raters agree who put the same things into the same few categories, 0 to k-1, in order.

Kappas are functions of tables: how often (or with what weight) one rater said i where another
said j; alpha is one of matrices of coincidences. Tables of conversations add up, so that a
bootstrap over conversations is a product of matrices. All functions take arrays with any leading
axes and return arrays of these; NaN stands where a statistic is not defined: where there is
nothing, or where somebody said one thing only.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.core.outcome import Interval
from simulator.statistics.intervals import FEWEST_CLUSTERS, expanded_tail, portions

Array = NDArray[np.float64]
_LEAST_SPREAD = 1e-12
DRAWS = 2_000
_SEED = 20_252
_AT_ONCE = 250_000  # numbers in memory
_DEFINED = 0.9  # of the draws, at least, or the interval would speak of lucky ones only
_HAIR = 1e-9
Measure = Callable[[Array], Array]
"""How often each cluster counts (draws × clusters) -> statistics (draws × statistics).

NaN where a statistic is not defined. A row of ones asks for the statistics themselves.
"""


def raw_agreement(table: Array) -> Array:
    """The share of things of which both said the same."""
    return _ratio(np.trace(table, axis1=-2, axis2=-1), table.sum(axis=(-2, -1)))


def prevalence(table: Array, category: int, rater: int) -> Array:
    """The share of things that a rater (0 the first, 1 the second) put into a category."""
    margin = table.sum(axis=-1 if rater == 0 else -2)
    return _ratio(margin[..., category], margin.sum(axis=-1))


def bias(table: Array, category: int) -> Array:
    """How much more often the first rater chose a category than the second, -1 to 1."""
    return prevalence(table, category, 0) - prevalence(table, category, 1)


def kappa(table: Array, *, quadratic: bool = False) -> Array:
    """Cohen's kappa (1960): agreement beyond what chance would give, at most 1.

    With `quadratic` for ordered categories: being off by two weighs four times as much (Cohen
    1968). Not defined where either rater chose one category only: it would be 0 whatever the other
    said.
    """
    return pooled_kappa(table[..., None, :, :], quadratic=quadratic)


def pooled_kappa(pairs: Array, *, quadratic: bool = False) -> Array:
    """One kappa over several pairs of raters, a table each on the third axis from the end.

    Observed and expected disagreement are added up over the pairs: Conger (1980), Psychological
    Bulletin 88:322-328, for raters who did not all rate the same things. With one pair it is
    Cohen's. Not defined where in every pair somebody chose one category only.
    """
    k = pairs.shape[-1]
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    cost = apart**2 if quadratic else (apart > 0).astype(np.float64)
    first, second, total = pairs.sum(axis=-1), pairs.sum(axis=-2), pairs.sum(axis=(-2, -1))
    observed = (pairs * cost).sum(axis=(-2, -1))
    expected = _ratio(np.einsum("...i,...j,ij->...", first, second, cost), total)
    telling = ((first > 0).sum(axis=-1) > 1) & ((second > 0).sum(axis=-1) > 1)
    disagreement = _ratio(observed.sum(axis=-1), np.nansum(expected, axis=-1))
    return np.where(telling.any(axis=-1), 1 - disagreement, np.nan)


def _ratio(above: Array, below: Array) -> Array:
    out = np.full(np.shape(above), np.nan)
    ratio: Array = np.divide(above, below, out=out, where=below > 0)
    return ratio


def coincidences(
    units: Sequence[Sequence[int]],
    categories: int,
    clusters: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
) -> Array:
    """For each cluster (0 to C-1; None: all in one) its matrix of coincidences.

    Args:
        units: of each thing the categories that its raters chose; one rating alone counts nothing.
        categories: how many there are.
        clusters: of each thing.
        weights: of each thing; None: 1. They should be 1 on average.
    """
    size = max(clusters, default=0) + 1 if clusters is not None else 1
    made = np.zeros((size, categories, categories))
    for place, chosen in enumerate(units):
        if len(chosen) < 2:
            continue
        counts = np.bincount(chosen, minlength=categories).astype(np.float64)
        pairs = np.outer(counts, counts) - np.diag(counts)
        weight = 1.0 if weights is None else weights[place]
        made[clusters[place] if clusters is not None else 0] += weight * pairs / (len(chosen) - 1)
    return made


def alpha(matrix: Array) -> Array:
    """1 - (observed / expected disagreement): 1 is full agreement, 0 what chance gives.

    For ordered categories: the more ratings lie between two, the further apart they are. Not
    defined where all ratings are the same.
    """
    margin = matrix.sum(axis=-1)
    total = margin.sum(axis=-1)
    middle = margin.cumsum(axis=-1) - margin / 2  # of its ratings, among all in order
    cost = (middle[..., :, None] - middle[..., None, :]) ** 2
    observed = (matrix * cost).sum(axis=(-2, -1))
    expected = (margin[..., :, None] * margin[..., None, :] * cost).sum(axis=(-2, -1))
    out = np.full(np.shape(total), np.nan)
    ratio: Array = np.divide((total - 1) * observed, expected, out=out, where=expected > 0)
    return 1 - ratio


class Spearman:
    """The rank correlation of two columns of numbers under weights that change."""

    def __init__(self, first: Sequence[float], second: Sequence[float]) -> None:
        self._ranks = _Ranks(first), _Ranks(second)

    def __call__(self, weights: Array) -> Array:
        """The correlation for each row of weights (rows × things); NaN where it is not defined.

        A weight of 2 is the thing twice. It is not defined where either column is constant.
        """
        x, y = (ranks(weights) for ranks in self._ranks)
        total = weights.sum(axis=1, keepdims=True)
        share = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
        x = x - (share * x).sum(axis=1, keepdims=True)
        y = y - (share * y).sum(axis=1, keepdims=True)
        below = np.sqrt((share * x * x).sum(axis=1) * (share * y * y).sum(axis=1))
        out = np.full(len(weights), np.nan)
        above = (share * x * y).sum(axis=1)
        correlation: Array = np.divide(
            above, below, out=out, where=below > _LEAST_SPREAD * total[:, 0] ** 2
        )
        return correlation


class _Ranks:
    """Mid-ranks of a column: things that are equal share the middle of their places."""

    def __init__(self, column: Sequence[float]) -> None:
        values, self._group = np.unique(np.asarray(column, np.float64), return_inverse=True)
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.searchsorted(self._group[self._order], np.arange(len(values)))

    def __call__(self, weights: Array) -> Array:
        if not len(self._starts):
            return weights
        sums = np.add.reduceat(weights[:, self._order], self._starts, axis=1)
        middle = sums.cumsum(axis=1) - sums / 2
        ranks: Array = middle[:, self._group]
        return ranks


def estimates(measure: Measure, clusters: int, *, draws: int = DRAWS) -> list[Interval]:
    """Statistics of `clusters` conversations, each with its 95 % interval.

    Conversations are drawn with replacement, seeded: the same every time; the percentiles are
    expanded for few clusters (see `expanded_tail`). A statistic that is not defined is None. The
    ends are None below 5 clusters, where it is not defined in more than a tenth of the draws, and
    where it is the same in all of them: there was nothing to resample, and that is no certainty.
    """
    means = measure(np.ones((1, clusters)))[0]
    if clusters < FEWEST_CLUSTERS:
        return [Interval(_defined(mean)) for mean in means]
    drawn = np.concatenate([measure(portion) for portion in _drawn(clusters, draws)])
    tail = expanded_tail(clusters)
    return [_interval(mean, column, tail) for mean, column in zip(means, drawn.T, strict=True)]


def _interval(mean: float, drawn: Array, tail: float) -> Interval:
    known = drawn[~np.isnan(drawn)]
    if math.isnan(mean) or len(known) < _DEFINED * len(drawn) or np.ptp(known) < _HAIR:
        return Interval(_defined(mean))
    low, high = np.quantile(known, (tail, 1 - tail))
    return Interval(float(mean), float(low), float(high))


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _drawn(clusters: int, draws: int) -> Iterator[Array]:
    """How often each cluster is drawn, some draws at a time."""
    rng = np.random.default_rng(_SEED)
    equal = np.full(clusters, 1 / clusters)
    for size in portions(draws, clusters, _AT_ONCE):
        yield rng.multinomial(clusters, equal, size=size).astype(np.float64)
