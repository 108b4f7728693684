"""Whose fault a weak turn is, by rules without a model: a reading aid, never a score.

What only reading can tell (unsupported, style) is not guessed: that stays None.
"""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import lru_cache
from heapq import nlargest

from simulator.core.persona import Language
from simulator.core.ports import Evidence, Knowledge
from simulator.core.scenario import Expected
from simulator.core.talk import Document, TargetFailure
from simulator.text.normal import normal_form
from simulator.text.presence import missing
from simulator.text.refusals import is_refusal

Held = Callable[[str], bool]

_SHORT = 4_000  # characters: what is found in longer texts is not kept
_LOOKS_AT = 20_000  # characters of one text
_NEAREST = 8  # documents of the knowledge base that are read for one element

# Words of an answer that sends the user on to a person. Too many rather than too few: a turn is
# blamed for not escalating only where none of them is there.
_TO_A_PERSON: dict[Language, re.Pattern[str]] = {
    "ja": re.compile(
        "担当|窓口|オペレーター|係の者|スタッフ|有人|電話|おつなぎ|お繋ぎ|引き継|ご連絡|"
        "お問い合わせ|問合せ|相談センター|サポートセンター"
    ),
    "en": re.compile(
        r"\b(?:agents?|representatives?|colleagues?|humans?|persons?|operators?|teams?|desk|staff|"
        r"specialists?|contact|call|phone|telephone|hotline|transfer\w*|escalat\w*|connect you|"
        r"hand(?:ed|ing)? (?:you )?over|reach out|get in touch)\b",
        re.IGNORECASE,
    ),
}
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w+|\b\d{2,4}-\d{2,4}-\d{3,4}\b")


class Fault(StrEnum):
    """What has to be fixed."""

    RETRIEVAL_MISS = "retrieval_miss"  # no expected document, or no text with the element, came up
    UNUSED = "unused"  # it was retrieved, the answer leaves it out
    KNOWLEDGE_GAP = "knowledge_gap"  # no document in the knowledge base holds it
    WRONG_REFUSAL = "wrong_refusal"
    SHOULD_HAVE_REFUSED = "should_have_refused"
    SHOULD_HAVE_ESCALATED = "should_have_escalated"


class Blame:
    """Finds whose fault a turn is, with what the bot may know where that is at hand."""

    def __init__(self, knowledge: Knowledge | None = None) -> None:
        self._knowledge = knowledge
        self._texts: list[tuple[str, str]] | None = None  # normal form, text; read when needed
        self._held: dict[tuple[str, Language], bool] = {}

    def of(self, evidence: Evidence) -> Fault | None:
        """The fault of a weak turn, or None where the evidence cannot tell."""
        if self._knowledge is None:
            return fault(evidence, None)
        return fault(evidence, lambda element: self._holds(element, evidence.language))

    def _holds(self, element: str, language: Language) -> bool:
        key = (element, language)
        if key not in self._held:
            self._held[key] = any(
                not _lacking((element,), (text,), language) for text in self._nearest(element)
            )
        return self._held[key]

    def _nearest(self, element: str) -> list[str]:
        """The documents that share most with an element: all of them would take seconds to read."""
        if self._texts is None:
            texts = map(_text, self._knowledge.documents() if self._knowledge else ())
            self._texts = [(normal_form(text), text) for text in texts]
        wanted = normal_form(element)
        pairs = {wanted[i : i + 2] for i in range(max(1, len(wanted) - 1))}
        ranked = nlargest(_NEAREST, self._texts, key=lambda t: sum(pair in t[0] for pair in pairs))
        return [text for _, text in ranked]


def fault(evidence: Evidence, held: Held | None) -> Fault | None:
    """The fault of a weak turn, or None where the evidence cannot tell.

    `held` says whether any document of the knowledge base holds an element; None where the
    knowledge base is not at hand.
    """
    exchange, expected = evidence.exchange, evidence.scenario.expected
    if isinstance(exchange.reply, TargetFailure):
        return None
    lacking = _lacking(expected.elements, _replies(evidence), evidence.language)
    if expected.escalate and not _hands_over(evidence, lacking):
        return Fault.SHOULD_HAVE_ESCALATED
    refused = is_refusal(exchange.assistant, evidence.language)
    if expected.answerable is False:
        return None if refused else Fault.SHOULD_HAVE_REFUSED
    found = _broken_link(evidence, lacking, held)
    if refused and found in (None, Fault.UNUSED) and _is_answerable(expected):
        missed = not found and _missed(expected.documents, exchange.documents)
        return Fault.RETRIEVAL_MISS if missed else Fault.WRONG_REFUSAL
    return found


def _is_answerable(expected: Expected) -> bool:
    return bool(expected.answerable or expected.answer or expected.elements or expected.documents)


def _broken_link(evidence: Evidence, lacking: tuple[str, ...], held: Held | None) -> Fault | None:
    """Where the way from the knowledge base to the answer broke."""
    expected, documents = evidence.scenario.expected, evidence.exchange.documents
    missed = _missed(expected.documents, documents)
    if not lacking:
        return Fault.RETRIEVAL_MISS if missed and not expected.elements else None
    absent = _absent(lacking, documents, evidence.language)
    is_known = held is not None and any(map(held, absent))
    if is_known:  # something is there to be found; a target that names no documents may have had it
        return Fault.RETRIEVAL_MISS if documents else None
    if len(absent) < len(lacking):
        return Fault.UNUSED
    if missed or (held is None and documents and not expected.documents):
        return Fault.RETRIEVAL_MISS
    return Fault.KNOWLEDGE_GAP if held is not None else None


def _missed(wanted: Sequence[str], documents: Sequence[Document]) -> bool:
    """Whether the target says what it used, and nothing of that is what was wanted."""
    ids = {d.id for d in documents if d.id is not None}
    return bool(wanted and ids) and ids.isdisjoint(wanted)


def _absent(
    elements: tuple[str, ...], documents: Sequence[Document], language: Language
) -> tuple[str, ...]:
    """Those of the elements that no document holds."""
    for document in documents:
        elements = _lacking(elements, (_text(document),), language)
    return elements


def _text(document: Document) -> str:
    return f"{document.title}\n{document.text}"


def _replies(evidence: Evidence) -> tuple[str, ...]:
    return tuple(answer for _, answer in evidence.talk.history)


def _lacking(
    elements: tuple[str, ...], texts: tuple[str, ...], language: Language
) -> tuple[str, ...]:
    """Those of the elements that stand in none of the texts; the same passages come often."""
    if not elements:
        return ()
    is_short = sum(map(len, texts)) <= _SHORT
    return (_kept if is_short else _read)(elements, texts, language)


def _read(elements: tuple[str, ...], texts: tuple[str, ...], language: Language) -> tuple[str, ...]:
    return tuple(missing(elements, [text[:_LOOKS_AT] for text in texts], language))


_kept = lru_cache(maxsize=2_048)(_read)


def _hands_over(evidence: Evidence, lacking: tuple[str, ...]) -> bool:
    """Whether the answer sends the user to a person, or gives any of what was expected."""
    answer = evidence.exchange.assistant
    if _TO_A_PERSON[evidence.language].search(answer) or _ADDRESS.search(answer):
        return True
    return len(lacking) < len(evidence.scenario.expected.elements)
