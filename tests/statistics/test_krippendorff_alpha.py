"""Krippendorff's alpha beside the package of that name."""

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simulator.statistics.agreement import alpha, coincidences

cells = st.sampled_from([None, 0, 1, 2])
grids = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(cells, min_size=raters, max_size=raters), min_size=2, max_size=20
    )
)


def units_of(grid: list[list[int | None]]) -> list[list[int]]:
    return [[value for value in row if value is not None] for row in grid]


@given(grids)
def test_it_is_that_of_the_package(grid: list[list[int | None]]) -> None:
    units = units_of(grid)
    said = {value for unit in units if len(unit) > 1 for value in unit}
    found = float(alpha(coincidences(units, 3)[0]))
    if len(said) < 2:
        assert math.isnan(found)
        return
    assume(len({v for unit in units for v in unit}) > 1)
    data = np.array([[np.nan if v is None else v for v in row] for row in grid]).T
    expected = krippendorff.alpha(data, level_of_measurement="ordinal", value_domain=[0, 1, 2])
    assert pytest.approx(expected, abs=1e-9) == found


def test_a_weight_of_two_is_the_thing_twice() -> None:
    units = [[0, 0], [1, 2], [2, 2, 1]]
    weighted = coincidences(units, 3, weights=[1, 2, 1])
    np.testing.assert_allclose(weighted, coincidences([*units, [1, 2]], 3))


def test_conversations_add_up() -> None:
    units = [[0, 0], [1, 2], [2, 2, 1], [1]]
    by_talk = coincidences(units, 3, [0, 1, 1, 2])
    assert (3, 3, 3) == by_talk.shape
    np.testing.assert_allclose(coincidences(units, 3)[0], by_talk.sum(axis=0))


def test_of_nothing_it_is_not_defined() -> None:
    assert math.isnan(alpha(coincidences([], 3)[0]))
    assert math.isnan(alpha(coincidences([[0], [1]], 3)[0]))
