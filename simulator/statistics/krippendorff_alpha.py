"""Krippendorff's alpha: agreement of any number of raters, who need not all rate everything.

Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability". Arrays as in `agreement`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Level = Literal["nominal", "ordinal"]


def coincidences(
    units: Sequence[Sequence[int]],
    categories: int,
    clusters: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
) -> "Array":
    """For each cluster (0 to C-1; None: all in one) its matrix of coincidences.

    Args:
        units: of each thing the categories that its raters chose; one rating alone counts nothing.
        categories: how many there are.
        clusters: of each thing.
        weights: of each thing; None: 1. They should be 1 on average.
    """
    import numpy as np

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


def alpha(matrix: "Array", level: Level = "ordinal") -> "Array":
    """1 - (observed / expected disagreement): 1 is full agreement, 0 what chance gives.

    Nominal: categories are the same or not. Ordinal: the more ratings lie between two, the
    further apart they are. Not defined where all ratings are the same.
    """
    import numpy as np

    margin = matrix.sum(axis=-1)
    total = margin.sum(axis=-1)
    if level == "nominal":
        cost = 1 - np.eye(matrix.shape[-1])
    else:
        middle = margin.cumsum(axis=-1) - margin / 2  # of its ratings, among all in order
        cost = (middle[..., :, None] - middle[..., None, :]) ** 2
    observed = (matrix * cost).sum(axis=(-2, -1))
    expected = (margin[..., :, None] * margin[..., None, :] * cost).sum(axis=(-2, -1))
    out = np.full(np.shape(total), np.nan)
    ratio: Array = np.divide((total - 1) * observed, expected, out=out, where=expected > 0)
    return 1 - ratio
