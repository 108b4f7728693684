"""Tables of what two raters said."""

from collections.abc import Sequence

import numpy as np

from simulator.statistics.agreement import Array


def tables(
    first: Sequence[int],
    second: Sequence[int],
    categories: int,
    clusters: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
) -> Array:
    """For each cluster (0 to C-1; None: all in one) a table: rows what the first rater said.

    Args:
        first: the category that the first rater chose, for each thing.
        second: the same of the second rater.
        categories: how many there are.
        clusters: of each thing.
        weights: of each thing; None: 1.
    """
    count = len(first)
    of = np.asarray(clusters if clusters is not None else [0] * count, dtype=np.int64)
    size = int(of.max()) + 1 if count else 1
    made = np.zeros((size, categories, categories))
    weight = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
    np.add.at(made, (of, np.asarray(first, np.int64), np.asarray(second, np.int64)), weight)
    return made
