"""What a generated question expects: facts, a sentence of the entry, or a hand-over."""

from dataclasses import replace

import pytest

from simulator.core.scenario import Approval, Expected, Quote
from simulator.core.talk import Document
from simulator.generate.facts import Fact, Facts, expectation
from simulator.generate.units import Method, Unit

PERSON = Document("Please call our nurse on 03-5550-0101.", "a", "Allergies")
HOURS = Document("Open 9 to 17. Closed on Sundays.", "b", "Opening hours")
FACT = Fact(("The desk is open from 9 to 17", "Hours: 9-17"), Quote("b", "Open 9 to 17."))


def expected_of(
    *entries: Document, method: Method = Method.TITLE, facts: Facts | None = None
) -> Expected:
    unit = Unit(method, entries, (0, 0, ""), 1)
    return expectation(unit, facts or Facts(), {"a": "a", "b": "doc-b"}, "en")


def test_a_fact_is_an_element_with_the_quote_that_supports_it() -> None:
    facts = Facts((FACT,), must_not=("Open on Sundays",))
    expected = expected_of(HOURS, method=Method.QUESTIONS, facts=facts)
    assert (HOURS.text,) == expected.answers
    assert (FACT.wordings,) == expected.elements
    assert ("Open on Sundays",) == expected.must_not
    assert (Quote("doc-b", "Open 9 to 17."),) == expected.quotes
    assert (("doc-b",), True, Approval.OPEN) == (
        expected.documents,
        expected.answerable,
        expected.approved,
    )


def test_an_entry_outside_the_knowledge_keeps_its_id_in_quotes_only() -> None:
    entry = Document("Open 9 to 17.", "new", "Opening hours")
    facts = Facts((Fact(("Open from 9 to 17",), Quote("new", entry.text)),))
    expected = expected_of(entry, facts=facts)
    assert ((), (Quote("new", entry.text),)) == (expected.documents, expected.quotes)


def test_a_hand_over_asks_for_its_facts_as_well() -> None:
    fact = Fact(("The nurse deals with allergies",), Quote("a", PERSON.text))
    by_words = Expected(documents=("a",), escalate=True, approved=Approval.OPEN)
    by_model = replace(by_words, elements=(fact.wordings,), quotes=(fact.quote,))
    assert by_model == expected_of(PERSON, facts=Facts((fact,), hand_over=True))
    assert by_words == expected_of(PERSON)  # without a model, if no sentence says anything else
    assert not expected_of(PERSON, facts=Facts((fact,))).escalate
    assert not expected_of(PERSON, HOURS, method=Method.TWO_ENTRIES).escalate


def test_what_no_entry_answers_has_to_be_refused() -> None:
    refusal = Expected(answerable=False, approved=Approval.OPEN)
    assert refusal == expected_of(PERSON, method=Method.UNANSWERABLE)


@pytest.mark.parametrize("method", [Method.TITLE, Method.QUESTIONS])
def test_all_of_the_entry_is_the_expected_answer(method: Method) -> None:
    entry = Document("Shipping is 3 pounds. Gift wrapping costs 1 pound.", "a", "Shipping")
    assert (entry.text,) == expected_of(entry, method=method).answers
