import pytest

from simulator.cli.screens.agreement import figure_text
from simulator.core.outcome import Interval
from simulator.review.agreement import Statistic
from simulator.words import Words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Interval(-0.001, -0.002, 0.001), "0.00 (0.00–0.00)"),
        (Interval(-0.001), "0.00"),
        (Interval(0.1, -0.2, 0.4), "0.10 (-0.20 to 0.40)"),
        (Interval(None), "–"),
    ],
)
def test_a_figure_with_its_interval_and_never_minus_nought(value: Interval, shown: str) -> None:
    assert shown == figure_text(Statistic(value, 9), Words("en", "agreement"))
