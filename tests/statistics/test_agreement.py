"""Agreement of raters, beside scikit-learn's, and where there is none to speak of."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from simulator.statistics import agreement
from tests.statistics.tables import tables

ratings = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=40)


def one(
    first: list[int], second: list[int], weights: list[float] | None = None
) -> NDArray[np.float64]:
    by_talk = tables(first, second, 3, weights=weights)
    table: NDArray[np.float64] = by_talk.sum(axis=0)
    return table


def varied(pairs: list[tuple[int, int]]) -> bool:
    return all(len(set(column)) > 1 for column in zip(*pairs, strict=True))


@given(ratings)
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    first, second = (list(column) for column in zip(*pairs, strict=True))
    table = one(first, second)
    found = float(agreement.kappa(table)), float(agreement.kappa(table, quadratic=True))
    if not varied(pairs):
        assert all(map(math.isnan, found))
        return
    expected = [
        cohen_kappa_score(first, second, labels=[0, 1, 2], weights=weights)
        for weights in (None, "quadratic")
    ]
    assert pytest.approx(expected, abs=1e-12) == list(found)


@given(ratings)
def test_a_weight_of_two_is_the_thing_twice(pairs: list[tuple[int, int]]) -> None:
    first, second = (list(column) for column in zip(*pairs, strict=True))
    weights = [1.0 + n % 2 for n in range(len(pairs))]
    twice = [p for n, p in enumerate(pairs) for _ in range(1 + n % 2)]
    plain = one(*(list(column) for column in zip(*twice, strict=True)))
    np.testing.assert_allclose(one(first, second, weights), plain)


def test_conversations_add_up() -> None:
    first, second, talks = [0, 1, 2, 1], [0, 2, 2, 0], [1, 0, 1, 1]
    by_talk = tables(first, second, 3, talks)
    assert (2, 3, 3) == by_talk.shape
    np.testing.assert_array_equal(one(first, second), by_talk.sum(axis=0))


def test_shares_are_those_of_the_counts() -> None:
    table = one([0, 0, 2, 2, 2], [0, 2, 2, 2, 0])
    assert pytest.approx(3 / 5) == float(agreement.raw_agreement(table))
    assert pytest.approx(3 / 5) == float(agreement.prevalence(table, 2, 0))
    assert pytest.approx(2 / 5) == float(
        agreement.prevalence(one([0, 1, 2, 1, 1], [0] * 5), 0, 0) * 2
    )


def test_bias_says_who_is_more_lenient() -> None:
    table = one([2, 2, 2, 0], [2, 0, 0, 0])
    assert pytest.approx(0.5) == float(agreement.bias(table, 2))


@pytest.mark.parametrize(
    ("first", "second"), [([], []), ([0, 0], [0, 0]), ([0, 0, 0], [0, 1, 2]), ([0, 2], [1, 1])]
)
def test_kappa_of_somebody_who_says_one_thing_only_is_not_defined(
    first: list[int], second: list[int]
) -> None:
    assert math.isnan(agreement.kappa(one(first, second)))
    assert math.isnan(agreement.kappa(one(first, second), quadratic=True))


def test_shares_of_nothing_are_not_defined() -> None:
    assert math.isnan(agreement.raw_agreement(one([], [])))
    assert math.isnan(agreement.prevalence(one([], []), 0, 0))


def test_one_kappa_of_several_pairs_adds_up_their_disagreement() -> None:
    pairs = np.stack([one([0, 0, 1, 1], [0, 1, 1, 1]), one([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])])
    # by hand: observed 1/4 and 2/5, expected 1/2 and 12/25
    assert pytest.approx(1 - (1 + 2) / (4 * 0.5 + 5 * 0.48)) == float(agreement.pooled_kappa(pairs))


def test_pairs_without_ratings_change_nothing() -> None:
    table = one([0, 0, 1, 1], [0, 1, 1, 1])
    pairs = np.stack([table, one([], [])])
    assert agreement.kappa(table) == agreement.pooled_kappa(pairs)


def test_many_tables_are_reckoned_at_once() -> None:
    talks = tables([0, 1, 2, 0, 1, 1], [0, 1, 1, 1, 1, 0], 3, [0, 0, 0, 1, 1, 1])
    together = agreement.kappa(talks)
    assert [float(agreement.kappa(table)) for table in talks] == together.tolist()
