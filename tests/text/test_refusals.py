"""Whether an answer refuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.acts import is_refusal, only_refuses, states_nothing
from tests.text import refusal_fourth_round as fourth
from tests.text import refusal_phrasings as phrasings
from tests.text import refusal_rounds as rounds


@pytest.mark.parametrize(
    ("language", "reply", "nothing"),
    [
        ("en", "We are happy to say that the pool is open.", False),
        ("en", "I can tell you that it opens at nine.", False),
        ("en", "I'd be happy to help.", True),
        ("en", "I can help you with that.", True),
        ("ja", "プールは営業しておりますので、ご案内できます。", False),
        ("ja", "ご案内いたします。", True),
    ],
)
def test_to_state_nothing(language: Language, reply: str, nothing: bool) -> None:
    assert nothing is states_nothing(reply, language)


@pytest.mark.parametrize(
    ("language", "reply", "only"),
    [
        ("ja", "申し訳ございませんが、医療のことはお答えできません。", True),
        ("ja", "医療のことはお答えできませんが、氷で冷やして様子を見てください。", False),
        ("en", "I'm sorry, I cannot give medical advice. Please contact our desk.", True),
        ("en", "I cannot give medical advice, but put ice on it.", False),
    ],
)
def test_to_refuse_and_nothing_more(language: Language, reply: str, only: bool) -> None:
    assert is_refusal(reply, language)
    assert only is only_refuses(reply, language)


REFUSALS: dict[Language, list[str]] = {
    "ja": [
        *phrasings.EARLY_REFUSALS_JA,
        *phrasings.LATE_REFUSALS_JA,
        *rounds.REFUSALS_JA,
        *fourth.REFUSALS_JA,
    ],
    "en": [
        *phrasings.EARLY_REFUSALS_EN,
        *phrasings.LATE_REFUSALS_EN,
        *rounds.REFUSALS_EN,
        *fourth.REFUSALS_EN,
    ],
}
OTHERS: dict[Language, list[str]] = {
    "ja": [
        *phrasings.EARLY_OTHERS_JA,
        *phrasings.LATE_OTHERS_JA,
        *rounds.OTHERS_JA,
        *fourth.OTHERS_JA,
    ],
    "en": [
        *phrasings.EARLY_OTHERS_EN,
        *phrasings.LATE_OTHERS_EN,
        *rounds.OTHERS_EN,
        *fourth.OTHERS_EN,
    ],
}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_polite_refusals_are_seen(language: Language) -> None:
    assert [] == [text for text in REFUSALS[language] if not is_refusal(text, language)]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_answers_that_say_cannot_are_no_refusals(language: Language) -> None:
    assert [] == [text for text in OTHERS[language] if is_refusal(text, language)]


@pytest.mark.parametrize("text", ["", " ", "。", "?", "🎉"])
def test_nothing_refuses_nothing(text: str) -> None:
    assert not is_refusal(text, "ja")
    assert not is_refusal(text, "en")


def test_a_refusal_stays_one_whatever_related_facts_follow() -> None:
    refusal = "I couldn't find any information about student discounts."
    facts = "The Standard plan is 480 yen a month. Yearly billing saves two months."
    assert is_refusal(f"{refusal} However, {facts}", "en")
    assert not is_refusal(f"{facts} {refusal}", "en")


def test_a_refusal_of_exactness_is_undone_by_what_is_known() -> None:
    assert is_refusal("正確な日数は分かりかねます。", "ja")
    assert not is_refusal("正確な日数は分かりかねます。3日ほどで届きます。", "ja")


@pytest.mark.parametrize("language", ["ja", "en"])
@given(text=st.text(alphabet=st.characters(codec=None)))
def test_any_text_is_borne(text: str, language: Language) -> None:
    assert is_refusal(text, language) in (True, False)


@pytest.mark.parametrize(
    "unit", ["分かり", "I can't find ", "情報が、", "no information ", "ヘルプには"]
)
def test_a_megabyte_is_read_only_at_its_beginning(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    is_refusal(text, "ja")
    is_refusal(text, "en")
