"""The amounts of Japanese texts: hours of the day, and lengths that are one word."""

import pytest

from simulator.text.ja.quantities import amounts_of
from simulator.text.ja.sudachi import tokenized


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("夜の9時に閉まります", {21.0}),
        ("午後9時半まで", {21.5}),
        ("夕方5時", {17.0}),
        ("昼の11時", {11.0}),
        ("夜の1時", {1.0}),
        ("午後1時から5時まで", {13.0, 17.0}),
        ("朝9時から夕方5時", {9.0, 17.0}),
        ("23時59分", {23 + 59 / 60}),
        ("正午から", {12.0}),
        ("24:00", {0.0}),
    ],
)
def test_hours_are_those_of_the_day(text: str, hours: set[float]) -> None:
    assert amounts_of(tokenized(text)) == {"clock": frozenset(hours)}


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("半年以内", "months", 6.0),
        ("1時間半", "seconds", 5400.0),
        ("2年半", "months", 30.0),
        ("2時限", "時限", 2.0),
    ],
)
def test_halves_are_read(text: str, kind: str, amount: float) -> None:
    assert amounts_of(tokenized(text)) == {kind: frozenset((amount,))}


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("夜8時閉館、ご入館は7時までとなります。", {20, 19}),
        ("朝10時に開き、夜9時に閉まります（ご入館は8時まで）。", {10, 21, 20}),
        ("夜9時に閉まり、翌日は10時に開きます。", {21, 10}),
        ("夜8時に閉まり、朝は7時に開きます。", {20, 7}),
    ],
)
def test_an_hour_without_its_part_of_the_day_may_be_one_before_a_later_one(
    text: str, hours: set[float]
) -> None:
    assert hours == amounts_of(tokenized(text))["clock"]
