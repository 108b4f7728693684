"""How well a ranking separates: hit@k, MRR, recall and nDCG of a list, the AUC of numbers.

A list holds ids, the best first; what cannot be named is None, and takes a place without ever
being right. A document that comes again (by another of its passages, say) counts where it came
first, and takes no further place. Relevance is yes or no; something is relevant, and k is 1 or
more.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Hashable, Sequence

from simulator.core.outcome import Interval
from simulator.statistics.intervals import FEWEST_CLUSTERS, Z95, mean_of

Ranked = Sequence[str | None]


def hit_at(k: int, ranked: Ranked, relevant: Collection[str]) -> float:
    """1 if one of the first k is relevant, else 0."""
    return float(any(_gains(ranked, relevant, k)))


def reciprocal_rank(ranked: Ranked, relevant: Collection[str]) -> float:
    """1 / the place of the first relevant one, from 1; 0 where there is none.

    Its mean over queries is MRR (Voorhees 1999, TREC-8 question answering).
    """
    gains = _gains(ranked, relevant, None)
    return 1 / (gains.index(True) + 1) if True in gains else 0.0


def recall_at(k: int | None, ranked: Ranked, relevant: Collection[str]) -> float:
    """The share of what is relevant that stands among the first k (None: anywhere); 0–1."""
    return sum(_gains(ranked, relevant, k)) / len(set(relevant))


def ndcg_at(k: int | None, ranked: Ranked, relevant: Collection[str]) -> float:
    """The normalised discounted cumulative gain of the first k (None: of all); 0–1.

    DCG = Σ rel_i / log2(i + 1) over the places i from 1; divided by that of the best list there
    could be (Järvelin and Kekäläinen 2002, doi:10.1145/582415.582418).
    """
    gains = _gains(ranked, relevant, k)
    count = len(set(relevant))
    best = [True] * (count if k is None else min(count, k))
    return _dcg(gains) / _dcg(best)


def _dcg(gains: Sequence[bool]) -> float:
    return math.fsum(1 / math.log2(place + 1) for place, gain in enumerate(gains, 1) if gain)


def _gains(ranked: Ranked, relevant: Collection[str], k: int | None) -> list[bool]:
    """Of each place, whether what stands there is relevant."""
    wanted = frozenset(relevant)
    seen: set[str] = set()
    gains: list[bool] = []
    for name in ranked:
        if name is None or name not in seen:
            gains.append(name in wanted)
        if name is not None:
            seen.add(name)
    return gains[:k]


def auc(
    good: Sequence[float],
    bad: Sequence[float],
    of_good: Sequence[Hashable] | None = None,
    of_bad: Sequence[Hashable] | None = None,
) -> Interval:
    """The chance that a good one has the greater value than a bad one, equal ones counting half.

    With its 95 % interval; the ends are None below 5 clusters of either kind, the mean where one
    kind is missing. The variance is that of DeLong, DeLong & Clarke-Pearson (1988), for clusters
    in the form of Obuchowski (1997), Biometrics 53:567-578; the interval is symmetric on the
    logit scale. Where the kinds do not overlap at all, or all values are equal, that variance is 0
    and says nothing: there the interval is that of Newcombe (2006), Stat. Med. 25:559-573, method
    5, which solves |θ - AUC| = z · SE(θ), with clusters as n.

    Args:
        good: the values of the good ones.
        bad: the values of the bad ones.
        of_good: the cluster (conversation) of each good one, in the same order; None: each is
            its own.
        of_bad: likewise of the bad ones; a cluster may hold both kinds.
    """
    if not good or not bad:
        return Interval(None)
    above = _shares(good, bad)
    below = [1 - share for share in _shares(bad, good)]
    area = mean_of(above)
    if area is None:
        return Interval(None)
    kinds = (
        _Kind(above, of_good if of_good is not None else range(len(good)), area),
        _Kind(below, of_bad if of_bad is not None else range(-len(bad), 0), area),
    )
    m, n = (len(kind.sums) for kind in kinds)
    if min(m, n) < FEWEST_CLUSTERS:
        return Interval(area)
    variance = _variance(*kinds)
    if variance <= 0 or area in (0.0, 1.0):
        return _apart(area, m, n)
    half = Z95 * math.sqrt(variance) / (area * (1 - area))
    middle = math.log(area / (1 - area))
    return Interval(area, _logistic(middle - half), _logistic(middle + half))


def area(good: Sequence[float], bad: Sequence[float]) -> float:
    """The AUC without its interval; neither kind is empty."""
    return sum(_shares(good, bad)) / len(good)


def _shares(values: Sequence[float], others: Sequence[float]) -> list[float]:
    """Of each value the share of the others below it, equal ones counting half."""
    ordered = sorted(others)
    twice = (bisect_left(ordered, value) + bisect_right(ordered, value) for value in values)
    return [both / (2 * len(others)) for both in twice]


class _Kind:
    """Residuals of the good or of the bad ones, and their sums by cluster."""

    def __init__(self, shares: Sequence[float], clusters: Sequence[Hashable], area: float) -> None:
        self.count = len(shares)
        self.sums: dict[Hashable, float] = {}
        # One after the other in the order of the clusters' first ones: the same every time.
        for share, cluster in zip(shares, clusters, strict=True):
            self.sums[cluster] = self.sums.get(cluster, 0.0) + share - area

    @property
    def variance(self) -> float:
        """Of the mean of the shares."""
        c = len(self.sums)
        return c / ((c - 1) * self.count**2) * math.fsum(s * s for s in self.sums.values())


def _variance(good: _Kind, bad: _Kind) -> float:
    """Obuchowski's variance of a clustered AUC; with clusters of one it is DeLong's."""
    both = good.sums.keys() & bad.sums.keys()
    clusters = len(good.sums) + len(bad.sums) - len(both)
    together = math.fsum(good.sums[c] * bad.sums[c] for c in both)
    covariance = clusters / (clusters - 1) * together / (good.count * bad.count)
    return good.variance + bad.variance + 2 * covariance


def _apart(area: float, m: int, n: int) -> Interval:
    """Newcombe's interval at an end of the scale, found by bisection."""

    def variance(theta: float) -> float:
        half = (m + n) / 2 - 1
        middle = 1 + half * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return theta * (1 - theta) * middle / (m * n)

    def end(outside: float) -> float:
        inside = area
        for _ in range(60):
            theta = (inside + outside) / 2
            if abs(area - theta) <= Z95 * math.sqrt(variance(theta)):
                inside = theta
            else:
                outside = theta
        return inside

    return Interval(area, end(0.0), end(1.0))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
