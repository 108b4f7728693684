"""The content words of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.tokens import content_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("登録したメールアドレスを変更したい", ["登録", "メール", "アドレス", "変更"]),
        ("月額１，４８０円です", ["月額", "1480", "円"]),
        ("千四百八十円", ["1480", "円"]),
        ("サーバーとサーバ", ["サーバー", "サーバー"]),
        ("送っておく", ["送る"]),
        ("そのことについて教えてください", ["教える"]),
        ("おいしい料理がたくさん、とてもきれい", ["美味しい", "料理", "沢山", "迚も", "奇麗"]),
        ("こども用", ["子供", "用"]),
        ("です。", []),
        ("🎉！？", []),
        ("", []),
    ],
)
def test_japanese_content_words_come_in_normal_form(text: str, tokens: list[str]) -> None:
    assert tokens == content_tokens(text, "ja")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("How do I cancel the cancelled orders?", ["cancel", "cancel", "order"]),
        ("I've forgotten my e-mail password", ["forget", "email", "password"]),
        ("It costs 1,480 yen by 23:59", ["cost", "1480", "yen", "23:59"]),
        ("Mail security@example.jp", ["mail", "security@example.jp"]),
        ("a the of", []),
        ("", []),
    ],
)
def test_english_content_words_come_as_stems(text: str, tokens: list[str]) -> None:
    assert tokens == content_tokens(text, "en")


def test_full_width_and_half_width_are_the_same() -> None:
    assert content_tokens("ﾃﾞｰﾀを２ＧＢ", "ja") == content_tokens("データを2GB", "ja")


@pytest.mark.parametrize("language", ["ja", "en"])
@given(text=st.text(alphabet=st.characters(codec=None)))
def test_any_text_has_lower_case_tokens_without_white_space(text: str, language: Language) -> None:
    for token in content_tokens(text, language):
        assert token
        assert token.casefold() == token
        assert token == "".join(token.split())


@pytest.mark.slow
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("unit", ["返品できません。", "refund ", "\ud800"])
def test_a_megabyte_is_borne(unit: str, language: Language) -> None:
    content_tokens(unit * (1_000_000 // len(unit)), language)
