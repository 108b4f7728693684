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
        ("EUR 6.00 per hour", "euros", {6.0}),
        ("6€ per hour", "euros", {6.0}),
        ("from 1,200 € on", "euros", {1_200.0}),
        ("GBP 15", "pounds", {15.0}),
        ("delivery takes 5-10 €", "euros", {5.0, 10.0}),
        ("half an hour", "seconds", {1_800.0}),
        ("a fortnight", "seconds", {14 * 86_400.0}),
    ],
)
def test_ranges_and_numbers_in_words(text: str, kind: str, amounts: set[float]) -> None:
    assert amounts_in(text) == {kind: frozenset(amounts)}


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a year and a half", "18 months"),
        ("6 extra months", "6 months"),
        ("two more weeks", "2 weeks"),
        ("a full day", "24 hours"),
        ("95 kilos", "95 kg"),
        ("40 centimetres", "0.4 m"),
        ("between eight and sixteen", "8 to 16"),
    ],
)
def test_an_amount_is_the_same_in_other_words(text: str, same: str) -> None:
    assert amounts_in(same) == amounts_in(text)


def test_one_by_itself_counts_nothing() -> None:
    assert {"": {2, 5}} == amounts_in("either of the two is one of five")


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Wednesday to Sunday, 9 till 4", {9.0, 16.0}),
        ("on Sundays 10-4", {10.0, 16.0}),
        ("Sunday between 1 and 3", {13.0, 15.0}),
        ("one walk at 11, weekends only", {11.0}),
        ("we close at 5.", {17.0}),
    ],
)
def test_hours_of_business_need_no_am(text: str, hours: set[float]) -> None:
    assert hours == amounts_in(text)["clock"]


@pytest.mark.parametrize("text", ["aged 8 to 16", "from 9 to 4", "at 5 and up"])
def test_other_ranges_are_no_hours(text: str) -> None:
    assert "clock" not in amounts_in(text)


def test_hours_with_minutes_are_one_length() -> None:
    assert amounts_in("105 minutes") == amounts_in("1 hour 45 minutes")
    assert amounts_in("105 minutes") == amounts_in("an hour and three quarters")
