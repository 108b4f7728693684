"""Spearman's rank correlation beside scipy's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simulator.statistics.agreement import Spearman

points = st.lists(
    st.tuples(st.sampled_from([0.2, 0.4, 0.6, 0.8, 1.0]), st.integers(0, 2)),
    min_size=2,
    max_size=30,
)


def ones(count: int) -> np.ndarray:
    return np.ones((1, count))


@given(points)
def test_it_is_that_of_scipy(pairs: list[tuple[float, int]]) -> None:
    x, y = zip(*pairs, strict=True)
    (found,) = Spearman(x, y)(ones(len(x)))
    if min(len(set(x)), len(set(y))) < 2:
        assert math.isnan(found)
    else:
        assert pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9) == found


def test_weights_are_how_often_a_thing_is_there() -> None:
    x, y = [0.1, 0.5, 0.5, 0.9, 0.3], [0, 1, 0, 2, 2]
    weights = np.array([[1.0, 2, 1, 0, 3], [1.0, 1, 1, 1, 1]])
    many = [
        [v for v, n in zip(column, (1, 2, 1, 0, 3), strict=True) for _ in range(n)]
        for column in (x, y)
    ]
    expected = [stats.spearmanr(*many).statistic, stats.spearmanr(x, y).statistic]
    np.testing.assert_allclose(Spearman(x, y)(weights), expected)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_only_the_proportions_of_weights_matter(scale: float) -> None:
    x, y = [0.1, 0.5, 0.5, 0.9, 0.3], [0, 1, 0, 2, 2]
    np.testing.assert_allclose(Spearman(x, y)(ones(5) * scale), Spearman(x, y)(ones(5)))


def test_of_nothing_it_is_not_defined() -> None:
    assert math.isnan(Spearman([], [])(np.ones((1, 0)))[0])
    assert math.isnan(Spearman([1, 2], [1, 2])(np.zeros((1, 2)))[0])
