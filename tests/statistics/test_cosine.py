"""The cosine of two vectors."""

import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine as distance

from simulator.metrics.ada_cosine_similarity import cosine

VECTORS = st.lists(st.floats(-1e3, 1e3, width=32), min_size=3, max_size=3)


@given(VECTORS, VECTORS)
def test_it_is_one_minus_scipys_distance(one: list[float], other: list[float]) -> None:
    if min(math.hypot(*one), math.hypot(*other)) > 1e-3:
        assert 1 - distance(one, other) == pytest.approx(cosine(one, other), abs=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1.0, 0.0], [5.0, 0.0], 1.0),
        ([1.0, 0.0], [0.0, 2.0], 0.0),
        ([1.0, 0.0], [-3.0, 0.0], -1.0),
        ([1e200, 0.0], [1e100, 0.0], 1.0),
        (array("f", [0.1] * 999), array("f", [0.3] * 999), 1.0),
    ],
)
def test_it_lies_between_minus_one_and_one(
    one: list[float], other: list[float], expected: float
) -> None:
    assert expected == pytest.approx(cosine(one, other))
    assert -1.0 <= cosine(one, other) <= 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [([1.0], [1.0, 2.0]), ([], []), ([0.0], [1.0]), ([math.nan], [1.0]), ([math.inf], [1.0])],
)
def test_what_has_no_angle_is_refused(one: list[float], other: list[float]) -> None:
    with pytest.raises(ValueError, match="a cosine needs two vectors"):
        cosine(one, other)
