"""What a right answer to a generated question is held against: made from the FAQ's own entries."""

from collections.abc import Mapping
from dataclasses import replace

from simulator.core.persona import Language
from simulator.core.scenario import Approval, Expected
from simulator.generate.facts import Facts
from simulator.generate.units import Method, Unit
from simulator.text.acts import only_hands_over, sends_to_a_person

_MOST_READ = 8_000  # characters of a text


def expectation(
    unit: Unit, facts: Facts, documents: Mapping[str, str], language: Language
) -> Expected:
    """What a right answer to a question of the unit says; a person has still to confirm it.

    The expected answer is all that the entries say, never a model's words: by words alone, 16 of
    258 wrong answers to titles of four FAQs passed against one sentence of the entry, and none
    against all of it. Where the entries only say that a person deals with the matter, a hand-over
    is expected, with the facts, such as a number to call. `documents` maps the ids of entries to
    those of the client's knowledge base; an entry that is not in it is no expected document, and
    its quotes keep the FAQ's id.
    """
    if unit.method is Method.UNANSWERABLE:
        return Expected(answerable=False, approved=Approval.OPEN)
    entry_ids = [str(entry.id) for entry in unit.entries]
    expected = Expected(
        documents=tuple(documents[name] for name in entry_ids if name in documents),
        elements=tuple(fact.wordings for fact in facts.required),
        must_not=facts.must_not,
        quotes=tuple(
            replace(fact.quote, document=documents.get(fact.quote.document, fact.quote.document))
            for fact in facts.required
        ),
        approved=Approval.OPEN,
    )
    if facts.hand_over or (not facts.required and _is_for_a_person(unit, language)):
        return replace(expected, escalate=True)
    answer = "\n".join(entry.text for entry in unit.entries)
    return replace(expected, answers=(answer,), answerable=True)


def _is_for_a_person(unit: Unit, language: Language) -> bool:
    """True if all that the entries state is whom to turn to."""
    texts = [entry.text[:_MOST_READ] for entry in unit.entries]
    return all(sends_to_a_person(t, language) and only_hands_over(t, language) for t in texts)
