"""What a right answer to a generated question is held against: made from the FAQ's own entries."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from simulator.core.claim import State
from simulator.core.clean import clean
from simulator.core.form import folded, normal_form
from simulator.core.persona import Language
from simulator.core.scenario import Expected
from simulator.core.talk import Document
from simulator.generate.units import Method, Unit
from simulator.reading.words import says
from simulator.text.handover import Handover, handover, only_hands_over, sends_to_a_person
from simulator.text.phrases import phrases
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_MOST_READ = 8_000  # characters of a text
_MOST_PHRASES = 4  # of one answer
_LONGEST_PHRASE = {"ja": 30, "en": 60}  # characters
_pattern = phrases("generate/handover").pattern


def expectation(
    unit: Unit, elements: Sequence[str], documents: Mapping[str, str], language: Language
) -> Expected:
    """What a right answer to a question of the unit says.

    The expected answer is the FAQ's own, never a model's: for a title the sentence that answers it.
    Where the entries only say that a person deals with the matter, a hand-over is expected.
    `documents` maps the ids of entries to those of the client's knowledge base; entries that are
    not in it are left out.
    """
    if unit.method is Method.UNANSWERABLE:
        return Expected(answerable=False)
    entry_ids = (str(entry.id) for entry in unit.entries)
    expected_documents = tuple(documents[name] for name in entry_ids if name in documents)
    if all(is_for_a_person(entry.text, language) for entry in unit.entries):
        return Expected(documents=expected_documents, escalate=True)
    answer = "\n".join(entry.text for entry in unit.entries)
    if unit.method is Method.TITLE:
        answer = answering_sentence(unit.entries[0], language)
    return Expected(
        answers=(answer,),
        elements=tuple((phrase,) for phrase in elements),
        documents=expected_documents,
        answerable=True,
    )


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


def phrases_in(
    candidates: Iterable[str], entries: Sequence[Document], language: Language
) -> tuple[str, ...]:
    """The phrases picked by a model that are short and stand in the entries, each once."""
    text = "\n".join(f"{entry.title}\n{entry.text}" for entry in entries)
    cleaned = dict.fromkeys(clean(phrase).strip() for phrase in candidates)
    short = [p for p in cleaned if normal_form(p) and len(p) <= _LONGEST_PHRASE[language]]
    return tuple(p for p in short if _is_in(p, text, language))[:_MOST_PHRASES]


def _is_in(phrase: str, text: str, language: Language) -> bool:
    """True if a phrase stands in the text word for word, or the text says it."""
    whole = re.compile(rf"(?<![a-z0-9.:/-]){re.escape(normal_form(phrase))}(?![a-z0-9])")
    return bool(whole.search(normal_form(text))) or says(text, phrase, language) is State.MET


def is_for_a_person(text: str, language: Language) -> bool:
    """True if an entry only says that a person deals with its matter.

    It sends the user to somebody, says that somebody takes the matter up, or names who deals with
    it, and every sentence does so, refuses, or keeps the matter for people. An entry that also
    answers (*booked by telephone or online*), or points elsewhere for other questions, is an
    answer.
    """
    text = text[:_MOST_READ]
    parts = [_handling(sentence, language) for sentence in sentences(text, language)]
    if not (sends_to_a_person(text, language) or any(p.keeps or p.comes for p in parts)):
        return False
    is_kept = any(p.keeps for p in parts)
    withholds = any(p.reserved for p in parts)
    refers = [
        p.deals or (p.directs and (p.sends or is_kept)) or (p.comes and (withholds or is_kept))
        for p in parts
    ]
    return any(refers) and all(
        refers_on or p.keeps or p.reserved or p.hands_over
        for refers_on, p in zip(refers, parts, strict=True)
    )


class _Handling(NamedTuple):
    """How a sentence keeps a matter for people.

    `reserved`: not here, not by chat; `keeps`: by them alone; `deals`: and what they do with it, or
    that they have it now; `directs`, `comes`: the user is to call, or to come to a desk.
    """

    reserved: bool
    keeps: bool
    deals: bool
    directs: bool
    comes: bool
    sends: bool
    hands_over: bool


def _handling(sentence: str, language: Language) -> _Handling:
    rules, plain = phrases(f"text/{language}/handover"), folded(sentence)

    def has(name: str) -> bool:
        return bool(_pattern(f"{language}_{name}", re.IGNORECASE).search(sentence))

    helped = has("people") or any(rules.pattern(n).search(plain) for n in ("anybody", "office"))
    keeps = has("limits") and helped
    return _Handling(
        reserved=has("reserved"),
        keeps=keeps,
        deals=handover(sentence, language) >= Handover.TAKEN_UP or (keeps and has("deals")),
        directs=bool(rules.pattern("directs").search(plain)),
        comes=bool(rules.pattern("to_a_desk").search(plain)),
        sends=sends_to_a_person(sentence, language),
        hands_over=only_hands_over(sentence, language),
    )
