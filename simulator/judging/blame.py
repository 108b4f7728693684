"""Whose fault a weak turn is, by rules without a model: a reading aid, never a score.

A turn may have several faults, in this order: what harms the user before what caused it.

- UNSUPPORTED: `grounded` flags the reply, or it contradicts an expectation. Not so where the
  documents that came bear it out and are not the right ones: then the search is to blame.
- Retrieval is judged as by retrieval_hit: by this turn's documents, and any expected one is a hit.
  After a miss (also a search that found nothing), a refusal is a RETRIEVAL_MISS. So is an answer
  that lacks elements, unless other documents held them, and any answer where none are expected.
  After a hit, a turn is a RETRIEVAL_MISS only where a missing element stands in an expected
  document that did not come; retrieval_hit's comment names it. But a refusal with another missing
  element in the documents at hand is a WRONG_REFUSAL.
- Where the scenario names no documents, only entries about its matter count: `judging/entries.py`.

What only reading can tell (style) is not guessed: where nothing is found a turn is UNDETERMINED.
"""

import re
from collections.abc import Collection, Iterator
from enum import StrEnum
from functools import cached_property

from simulator.core.outcome import Outcomes, Score
from simulator.core.persona import Language
from simulator.core.ports import Evidence, Knowledge
from simulator.core.talk import Document, TargetFailure
from simulator.judging.entries import Entries, lacking, whole
from simulator.text.handover import Handover, handover
from simulator.text.refusals import is_refusal, states_nothing
from simulator.text.sentences import sentences

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
    """What has to be fixed; what harms the user first, then what caused it."""

    UNSUPPORTED = "unsupported"  # the answer says what no document says, or contradicts it
    SHOULD_HAVE_REFUSED = "should_have_refused"
    SHOULD_HAVE_ESCALATED = "should_have_escalated"
    WRONG_REFUSAL = "wrong_refusal"
    RETRIEVAL_MISS = "retrieval_miss"  # no expected document, or no text with the element, came up
    KNOWLEDGE_GAP = "knowledge_gap"  # no document in the knowledge base holds it
    UNUSED = "unused"  # it was retrieved, the answer leaves it out
    STYLE = "style"
    SIMULATOR = "simulator"  # what the simulated user said is not what a person would have
    UNDETERMINED = "undetermined"


_ELEMENTS, _ANSWER, _GROUNDED = "elements_lexical", "answer_lexical", "grounded"


class Blame:
    """Finds whose fault a turn is, with what the bot may know where that is at hand."""

    def __init__(self, knowledge: Knowledge | None = None) -> None:
        self._knowledge = knowledge
        self._entries: dict[Language, Entries] = {}

    def of(
        self,
        evidence: Evidence,
        outcomes: Outcomes,
        flags: Collection[str] = (),
        *,
        unsound: bool = False,
    ) -> tuple[Fault, ...]:
        """The faults of a weak turn, the one to read first at their head; never none.

        Args:
            evidence: the talk up to this turn.
            outcomes: those of the turn.
            flags: the metrics that flag it.
            unsound: its user was not sound.

        A failed target is its own fault: for it there is none of these.
        """
        if isinstance(evidence.exchange.reply, TargetFailure):
            return ()
        turn = _Turn(evidence, outcomes, flags, self._read(evidence.language))
        found = {*turn.faults(), *([Fault.SIMULATOR] if unsound else [])}
        if Fault.UNSUPPORTED in found:  # what was made up in its place was no oversight
            found.discard(Fault.UNUSED)
        first = _CAUSES if turn.refused else frozenset()
        order = sorted(found, key=lambda fault: (fault not in first, _ORDER[fault]))
        return tuple(order) or (Fault.UNDETERMINED,)

    def _read(self, language: Language) -> Entries | None:
        if self._knowledge is None:
            return None
        return self._entries.setdefault(language, Entries(self._knowledge, language))


_ORDER = {fault: place for place, fault in enumerate(Fault)}
_CAUSES = frozenset({Fault.RETRIEVAL_MISS, Fault.KNOWLEDGE_GAP})
"""Who refuses for want of the entry does no harm of its own."""


