"""The sequential test of cells that are played again."""

import math

import pytest

from simulator.core.comparison import Replayed
from simulator.statistics.paired import more_often
from simulator.statistics.sequential import (
    ALPHA,
    BROKEN,
    NOISE,
    Sprt,
    most_by_luck,
    surely_broken,
)


@pytest.mark.parametrize(
    ("cells", "plays", "decision"),
    [
        (1, "F", Replayed.OPEN),
        (1, "P", Replayed.NOISE),
        (1, "FFFFF", Replayed.BROKEN),
        (1, "FFFF", Replayed.OPEN),
        (8, "FFFFF", Replayed.OPEN),
        (8, "FFFFFFFF", Replayed.BROKEN),
        (1, "FFFFP", Replayed.OPEN),
        (1, "FFFFPFFFFF", Replayed.BROKEN),
        (1, "FPP", Replayed.NOISE),
    ],
)
def test_plays_are_looked_at_one_after_the_other(
    cells: int, plays: str, decision: Replayed
) -> None:
    assert decision is Sprt(cells, 10).decide([play == "F" for play in plays])


@pytest.mark.parametrize("cells", [1, 3, 8, 22, 90])
@pytest.mark.parametrize("most", [3, 5, 10, 20])
def test_noise_is_called_broken_for_sure_in_one_of_twenty_at_most(cells: int, most: int) -> None:
    test = Sprt(cells, most)
    chance = test.chances(NOISE)
    fewest = next((n for n in range(1, cells + 1) if test.surely(n)), cells + 1)
    assert more_often(fewest, cells, chance.broken) <= ALPHA
    assert chance.broken + chance.noise <= 1 + 1e-9


def test_the_chances_are_those_of_all_ways_to_play() -> None:
    test = Sprt(2, 6)
    chances_of = {Replayed.BROKEN: 0.0, Replayed.NOISE: 0.0, Replayed.OPEN: 0.0}
    for number in range(2**6):
        plays = [bool(number >> n & 1) for n in range(6)]
        chances_of[test.decide(plays)] += math.prod(BROKEN if bad else 1 - BROKEN for bad in plays)
    chances = test.chances(BROKEN)
    assert (chances.broken, chances.noise) == pytest.approx(
        (chances_of[Replayed.BROKEN], chances_of[Replayed.NOISE])
    )


def test_what_is_always_bad_is_found_in_enough_plays() -> None:
    assert 1.0 == Sprt(8, 10).chances(1.0).broken


def test_luck_is_taken_off_those_that_passed_once() -> None:
    assert [2, 5, 7] == [most_by_luck(n) for n in range(3)]
    test = Sprt(5, 10)
    assert [0, 1, 1, 0] == [
        surely_broken(test, steady, once, lucky)
        for steady, once, lucky in ((0, 1, 0), (1, 0, 3), (0, 3, 0), (0, 3, 1))
    ]
