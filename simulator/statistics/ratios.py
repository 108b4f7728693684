"""A ratio of weighted sums over turns in clusters, such as precision, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.core.run import Interval
from simulator.statistics.intervals import FEWEST_CLUSTERS, Z95, score_interval
from simulator.statistics.student import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

_NOTHING = 1e-12  # a variance that is 0 but for the rounding of weights and shares


def clustered_ratio(part: Floats, whole: Floats, clusters: Codes, heaviest: float) -> Interval:
    """Σ part / Σ whole with its 95 % interval; the ends are None below 5 clusters with any.

    Wilson's (1927) interval with the number of independent answers that would have the variance
    of the linearised ratio over clusters, K/(K-1) · Σ_c (Σ_{i∈c} (part_i - r · whole_i))² / (Σ
    whole)², and Korn & Graubard's (1998, Survey Methodology 24:193-201) correction for few
    clusters. Where that variance is 0 and says nothing, as it is at 0 and 1 and where all clusters
    are alike, the number is the least of Kish's effective number of clusters and Σ whole /
    `heaviest`. A percentile bootstrap over
    clusters promises too much: with 15 conversations of 3 turns it covered a recall of .87 in
    78 % of all samples, this one in 97 %; with a tenth of the unflagged turns of 100
    conversations audited, 67 % and 96 %.

    Args:
        part: what is counted, of each item; 0 … whole.
        whole: what it is counted of; the mean is None where that sums to 0.
        clusters: of each item, from 0.
        heaviest: the greatest weight that an item counted the other way could have had.
    """
    import numpy as np

    total = float(whole.sum())
    if total <= 0:
        return Interval(None)
    ratio = min(1.0, max(0.0, float(part.sum()) / total))
    sizes = np.bincount(clusters, whole)
    count = int(np.count_nonzero(sizes))
    if count < FEWEST_CLUSTERS:
        return Interval(ratio)
    squares = float((np.bincount(clusters, part - ratio * whole) ** 2).sum())
    variance = count / (count - 1) * squares / total**2
    if variance < _NOTHING or ratio in (0.0, 1.0):
        n = min(total**2 / float((sizes**2).sum()), total / heaviest)
    else:
        n = ratio * (1 - ratio) / variance
    return score_interval(ratio, n * (Z95 / t_quantile(count - 1)) ** 2)
