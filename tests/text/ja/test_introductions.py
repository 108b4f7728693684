"""Self-introductions are found; places, things and other people are left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.personal import masked, own_names
from tests.text.ja.introduction_phrasings import EN_NAMED, EN_UNNAMED, NAMED, UNNAMED


def test_most_self_introductions_are_masked() -> None:
    missed = {text for text, name in NAMED if name in masked(text, "ja")[0]}
    assert missed == {  # a word of everyday, a place, and no です
        "さとうです",
        "林です。予約の変更をお願いします",
        "福島です。お世話になっております",
        "山下より。",
    }
    missed = {text for text, name in EN_NAMED if name in masked(text, "en")[0]}
    assert missed == set()


def test_few_other_sentences_are() -> None:
    wrong = {text for text in UNNAMED if masked(text, "ja")[1]}
    others = {"鈴木さんです", "担当は田中さんでした"}  # names all the same, of somebody else
    assert wrong == {"豊田です", "梅田です", *others}  # to the dictionary they are surnames first
    assert {text for text in EN_UNNAMED if masked(text, "en")[1]} == {"This is Google Chrome."}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("株式会社山田の鈴木です", ["鈴木"]),
        ("小林 健一です。\n田中です", ["小林 健一", "田中"]),
        ("営業部の森です", ["森"]),
        ("森です", []),
        ("森の写真です", []),
        ("千葉です", []),
        ("お電話代わりました、千葉です", ["千葉"]),
        ("鈴木さんです", ["鈴木"]),
        ("田中ですか？", []),
        ("担当は田中さんでした", ["田中"]),
    ],
)
def test_what_stands_before_it_tells_a_name_from_a_place(text: str, names: list[str]) -> None:
    assert names == [text[start:end] for start, end in own_names(text)]


@pytest.mark.parametrize("language", ["ja", "en"])
@given(text=st.text(max_size=60))
def test_any_text_is_borne(text: str, language: Language) -> None:
    places = own_names(text)
    assert all(0 <= start < end <= len(text) for start, end in places)
    masked(text, language)
