"""Words that may mean the same, and words that deny each other."""

import pytest

from simulator.core.persona import Language
from simulator.text.likeness import makings, opposites, senses


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("返金", "払い戻し", "ja"),  # Sudachi's
        ("費用", "料金", "ja"),
        ("cancel", "terminat", "en"),
        ("refund", "reimburs", "en"),
    ],
)
def test_synonyms_share_a_sense(one: str, other: str, language: Language) -> None:
    assert senses(one, language) & senses(other, language)


@pytest.mark.parametrize(
    ("one", "other", "language"), [("返品", "送料", "ja"), ("book", "depot", "en")]
)
def test_other_words_do_not(one: str, other: str, language: Language) -> None:
    assert not senses(one, language) & senses(other, language)


def test_related_words_are_made_of_the_same() -> None:
    assert makings("期限", "ja") & makings("期間", "ja")
    assert not makings("カード", "ja")
    assert makings("collection", "en") & makings("collect", "en")
    assert not makings("the", "en")


@pytest.mark.parametrize(
    ("language", "one", "other"), [("ja", "有料", "無料"), ("en", "open", "clos")]
)
def test_opposites_come_in_pairs_of_sets(language: Language, one: str, other: str) -> None:
    assert any(one in here and other in there for here, there in opposites(language))
