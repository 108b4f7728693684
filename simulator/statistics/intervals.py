"""Means, sums and 95 % intervals: of a mean of conversation means, clustered, and of a rate.

Turns are nested in conversations, and conversations (personas, repeats) in scenarios; taken as
independent they promise too much: with 5 turns and an intra-class correlation of .3, naive 95 %
intervals cover 81 %.
"""

import math
from array import array
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from simulator.core.outcome import Interval

_BITS = 60
HAIR = 1e-9
"""A value that is under a threshold by no more than this is not under it: binary fractions."""
_EXACT_UP_TO = 200  # degrees of freedom; beyond them the expansion is exact, and shorter
FEWEST_CLUSTERS = 5
_NO_SPREAD = 1e-14  # a variance below it is that of binary fractions
_NEAR = 0.05  # of the scale: so near an end a conversation counts as standing there
Z95 = 1.959963984540054  # the normal quantile of 0.975


@dataclass(slots=True)
class Total:
    """A running sum in fixed point: exact, so that 0.7 a thousand times has the mean 0.7.

    Values of 2⁻⁷ and more in magnitude keep every bit, smaller ones are cut at 2⁻⁶⁰.
    """

    units: int = 0
    count: int = 0

    def add(self, value: float) -> None:
        """Count one more value.

        Raises:
            ValueError, OverflowError: it is not a finite number.
        """
        self.units += int(value * (1 << _BITS))
        self.count += 1

    @property
    def mean(self) -> float | None:
        """The mean so far, correctly rounded; None before the first value."""
        return self.units / (self.count << _BITS) if self.count else None


def mean_of(values: Iterable[float]) -> float | None:
    """The mean of some values, correctly rounded; None where there are none."""
    units = count = 0  # as `Total`, without a call for each
    for value in values:
        units += int(value * (1 << _BITS))
        count += 1
    return units / (count << _BITS) if count else None


def portions(count: int, width: int, at_once: int) -> Iterator[int]:
    """How many rows of `width` numbers to take at a time, `at_once` numbers in memory at most."""
    most = max(1, at_once // width)
    while count > 0:
        yield min(most, count)
        count -= most


def under(value: float, threshold: float) -> bool:
    """Whether `value` does not reach `threshold`; 3.5/5 reaches 0.7, however they were made."""
    return value < threshold - HAIR


@lru_cache(maxsize=1024)
def t_quantile(df: int, level: float = 0.95) -> float:
    """The t with P(-t < T < t) = `level` (0-1), for whole degrees of freedom from 1 on.

    Relative error below 1e-9, checked against scipy in the tests.
    """
    return _expansion(df, level) if df > _EXACT_UP_TO else _bisection(df, level)


def expanded_tail(clusters: int) -> float:
    """Which percentile of a bootstrap over so many clusters is the lower end of 95 %.

    A plain percentile interval is too narrow for few: α' = Φ(-√(C/(C-1)) · t_{C-1, 0.975})
    (Hesterberg 2015, The American Statistician 69:371-386, "expanded percentile").
    """
    wider = math.sqrt(clusters / (clusters - 1)) * t_quantile(clusters - 1)
    return NormalDist().cdf(-wider)


def t_within(t: float, df: int) -> float:
    """P(-t < T < t), for whole degrees of freedom.

    The finite series of Abramowitz & Stegun, 26.7.3 and 26.7.4.
    """
    angle = math.atan2(t, math.sqrt(df))
    cosine = math.cos(angle)
    odd = df % 2 == 1
    term = cosine if odd else 1.0
    total = term if df > 1 else 0.0
    for k in range(3 if odd else 2, df - 1, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total


def _bisection(df: int, level: float) -> float:
    low, high = 0.0, 1.0
    while t_within(high, df) < level:
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if t_within(middle, df) < level else (low, middle)
    return high


def _expansion(df: int, level: float) -> float:
    """Fisher and Cornish's expansion around the normal quantile (A. & S., 26.7.5)."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    return (
        z
        + (z**3 + z) / (4 * df)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * df**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * df**4)
    )


def clustered(
    means: Sequence[float], clusters: Sequence[Hashable], *, low: float = 0.0, high: float = 1.0
) -> Interval:
    """The mean of conversation means m_i and its 95 % interval within `low`..`high`.

    The clustered variance SE² = C/(C-1) · N⁻² · Σ_c (Σ_{i∈c} (m_i - m̄))² (Miller 2024,
    arXiv:2411.00640) says of how many independent answers the mean is worth: n = m̄(1 - m̄)/SE² on
    the scale from 0 to 1 (Kish 1965). The interval is Wilson's for these, with t of C-1 degrees:
    it keeps its width where all are alike, and its coverage near the ends of the scale, where that
    of m̄ ± t·SE falls to .24 (`python -m benchmarks coverage`). Where the scale has no end it is
    m̄ ± t·SE.

    Clusters are scenarios. The ends are None below 5 of them: nothing tells how much scenarios
    differ, and that is most of the doubt. None alone where nothing was scored.

    Args:
        means: one mean for each conversation that was scored.
        clusters: the scenario of each, in the same order.
        low: the least value there can be.
        high: the greatest value there can be.
    """
    mean = mean_of(means)
    groups = _grouped(means, clusters)
    if mean is None or len(groups) < FEWEST_CLUSTERS:
        return Interval(mean)
    t = t_quantile(len(groups) - 1)
    variance = _variance(groups, mean)
    if math.isinf(high):
        half = t * math.sqrt(variance)
        return Interval(mean, max(low, mean - half), mean + half)
    variance = max(variance, _seen_too_little(groups, mean, (low, high)))
    scale = high - low
    rate = (mean - low) / scale
    sizes = [len(group) for group in groups]
    independent = sum(sizes) ** 2 / sum(size * size for size in sizes)
    if variance > _NO_SPREAD:
        independent = max(1.0, rate * (1 - rate) * scale**2 / variance)
    interval = score_interval(rate, independent * (Z95 / t) ** 2)
    return Interval(mean, low + scale * (interval.low or 0.0), low + scale * (interval.high or 0.0))


def _grouped(means: Sequence[float], clusters: Sequence[Hashable]) -> Sequence[Sequence[float]]:
    if len(set(clusters)) == len(means):  # a dict of 100,000 arrays would be 20 MB for nothing
        return [(m,) for m in means]
    groups: dict[Hashable, array[float]] = defaultdict(lambda: array("d"))
    for m, cluster in zip(means, clusters, strict=True):
        groups[cluster].append(m)
    return list(groups.values())


def _variance(groups: Sequence[Sequence[float]], mean: float) -> float:
    return standard_error([math.fsum(m - mean for m in g) for g in groups], _size(groups)) ** 2


def _seen_too_little(
    groups: Sequence[Sequence[float]], mean: float, ends: tuple[float, float]
) -> float:
    """The least variance of a mean where most conversations stand at one end of the scale.

    Then few clusters tell how far the others fall: from f of them the variance itself is hardly
    known. It is averaged, with weights f and 1, with the greatest that such a mean can have with
    an intra-class correlation of ½. 0 where the conversations are spread over the scale.
    """
    low, high = ends
    near = _NEAR * (high - low)
    end = max(ends, key=lambda e: sum(abs(m - e) <= near for group in groups for m in group))
    alike = [sum(abs(m - end) <= near for m in group) for group in groups]
    count, n = len(groups), _size(groups)
    if 2 * sum(alike) < n:
        return 0.0
    away = sum(k < len(group) for k, group in zip(alike, groups, strict=True))
    rarer = min(away, sum(k > 0 for k in alike))
    greatest = (mean - low) * (high - mean) / count * (0.5 + 0.5 * count / n)
    return (rarer * _variance(groups, mean) + greatest) / (rarer + 1)


def _size(groups: Sequence[Sequence[float]]) -> int:
    return sum(map(len, groups))


def residual_sums(
    means: Sequence[float], clusters: Sequence[Hashable], mean: float
) -> Sequence[float]:
    """Of each cluster the sum of m_i - `mean`; of each conversation where they are fewer than 5.

    Which of the two it is depends on `clusters` alone, as does the order of the sums.
    """
    count = len(set(clusters))
    # Clusters of one are the conversations: a dict of 100,000 lists would be 20 MB for nothing.
    if count < FEWEST_CLUSTERS or count == len(means):
        return array("d", (m - mean for m in means))
    residuals: dict[Hashable, list[float]] = defaultdict(list)
    for m, cluster in zip(means, clusters, strict=True):
        residuals[cluster].append(m - mean)
    return [math.fsum(r) for r in residuals.values()]


def standard_error(sums: Sequence[float], n: int) -> float:
    """Of the mean of `n` conversations, from `residual_sums` of at least 2 clusters."""
    c = len(sums)
    return math.sqrt(c / (c - 1) * math.fsum(s * s for s in sums)) / n


def wilson(successes: int, n: int) -> Interval:
    """A rate with its 95 % score interval (Wilson 1927): sound for small rates, too."""
    return score_interval(successes / n, n) if n else Interval(None)


def score_interval(rate: float, n: float) -> Interval:
    """Wilson's interval of a rate among `n` independent answers, which need not be whole."""
    z2 = Z95 * Z95
    middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    return Interval(rate, max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half)))


