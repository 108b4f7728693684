"""The exact upper bound of a rate."""

import pytest

from simulator.statistics.paired import upper_bound


@pytest.mark.parametrize(
    ("hits", "n", "upper"),
    # scipy 1.14: beta.ppf(0.95, hits + 1, n - hits)
    [(0, 20, 0.13911), (1, 20, 0.21611), (2, 20, 0.28262), (0, 1, 0.95), (5, 10, 0.77756)],
)
def test_it_is_that_of_clopper_and_pearson(hits: int, n: int, upper: float) -> None:
    assert upper == pytest.approx(upper_bound(hits, n), abs=1e-5)


@pytest.mark.parametrize("n", [0, 3])
def test_where_all_or_none_were_tried_it_is_one(n: int) -> None:
    assert 1.0 == upper_bound(n, n)
