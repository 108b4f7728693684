"""Whether a customer's sentence asks for something, and whether it is an order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.acts import asks, commands, follows_up
from tests.text import register_phrasings as said


def test_a_japanese_question_or_request_asks() -> None:
    assert [] == [sentence for sentence in said.ASKING_JA if not asks(sentence, "ja")]


def test_a_japanese_fact_a_wish_and_an_accepted_offer_ask_nothing() -> None:
    assert [] == [sentence for sentence in said.TELLING_JA if asks(sentence, "ja")]


def test_an_english_question_or_request_asks() -> None:
    assert [] == [sentence for sentence in said.ASKING_EN if not asks(sentence, "en")]


def test_an_english_fact_and_an_accepted_offer_ask_nothing() -> None:
    assert [] == [sentence for sentence in said.TELLING_EN if asks(sentence, "en")]


def test_an_imperative_form_is_an_order() -> None:
    assert [] == [sentence for sentence in said.COMMANDS_JA if not commands(sentence, "ja")]


def test_requests_feelings_and_quotations_are_no_orders() -> None:
    assert [] == [sentence for sentence in said.NO_COMMANDS_JA if commands(sentence, "ja")]


@pytest.mark.parametrize("sentence", said.COMMANDS_EN)
def test_a_bare_verb_at_the_front_is_an_order(sentence: str) -> None:
    assert commands(sentence, "en")


def test_please_and_a_subject_take_the_order_away() -> None:
    assert [] == [sentence for sentence in said.NO_COMMANDS_EN if commands(sentence, "en")]


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
