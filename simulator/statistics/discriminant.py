"""How well two kinds of rows can be told apart: Fisher's discriminant, cross-validated."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.core.outcome import Interval
from simulator.statistics.ranking import area, auc

Floats = NDArray[np.float64]
_FOLDS = 5
_RIDGE = 0.1  # of each feature's variance
_DEALS = 99
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Separability:
    """A cross-validated AUC. `chance`: the 95 % quantile of what it is where labels are dealt anew.

    The interval of `auc` counts rows and groups, not that another sample would train another
    classifier; so near 0.5 it is `chance` that decides.
    """

    auc: Interval
    chance: float


def separability(first: Floats, second: Floats, groups: Sequence[Hashable]) -> Separability:
    """The chance that a row of the second kind gets a higher score than one of the first.

    Rows are scored by Fisher's linear discriminant with a ridge (Friedman 1989, JASA 84:165-175),
    fitted on the other four of five folds. No group has rows in two folds. 0.5: the kinds cannot
    be told apart. For `chance` the kinds are dealt anew to the groups of each fold, 99 times.

    Args:
        first: the rows of the first kind, one feature a column.
        second: those of the second kind.
        groups: the group (conversation) of each row, those of the first kind before the others;
            one group holds rows of one kind.
    """
    rows, n = np.vstack((first, second)), len(first)
    places: dict[Hashable, list[int]] = {}
    for at, group in enumerate(groups):
        places.setdefault(group, []).append(at)
    of_group = [np.array(of) for of in places.values()]
    is_second = np.array([of[0] >= n for of in of_group])
    folds = _folds(is_second)
    of_row = np.empty(len(rows), dtype=np.int64)
    for of, fold in zip(of_group, folds, strict=True):
        of_row[of] = fold
    dealt = [_dealt(of_group, is_second, folds, seed) for seed in range(_DEALS)]
    labels = np.column_stack([np.arange(len(rows)) >= n, *dealt])
    scores = _scores(rows, of_row, labels)
    areas = [
        area(column[kinds == 1].tolist(), column[kinds == 0].tolist())
        for column, kinds in zip(scores.T[1:], labels.T[1:], strict=True)
    ]
    return Separability(
        auc(scores[n:, 0].tolist(), scores[:n, 0].tolist(), groups[n:], groups[:n]),
        float(np.quantile(areas, _LEVEL)),
    )


def direction(rows: Floats, labels: NDArray[np.int64]) -> Floats:
    """The weight of each feature (row) in each labelling (column): Σ⁻¹ (m₂ - m₁).

    Labels are 0 (first kind), 1 (second) and -1 (neither). Σ is the covariance of all rows, with a
    ridge: without one that is Fisher's direction, and no labelling changes it.
    """
    covariance = np.atleast_2d(np.cov(rows.T, bias=True))
    spread = np.diag(covariance)
    is_first, is_second = labels == 0, labels == 1
    shares = is_second / is_second.sum(axis=0) - is_first / is_first.sum(axis=0)
    weights: Floats = np.linalg.solve(
        covariance + np.diag(_RIDGE * spread + (spread == 0)), rows.T @ shares
    )
    return weights


def _scores(rows: Floats, folds: NDArray[np.int64], labels: NDArray[np.int64]) -> Floats:
    """The score of each row in each labelling, by what was fitted on the other folds."""
    scores = np.empty(labels.shape)
    for fold in range(_FOLDS):
        tested = folds == fold
        scores[tested] = rows[tested] @ direction(rows[~tested], labels[~tested])
    return scores


def _folds(is_second: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The fold of each group; those of a kind are dealt evenly, in an order drawn once for all."""
    folds = np.empty(len(is_second), dtype=np.int64)
    for kind in (False, True):
        (places,) = np.nonzero(is_second == kind)
        folds[np.random.default_rng(0).permutation(places)] = np.arange(len(places)) % _FOLDS
    return folds


def _dealt(
    of_group: Sequence[NDArray[np.int64]],
    is_second: NDArray[np.bool_],
    folds: NDArray[np.int64],
    seed: int,
) -> NDArray[np.int64]:
    """The label of each row where the kinds are dealt anew to the groups of each fold.

    A group gets the kind of another one, and no more rows than that has; the rest are -1. So
    either kind has as few rows as it has in truth.
    """
    rng = np.random.default_rng(seed)
    labels = np.full(sum(map(len, of_group)), -1)
    for fold in range(_FOLDS):
        (places,) = np.nonzero(folds == fold)
        others = rng.permutation(places).tolist()
        for place, other in zip(places.tolist(), others, strict=True):
            drawn = rng.permutation(of_group[place])[: len(of_group[other])]
            labels[drawn] = is_second[other]
    return labels
