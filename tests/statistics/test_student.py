"""The t quantile against scipy's."""

import pytest
from scipy import stats

from simulator.statistics.intervals import t_quantile


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_quantile_is_that_of_scipy(level: float) -> None:
    degrees = [*range(1, 30), 99, 100, 199, 200, 201, 202, 1_000, 100_000]
    expected = {df: stats.t.ppf((1 + level) / 2, df) for df in degrees}
    assert pytest.approx(expected, rel=1e-9) == {df: t_quantile(df, level) for df in degrees}
