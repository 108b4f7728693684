"""Whether a bot asks the user for something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.acts import asks_back
from tests.text.question_phrasings import (
    ASKING_EN,
    ASKING_JA,
    NOT_ASKING_EN,
    NOT_ASKING_JA,
)


def test_a_japanese_question_or_request_asks_back() -> None:
    assert [] == [text for text in ASKING_JA if not asks_back(text, "ja")]


def test_an_english_question_or_request_asks_back() -> None:
    assert [] == [text for text in ASKING_EN if not asks_back(text, "en")]


def test_japanese_statements_and_closing_courtesies_ask_nothing() -> None:
    assert [] == [text for text in NOT_ASKING_JA if asks_back(text, "ja")]


def test_english_statements_and_closing_courtesies_ask_nothing() -> None:
    assert [] == [text for text in NOT_ASKING_EN if asks_back(text, "en")]


@pytest.mark.parametrize("language", ["ja", "en"])
@given(text=st.text(alphabet=st.characters(codec=None)))
def test_any_text_is_borne(text: str, language: Language) -> None:
    assert asks_back(text, language) in (True, False)
