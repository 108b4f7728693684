"""Intervals beside a chosen threshold hold what it is worth; a metric may tell nothing."""

import numpy as np
import pytest

from benchmarks import coverage_tuned
from simulator.core.outcome import Interval
from simulator.statistics.thresholds import FlagQuality, LabelledScores, tells, with_choice

TWENTY = LabelledScores(  # of NG
    np.full(21, 0.5), np.arange(21) < 20, np.where(np.arange(21) < 20, 1.0, 4.0), np.arange(21)
)


def test_an_interval_reaches_over_both() -> None:
    own = FlagQuality(Interval(0.3), Interval(0.8, 0.6, 0.9), Interval(1.0, 0.7, 1.0), 0.1)
    fresh = FlagQuality(Interval(0.3), Interval(0.7, 0.5, 0.85), Interval(0.8, 0.75, 0.9))
    found = with_choice(own, fresh, TWENTY)
    assert Interval(0.8, 0.5, 0.9) == found.precision
    assert Interval(1.0, 0.7 * 20 / 24, 1.0) == found.recall, "one of weight 4 may be missed"
    assert (own.flagged, own.alarms) == (found.flagged, found.alarms)


def test_what_could_not_be_tried_on_others_has_no_interval() -> None:
    own = FlagQuality(Interval(0.3), Interval(0.8, 0.6, 0.9), Interval(1.0, 0.7, 1.0))
    alone = with_choice(own, None, TWENTY)
    assert (Interval(0.8), Interval(1.0)) == (alone.precision, alone.recall)
    few = FlagQuality(Interval(0.3), Interval(0.8), Interval(0.9, 0.7, 1.0))
    assert Interval(0.8) == with_choice(own, few, TWENTY).precision


def test_a_metric_tells_something_where_good_answers_have_the_higher_values() -> None:
    ng = np.array([True, False] * 20)
    talks = np.arange(40) // 2
    right = tells(LabelledScores(np.where(ng, 0.2, 0.8), ng, np.ones(40), talks))
    wrong = tells(LabelledScores(np.where(ng, 0.8, 0.2), ng, np.ones(40), talks))
    assert (1.0, 0.0) == (right.mean, wrong.mean)
    assert (right.low or 0) > 0.5 > (wrong.high or 1)


@pytest.mark.slow
@pytest.mark.parametrize("cell", coverage_tuned.CELLS, ids=str)
def test_intervals_hold_what_the_chosen_threshold_is_worth(cell: coverage_tuned.Cell) -> None:
    noise = 0.04  # 2.6 standard errors of a share near .95 over 200 trials
    assert all(of.covered >= 0.92 - noise for of in coverage_tuned.measure(cell))
