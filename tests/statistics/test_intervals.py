"""Intervals: the clustered formula, its limits, and that it covers what it promises."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simulator.core.run import Interval
from simulator.statistics.intervals import clustered, wilson

scores = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def test_clusters_are_scenarios_where_there_are_five() -> None:
    means = [0.2, 0.4, 0.5, 0.5, 0.6, 0.8, 0.9, 0.7, 0.4, 0.6]
    clusters = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e"]
    # by hand: m̄ = 0.56; sums of residuals -0.52, -0.12, 0.28, 0.48, -0.12
    se = (5 / 4 * (0.2704 + 0.0144 + 0.0784 + 0.2304 + 0.0144)) ** 0.5 / 10
    half = stats.t.ppf(0.975, 4) * se
    found = clustered(means, clusters)
    assert pytest.approx((0.56, 0.56 - half, 0.56 + half)) == (found.mean, found.low, found.high)


def test_one_conversation_per_scenario_gives_the_ordinary_interval() -> None:
    means = [0.3, 0.5, 0.6, 0.4, 0.7, 0.45]
    low, high = stats.t.interval(0.95, 5, loc=sum(means) / 6, scale=stats.sem(means))
    found = clustered(means, range(6))
    assert pytest.approx((low, high)) == (found.low, found.high)


def test_conversations_are_the_clusters_where_scenarios_are_few() -> None:
    means = [0.3, 0.5, 0.6, 0.4, 0.7, 0.45]
    assert clustered(means, range(6)) == clustered(means, ["a", "a", "b", "b", "c", "c"])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_below_five_clusters_there_is_a_mean_but_no_interval(n: int) -> None:
    assert Interval(0.5) == clustered([0.5] * n, range(n))


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
    assert 0.2 == found.low


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


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5)])
def test_wilson_of_an_impossible_count_is_refused(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="0 <= successes <= n"):
        wilson(k, n)


@pytest.mark.slow
@pytest.mark.parametrize(("scenarios", "personas"), [(30, 3), (12, 5), (200, 1)])
def test_intervals_cover_the_truth_95_times_in_a_hundred(scenarios: int, personas: int) -> None:
    rng = random.Random(7)
    trials, covered, naive_covered = 1_500, 0, 0
    for _ in range(trials):
        means, clusters = _sample(rng, scenarios, personas)
        found = clustered(means, clusters)
        naive = clustered(means, range(len(means)))
        covered += _holds(found, 0.5)
        naive_covered += _holds(naive, 0.5)
    assert 0.935 <= covered / trials <= 0.97
    if personas > 1:
        assert naive_covered < covered - 0.05 * trials


def _holds(interval: Interval, truth: float) -> bool:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low <= truth <= interval.high


def _sample(rng: random.Random, scenarios: int, personas: int) -> tuple[list[float], list[int]]:
    """Conversation means around 0.5 that share their scenario's difficulty."""
    means, clusters = [], []
    for scenario in range(scenarios):
        difficulty = rng.gauss(0, 0.1)
        for _ in range(personas):
            means.append(min(1.0, max(0.0, 0.5 + difficulty + rng.gauss(0, 0.1))))
            clusters.append(scenario)
    return means, clusters
