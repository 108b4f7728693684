"""Slips: deterministic, few, never in numbers, ids and addresses, and the message stays clear."""

import random
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language, Slips
from simulator.text.ja.sudachi import morphemes
from simulator.text.phrases import phrases
from simulator.users.agenda.wording import slipped

JA = (
    "登録しているメールアドレスを新しいものに変えたいんですけど、教えてください。",
    "はい、エラー番号はE-102で、taro.y@example.jpです。",
    "解約できません。2025年3月1日に1,480円が請求されました。https://example.jp/a?b=1を見ました。",
    "違います。",
)
EN = (
    "I want to change the e-mail address on my account to a new one. How do I do that?",
    "My order is A-1042 and I paid $14.80 on 3/1, see https://example.jp/a?b=1 (bob@example.com).",
    "It's not working. I can't log in, and their page says there is no such account.",
    "No.",
)
CASES = [
    (language, slips, text)
    for language, texts in (("ja", JA), ("en", EN))
    for slips in (Slips.TYPING, Slips.SPEECH)
    for text in texts
]
KEPT = (
    "E-102",
    "taro.y@example.jp",
    "2025年3月1日",
    "1,480円",
    "https://example.jp/a?b=1",
    "A-1042",
    "14.80",
    "3/1",
    "bob@example.com",
)
FILLERS, COMMANDS = ("えーと", "あのー", "えっと", "えー"), ("まる", "改行")


def slip(text: str, slips: Slips, language: Language, seed: int = 1) -> str:
    return slipped(text, slips, language, random.Random(seed))


@pytest.mark.parametrize(("language", "slips", "text"), CASES)
def test_a_seed_decides_and_every_message_has_one(
    language: Language, slips: Slips, text: str
) -> None:
    found = [slip(text, slips, language, seed) for seed in range(30)]
    assert found == [slip(text, slips, language, seed) for seed in range(30)]
    assert text not in found
    assert len(set(found)) > 1 or len(text) < 5


@pytest.mark.parametrize(("language", "slips", "text"), CASES)
def test_numbers_ids_and_addresses_stay(language: Language, slips: Slips, text: str) -> None:
    for seed in range(60):
        found = slip(text, slips, language, seed)
        for kept in KEPT:
            assert (kept in text) == (kept in found)


@pytest.mark.parametrize(("language", "slips", "text"), CASES)
def test_the_message_is_still_much_the_same(language: Language, slips: Slips, text: str) -> None:
    if len(text) < 10:
        return
    for seed in range(60):
        found = slip(text, slips, language, seed)
        assert SequenceMatcher(None, text, found).ratio() > 0.75, found


@pytest.mark.parametrize(("language", "apart"), [("ja", 12), ("en", 25)])
def test_there_are_few_of_them(language: Language, apart: int) -> None:
    for text in JA if language == "ja" else EN:
        for seed in range(60):
            found = slip(text, Slips.TYPING, language, seed)
            changes = [
                op
                for op in SequenceMatcher(None, text, found, autojunk=False).get_opcodes()
                if op[0] != "equal"
            ]
            # Two letters swapped are one slip and two changes.
            assert 1 <= len(changes) <= 2 * max(1, len(text) // apart)


def test_without_slips_nothing_changes() -> None:
    assert JA[0] == slip(JA[0], Slips.NONE, "ja")


def test_speech_has_no_marks() -> None:
    text = "はい。「エラー」は、23:59です。次は？"
    bare = slip(text, Slips.SPEECH, "ja").replace("えーと", "").replace("えっと", "")
    assert "はい エラーは23:59です 次は" == bare.replace("あのー", "").replace("えー", "")
    found = slip(
        'It is 23:59. My "card" is well-known, right? See https://a.jp/?b', Slips.SPEECH, "en"
    )
    assert "my card is" in found
    assert found.endswith("https://a.jp/?b")
    assert not set('.,"').intersection(found.replace("https://a.jp/?b", ""))


def test_negations_are_left_alone() -> None:
    for seed in range(80):
        assert "ません" in slip("それはできません", Slips.TYPING, "ja", seed)
        assert "without" in slip("I came here without it today", Slips.TYPING, "en", seed)


def test_a_conversion_sounds_like_what_was_meant() -> None:
    for meant, written in phrases("users/agenda/ja/slips").pairs("homophones").items():
        assert meant != written
        assert not any(char.isdecimal() or char in "一二三四五六七八九十" for char in written)
        assert len(morphemes(written)) <= 3
    numbers = {"one", "two", "four", "eight", "ten"}
    english = phrases("users/agenda/en/slips").pairs("homophones")
    assert not numbers.intersection(english.values())
    assert not numbers.intersection(english)


@pytest.mark.parametrize(
    "whole",
    [
        "入ってますかね",
        "けども",
        "変換されてる",
        "受け取れ",
        "領収書",
        "支払い",
        "見られなく",
        "写真",
    ],
)
def test_speech_takes_no_word_apart(whole: str) -> None:
    text = (
        "あれ、ちゃんと入ってますかね。領収書が変換されてるんですけども、支払いは受け取れますか。"
        "写真を見られなくしたいんですけど。まる。改行。"
    )
    for seed in range(200):
        found = slip(text, Slips.SPEECH, "ja", seed)
        assert whole in found
        assert not any(f"{filler}{sign}" in found for filler in FILLERS for sign in COMMANDS)


def test_a_filler_stands_where_a_voice_pauses() -> None:
    found = {
        slip("確認メールを受け取って登録したいんです", Slips.SPEECH, "ja", n) for n in range(99)
    }
    assert {
        "確認メールをえーと受け取って登録したいんです",
        "確認メールを受け取ってえーと登録したいんです",
    } <= found


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("slips", list(Slips))
@given(text=st.text(max_size=80), seed=st.integers(0, 99))
def test_any_text_is_borne(language: Language, slips: Slips, text: str, seed: int) -> None:
    assert isinstance(slip(text, slips, language, seed), str)
    if slips is Slips.TYPING and text.strip():
        assert slip(text, slips, language, seed).strip()
