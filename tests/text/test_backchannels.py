"""Greetings, thanks and はい carry no matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.acts import (
    is_courtesy,
    is_substantial,
    names_a_matter,
    without_opener,
)

COURTESIES: list[tuple[str, Language]] = [
    ("こんにちは。", "ja"),
    ("はい、お願いします。", "ja"),
    ("ありがとうございます！よろしくお願いします(^^)", "ja"),
    ("お世話になっております。\nよろしくお願いいたします。", "ja"),
    ("なるほど、分かりました。", "ja"),
    ("はい", "ja"),
    ("それでいいです。", "ja"),
    ("Hi!", "en"),
    ("Hello, is anyone there?", "en"),
    ("Ok, thanks a lot.", "en"),
    ("Yes, please.", "en"),
    ("", "ja"),
]
MATTERS: list[tuple[str, Language]] = [
    ("こんにちは。送料はいくらですか。", "ja"),
    ("はい、2名です。", "ja"),
    ("お願いしたいことがあります", "ja"),
    ("Hi, my order is late.", "en"),
    ("Thanks, but the second box is missing.", "en"),
]


def test_courtesies_hold_no_matter() -> None:
    assert [] == [
        (text, language) for text, language in COURTESIES if not is_courtesy(text, language)
    ]


@pytest.mark.parametrize(("text", "language"), MATTERS)
def test_a_matter_beside_a_courtesy_counts(text: str, language: Language) -> None:
    assert not is_courtesy(text, language)


@pytest.mark.parametrize(
    ("sentence", "language", "bare"),
    [
        ("はい、ベッドがいいです。", "ja", "ベッドがいいです。"),
        ("あ、えっと、あと、2名です", "ja", "2名です"),
        ("はい。", "ja", "はい。"),
        ("あとで電話します", "ja", "あとで電話します"),
        ("はいチーズの味", "ja", "はいチーズの味"),
        ("Well, um, it is late", "en", "it is late"),
        ("No smoking room", "en", "No smoking room"),
        ("Soap is missing", "en", "Soap is missing"),
    ],
)
def test_the_words_to_begin_with_are_taken_off(
    sentence: str, language: Language, bare: str
) -> None:
    assert bare == without_opener(sentence, language)


@pytest.mark.parametrize("sentence", ["海側がいいです", "2名です", "9月5日から4泊で"])
def test_a_noun_or_a_number_makes_a_statement_substantial(sentence: str) -> None:
    assert is_substantial(sentence, "ja")


@pytest.mark.parametrize("sentence", ["それでいいです", "合っています", "特にありません", "。"])
def test_what_names_nothing_is_not_substantial(sentence: str) -> None:
    assert not is_substantial(sentence, "ja")


def test_two_content_words_make_an_english_statement_substantial() -> None:
    assert is_substantial("The parcel is broken.", "en")
    assert not is_substantial("It is there.", "en")


def test_a_question_names_its_matter_by_a_noun_or_a_verb() -> None:
    assert names_a_matter("いつまで使えますか?", "ja")
    assert names_a_matter("有料でしょうか", "ja")
    assert names_a_matter("When does it arrive?", "en")
    assert not names_a_matter("そうしてください", "ja")
    assert not names_a_matter("お願いできますか", "ja")
    assert not names_a_matter("Could you help me?", "en")


@given(st.text(), st.sampled_from(["ja", "en"]))
def test_any_text_can_be_looked_at(text: str, language: Language) -> None:
    assert is_courtesy(text, language) in (True, False)
    assert is_substantial(text, language) in (True, False)
    assert without_opener(text, language) in text
