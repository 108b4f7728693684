"""Asking again what was asked before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.metrics.repeated_questions import repeats


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("送料はいくらですか", "送料はいくらですか？"),
        ("送料はいくらですか", "だから、送料はいくらなんですか。"),
        (
            "パスワードを忘れてログインできません",
            "パスワードを忘れてログインできないんです。どうすれば？",
        ),
        ("返品したいです", "返品したいんですけど。"),
        ("返品したいです", "ですから返品したいと言っているのですが、できますか。"),
        ("解約方法を教えてください", "解約の方法を教えてほしいのですが"),
        ("退会したい", "どうやったら退会できますか"),
        ("届くのはいつですか", "いつ届くのか聞いているんですけど"),
        ("写真が消えました", "消えた写真はどうなりますか"),
    ],
)
def test_the_same_question_in_japanese(first: str, again: str) -> None:
    assert [1] == repeats([first, again], "ja")


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("送料はいくらですか", "返品はできますか"),
        ("送料はいくらですか", "ありがとうございます。"),
        ("送料はいくらですか", "3,000円以上なら無料ですか"),
        ("送料はいくらですか", "送料は500円ですね。分かりました。"),
        ("送料はいくらですか", "送料ですね。"),
        ("送料はいくらですか", "それで？"),
        ("パスワードを変更したい", "パスワードの長さに決まりはありますか"),
        ("返品したいです", "返品の送料は誰が払いますか"),
        ("返品したいです", "はい、先週買いました。"),
        ("解約方法を教えてください", "解約したら写真は消えますか"),
        ("届くのはいつですか", "キャンセルできますか"),
        ("", ""),
    ],
)
def test_another_matter_in_japanese(first: str, other: str) -> None:
    assert [] == repeats([first, other], "ja")


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("How much is shipping?", "How much is the shipping?"),
        ("How do I reset my password?", "I asked how to reset my password."),
        ("I want to return my shoes", "Can I return my shoes or not?"),
        ("When will it arrive?", "Please just tell me when it will arrive."),
        ("I cannot log in", "Why can I not log in?"),
        ("How do I cancel my plan?", "Again: how do I cancel my plan?"),
    ],
)
def test_the_same_question_in_english(first: str, again: str) -> None:
    assert [1] == repeats([first, again], "en")


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("How much is shipping?", "Can I return it?"),
        ("How much is shipping?", "Thanks, that helps."),
        ("How do I reset my password?", "Is there a rule for the length of a password?"),
        ("I want to return my shoes", "Who pays for the return label?"),
        ("When will it arrive?", "And then?"),
        ("How do I cancel my plan?", "Will my photos be deleted if I cancel?"),
    ],
)
def test_another_matter_in_english(first: str, other: str) -> None:
    assert [] == repeats([first, other], "en")


def test_every_earlier_turn_counts_and_every_sentence() -> None:
    turns = [
        "送料はいくらですか",
        "返品できますか",
        "なるほど。で、送料はいくらですか。",
        "返品できますか",
    ]
    assert [2, 3] == repeats(turns, "ja")


@given(st.lists(st.text(), max_size=4))
def test_any_texts_are_read_and_the_first_never_repeats(turns: list[str]) -> None:
    assert set(repeats(turns, "ja")) <= set(range(1, len(turns)))
    assert set(repeats(turns, "en")) <= set(range(1, len(turns)))
