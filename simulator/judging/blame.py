"""Whose fault a weak turn is, by rules without a model: a reading aid, never a score.

A turn may have several faults, in this order: what harms the user before what caused it.

- UNSUPPORTED: `grounded` flags the reply, or it contradicts an expectation. Not so where the
  documents that came bear it out and are not the right ones: then the search is to blame. What was
  retrieved and left out is UNUSED; that comes first, unless a number, a name or the contrary of
  what is right was put in its place: that was no oversight.
- Whether it refuses, hands over, or answers what has no answer is what `refusal` found.
- Retrieval is judged as by retrieval_hit: by this turn's documents, and any expected one is a hit.
  After a miss (also a search that found nothing), a refusal is a RETRIEVAL_MISS. So is an answer
  that lacks elements, unless other documents held them, and any answer where none are expected.
  After a hit, a turn is a RETRIEVAL_MISS only where a missing element stands in an expected
  document that did not come; retrieval_hit's comment names it. But a refusal with another missing
  element in the documents at hand is a WRONG_REFUSAL.
- What leans on the turn before, which was answered, is a LOST_THREAD if it is refused, or answered
  from another entry, or none of the expected documents came and something lacks. That comes first,
  unless something is made up: what the search missed then, it was not told.
- A question that is answered from an entry of another matter is a RETRIEVAL_MISS, or UNUSED where
  an expected document came.
- Where the scenario names no documents, only entries about its matter count: `judging/entries.py`.

What only reading can tell (style) is not guessed: where nothing is found a turn is UNDETERMINED.
"""

from collections.abc import Collection, Iterator
from enum import StrEnum
from functools import cached_property

from simulator.core.outcome import Outcomes, Score
from simulator.core.persona import Language
from simulator.core.ports import Evidence, Knowledge
from simulator.core.scenario import Element
from simulator.core.talk import Document, TargetFailure
from simulator.judging.entries import Entries, lacking, whole
from simulator.judging.result import ANSWER, ELEMENTS, GROUNDED, REFUSAL
from simulator.text.asking import follows_up
from simulator.text.refusals import is_refusal


class Fault(StrEnum):
    """What has to be fixed; what harms the user first, then what caused it."""

    UNSUPPORTED = "unsupported"  # the answer says what no document says, or contradicts it
    SHOULD_HAVE_REFUSED = "should_have_refused"
    SHOULD_HAVE_ESCALATED = "should_have_escalated"
    WRONG_REFUSAL = "wrong_refusal"
    LOST_THREAD = "lost_thread"  # what leans on the turn before: the bot did not get, or use, that
    RETRIEVAL_MISS = "retrieval_miss"  # no expected document, or no text with the element, came up
    KNOWLEDGE_GAP = "knowledge_gap"  # no document in the knowledge base holds it
    UNUSED = "unused"  # it was retrieved, the answer leaves it out
    STYLE = "style"
    SIMULATOR = "simulator"  # what the simulated user said is not what a person would have
    UNDETERMINED = "undetermined"


HARMFUL = frozenset({Fault.UNSUPPORTED, Fault.SHOULD_HAVE_REFUSED, Fault.SHOULD_HAVE_ESCALATED})
"""What says something that should not be said, where others only fail to help."""


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
        unclear: bool = False,
    ) -> tuple[Fault, ...]:
        """The faults of a weak turn, the one to read first at their head; never none.

        Args:
            evidence: the talk up to this turn.
            outcomes: those of the turn.
            flags: the metrics that flag it.
            unsound: its user was not sound.
            unclear: what may have been said in other words counts as lacking.

        A failed target is its own fault: for it there is none of these.
        """
        if isinstance(evidence.exchange.reply, TargetFailure):
            return ()
        turn = _Turn(evidence, outcomes, flags, self._read(evidence.language), unclear=unclear)
        found = {*turn.faults(), *([Fault.SIMULATOR] if unsound else [])}
        if turn.loses_thread:
            found = found - {Fault.UNSUPPORTED} | {Fault.LOST_THREAD}
        elif turn.made_up:
            found.discard(Fault.UNUSED)
        first = _CAUSES if turn.refused else frozenset((Fault.LOST_THREAD,))
        if Fault.UNUSED in found and turn.hit:
            first |= _CAUSES | {Fault.UNUSED}
        order = sorted(found, key=lambda fault: (fault not in first, _ORDER[fault]))
        return tuple(order) or (Fault.UNDETERMINED,)

    def _read(self, language: Language) -> Entries | None:
        if self._knowledge is None:
            return None
        return self._entries.setdefault(language, Entries(self._knowledge, language))


_ORDER = {fault: place for place, fault in enumerate(Fault)}
_CAUSES = frozenset({Fault.LOST_THREAD, Fault.RETRIEVAL_MISS, Fault.KNOWLEDGE_GAP})
"""Who refuses for want of the entry does no harm of its own."""


