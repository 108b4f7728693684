"""Rates over turns that come in conversations."""

import random

import pytest

from simulator.statistics.intervals import correlation, turn_rate, wilson


def test_turns_of_their_own_are_wilsons() -> None:
    assert wilson(6, 6) == turn_rate([1] * 6, [1] * 6)


def test_nothing_has_no_rate() -> None:
    assert turn_rate([], []).mean is None


def test_turns_that_go_together_are_worth_less() -> None:
    apart = turn_rate([1] * 15 + [0] * 15, [1] * 30)
    together = turn_rate([3] * 5 + [0] * 5, [3] * 10)
    assert apart.low is not None
    assert together.low is not None
    assert together.low < apart.low


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("talks", [5, 10, 40])
def test_the_interval_covers_the_true_rate(rate: float, talks: int) -> None:
    """Three turns a conversation, intra-class correlation .3 (beta-binomial)."""
    draw, covered, rounds = random.Random(7), 0, 2000
    a, b = rate * (1 / 0.3 - 1), (1 - rate) * (1 / 0.3 - 1)
    for _ in range(rounds):
        p = [draw.betavariate(a, b) for _ in range(talks)]
        hits = [sum(draw.random() < each for _ in range(3)) for each in p]
        found = turn_rate(hits, [3] * talks)
        covered += (found.low or 0.0) <= rate <= (found.high or 0.0)
    assert covered / rounds >= 0.92


def test_pearsons_r() -> None:
    pairs = [(1.0, 2.0), (2.0, 4.0), (3.0, 5.0)]
    sums = [sum(v) for v in zip(*((1.0, x, y, x * x, y * y, x * y) for x, y in pairs), strict=True)]
    assert pytest.approx(0.98198, abs=1e-5) == correlation(sums)


def test_what_does_not_vary_has_no_r() -> None:
    assert correlation([2.0, 2.0, 3.0, 2.0, 5.0, 3.0]) is None
