"""The amounts of English texts; more of them in tests/text/test_matching.py."""

import pytest

from simulator.text.en.quantities import amounts_in


@pytest.mark.parametrize(
    "text", ["1. Wait 5 days.", "(2) Wait 5 days.", "\n\n  3) \n Wait 5 days.", "Wait 5 days.\n\n"]
)
def test_the_numbers_of_a_list_are_no_amounts(text: str) -> None:
    assert {"seconds": frozenset((5 * 86_400.0,))} == amounts_in(text)


def test_blank_lines_are_read_once() -> None:  # a million of them took a day, one after the other
    assert {"": frozenset((7.0,))} == amounts_in("\n" * 1_000_000 + "7")
