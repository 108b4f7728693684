"""Cutting a text into sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.tokens import LONGEST, sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("できます。はい！そうです", ["できます。", "はい！", "そうです"]),
        ("行きますか?はい。", ["行きますか?", "はい。"]),
        ("「削除しますか？」と出たら押す。次へ", ["「削除しますか？」と出たら押す。", "次へ"]),
        ("変更しますか？と聞かれます。", ["変更しますか？と聞かれます。"]),
        ("「閉じない。次。", ["「閉じない。", "次。"]),
        ("３．５点です．次", ["３．５点です．", "次"]),
        ("一行目\n二行目。", ["一行目", "二行目。"]),
        ("え？！本当…。", ["え？！", "本当…。"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_japanese_sentences(text: str, found: list[str]) -> None:
    assert found == sentences(text, "ja")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Yes. No! Why?", ["Yes.", "No!", "Why?"]),
        ("See e.g. the page. It is 1.5 GB.", ["See e.g. the page.", "It is 1.5 GB."]),
        ("Mr. Smith left the U.S. office.", ["Mr. Smith left the U.S. office."]),
        ("1. Open it. 2. Press it.", ["1. Open it.", "2. Press it."]),
        ("It costs 15. Then pay.", ["It costs 15.", "Then pay."]),
        ("Go to https://a.b/c?d=e now.", ["Go to https://a.b/c?d=e now."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("(One. Two.) Three.", ["(One. Two.) Three."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
    ],
)
def test_english_sentences(text: str, found: list[str]) -> None:
    assert found == sentences(text, "en")


@pytest.mark.parametrize("language", ["ja", "en"])
@given(text=st.text(alphabet="aあ.。?？!「」（）() \n1．と") | st.text())
def test_nothing_is_lost_but_white_space(text: str, language: Language) -> None:
    assert "".join(clean(text).split()) == "".join("".join(sentences(text, language)).split())
    assert all(s and s == s.strip() for s in sentences(text, language))


@pytest.mark.parametrize("unit", [".", "a. ", "「", "。", "e.g. ", "...a"])
def test_a_megabyte_takes_no_longer_than_its_length_asks_for(unit: str) -> None:
    sentences(unit * (1_000_000 // len(unit)), "en")


def test_a_unit_ends_a_sentence_and_an_initial_does_not() -> None:
    assert ["Nobody under 1.2 m.", "Ask J. Smith."] == sentences(
        "Nobody under 1.2 m. Ask J. Smith.", "en"
    )


def test_what_nobody_says_in_one_breath_comes_in_parts() -> None:
    said = "はい、" + "担当" * 300 + "、" + "です" * 150 + "。ええ。"
    found = sentences(said, "ja")
    assert [
        "はい、" + "担当" * 198 + "担",
        "当" + "担当" * 101 + "、",
        "です" * 150 + "。",
        "ええ。",
    ] == found
    words = " ".join(f"word{n}" for n in range(200)) + ". Yes."
    parts = sentences(words, "en")
    assert max(map(len, parts)) <= LONGEST
    assert words == " ".join(parts)
