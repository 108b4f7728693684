"""How far raters agree who put the same things into the same few categories, 0 to k-1, in order.

Everything is a function of tables: how often (or with what weight) one rater said i where another
said j. Tables of conversations add up, so that a bootstrap over conversations is a product of
matrices. All functions take arrays with any leading axes and return arrays of these; NaN stands
where a statistic is not defined: where there is nothing, or where somebody said one thing only.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def tables(
    first: Sequence[int],
    second: Sequence[int],
    categories: int,
    clusters: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
) -> "Array":
    """For each cluster (0 to C-1; None: all in one) a table: rows what the first rater said.

    Args:
        first: the category that the first rater chose, for each thing.
        second: the same of the second rater.
        categories: how many there are.
        clusters: of each thing.
        weights: of each thing; None: 1.
    """
    import numpy as np

    count = len(first)
    of = np.asarray(clusters if clusters is not None else [0] * count, dtype=np.int64)
    size = int(of.max()) + 1 if count else 1
    made = np.zeros((size, categories, categories))
    weight = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
    np.add.at(made, (of, np.asarray(first, np.int64), np.asarray(second, np.int64)), weight)
    return made


def raw_agreement(table: "Array") -> "Array":
    """The share of things of which both said the same."""
    import numpy as np

    return _ratio(np.trace(table, axis1=-2, axis2=-1), table.sum(axis=(-2, -1)))


def prevalence(table: "Array", category: int, rater: int) -> "Array":
    """The share of things that a rater (0 the first, 1 the second) put into a category."""
    margin = table.sum(axis=-1 if rater == 0 else -2)
    return _ratio(margin[..., category], margin.sum(axis=-1))


def bias(table: "Array", category: int) -> "Array":
    """How much more often the first rater chose a category than the second, -1 to 1."""
    return prevalence(table, category, 0) - prevalence(table, category, 1)


def kappa(table: "Array") -> "Array":
    """Cohen's kappa (1960): agreement beyond what chance would give, at most 1.

    Not defined where either rater chose one category only: it would be 0 whatever the other said.
    """
    return pooled_kappa(table[..., None, :, :])


def quadratic_kappa(table: "Array") -> "Array":
    """Kappa for ordered categories: being off by two weighs four times as much (Cohen 1968)."""
    return pooled_kappa(table[..., None, :, :], quadratic=True)


def pooled_kappa(pairs: "Array", *, quadratic: bool = False) -> "Array":
    """One kappa over several pairs of raters, a table each on the third axis from the end.

    Observed and expected disagreement are added up over the pairs: Conger (1980), Psychological
    Bulletin 88:322-328, for raters who did not all rate the same things. With one pair it is
    Cohen's. Not defined where in every pair somebody chose one category only.
    """
    import numpy as np

    k = pairs.shape[-1]
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    cost = apart**2 if quadratic else (apart > 0).astype(np.float64)
    first, second, total = pairs.sum(axis=-1), pairs.sum(axis=-2), pairs.sum(axis=(-2, -1))
    observed = (pairs * cost).sum(axis=(-2, -1))
    expected = _ratio(np.einsum("...i,...j,ij->...", first, second, cost), total)
    telling = ((first > 0).sum(axis=-1) > 1) & ((second > 0).sum(axis=-1) > 1)
    disagreement = _ratio(observed.sum(axis=-1), np.nansum(expected, axis=-1))
    return np.where(telling.any(axis=-1), 1 - disagreement, np.nan)


def _ratio(above: "Array", below: "Array") -> "Array":
    import numpy as np

    out = np.full(np.shape(above), np.nan)
    ratio: Array = np.divide(above, below, out=out, where=below > 0)
    return ratio
