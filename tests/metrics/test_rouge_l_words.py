"""ROUGE-L against the definition by a plain table, and against figures worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.metrics.rouge_l import longest_common, rouge_l

WORDS = st.lists(st.sampled_from("abcde"), max_size=80)


def by_table(words: list[str], right: list[str]) -> int:
    """The textbook's table, row by row."""
    row = [0] * (len(right) + 1)
    for word in words:
        new = [0]
        for at, other in enumerate(right):
            new.append(row[at] + 1 if word == other else max(row[at + 1], new[at]))
        row = new
    return row[-1]


@given(WORDS, WORDS)
def test_the_length_is_that_of_the_textbooks_table(words: list[str], right: list[str]) -> None:
    assert by_table(words, right) == longest_common(words, right)


@pytest.mark.parametrize(
    ("answer", "truth", "recall", "precision", "f1"),
    [
        # Lin (2004), section 3.1: "police killed the gunman"; articles are no words here.
        ("police kill gunman", "police killed gunman", 2 / 3, 2 / 3, 2 / 3),
        ("gunman kill police", "police killed gunman", 1 / 3, 1 / 3, 1 / 3),
        ("It is 5 dollars, paid by card.", "5 dollars", 1.0, 2 / 7, 4 / 9),
        ("", "5 dollars", 0.0, 0.0, 0.0),
    ],
)
def test_shares_of_an_english_answer(
    answer: str, truth: str, recall: float, precision: float, f1: float
) -> None:
    found = rouge_l(answer, [truth], "en")
    assert found
    shares = found.overlap
    assert (recall, precision, f1) == pytest.approx((shares.recall, shares.precision, shares.f1))


def test_japanese_is_cut_into_words_and_their_order_counts() -> None:
    right = "返品は30日以内に受付に連絡してください。"
    same, turned = "30日以内に、受付に連絡。", "受付に連絡、30日以内。"
    first, second = (rouge_l(f"返品は{text}", [right], "ja") for text in (same, turned))
    assert first
    assert second
    assert (6 / 8, 4 / 8) == (first.overlap.recall, second.overlap.recall)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_nearest_of_several_right_answers_counts(language: Language) -> None:
    found = rouge_l("$0.06", ["6 cents each", "", "$0.06"], language)
    assert found
    assert (1.0, 1.0, ()) == (found.overlap.recall, found.overlap.precision, found.lacks)


def test_of_equal_recalls_the_greater_precision_counts() -> None:
    found = rouge_l("six cents each", ["six", "six cents"], "en")
    assert found
    assert 2 / 3 == found.overlap.precision


def test_without_a_right_answer_there_is_nothing_to_tell() -> None:
    assert rouge_l("5 dollars", ["", " \n"], "en") is None


def test_texts_without_words_are_compared_as_they_stand() -> None:
    same, other = rouge_l("🎉", ["🎉"], "ja"), rouge_l("🎉", ["です。"], "ja")
    assert same
    assert other
    assert (1.0, 0.0) == (same.overlap.recall, other.overlap.recall)


def test_the_words_that_are_missing_are_named() -> None:
    found = rouge_l("within 14 days", ["within 30 days, by post"], "en")
    assert found
    assert ("30", "by", "post") == found.lacks
