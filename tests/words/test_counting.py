"""Counts as English says them."""

import pytest

from simulator.words import counted


@pytest.mark.parametrize(
    ("n", "told"), [(0, "0 answers"), (1, "1 answer"), (2, "2 answers"), (1000, "1,000 answers")]
)
def test_a_count_stands_with_its_noun(n: int, told: str) -> None:
    assert told == counted(n, "answer")


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert ("1 entry", "2 entries") == (
        counted(1, "entry", "entries"),
        counted(2, "entry", "entries"),
    )