_TOGETHER = 0.5  # intra-class correlation where nothing shows it


def turn_rate(hits: Sequence[int], turns: Sequence[int]) -> Interval:
    """The share of turns that are hits, and its 95 % interval.

    Wilson's interval for as many independent turns as the rate is worth: n = p(1 - p)/SE², with
    the ratio estimator's clustered SE² = C/(C-1) · N⁻² · Σ_c (h_c - p·n_c)² (Cochran 1977, 6.5) and
    t of C-1 degrees; never more than there are turns. Where all conversations are alike, or fewer
    than 5, nothing shows how much turns go together: then by Kish's design effect for an
    intra-class correlation of ½.

    Args:
        hits: of each conversation.
        turns: likewise; conversations without any count for nothing.
    """
    pairs = [(h, n) for h, n in zip(hits, turns, strict=True) if n]
    total = sum(n for _, n in pairs)
    if not total:
        return Interval(None)
    rate = sum(h for h, _ in pairs) / total
    count = len(pairs)
    variance = sum((h - rate * n) ** 2 for h, n in pairs) / total**2
    if count < FEWEST_CLUSTERS or not 0 < rate < 1 or variance <= 0:
        together = sum(n * n for _, n in pairs) / total  # the turns in a turn's conversation
        return score_interval(rate, total / (1 + (together - 1) * _TOGETHER))
    variance *= count / (count - 1)
    worth = min(total, rate * (1 - rate) / variance)
    t = t_quantile(count - 1)
    return score_interval(rate, max(1.0, worth * (Z95 / t) ** 2))


def correlation(sums: Sequence[float]) -> float | None:
    """Pearson's r from n, Σx, Σy, Σx², Σy², Σxy; None where one of the two does not vary."""
    n, x, y, xx, yy, xy = sums
    spread = (n * xx - x * x) * (n * yy - y * y)
    return (n * xy - x * y) / math.sqrt(spread) if spread > 1e-9 else None
