from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve, roc_curve

from simulator.core.outcome import Interval
from simulator.statistics.intervals import under
from simulator.statistics.thresholds import (
    LabelledScores,
    between,
    cut_points,
    flag_quality,
    precision_only,
)

VALUE = st.floats(0, 1, allow_subnormal=False) | st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.7, 1.0])
ANSWER = st.tuples(VALUE, st.booleans(), st.sampled_from([1.0, 2.5, 10.0]), st.integers(0, 9))
ANSWERS = st.lists(ANSWER, min_size=1, max_size=40)


def spoken(answers: Any) -> LabelledScores:
    values, ng, weights, talks = zip(*answers, strict=True)
    return LabelledScores(np.array(values), np.array(ng), np.array(weights), np.array(talks))


@given(ANSWERS, VALUE)
def test_a_flag_is_what_a_run_flags(answers: Any, threshold: float) -> None:
    found = spoken(answers)
    expected = [under(value, threshold) for value in found.values.tolist()]
    assert expected == found.flags(threshold).tolist()


@given(ANSWERS)
def test_thresholds_part_all_values_that_can_be_parted(answers: Any) -> None:
    found = spoken(answers)
    cuts = cut_points(found.values)
    assert cuts == sorted(set(cuts))
    assert all(0 <= cut <= 1 for cut in cuts)
    sets = {tuple(found.flags(cut)) for cut in cuts}
    assert len(cuts) == len(sets)
    distinct = np.unique(found.values)
    parted = 1 + int((np.diff(distinct) > 1e-8).sum()) + int(distinct[-1] < 1 - 1e-8)
    assert parted == len(cuts)


def test_ratings_are_parted_where_a_person_would_part_them() -> None:
    assert [0.0, 0.3, 0.5, 0.7, 0.9] == cut_points(np.array([0.2, 0.4, 0.6, 0.8, 1.0]))


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(0.6, 0.8, 0.7), (1 / 3, 4 / 11, 0.35), (0.1, 0.101, 0.1005)]
)
def test_a_threshold_is_as_short_as_it_can_be(low: float, high: float, expected: float) -> None:
    assert expected == between(low, high)


@given(ANSWERS)
def test_precision_and_recall_are_those_of_scikit_learn(answers: Any) -> None:
    found = spoken([(round(v, 3), *rest) for v, *rest in answers])
    if not found.ng.any():
        return
    p, r, t = precision_recall_curve(found.ng, 1 - found.values, sample_weight=found.weights)
    # Its thresholds are the values themselves: flagged is a score of at most 1 - t.
    for precision, recall, threshold in zip(p, r, t, strict=False):
        mine = flag_quality(found, found.values <= 1 - threshold + 1e-12)
        assert precision == pytest.approx(mine.precision.mean)
        assert recall == pytest.approx(mine.recall.mean)


@given(ANSWERS)
def test_youden_is_that_of_scikit_learns_curve(answers: Any) -> None:
    found = spoken([(round(v, 3), *rest) for v, *rest in answers])
    if found.ng.all() or not found.ng.any():
        return
    fpr, tpr, t = roc_curve(
        found.ng, 1 - found.values, sample_weight=found.weights, drop_intermediate=False
    )
    for false, true, threshold in zip(fpr[1:], tpr[1:], t[1:], strict=True):
        mine = flag_quality(found, found.values <= 1 - threshold + 1e-12)
        assert true - false == pytest.approx(mine.youden)


def test_the_figures_of_a_small_case() -> None:
    answers = [(0.1, True, 1, 0), (0.3, False, 1, 1), (0.8, True, 10, 2), (0.9, False, 10, 3)]
    found = flag_quality(spoken(answers), np.array([True, True, False, False]))
    assert 2 / 22 == found.flagged.mean
    assert 1 / 2 == found.precision.mean
    assert 1 / 11 == found.recall.mean
    assert 1 / 11 - 1 / 11 == found.youden
    assert 5 * 0.5 * (1 / 11) / (4 * 0.5 + 1 / 11) == pytest.approx(found.f_beta(2))


def test_what_flags_nothing_has_no_precision() -> None:
    found = flag_quality(spoken([(0.5, True, 1, 0), (0.6, False, 1, 1)]), np.array([False, False]))
    assert (None, 0.0, 0.0) == (found.precision.mean, found.recall.mean, found.f_beta(2))


def test_flagged_answers_alone_tell_precision_and_nothing_else() -> None:
    answers = [(0.1 * n, n % 2 == 0, 1, n) for n in range(10)]
    found = precision_only(spoken(answers), np.ones(10, dtype=bool))
    assert 0.5 == found.precision.mean
    assert (Interval(None), Interval(None)) == (found.flagged, found.recall)
    assert (None, None) == (found.f_beta(2), found.youden)


def test_todays_threshold_stands_for_the_cut_that_flags_the_same() -> None:
    values = np.array([0.2, 0.4, 0.8])
    assert [0.0, 0.3, 0.7, 0.9] == cut_points(values, 0.7)
    assert [0.0, 0.4, 0.6, 0.9] == cut_points(values, 0.4), "0.4 is not under 0.4"
    assert [0.0, 0.3, 0.6, 0.9] == cut_points(values, 0.1), "it flags nothing, as 0 does"
