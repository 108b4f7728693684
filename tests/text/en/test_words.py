"""English words and their stems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.text.tokens import stem, word_tokens


@pytest.mark.parametrize(
    "forms",
    [
        ["cancel", "cancels", "cancelled", "cancelling", "canceled"],
        ["change", "changes", "changed", "changing"],
        ["policy", "policies"],
        ["try", "tries", "tried"],
        ["bill", "bills", "billed", "billing"],
        ["use", "uses", "used", "using"],
        ["box", "boxes"],
        ["address", "addresses", "addressed"],
        ["pay", "pays", "paid", "paying"],
        ["tie", "ties"],
        ["child", "children"],
    ],
)
def test_forms_of_one_word_meet(forms: list[str]) -> None:
    assert 1 == len({stem(form) for form in forms})


@pytest.mark.parametrize(
    ("one", "other"),
    [("refund", "refundable"), ("thing", "th"), ("need", "ne"), ("speed", "sp"), ("bus", "bu")],
)
def test_other_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't use the user's e-mail!", ["don", "use", "the", "user", "email"]),
        ("cats,dogs and 1,480 or 12,5", ["cats", "dogs", "and", "1480", "or", "12,5"]),
        ("two-step at example.jp by 23:59.", ["two", "step", "at", "example.jp", "by", "23:59"]),
        ("ＰＤＦ", ["pdf"]),
        ("snake_case", ["snake", "case"]),
    ],
)
def test_words_are_cut_at_what_is_no_letter(text: str, found: list[str]) -> None:
    assert found == word_tokens(text)


@given(st.text())
def test_no_word_and_no_stem_is_empty(text: str) -> None:
    assert all(word_tokens(text))
    assert all(stem(word) for word in word_tokens(text))
