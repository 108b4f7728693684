"""What a right answer to a generated question is held against: made from the FAQ's own entries."""

from collections.abc import Mapping
from dataclasses import replace

from simulator.core.persona import Language
from simulator.core.scenario import Approval, Expected, Quote
from simulator.core.talk import Document
from simulator.generate.facts import Facts
from simulator.generate.units import Method, Unit
from simulator.text.handover import only_hands_over, sends_to_a_person
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_MOST_READ = 8_000  # characters of a text


def expectation(
    unit: Unit, facts: Facts, documents: Mapping[str, str], language: Language
) -> Expected:
    """What a right answer to a question of the unit says; a person has still to confirm it.

    The expected answer is the FAQ's own, never a model's: for a title the sentence that answers it.
    Where the entries only say that a person deals with the matter, a hand-over is expected, and
    no words. `documents` maps the ids of entries to those of the client's knowledge base; an entry
    that is not in it is no expected document, and its quotes keep the FAQ's id.
    """
    if unit.method is Method.UNANSWERABLE:
        return Expected(answerable=False, approved=Approval.OPEN)
    entry_ids = [str(entry.id) for entry in unit.entries]
    expected = Expected(
        documents=tuple(documents[name] for name in entry_ids if name in documents),
        must_not=facts.must_not,
        quotes=_quotes(unit, facts, documents, language),
        approved=Approval.OPEN,
    )
    if facts.hand_over or (not facts.required and _is_for_a_person(unit, language)):
        return replace(expected, escalate=True)
    answer = "\n".join(entry.text for entry in unit.entries)
    if unit.method is Method.TITLE:
        answer = answering_sentence(unit.entries[0], language)
    elements = tuple(fact.wordings for fact in facts.required)
    return replace(expected, answers=(answer,), elements=elements, answerable=True)


def _quotes(
    unit: Unit, facts: Facts, documents: Mapping[str, str], language: Language
) -> tuple[Quote, ...]:
    """One for each fact; without facts the sentence that answers a title."""
    quotes = [fact.quote for fact in facts.required]
    if not quotes and unit.method is Method.TITLE:
        entry = unit.entries[0]
        quotes = [Quote(str(entry.id), answering_sentence(entry, language))]
    return tuple(replace(q, document=documents.get(q.document, q.document)) for q in quotes)


def _is_for_a_person(unit: Unit, language: Language) -> bool:
    """True if all that the entries state is whom to turn to."""
    texts = [entry.text[:_MOST_READ] for entry in unit.entries]
    return all(sends_to_a_person(t, language) and only_hands_over(t, language) for t in texts)


def answering_sentence(entry: Document, language: Language) -> str:
    """The sentence of an entry that answers its title; the whole content where none stands out.

    A sentence stands out if it has at least half of the title's content words, and more of them
    than any other sentence has.
    """
    title_words = set(content_tokens(entry.title, language))
    overlaps = [
        (len(title_words.intersection(content_tokens(sentence, language))), sentence)
        for sentence in sentences(entry.text[:_MOST_READ], language)
    ]
    most = max((shared for shared, _ in overlaps), default=0)
    best = [sentence for shared, sentence in overlaps if shared == most]
    return best[0] if len(best) == 1 and most and 2 * most >= len(title_words) else entry.text