class _Turn:
    """One answer of the bot, beside what was expected of it."""

    def __init__(
        self,
        evidence: Evidence,
        outcomes: Outcomes,
        flags: Collection[str],
        entries: Entries | None,
        *,
        unclear: bool,
    ) -> None:
        self.unclear = unclear
        self.evidence, self.outcomes, self.flags, self.entries = evidence, outcomes, flags, entries
        self.scenario, self.language = evidence.scenario, evidence.language
        self.expected = evidence.scenario.expected

    def faults(self) -> Iterator[Fault]:
        """All that was wrong, in no order."""
        if self._is_unsupported():
            yield Fault.UNSUPPORTED
        if self.lost:
            yield Fault.UNUSED if self.hit else Fault.RETRIEVAL_MISS
        due = self.outcomes.get(REFUSAL)
        never = not isinstance(due, Score) and REFUSAL in self.flags  # the bot only asked back
        if isinstance(due, Score) and due.parts.get("answered", 0) > 0:
            yield Fault.SHOULD_HAVE_REFUSED
        if self.expected.escalate and (never or (isinstance(due, Score) and due.value < 1)):
            yield Fault.SHOULD_HAVE_ESCALATED
        elif never and self.expected.answerable is False:
            yield Fault.SHOULD_HAVE_REFUSED
        if self.expected.answerable is False:
            return
        yield from self._behind_a_refusal() if self.refused else self._broken_links()

    @property
    def lost(self) -> bool:
        """Whether a question that follows up was answered from another entry."""
        grounded = self.outcomes.get(GROUNDED)
        return isinstance(grounded, Score) and grounded.parts.get("elsewhere", 0) > 0

    @property
    def loses_thread(self) -> bool:
        """Whether it goes astray where only the turn before, which did not, tells what is meant."""
        *before, last = self.evidence.talk.exchanges
        strays = self.refused or self.lost or (self.hit is False and self.lacking)
        if not before or not strays or self.invents:
            return False
        first = any(d.id in self.expected.documents for d in before[-1].documents[:1])
        scores = (self.outcomes.get(name) for name in (ELEMENTS, ANSWER))
        held = any(isinstance(s, Score) and s.value > 0 for s in scores)
        asked = "\n".join(exchange.user for exchange in before)
        answered = (first or held) and not is_refusal(before[-1].assistant, self.language)
        of = self.scenario.query, self.scenario.goal
        return answered and follows_up(last.user, asked, *of, self.language)

    @cached_property
    def refused(self) -> bool:
        """Whether the answer refuses what can be answered."""
        score = self.outcomes.get(REFUSAL)
        refuses = isinstance(score, Score) and score.parts.get("refused", 0) > 0
        return refuses and self.expected.can_be_answered is True

    @property
    def made_up(self) -> bool:
        """Whether the answer has a number or a name from nowhere, or the contrary of the right.

        Or nothing at all that the documents bear out.
        """
        grounded = self.outcomes.get(GROUNDED) if GROUNDED in self.flags else None
        is_bare = isinstance(grounded, Score) and not grounded.parts.get("borne_out", 1)
        return self.invents or is_bare

    @property
    def invents(self) -> bool:
        """Whether it has a number or a name from nowhere, or the contrary of what is right."""
        grounded = self.outcomes.get(GROUNDED)
        flagged = grounded.parts if GROUNDED in self.flags and isinstance(grounded, Score) else None
        # older runs do not say what is invented
        if flagged is not None and flagged.get("invented", 1) > 0:
            return True
        found = (grounded, self.outcomes.get(ELEMENTS), self.outcomes.get(ANSWER))
        return any(isinstance(s, Score) and s.parts.get("contradicted", 0) > 0 for s in found)

    @cached_property
    def hit(self) -> bool | None:
        """Whether an expected document came with the reply; None where that cannot be told."""
        wanted, talk = self.expected.documents, self.evidence.talk
        came = self.evidence.exchange.documents
        if not wanted or not talk.reports_documents or (came and not talk.names_documents):
            return None
        return any(document.id in wanted for document in came)

    @cached_property
    def lacking(self) -> tuple[Element, ...]:
        """The elements that no reply has held so far, and none may have in other words."""
        score = self.outcomes.get(ELEMENTS)
        if isinstance(score, Score) and score.parts.get("missing") == 0 and not self.unclear:
            return ()
        replies = tuple(answer for _, answer in self.evidence.talk.history)
        return lacking(self.expected.elements, replies, self.language)

    @cached_property
    def absent(self) -> tuple[Element, ...]:
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
        found = self.outcomes.get(GROUNDED)
        borne_out = isinstance(found, Score)
        if GROUNDED in self.flags and not (
            self.lost and isinstance(found, Score) and not found.named
        ):
            return True
        if borne_out and (self.hit is False or not self.expected.documents):
            return False
        scores = (self.outcomes.get(name) for name in (ELEMENTS, ANSWER))
        return any(isinstance(s, Score) and s.parts.get("contradicted", 0) > 0 for s in scores)

    def _behind_a_refusal(self) -> set[Fault]:
        """What made the bot refuse a question that can be answered."""
        if self.hit is False:
            return {Fault.RETRIEVAL_MISS}
        if self.expected.escalate:  # rightly, if it handed over as well; else that is the fault
            score = self.outcomes.get(REFUSAL)
            is_due = isinstance(score, Score) and score.value < 1
            return self._broken_links() & _CAUSES if is_due else self._broken_links()
        if self.hit and len(self.absent) < len(self.lacking):
            return {Fault.WRONG_REFUSAL}
        return self._broken_links() & _CAUSES or {Fault.WRONG_REFUSAL}

    def _broken_links(self) -> set[Fault]:
        """Where the way from the knowledge base to the answer broke."""
        if not self.lacking:
            is_miss = self.hit is False and not self.expected.elements
            return {Fault.RETRIEVAL_MISS} if is_miss else set()
        reports, nowhere = self._reports, self._nowhere()
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

    @property
    def _reports(self) -> bool:
        """Whether it is known what came: not where that are ids alone which are no entry's."""
        came = self.evidence.exchange.documents
        mute = came and self.hit is None and not any(d.text.strip() for d in came)
        return self.evidence.talk.reports_documents and not mute

    def _nowhere(self) -> tuple[Element, ...]:
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
