"""95 % intervals: of a mean of conversation means, clustered, and of a rate.

Turns are nested in conversations, and conversations (personas, repeats) in scenarios; taken as
independent they promise too much: with 5 turns and an intra-class correlation of .3, naive 95 %
intervals cover 81 %.
"""

import math
from array import array
from collections import defaultdict
from collections.abc import Hashable, Sequence

from simulator.core.run import Interval
from simulator.statistics.student import t_quantile
from simulator.statistics.totals import mean_of

FEWEST_CLUSTERS = 5
Z95 = 1.959963984540054  # the normal quantile of 0.975


def clustered(
    means: Sequence[float], clusters: Sequence[Hashable], *, low: float = 0.0, high: float = 1.0
) -> Interval:
    """The mean of conversation means m_i and its 95 % interval, clipped to `low`..`high`.

    SE² = C/(C-1) · N⁻² · Σ_c (Σ_{i∈c} (m_i - m̄))², t with C-1 degrees of freedom (Miller 2024,
    arXiv:2411.00640). Clusters are scenarios; where there are fewer than 5 of these, every
    conversation is its own. The ends are None below 5 clusters, the mean where nothing was scored.

    Args:
        means: one mean for each conversation that was scored.
        clusters: the scenario of each, in the same order.
        low: the least value there can be.
        high: the greatest value there can be.
    """
    mean = mean_of(means)
    if mean is None:
        return Interval(None)
    sums = residual_sums(means, clusters, mean)
    if len(sums) < FEWEST_CLUSTERS:
        return Interval(mean)
    half = t_quantile(len(sums) - 1) * standard_error(sums, len(means))
    return Interval(mean, max(low, mean - half), min(high, mean + half))


def residual_sums(
    means: Sequence[float], clusters: Sequence[Hashable], mean: float
) -> Sequence[float]:
    """Of each cluster the sum of m_i - `mean`; of each conversation where they are fewer than 5.

    Which of the two it is depends on `clusters` alone, as does the order of the sums.
    """
    sums = _residuals(means, clusters, mean)
    return sums if len(sums) >= FEWEST_CLUSTERS else array("d", (m - mean for m in means))


def standard_error(sums: Sequence[float], n: int) -> float:
    """Of the mean of `n` conversations, from `residual_sums` of at least 2 clusters."""
    c = len(sums)
    return math.sqrt(c / (c - 1) * math.fsum(s * s for s in sums)) / n


def _residuals(
    means: Sequence[float], clusters: Sequence[Hashable], mean: float
) -> Sequence[float]:
    """The sum of the residuals of each cluster."""
    if len(set(clusters)) == len(means):  # a dict of 100,000 lists would be 20 MB for nothing
        return array("d", (m - mean for m in means))
    residuals: dict[Hashable, list[float]] = defaultdict(list)
    for m, cluster in zip(means, clusters, strict=True):
        residuals[cluster].append(m - mean)
    return [math.fsum(r) for r in residuals.values()]


def wilson(successes: int, n: int) -> Interval:
    """A rate with its 95 % score interval (Wilson 1927): sound for small rates, too.

    Raises:
        ValueError: not 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"a rate needs 0 <= successes <= n; got {successes} of {n}")
    if n == 0:
        return Interval(None)
    return score_interval(successes / n, n)


def score_interval(rate: float, n: float) -> Interval:
    """Wilson's interval of a rate among `n` independent answers, which need not be whole."""
    z2 = Z95 * Z95
    middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    return Interval(rate, max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half)))
