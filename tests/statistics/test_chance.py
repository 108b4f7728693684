"""What repeats tell: equal to counting all ways, and right on average."""

import math
import random
from itertools import combinations

import pytest
from scipy.stats import fisher_exact, nbinom

from simulator.core.outcome import Count
from simulator.statistics.paired import (
    Repeats,
    expected_by_chance,
    expected_from_same,
    pass_power,
    pass_power_mean,
    seldom,
)

STEADY = [(Repeats(3, 3), Repeats(3, 3))] * 80


@pytest.mark.parametrize("table", [(5, 6, 5, 47), (0, 3, 2, 9), (3, 3, 0, 1), (2, 9, 30, 31)])
def test_fishers_exact_test_as_scipy_has_it(table: tuple[int, int, int, int]) -> None:
    hits, of, others, of_others = table
    counts = [[hits, of - hits], [others, of_others - others]]
    assert pytest.approx(fisher_exact(counts, "greater").pvalue) == seldom(*table)


def test_cells_that_never_flip_are_not_expected_to() -> None:
    found = expected_by_chance(STEADY)
    assert found is not None
    assert found.mean < 0.2
    assert (0, 1) == (found.low, found.high)  # none seen is not none ever


def test_what_a_change_broke_is_not_taken_for_chance() -> None:
    found = expected_by_chance([*STEADY, *[(Repeats(3, 3), Repeats(0, 3))] * 15])
    assert found is not None
    assert found.mean < 0.5


def test_coins_newly_fail_one_time_in_four() -> None:
    coins = [(Repeats(c, 3), Repeats(3 - c, 3)) for c in (0, 1, 1, 1, 2, 2, 2, 3)] * 20
    found = expected_by_chance(coins)
    assert found is not None
    assert 40 == pytest.approx(found.mean, rel=0.05)


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [(Repeats(1, 1), Repeats(0, 1))] * 9,
        [(Repeats(2, 2), Repeats(0, 0))] * 9,
        [(Repeats(2, 2), Repeats(1, 2))] * 4 + [(Repeats(1, 1), Repeats(1, 1))] * 5,
    ],
)
def test_without_repeats_it_is_not_known(cells: list[tuple[Repeats, Repeats]]) -> None:
    assert None is expected_by_chance(cells)


def test_repeats_of_one_run_are_enough() -> None:
    found = expected_by_chance([(Repeats(c, 2), Repeats(1, 1)) for c in (0, 1, 1, 2)] * 10)
    assert found is not None  # coins: both of two pass, and one fails
    assert 40 / 8 == pytest.approx(found.mean, rel=0.05)


def test_the_range_of_many_cells_is_that_of_a_sum() -> None:
    coins = [(Repeats(c, 2), Repeats(1, 1)) for c in (0, 1, 1, 2)]
    some, many = (expected_by_chance(coins * n) for n in (490, 510))  # exact, and beyond
    assert some is not None
    assert many is not None
    assert many.high - many.low == pytest.approx(some.high - some.low, abs=3)
    assert many.high - many.low == pytest.approx(2 * 1.96 * math.sqrt(2_040 / 8 * 7 / 8), abs=2)


def test_the_range_of_a_pair_alike_knows_that_its_count_is_chance_too() -> None:
    assert Count(3.5, 0, 9) == expected_from_same(4, 3, 94)
    assert Count(0.0, 0, 2) == expected_from_same(0, 0, 94)
    assert Count(1.0, 0, 2) == expected_from_same(1, 1, 2)


def drawn(rng: random.Random, rates: list[float], n: int) -> list[Repeats]:
    return [Repeats(sum(rng.random() < rate for _ in range(n)), n) for rate in rates]


def newly(before: list[Repeats], after: list[Repeats]) -> int:
    both = zip(before, after, strict=True)
    return sum(2 * a.passed > a.n and 2 * b.passed < b.n for a, b in both)


def unsteady(cells: int, by_chance: float) -> list[float]:
    """Rates of cells: most are steady, the others newly fail as often as this, in all."""
    flipping = [0.9, 0.8, 0.7, 0.5]
    each = sum(p * (1 - p) for p in flipping) / 4
    some = round(by_chance / each)
    return [*(flipping[i % 4] for i in range(some)), *[1.0] * (cells - some)]


def test_forty_five_pairs_alike_of_94_cells_tell_their_three_and_a_half() -> None:
    """As measured on ten runs of one bot: 3.4 of 94 cells a pair, at most 5."""
    rng, rates = random.Random(4), unsteady(94, 3.4)
    runs = [drawn(rng, rates, 1) for _ in range(10)]
    told = [expected_from_same(newly(a, b), newly(b, a), 94) for a, b in combinations(runs, 2)]
    assert 45 == len(told)
    assert 2.9 <= sum(t.mean for t in told) / 45 <= 3.9


@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_repeats_tell_how_many_cells_newly_fail_by_chance(repeats: int) -> None:
    rng, rates, means, counts, within = random.Random(repeats), unsteady(94, 3.4), 0.0, 0, 0
    for _ in range(100):
        a, b, c, d = (drawn(rng, rates, repeats) for _ in "abcd")
        found = expected_by_chance(list(zip(a, b, strict=True)))
        assert found is not None
        means += found.mean / 100
        counts += newly(c, d)
        within += found.low <= newly(c, d) <= found.high
    assert counts / 100 == pytest.approx(means, abs=0.6)
    assert within / 100 >= 0.9


def test_pass_power_is_the_share_of_choices_that_all_pass() -> None:
    assert 1.0 == pass_power(Repeats(3, 3), 3)
    assert 0.0 == pass_power(Repeats(2, 3), 3)
    assert pytest.approx(3 / 10) == pass_power(Repeats(3, 5), 2)
    assert None is pass_power(Repeats(2, 2), 3)
    cells = [Repeats(3, 3), Repeats(1, 3), Repeats(1, 1)]
    assert pytest.approx(0.5) == pass_power_mean(cells, 2)
    assert None is pass_power_mean(cells[2:], 2)


def test_an_a_a_pair_may_be_large() -> None:
    found = expected_from_same(3_000, 3_100, 50_000)
    wanted = nbinom(6_100.5, 2 / 3)
    assert (wanted.ppf(0.025), wanted.ppf(0.975)) == (found.low, found.high)
    assert found.low < found.mean < found.high
