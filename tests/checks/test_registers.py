"""How politely a customer writes, against labels given by hand."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.checks.realism import politeness, registers
from simulator.core.persona import Language, Politeness
from simulator.text.tokens import sentences
from tests.text.register_phrasings import SEEN_EN, SEEN_JA, UNSEEN_EN, UNSEEN_JA


@pytest.mark.parametrize(
    ("language", "labelled"), [("ja", [*SEEN_JA, *UNSEEN_JA]), ("en", [*SEEN_EN, *UNSEEN_EN])]
)
def test_an_utterance_has_the_register_that_a_reader_gave_it(
    language: Language, labelled: list[tuple[str, str]]
) -> None:
    assert labelled == [(text, politeness(text, language) or "-") for text, _ in labelled]


def test_sentences_are_counted_one_by_one() -> None:
    text = "はい。昨日届きました。でも壊れてた。\n交換をお願いいたします。"
    assert Counter([None, *Politeness]) == registers(text, "ja")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("昨日届きました。でも壊れてた。", Politeness.POLITE),
        ("昨日届いた。でも壊れてた。困ります。", Politeness.PLAIN),
        ("交換をお願いいたします。困ります。", Politeness.FORMAL),
        ("交換をお願いいたします。困ります。壊れました。", Politeness.POLITE),
    ],
)
def test_a_text_has_the_register_of_most_of_its_sentences(text: str, expected: Politeness) -> None:
    assert expected is politeness(text, "ja")


def test_an_english_courtesy_covers_what_is_said_beside_it() -> None:
    polite, plain = Counter([Politeness.POLITE]), Counter([Politeness.PLAIN])
    assert polite == registers("It broke yesterday. Could you help?", "en")
    assert plain == registers("It broke yesterday.", "en")


def test_what_a_customer_quotes_is_not_its_own_register() -> None:
    assert Politeness.PLAIN is politeness("画面には「お待ちください」としか出ない", "ja")


@given(st.text(), st.sampled_from(["ja", "en"]))
def test_any_text_is_counted_by_sentences(text: str, language: Language) -> None:
    counted = registers(text, language).total()
    assert counted <= len(sentences(text, language))
    if language == "ja":
        assert counted == len(sentences(text, language))
