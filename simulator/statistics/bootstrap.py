"""Intervals of statistics that have no formula: conversations are drawn again and again."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from simulator.core.run import Interval
from simulator.statistics.intervals import FEWEST_CLUSTERS
from simulator.statistics.student import expanded_tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

DRAWS = 2_000
_SEED = 20_252
_AT_ONCE = 250_000  # numbers in memory
_DEFINED = 0.9  # of the draws, at least, or the interval would speak of lucky ones only
_HAIR = 1e-9

Measure = Callable[["Array"], "Array"]
"""How often each cluster counts (draws × clusters) -> statistics (draws × statistics).

NaN where a statistic is not defined. A row of ones asks for the statistics themselves.
"""


def estimates(measure: Measure, clusters: int, *, draws: int = DRAWS) -> list[Interval]:
    """Statistics of `clusters` conversations, each with its 95 % interval.

    Conversations are drawn with replacement, seeded: the same every time; the percentiles are
    expanded for few clusters (see `expanded_tail`). A statistic that is not defined is None. The
    ends are None below 5 clusters, where it is not defined in more than a tenth of the draws, and
    where it is the same in all of them: there was nothing to resample, and that is no certainty.
    """
    import numpy as np

    means = measure(np.ones((1, clusters)))[0]
    if clusters < FEWEST_CLUSTERS:
        return [Interval(_defined(mean)) for mean in means]
    found = np.concatenate([measure(portion) for portion in _drawn(clusters, draws)])
    tail = expanded_tail(clusters)
    return [_interval(mean, column, tail) for mean, column in zip(means, found.T, strict=True)]


def _interval(mean: float, found: "Array", tail: float) -> Interval:
    import numpy as np

    known = found[~np.isnan(found)]
    if math.isnan(mean) or len(known) < _DEFINED * len(found) or np.ptp(known) < _HAIR:
        return Interval(_defined(mean))
    low, high = np.quantile(known, (tail, 1 - tail))
    return Interval(float(mean), float(low), float(high))


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _drawn(clusters: int, draws: int) -> "Iterator[Array]":
    """How often each cluster is drawn, some draws at a time."""
    import numpy as np

    rng = np.random.default_rng(_SEED)
    most = max(1, _AT_ONCE // clusters)
    equal = np.full(clusters, 1 / clusters)
    while draws > 0:
        yield rng.multinomial(clusters, equal, size=min(most, draws)).astype(np.float64)
        draws -= most