class _Turn:
    """One answer of the bot, beside what was expected of it."""

    def __init__(
        self,
        evidence: Evidence,
        outcomes: Outcomes,
        flags: Collection[str],
        entries: Entries | None,
    ) -> None:
        self.evidence, self.outcomes, self.flags, self.entries = evidence, outcomes, flags, entries
        self.scenario, self.language = evidence.scenario, evidence.language
        self.expected, self.answer = evidence.scenario.expected, evidence.exchange.assistant

    def faults(self) -> Iterator[Fault]:
        """All that was wrong, in no order."""
        if self._is_unsupported():
            yield Fault.UNSUPPORTED
        if self.expected.escalate and not self._hands_over():
            yield Fault.SHOULD_HAVE_ESCALATED
        if self.expected.answerable is False:
            if not self._rightly_refuses():
                yield Fault.SHOULD_HAVE_REFUSED
            return
        declines = self.refused and self.expected.can_be_answered
        yield from self._behind_a_refusal() if declines else self._broken_links()

    @cached_property
    def refused(self) -> bool:
        """Whether the answer refuses what was asked for."""
        return is_refusal(self.answer, self.language, matter=self.evidence.strayed_from)

    @cached_property
    def hit(self) -> bool | None:
        """Whether an expected document came with the reply; None where that cannot be told."""
        wanted, talk = self.expected.documents, self.evidence.talk
        came = self.evidence.exchange.documents
        if not wanted or not talk.reports_documents or (came and not talk.names_documents):
            return None
        return any(document.id in wanted for document in came)

    @cached_property
    def lacking(self) -> tuple[str, ...]:
        """The elements that no reply has held so far, and none may have in other words."""
        score = self.outcomes.get(_ELEMENTS)
        if isinstance(score, Score) and score.parts.get("missing") == 0:
            return ()
        replies = tuple(answer for _, answer in self.evidence.talk.history)
        return lacking(self.expected.elements, replies, self.language)

    @cached_property
    def absent(self) -> tuple[str, ...]:
        """Those of them that no document at hand holds."""
        elements = self.lacking
        for document in self._at_hand():
            elements = lacking(elements, (whole(document),), self.language)
        return elements

    def _at_hand(self) -> Iterator[Document]:
        """The documents that came: where none is expected, those that are about the matter."""
        for document in self.evidence.exchange.documents:
            if (
                self.entries is None
                or self.expected.documents
                or self.entries.speaks_of(document, self.scenario)
            ):
                yield document

    def _is_unsupported(self) -> bool:
        """Whether the answer makes something up; what the wrong documents say, it does not."""
        if _GROUNDED in self.flags:
            return True
        borne_out = isinstance(self.outcomes.get(_GROUNDED), Score)
        if borne_out and (self.hit is False or not self.expected.documents):
            return False
        scores = (self.outcomes.get(name) for name in (_ELEMENTS, _ANSWER))
        return any(isinstance(s, Score) and s.parts.get("contradicted", 0) > 0 for s in scores)

    def _rightly_refuses(self) -> bool:
        return is_refusal(self.answer, self.language) or (
            self.expected.escalate
            and (
                states_nothing(self.answer, self.language)
                or handover(self.answer, self.language) is Handover.PASSED_ON
            )
        )

    def _behind_a_refusal(self) -> set[Fault]:
        """What made the bot refuse a question that can be answered."""
        if self.hit is False:
            return {Fault.RETRIEVAL_MISS}
        if self.hit and len(self.absent) < len(self.lacking):
            return {Fault.WRONG_REFUSAL}
        return self._broken_links() & _CAUSES or {Fault.WRONG_REFUSAL}

    def _broken_links(self) -> set[Fault]:
        """Where the way from the knowledge base to the answer broke."""
        if not self.lacking:
            is_miss = self.hit is False and not self.expected.elements
            return {Fault.RETRIEVAL_MISS} if is_miss else set()
        reports, nowhere = self.evidence.talk.reports_documents, self._nowhere()
        if len(nowhere) < len(self.absent):
            # something is there to be found; a target that reports no documents may have had it
            return {Fault.RETRIEVAL_MISS} if reports else set()
        is_blind = self.entries is None and reports and not self.expected.documents
        if len(self.absent) < len(self.lacking):
            is_gap = nowhere and not (self.entries is None or self.expected.documents)
            return {Fault.UNUSED, *([Fault.KNOWLEDGE_GAP] if is_gap else [])}
        if self.hit is False or is_blind:
            return {Fault.RETRIEVAL_MISS}
        return {Fault.KNOWLEDGE_GAP} if self._is_gap() else set()

    def _nowhere(self) -> tuple[str, ...]:
        """Those of the absent elements that no document holds which should have come."""
        if self.entries is None:
            return self.absent
        among = self._elsewhere()
        return tuple(e for e in self.absent if not self.entries.hold(e, among))

    def _is_gap(self) -> bool:
        """Whether nothing is there to be found: not even in a document beside the expected ones."""
        if self.entries is None:
            return False
        return not (
            self.expected.documents and any(self.entries.hold(e, None) for e in self.absent)
        )

    def _elsewhere(self) -> frozenset[str] | None:
        """The documents that should have come, too: after a hit the expected ones, else any (None).

        Where none is expected, those that are about the matter.
        """
        if not self.expected.documents and self.entries is not None:
            return self.entries.about(self.scenario)
        if not self.hit:
            return None
        came = (document.id for document in self.evidence.exchange.documents)
        return frozenset(self.expected.documents).difference(came)

    def _hands_over(self) -> bool:
        """Whether the answer sends the user to a person, or gives any of what was expected.

        Passing the talk on does, and so does naming who has to deal with it; to say that nobody can
        be reached does not.
        """
        if handover(self.answer, self.language) >= Handover.TAKEN_UP:
            return True
        if _ADDRESS.search(self.answer):
            return True
        said = sentences(self.answer, self.language)
        if any(_names_a_person(sentence, self.language) for sentence in said):
            return True
        return len(self.lacking) < len(self.expected.elements)


def _names_a_person(sentence: str, language: Language) -> bool:
    return bool(_TO_A_PERSON[language].search(sentence) and not _IN_VAIN[language].search(sentence))
