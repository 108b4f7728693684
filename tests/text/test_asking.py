"""Whether a customer's sentence asks for something, and whether it is an order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.acts import asks, commands, follows_up
from tests.text import register_phrasings as said


@pytest.mark.parametrize("sentence", said.ASKING_JA)
def test_a_japanese_question_or_request_asks(sentence: str) -> None:
    assert asks(sentence, "ja")


@pytest.mark.parametrize("sentence", said.TELLING_JA)
def test_a_japanese_fact_a_wish_and_an_accepted_offer_ask_nothing(sentence: str) -> None:
    assert not asks(sentence, "ja")


@pytest.mark.parametrize("sentence", said.ASKING_EN)
def test_an_english_question_or_request_asks(sentence: str) -> None:
    assert asks(sentence, "en")


@pytest.mark.parametrize("sentence", said.TELLING_EN)
def test_an_english_fact_and_an_accepted_offer_ask_nothing(sentence: str) -> None:
    assert not asks(sentence, "en")


@pytest.mark.parametrize("sentence", said.COMMANDS_JA)
def test_an_imperative_form_is_an_order(sentence: str) -> None:
    assert commands(sentence, "ja")


@pytest.mark.parametrize("sentence", said.NO_COMMANDS_JA)
def test_requests_feelings_and_quotations_are_no_orders(sentence: str) -> None:
    assert not commands(sentence, "ja")


@pytest.mark.parametrize("sentence", said.COMMANDS_EN)
def test_a_bare_verb_at_the_front_is_an_order(sentence: str) -> None:
    assert commands(sentence, "en")


@pytest.mark.parametrize("sentence", said.NO_COMMANDS_EN)
def test_please_and_a_subject_take_the_order_away(sentence: str) -> None:
    assert not commands(sentence, "en")


@given(st.text(), st.sampled_from(["ja", "en"]))
def test_any_text_can_be_looked_at(text: str, language: Language) -> None:
    assert asks(text, language) in (True, False)
    assert commands(text, language) in (True, False)


VOUCHER = "My voucher runs out next month, can I get longer on it?"
CLEANING = "釣った魚を港でさばいてもらえますか"


@pytest.mark.parametrize(
    ("language", "query", "goal", "message", "leans"),
    [
        ("en", VOUCHER, "", "And how much would that be?", True),
        ("en", VOUCHER, "", "What about parking at the north gate?", False),
        ("en", VOUCHER, "", "My voucher runs out, so what does it cost?", False),
        (
            "en",
            VOUCHER,
            "I want to know whether I get longer on my voucher. I want to know what it costs.",
            "Useless. What it costs. What is so hard about that?",
            True,
        ),
        (
            "en",
            VOUCHER,
            "I want to know whether I get longer on my voucher. I want to know what it costs.",
            "That gets me nowhere. Whether I get longer on my voucher. Well?",
            False,
        ),
        ("ja", CLEANING, "", "それはいくらですか", True),
        ("ja", CLEANING, "", "駐車場はどこにありますか、無料で停められますか", False),
        (
            "ja",
            CLEANING,
            "さばけるか知りたい。料金を知りたい。",
            "料金が知りたいんだけど",
            True,
        ),
        ("ja", CLEANING, "", "釣った魚はいくらでさばいてもらえますか", False),
    ],
)
def test_a_question_may_lean_on_the_one_before(
    language: Language, query: str, goal: str, message: str, *, leans: bool
) -> None:
    assert leans is follows_up(message, query, query, goal, language)
