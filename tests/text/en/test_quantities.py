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


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("until 8 in the evening", {20.0}),
        ("ring before ten in the morning", {10.0}),
        ("at half past six", {6.5, 18.5}),  # of twelve hours, it may be either
        ("at half past six in the evening", {18.5}),
        ("a quarter to six pm", {17.75}),
        ("till noon", {12.0}),
        ("8.30am", {8.5}),
    ],
)
def test_times_of_the_day_in_words(text: str, hours: set[float]) -> None:
    assert amounts_in(text) == {"clock": frozenset(hours)}


@pytest.mark.parametrize(
    ("text", "kind", "amounts"),
    [
        ("two to three weeks", "seconds", {14 * 86_400.0, 21 * 86_400.0}),
        ("between 7 and 10 working days", "business days", {7.0, 10.0}),
        ("twenty-five pounds", "pounds", {25.0}),
        ("two hundred yen", "yen", {200.0}),
        ("half an hour", "seconds", {1_800.0}),
        ("a fortnight", "seconds", {14 * 86_400.0}),
    ],
)
def test_ranges_and_numbers_in_words(text: str, kind: str, amounts: set[float]) -> None:
    assert amounts_in(text) == {kind: frozenset(amounts)}
