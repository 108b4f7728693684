"""A rate over turns, with an interval that knows that turns of one conversation go together."""

import math
from collections.abc import Sequence

from simulator.core.outcome import Interval
from simulator.statistics.intervals import FEWEST_CLUSTERS, Z95, score_interval, t_quantile

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
