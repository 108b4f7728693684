"""Intervals: the clustered formula, its limits, and that it covers what it promises."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks import coverage
from simulator.core.outcome import Interval
from simulator.statistics.intervals import clustered, wilson

scores = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def wilson_with_t(rate: float, independent: float, clusters: int) -> tuple[float, float, float]:
    """Wilson's interval of a rate among so many independent answers, with t for the normal."""
    t2 = stats.t.ppf(0.975, clusters - 1) ** 2
    middle = (rate + t2 / (2 * independent)) / (1 + t2 / independent)
    spread = rate * (1 - rate) / independent + t2 / (4 * independent**2)
    half = (t2 * spread) ** 0.5 / (1 + t2 / independent)
    return rate, middle - half, middle + half


def test_the_variance_between_scenarios_says_how_many_answers_the_mean_is_worth() -> None:
    means = [0.2, 0.4, 0.5, 0.5, 0.6, 0.8, 0.9, 0.7, 0.4, 0.6]
    clusters = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e"]
    # by hand: m̄ = 0.56; sums of residuals -0.52, -0.12, 0.28, 0.48, -0.12
    variance = 5 / 4 * (0.2704 + 0.0144 + 0.0784 + 0.2304 + 0.0144) / 10**2
    found = clustered(means, clusters)
    expected = wilson_with_t(0.56, 0.56 * 0.44 / variance, 5)
    assert pytest.approx(expected) == (found.mean, found.low, found.high)


def test_in_the_middle_of_the_scale_it_is_close_to_the_ordinary_interval() -> None:
    means = [0.45, 0.5, 0.55, 0.48, 0.52, 0.49, 0.51, 0.53]
    low, high = stats.t.interval(0.95, 7, loc=sum(means) / 8, scale=stats.sem(means))
    found = clustered(means, range(8))
    assert pytest.approx((low, high), abs=2e-4) == (found.low, found.high)


def test_where_the_scale_has_no_end_it_is_the_ordinary_interval() -> None:
    means = [3, 50, 6, 4, 70, 45]
    low, high = stats.t.interval(0.95, 5, loc=sum(means) / 6, scale=stats.sem(means))
    found = clustered(means, range(6), high=float("inf"))
    assert pytest.approx((max(0.0, low), high)) == (found.low, found.high)


def test_where_all_are_alike_every_scenario_counts_as_one_answer() -> None:
    found = clustered([1.0] * 30, [i % 10 for i in range(30)])
    assert pytest.approx(wilson_with_t(1.0, 10, 10)) == (found.mean, found.low, found.high)


def test_one_failing_scenario_among_many_alike_ones_narrows_nothing() -> None:
    """Its variance is hardly known: 14 of 15 passes in one cell must not read as 149 of 150."""
    passes = [1.0] * 149 + [0.0]
    found = clustered(passes, [i // 15 for i in range(150)])
    assert found.low is not None
    assert found.low < 0.95


@pytest.mark.parametrize("worst", [0.0, 0.5, 2 / 3, 0.99])
def test_a_little_worse_is_never_much_surer(worst: float) -> None:
    alike, other = clustered([1.0] * 20, range(20)), clustered([1.0] * 19 + [worst], range(20))
    assert alike.low is not None
    assert other.low is not None
    assert other.low < alike.low + 0.03


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_below_five_scenarios_there_is_a_mean_but_no_interval(n: int) -> None:
    assert Interval(0.5) == clustered([0.5] * n, range(n))
    assert Interval(0.5) == clustered([0.25, 0.75] * 30, [i % n for i in range(30) for _ in "ab"])


def test_without_scores_there_is_no_mean() -> None:
    assert Interval(None) == clustered([], [])


@given(scores, st.integers(1, 10))
def test_ends_stay_within_the_scale_and_around_the_mean(means: list[float], k: int) -> None:
    found = clustered(means, [i % k for i in range(len(means))])
    assert found.mean is not None
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.mean + 1e-12
        assert found.mean - 1e-12 <= found.high <= 1


def test_a_rating_has_no_end_below_its_lowest_value() -> None:
    found = clustered([0.2, 0.2, 0.2, 0.2, 0.8], range(5), low=0.2)
    assert found.low is not None
    assert 0.2 <= found.low < 0.32


@given(st.floats(0, 1), st.integers(5, 40), st.integers(1, 5))
def test_it_never_has_zero_width(value: float, scenarios: int, personas: int) -> None:
    found = clustered([value] * scenarios * personas, [*range(scenarios)] * personas)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low > 0.05


@given(scores, st.randoms(use_true_random=False))
def test_the_order_of_conversations_makes_no_difference(
    means: list[float], rng: random.Random
) -> None:
    pairs = [(m, i % 7) for i, m in enumerate(means)]
    shuffled = rng.sample(pairs, len(pairs))
    assert clustered(*zip(*pairs, strict=True)) == clustered(*zip(*shuffled, strict=True))


@pytest.mark.parametrize(("k", "n"), [(0, 10), (1, 20), (7, 9), (50, 50), (3, 1_000)])
def test_wilson_is_that_of_scipy(k: int, n: int) -> None:
    expected = stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
    found = wilson(k, n)
    assert pytest.approx((k / n, *expected)) == (found.mean, found.low, found.high)


def test_wilson_of_nothing_has_no_rate() -> None:
    assert Interval(None) == wilson(0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("cell", coverage.CELLS, ids=str)
def test_intervals_cover_the_truth_as_often_as_they_promise(cell: coverage.Cell) -> None:
    found = coverage.measure(cell, trials=1_500)
    noise = 0.015  # 2.6 standard errors of a share near .95 over 1,500 trials
    assert found.covered >= 0.92 - noise
    if cell.kind == "rating" or cell.scenarios >= 30:
        assert 0.93 - noise <= found.covered <= 0.98 + noise
