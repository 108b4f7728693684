"""Paired tests and intervals: equal to scipy's, and they keep what they promise."""

import math
import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks import coverage_differences
from simulator.core.outcome import Interval
from simulator.statistics.paired import (
    Differences,
    by_cluster,
    difference_test,
    holm,
    interval,
    mcnemar,
    noticeable,
    sign_flip,
)

differences = st.lists(st.sampled_from([-0.5, -0.25, 0.0, 0.0, 0.25, 0.75]), min_size=2, max_size=9)


def each(found: Sequence[float]) -> Differences:
    """Every conversation is a scenario of its own."""
    return by_cluster(found, range(len(found)))


def made(found: Differences) -> Interval:
    """The interval at .05."""
    return interval(found, difference_test(found))


def normal(n: int, mean: float = 0.0) -> list[float]:
    rng = random.Random(3)
    return [mean + rng.gauss(0, 0.2) for _ in range(n)]


def test_conversations_of_a_scenario_are_added_up() -> None:
    found = by_cluster([0.1, 0.2, -0.1, 0.3, 0.0, 0.5], ["a", "a", "b", "c", "d", "e"])
    assert pytest.approx([-0.1, 0.0, 0.3, 0.3, 0.5]) == list(found.sums)
    assert [1, 1, 1, 2, 1] == list(found.sizes)
    assert pytest.approx(1 / 6) == found.mean
    assert 6 == found.pairs


def test_clusters_are_scenarios_however_few() -> None:
    found = by_cluster([0.1, 0.2, 0.3, 0.4, 0.5, 0.6] * 9, ["a", "a", "b", "b", "c", "d"] * 9)
    assert 4 == len(found.sums)
    assert 2 / 16 == sign_flip(found).p  # whatever so few show may be chance


def test_the_standard_error_of_unclustered_differences_is_the_ordinary_one() -> None:
    found = normal(12)
    assert pytest.approx(stats.sem(found)) == each(found).standard_error


