import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simulator.core.outcome import Interval
from simulator.statistics.ranking import auc

VALUES = st.lists(st.sampled_from([0.0, 0.2, 0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=12)


@given(good=VALUES, bad=VALUES)
def test_it_is_the_share_of_pairs_in_the_right_order(good: list[float], bad: list[float]) -> None:
    pairs = [1.0 if g > b else 0.5 if g == b else 0.0 for g in good for b in bad]
    assert sum(pairs) / len(pairs) == pytest.approx(auc(good, bad).mean, abs=1e-12)


@given(good=VALUES, bad=VALUES)
def test_the_interval_holds_the_area_and_stays_on_the_scale(
    good: list[float], bad: list[float]
) -> None:
    found = auc(good, bad)
    if found.low is None or found.high is None or found.mean is None:
        assert min(len(good), len(bad)) < 5
    else:
        assert 0 <= found.low <= found.mean <= found.high <= 1


def test_it_is_the_statistic_of_mann_and_whitney() -> None:
    draw = np.random.default_rng(1)
    good, bad = draw.normal(1, 1, 40).tolist(), draw.normal(0, 1, 30).tolist()
    wanted = stats.mannwhitneyu(good, bad).statistic / (40 * 30)
    assert wanted == pytest.approx(auc(good, bad).mean)


def test_one_kind_alone_has_no_area() -> None:
    assert Interval(None) == auc([0.5], [])
    assert Interval(None) == auc([], [0.5])


def test_few_of_either_kind_have_no_interval() -> None:
    assert Interval(1.0) == auc([0.9] * 50, [0.1] * 4)


def test_kinds_that_do_not_overlap_are_not_taken_for_certain() -> None:
    found = auc([0.9] * 10, [0.1] * 10)
    assert (1.0, 1.0) == (found.mean, found.high)
    assert 0.7 < (found.low or 0) < 0.9


def test_a_metric_that_always_says_the_same_tells_nothing() -> None:
    found = auc([0.5] * 30, [0.5] * 30)
    assert 0.5 == found.mean
    assert found.low is not None
    assert found.high is not None
    assert 0.3 < found.low < 0.5 < found.high < 0.7


def test_turns_of_one_talk_count_less_than_as_many_talks() -> None:
    draw = random.Random(1)
    good = [draw.random() for _ in range(10) for _ in range(1)]
    bad = [draw.random() - 0.3 for _ in range(10)]
    alone = auc(good, bad)
    repeated = auc(good * 5, bad * 5, list(range(10)) * 5, list(range(10, 20)) * 5)
    taken_as_alone = auc(good * 5, bad * 5)
    assert alone.low is not None
    assert alone.low == pytest.approx(repeated.low)
    assert (taken_as_alone.low or 0) > alone.low


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n", "apart"), [(15, 10, 0.5), (60, 30, 1.0), (200, 40, 2.0)])
def test_the_interval_covers_what_it_promises(m: int, n: int, apart: float) -> None:
    draw = np.random.default_rng(7)
    true = stats.norm.cdf(apart / np.sqrt(2))
    covered = 0
    for _ in range(1_000):
        found = auc(draw.normal(apart, 1, m).tolist(), draw.normal(0, 1, n).tolist())
        covered += (found.low or 0) <= true <= (found.high or 0)
    assert 0.92 <= covered / 1_000 <= 0.985


@pytest.mark.slow
def test_clusters_are_covered_too() -> None:
    draw = np.random.default_rng(7)
    true = stats.norm.cdf(1 / np.sqrt(2))
    covered = naive = 0
    for _ in range(400):
        good: list[float] = []
        bad: list[float] = []
        of_good: list[int] = []
        of_bad: list[int] = []
        for talk in range(40):
            share, shift = draw.beta(0.6, 0.6), draw.normal(0, np.sqrt(0.4))
            for _ in range(5):
                value = shift + draw.normal(0, np.sqrt(0.6))
                is_good = draw.random() < share
                (good if is_good else bad).append(value + is_good)
                (of_good if is_good else of_bad).append(talk)
        found, alone = auc(good, bad, of_good, of_bad), auc(good, bad)
        covered += (found.low or 0) <= true <= (found.high or 0)
        naive += (alone.low or 0) <= true <= (alone.high or 0)
    assert 0.9 <= covered / 400 <= 0.985
    assert naive < covered
