"""Spearman's rank correlation, with ties and weights, for many weightings at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_HAIR = 1e-12


class Spearman:
    """The rank correlation of two columns of numbers under weights that change."""

    def __init__(self, first: Sequence[float], second: Sequence[float]) -> None:
        self._ranks = _Ranks(first), _Ranks(second)

    def __call__(self, weights: "Array") -> "Array":
        """The correlation for each row of weights (rows × things); NaN where it is not defined.

        A weight of 2 is the thing twice. It is not defined where either column is constant.
        """
        import numpy as np

        x, y = (ranks(weights) for ranks in self._ranks)
        total = weights.sum(axis=1, keepdims=True)
        share = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
        x = x - (share * x).sum(axis=1, keepdims=True)
        y = y - (share * y).sum(axis=1, keepdims=True)
        below = np.sqrt((share * x * x).sum(axis=1) * (share * y * y).sum(axis=1))
        out = np.full(len(weights), np.nan)
        above = (share * x * y).sum(axis=1)
        found: Array = np.divide(above, below, out=out, where=below > _HAIR * total[:, 0] ** 2)
        return found


class _Ranks:
    """Mid-ranks of a column: things that are equal share the middle of their places."""

    def __init__(self, column: Sequence[float]) -> None:
        import numpy as np

        values, self._group = np.unique(np.asarray(column, np.float64), return_inverse=True)
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.searchsorted(self._group[self._order], np.arange(len(values)))

    def __call__(self, weights: "Array") -> "Array":
        import numpy as np

        if not len(self._starts):
            return weights
        sums = np.add.reduceat(weights[:, self._order], self._starts, axis=1)
        middle = sums.cumsum(axis=1) - sums / 2
        ranks: Array = middle[:, self._group]
        return ranks