@given(differences)
def test_few_differences_are_tested_as_scipy_does_it(found: list[float]) -> None:
    test = sign_flip(each(found))
    expected = stats.permutation_test(
        (np.array(found),), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert pytest.approx(expected.pvalue) == test.p
    assert test.exact


@pytest.mark.parametrize("mean", [0.0, 0.05, 0.1])
def test_many_differences_are_tested_by_drawn_signs(mean: float) -> None:
    found = normal(60, mean)
    test = sign_flip(each(found))
    expected = stats.permutation_test(
        (np.array(found),), np.sum, permutation_type="samples", n_resamples=20_000, rng=1
    )
    assert not test.exact
    assert pytest.approx(expected.pvalue, abs=0.015) == test.p


def test_drawn_signs_never_give_a_p_of_zero_and_the_same_one_every_time() -> None:
    found = each([0.5] * 40)
    assert pytest.approx(1 / 10_000) == sign_flip(found).p
    noisy = each(normal(40, 0.03))
    assert sign_flip(noisy) == sign_flip(noisy)


def test_equal_sums_count_as_ties_however_they_were_added() -> None:
    found = each([0.1, 0.2, -0.3])  # 0.1 + 0.2 - 0.3 is not 0 in binary fractions
    assert 1.0 == sign_flip(found).p


def test_what_did_not_move_changes_nothing_that_the_test_can_tell() -> None:
    few, many = each([0.2, 0.4, 0.1, 0.3, 0.2]), each([0.2, 0.4, 0.1, 0.3, 0.2, *[0.0] * 20])
    assert sign_flip(few) == sign_flip(many)
    test = sign_flip(many)
    assert (2 / 32, 2 / 32, 5) == (test.p, test.least, test.moved)
    assert not test.can_tell(0.05)
    assert sign_flip(each([0.2] * 6)).can_tell(0.05)


def test_nothing_at_all_is_no_evidence() -> None:
    found = by_cluster([], [])
    test = sign_flip(found)
    assert (None, 1.0, 1.0) == (found.mean, test.p, test.least)


@given(differences, st.randoms(use_true_random=False))
def test_the_order_of_conversations_makes_no_difference(
    found: list[float], rng: random.Random
) -> None:
    pairs = [(d, n % 7) for n, d in enumerate(found)]
    shuffled = rng.sample(pairs, len(pairs))
    one, other = (by_cluster(*zip(*p, strict=True)) for p in (pairs, shuffled))
    assert sign_flip(one) == sign_flip(other)
    assert made(one) == made(other)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_binomial_test_of_scipy(worse: int, better: int) -> None:
    n = worse + better
    expected = stats.binomtest(worse, n).pvalue if n else 1.0
    assert pytest.approx(expected) == mcnemar(worse, better)


def test_mcnemar_of_very_many_is_still_a_number() -> None:
    assert pytest.approx(stats.binomtest(4_900, 10_000).pvalue) == mcnemar(4_900, 5_100)


@given(st.integers(0, 7), st.integers(0, 7))
def test_flips_of_scenarios_with_one_conversation_are_mcnemar(worse: int, better: int) -> None:
    flips = each([1.0] * worse + [-1.0] * better + [0.0] * 3)
    assert pytest.approx(mcnemar(worse, better)) == sign_flip(flips).p


def test_holm_is_that_of_the_paper() -> None:
    assert pytest.approx([0.03, 0.06, 0.06, 0.02]) == holm([0.01, 0.04, 0.03, 0.005])
    assert [1.0, 1.0] == holm([0.6, 0.9])
    assert [] == holm([])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_a_p_and_keeps_their_order(ps: list[float]) -> None:
    adjusted = holm(ps)
    assert all(p <= a <= 1 for p, a in zip(ps, adjusted, strict=True))
    by_p = [a for _, a in sorted(zip(ps, adjusted, strict=True))]
    assert sorted(by_p) == by_p


def test_differences_spread_over_the_scale_have_the_interval_of_t() -> None:
    found = [*normal(8, 0.05)]
    low, high = stats.t.interval(0.95, 7, loc=np.mean(found), scale=stats.sem(found))
    assert pytest.approx((low, high)) == (made(each(found)).low, made(each(found)).high)


def test_passes_and_failures_have_a_part_of_a_scenario_more_in_their_variance() -> None:
    found = each([-1.0, *[0.0] * 9])  # w·(½ + ½/k)·1/C², of one that changed and is not here
    assert pytest.approx(stats.sem([-1, *[0] * 9]) ** 2 + 0.75 / 100) == found.standard_error**2
    many = by_cluster([0.0] * 30, [*range(10)] * 3)
    assert pytest.approx(0.75 * (2 / 3) / 100) == many.standard_error**2


def test_below_five_scenarios_there_is_no_interval() -> None:
    found = each([0.1, 0.2, 0.3, 0.2])
    assert pytest.approx(0.2) == made(found).mean
    assert (None, None) == (made(found).low, made(found).high)
    assert None is noticeable(found, 0.05)


@pytest.mark.parametrize("reach", [1.0, 0.8, math.inf])
@given(st.floats(-0.8, 0.8), st.integers(5, 40), st.integers(1, 5))
def test_it_never_has_zero_width_and_stays_on_the_scale(
    reach: float, value: float, scenarios: int, personas: int
) -> None:
    found = made(
        by_cluster([value] * scenarios * personas, [*range(scenarios)] * personas, reach=reach)
    )
    assert found.low is not None
    assert found.high is not None
    assert -reach <= found.low < found.high <= reach
    assert found.high - found.low > 0.02


def test_scenarios_that_are_mixed_alike_are_no_certainty() -> None:
    found = by_cluster([0.05, 0.55, 0.3, 0.3] * 3, [n // 2 for n in range(12)])
    assert found.standard_error > 0.05


@given(
    st.lists(st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.0, 0.1, 1.0]), min_size=5, max_size=60),
    st.integers(1, 4),
    st.sampled_from([0.01, 0.05]),
)
def test_an_interval_that_excludes_zero_stands_beside_a_difference_or_too_few_changes(
    values: list[float], personas: int, alpha: float
) -> None:
    found = by_cluster(values, [n // personas for n in range(len(values))])
    test = difference_test(found)
    shown = interval(found, test, alpha)
    if shown.low is None or shown.high is None:
        return
    excludes = not shown.low <= 0 <= shown.high
    if test.can_tell(alpha):
        assert test.p > alpha or excludes
        assert excludes or test.p > alpha or alpha > 0.05
        assert not (excludes and test.p > alpha)


def test_the_test_tells_no_more_than_its_interval() -> None:
    found = each([-0.1] * 5 + [-1.0])  # signs alone: p = 2/64; the one tells little of the others
    assert 2 / 64 == sign_flip(found).p
    assert difference_test(found).p > 0.05
    assert (made(found).high or 0) > 0


def test_a_noticeable_difference_is_seen_four_times_in_five() -> None:
    spread = each(normal(40))
    least = noticeable(spread, 0.05)
    assert least is not None
    reach = stats.t.ppf(0.975, 39) + stats.t.ppf(0.8, 39)
    assert pytest.approx(reach * spread.standard_error) == least
    sd = spread.standard_error * math.sqrt(40)
    power = stats.ttest_1samp(
        np.random.default_rng(5).normal(least, sd, size=(4_000, 40)), 0, axis=1
    ).pvalue
    assert 0.77 < (power < 0.05).mean() < 0.83


def _runs(
    scenarios: int, personas: int, shift: float, trials: int
) -> Iterator[tuple[Differences, list[float]]]:
    """Differences of rated conversations (in steps) that share what befell their scenario.

    Each time by cluster, and one by one.
    """
    rng = random.Random(11)
    for _ in range(trials):
        found, names = [], []
        for scenario in range(scenarios):
            common = rng.gauss(0, 0.12)
            for _ in range(personas):
                found.append(round(15 * (shift + common + rng.gauss(0, 0.12))) / 15)
                names.append(scenario)
        yield by_cluster(found, names), found


@pytest.mark.slow
@pytest.mark.parametrize(("scenarios", "personas"), [(8, 3), (14, 4), (40, 3)])
def test_where_nothing_changed_a_difference_is_seen_as_often_as_alpha_says(
    scenarios: int, personas: int
) -> None:
    trials, seen, naive = 1_000, 0, 0
    for found, alone in _runs(scenarios, personas, 0.0, trials):
        seen += sign_flip(found).p <= 0.05
        naive += sign_flip(each(alone)).p <= 0.05
    assert 0.03 <= seen / trials <= 0.07
    assert naive > 1.5 * seen  # what scenarios have in common must not count several times


@pytest.mark.slow
@pytest.mark.parametrize(("scenarios", "personas"), [(6, 15), (10, 3), (30, 3)])
def test_passes_and_failures_of_runs_alike_differ_no_more_often_than_alpha_says(
    scenarios: int, personas: int
) -> None:
    rng, trials, seen = random.Random(7), 600, 0
    names = [n // personas for n in range(scenarios * personas)]
    for _ in range(trials):
        rates = [rng.betavariate(2, 1) for _ in range(scenarios)]
        found = [(rng.random() < rates[n]) - float(rng.random() < rates[n]) for n in names]
        seen += difference_test(by_cluster(found, names)).p <= 0.05
    assert seen / trials <= 0.07


@pytest.mark.slow
@pytest.mark.parametrize("cell", coverage_differences.CELLS, ids=str)
def test_intervals_of_differences_cover_the_truth(cell: coverage_differences.Cell) -> None:
    found = coverage_differences.measure(cell, trials=800)
    noise = 0.02  # 2.6 standard errors of a share near .95 over 800 trials
    assert found.covered >= 0.92 - noise
    if cell.kind == "rating":
        assert 0.93 - noise <= found.covered <= 0.97 + noise
    if cell.scenarios >= 30:
        assert found.covered >= 0.93 - noise
