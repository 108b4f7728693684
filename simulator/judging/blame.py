"""Whose fault a weak turn is, by rules without a model: a reading aid, never a score.

What only reading can tell (unsupported, style) is not guessed: that stays None.

Retrieval is judged as by retrieval_hit: by this turn's documents, and any expected one is a hit.

- After a miss (also a search that found nothing), a refusal is a RETRIEVAL_MISS. So is an answer
  that lacks elements, unless other documents held them, and any answer where none are expected.
- After a hit, a turn is a RETRIEVAL_MISS only where a missing element stands in an expected
  document that did not come; retrieval_hit's comment names it. But a refusal with another missing
  element in the documents at hand is a WRONG_REFUSAL.
"""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import lru_cache, partial
from heapq import nlargest

from simulator.core.persona import Language
from simulator.core.ports import Evidence, Knowledge
from simulator.core.scenario import Element
from simulator.core.talk import Document, TargetFailure
from simulator.text.handover import Handover, handover
from simulator.text.normal import normal_form
from simulator.text.presence import missing
from simulator.text.refusals import is_refusal, states_nothing
from simulator.text.sentences import sentences

Held = Callable[[Element, frozenset[str] | None], bool]

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
_IN_VAIN: dict[Language, re.Pattern[str]] = {
    "ja": re.compile(
        "(?:つな|繋|転送|引き継|取り次|電話|連絡)[^。]{0,16}(?:できません|かねます|ません|ない)"
    ),
    "en": re.compile(
        r"(?:can't|cannot|can not|unable to|not able to|n't|no way to)\b[^.]{0,20}"
        r"\b(?:transfer|put|connect|hand|pass|escalate|forward|call|reach)",
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
        self._held: dict[tuple[Element, frozenset[str] | None, Language], bool] = {}

    def of(self, evidence: Evidence) -> Fault | None:
        """The fault of a weak turn, or None where the evidence cannot tell."""
        if self._knowledge is None:
            return fault(evidence, None)
        return fault(evidence, partial(self._holds, evidence.language))

    def _holds(self, language: Language, element: Element, among: frozenset[str] | None) -> bool:
        key = (element, among, language)
        if key not in self._held:
            texts = self._nearest(element) if among is None else self._texts_of(among)
            self._held[key] = any(not _lacking((element,), (text,), language) for text in texts)
        return self._held[key]

    def _texts_of(self, ids: frozenset[str]) -> list[str]:
        documents = self._knowledge.documents() if self._knowledge else ()
        return [_text(document) for document in documents if document.id in ids]

    def _nearest(self, element: Element) -> list[str]:
        """The documents that share most with an element: all of them would take seconds to read."""
        if self._texts is None:
            texts = map(_text, self._knowledge.documents() if self._knowledge else ())
            self._texts = [(normal_form(text), text) for text in texts]
        wanted = normal_form(" ".join(element))
        pairs = {wanted[i : i + 2] for i in range(max(1, len(wanted) - 1))}
        ranked = nlargest(_NEAREST, self._texts, key=lambda t: sum(pair in t[0] for pair in pairs))
        return [text for _, text in ranked]


def fault(evidence: Evidence, held: Held | None) -> Fault | None:
    """The fault of a weak turn, or None where the evidence cannot tell.

    `held(element, ids)` says whether a document of the knowledge base holds an element: one of
    these ids, or, for None, any. It is None where the knowledge base is not at hand.
    """
    exchange, expected = evidence.exchange, evidence.scenario.expected
    if isinstance(exchange.reply, TargetFailure):
        return None
    replies = tuple(answer for _, answer in evidence.talk.history)
    lacking = _lacking(expected.elements, replies, evidence.language)
    if expected.escalate and not _hands_over(evidence, lacking):
        return Fault.SHOULD_HAVE_ESCALATED
    if expected.answerable is False:
        is_right = is_refusal(exchange.assistant, evidence.language) or (
            expected.escalate
            and (
                states_nothing(exchange.assistant, evidence.language)
                or handover(exchange.assistant, evidence.language) is Handover.PASSED_ON
            )
        )
        return None if is_right else Fault.SHOULD_HAVE_REFUSED
    refused = is_refusal(exchange.assistant, evidence.language, matter=evidence.strayed_from)
    if refused and expected.can_be_answered:
        return _behind_a_refusal(evidence, lacking, held)
    return _broken_link(evidence, lacking, held)


def _behind_a_refusal(evidence: Evidence, lacking: tuple[Element, ...], held: Held | None) -> Fault:
    """What made the bot refuse a question that can be answered."""
    hit = _hit(evidence)
    if hit is False:
        return Fault.RETRIEVAL_MISS
    absent = _absent(lacking, evidence.exchange.documents, evidence.language)
    if hit and len(absent) < len(lacking):
        return Fault.WRONG_REFUSAL
    found = _broken_link(evidence, lacking, held)
    return Fault.WRONG_REFUSAL if found in (None, Fault.UNUSED) else found


def _broken_link(
    evidence: Evidence, lacking: tuple[Element, ...], held: Held | None
) -> Fault | None:
    """Where the way from the knowledge base to the answer broke."""
    expected, documents = evidence.scenario.expected, evidence.exchange.documents
    hit, reports = _hit(evidence), evidence.talk.reports_documents
    if not lacking:
        return Fault.RETRIEVAL_MISS if hit is False and not expected.elements else None
    absent = _absent(lacking, documents, evidence.language)
    if held is not None and any(held(element, _elsewhere(evidence)) for element in absent):
        # something is there to be found; a target that reports no documents may have had it
        return Fault.RETRIEVAL_MISS if reports else None
    if len(absent) < len(lacking):
        return Fault.UNUSED
    if hit is False or (held is None and reports and not expected.documents):
        return Fault.RETRIEVAL_MISS
    if held is None or any(held(element, None) for element in absent):
        return None
    return Fault.KNOWLEDGE_GAP


def _hit(evidence: Evidence) -> bool | None:
    """Whether an expected document came with this turn's reply; None where that cannot be told."""
    wanted, talk = evidence.scenario.expected.documents, evidence.talk
    documents = evidence.exchange.documents
    if not wanted or not talk.reports_documents or (documents and not talk.names_documents):
        return None
    return any(document.id in wanted for document in documents)


def _elsewhere(evidence: Evidence) -> frozenset[str] | None:
    """The documents that should have come, too: any (None), or after a hit the expected ones."""
    if not _hit(evidence):
        return None
    came = (document.id for document in evidence.exchange.documents)
    return frozenset(evidence.scenario.expected.documents).difference(came)


def _absent(
    elements: tuple[Element, ...], documents: Sequence[Document], language: Language
) -> tuple[Element, ...]:
    """Those of the elements that no document holds."""
    for document in documents:
        elements = _lacking(elements, (_text(document),), language)
    return elements


def _text(document: Document) -> str:
    return f"{document.title}\n{document.text}"


def _lacking(
    elements: tuple[Element, ...], texts: tuple[str, ...], language: Language
) -> tuple[Element, ...]:
    """Those of the elements that stand in none of the texts; the same passages come often."""
    if not elements:
        return ()
    is_short = sum(map(len, texts)) <= _SHORT
    return (_kept if is_short else _read)(elements, texts, language)


def _read(
    elements: tuple[Element, ...], texts: tuple[str, ...], language: Language
) -> tuple[Element, ...]:
    return tuple(missing(elements, [text[:_LOOKS_AT] for text in texts], language))


_kept = lru_cache(maxsize=2_048)(_read)


def _hands_over(evidence: Evidence, lacking: tuple[Element, ...]) -> bool:
    """Whether the answer sends the user to a person, or gives any of what was expected.

    Passing the talk on does, and so does naming who has to deal with it; to say that nobody can
    be reached does not.
    """
    language, answer = evidence.language, evidence.exchange.assistant
    if handover(answer, language) >= Handover.TAKEN_UP or _ADDRESS.search(answer):
        return True
    if any(_names_a_person(sentence, language) for sentence in sentences(answer, language)):
        return True
    return len(lacking) < len(evidence.scenario.expected.elements)


def _names_a_person(sentence: str, language: Language) -> bool:
    return bool(_TO_A_PERSON[language].search(sentence) and not _IN_VAIN[language].search(sentence))
