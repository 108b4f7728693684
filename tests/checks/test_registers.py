"""How politely a customer writes, against labels given by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.checks.realism import Registers, politeness, registers
from simulator.core.persona import Language, Politeness
from simulator.text.sentences import sentences
from tests.text.register_phrasings import SEEN_EN, SEEN_JA, UNSEEN_EN, UNSEEN_JA


@pytest.mark.parametrize(("text", "label"), [*SEEN_JA, *UNSEEN_JA])
def test_a_japanese_utterance_has_the_register_that_a_reader_gave_it(text: str, label: str) -> None:
    assert label == (politeness(text, "ja") or "-")


@pytest.mark.parametrize(("text", "label"), [*SEEN_EN, *UNSEEN_EN])
def test_an_english_utterance_has_the_register_that_a_reader_gave_it(text: str, label: str) -> None:
    assert label == (politeness(text, "en") or "-")


def test_sentences_are_counted_one_by_one() -> None:
    text = "はい。昨日届きました。でも壊れてた。\n交換をお願いいたします。"
    assert Registers(plain=1, polite=1, formal=1, neither=1) == registers(text, "ja")


def test_as_many_courteous_sentences_as_plain_ones_make_a_text_polite() -> None:
    assert Politeness.POLITE is Registers(plain=1, polite=1).of_all
    assert Politeness.PLAIN is Registers(plain=2, polite=1).of_all


def test_half_of_the_courteous_sentences_make_a_text_formal() -> None:
    assert Politeness.FORMAL is Registers(polite=1, formal=1).of_all
    assert Politeness.POLITE is Registers(polite=2, formal=1).of_all


def test_an_english_courtesy_covers_what_is_said_beside_it() -> None:
    assert Registers(polite=1) == registers("It broke yesterday. Could you help?", "en")
    assert Registers(plain=1) == registers("It broke yesterday.", "en")


def test_what_a_customer_quotes_is_not_its_own_register() -> None:
    assert Politeness.PLAIN is politeness("画面には「お待ちください」としか出ない", "ja")


@given(st.text(), st.sampled_from(["ja", "en"]))
def test_any_text_is_counted_by_sentences(text: str, language: Language) -> None:
    found = registers(text, language)
    counted = found.plain + found.polite + found.formal + found.neither
    assert counted <= len(sentences(text, language))
    if language == "ja":
        assert counted == len(sentences(text, language))
