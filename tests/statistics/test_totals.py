"""Means that do not depend on the order of their values."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.statistics.intervals import Total, mean_of

values = st.lists(st.floats(-5, 5), min_size=1)


@given(values, st.randoms(use_true_random=False))
def test_the_order_of_values_makes_no_difference(some: list[float], rng: random.Random) -> None:
    shuffled = rng.sample(some, len(some))
    assert mean_of(some) == mean_of(shuffled)


@given(values)
def test_the_mean_is_that_of_exact_arithmetic(some: list[float]) -> None:
    mean = mean_of(some)
    assert mean is not None
    assert math.isclose(math.fsum(some) / len(some), mean, rel_tol=1e-12, abs_tol=2**-59)


@pytest.mark.parametrize("value", [0.7, 0.1, 1 / 3, 3.5 / 5])
def test_a_value_many_times_over_has_itself_as_mean(value: float) -> None:
    assert value == mean_of([value] * 1_000)


def test_nothing_has_no_mean() -> None:
    assert Total().mean is None


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises((ValueError, OverflowError)):
        Total().add(value)
