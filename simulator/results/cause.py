"""The cause of a weak turn, from its readings and from where the documents hold its claims.

A reading aid, never a score. A turn may have several causes: what harms the user comes before what
only fails to help, unless the search is what made the bot go wrong.

- A violated claim is UNSUPPORTED, and a due refusal or hand-over that did not come is called so.
- A refusal of what can be answered is a WRONG_REFUSAL where a document that came holds the claim.
- What is missing is UNUSED if a document that came holds it, a RETRIEVAL_MISS if another one does,
  and a KNOWLEDGE_GAP if none does.
- Where no document can be compared, `retrieval_hit` tells a RETRIEVAL_MISS.
- LOST_THREAD: a question that leans on the turn before, which was answered, is refused or missed.

What only reading can tell (STYLE) is left to people and judges.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from simulator.core.claim import Claim, ClaimKind, Reading, Source, State


class Fault(StrEnum):
    """What has to be fixed; what harms the user first, then what caused it."""

    UNSUPPORTED = "unsupported"  # the answer contradicts what is right
    SHOULD_HAVE_REFUSED = "should_have_refused"
    SHOULD_HAVE_ESCALATED = "should_have_escalated"
    WRONG_REFUSAL = "wrong_refusal"
    LOST_THREAD = "lost_thread"  # what leans on the turn before: the bot did not get, or use, that
    RETRIEVAL_MISS = "retrieval_miss"  # the document that holds it did not come
    KNOWLEDGE_GAP = "knowledge_gap"  # no document in the knowledge base holds it
    UNUSED = "unused"  # it was retrieved, the answer leaves it out
    STYLE = "style"
    SIMULATOR = "simulator"  # what the simulated user said is not what a person would have
    UNDETERMINED = "undetermined"


HARMFUL = frozenset({Fault.UNSUPPORTED, Fault.SHOULD_HAVE_REFUSED, Fault.SHOULD_HAVE_ESCALATED})
"""What says something that should not be said, where others only fail to help."""


@dataclass(frozen=True, slots=True)
class Traces:
    """What is known of one weak answer.

    Attributes:
        sources: by the id of a claim; missing where it is not known.
        hit: whether an expected document came; None where that is not known.
        follows_answered: the question leans on the turn before, and that was answered.
        unsound: the simulated user was not sound.
    """

    claims: tuple[Claim, ...]
    readings: Mapping[str, Reading]
    sources: Mapping[str, Source]
    hit: bool | None = None
    follows_answered: bool = False
    unsound: bool = False

    def has(self, kind: ClaimKind, *states: State) -> bool:
        """True if a claim of this kind has one of these states."""
        return any(True for _ in self.where(kind, *states))

    def where(self, kind: ClaimKind, *states: State) -> Iterator[Source | None]:
        """Where the content of each such claim is."""
        for claim in self.claims:
            reading = self.readings.get(claim.id)
            if claim.kind is kind and reading is not None and reading.state in states:
                yield self.sources.get(claim.id)


_OPEN = (State.UNMET, State.UNKNOWN)
_MISSED = {
    Source.RETRIEVED: Fault.UNUSED,
    Source.NOT_RETRIEVED: Fault.RETRIEVAL_MISS,
    Source.NOWHERE: Fault.KNOWLEDGE_GAP,
}
_ORDER = {fault: place for place, fault in enumerate(Fault)}


def causes_of(traces: Traces) -> tuple[Fault, ...]:
    """The causes of a weak turn, the one to read first at their head; never none."""
    causes = {*_harms(traces), *_gaps(traces)}
    refused = traces.has(ClaimKind.ANSWERS, State.UNMET)
    if traces.follows_answered and (refused or Fault.RETRIEVAL_MISS in causes):
        causes = causes - {Fault.RETRIEVAL_MISS, Fault.WRONG_REFUSAL} | {Fault.LOST_THREAD}
    if traces.unsound:
        causes.add(Fault.SIMULATOR)
    if refused and causes & {Fault.RETRIEVAL_MISS, Fault.KNOWLEDGE_GAP, Fault.LOST_THREAD}:
        causes.discard(Fault.WRONG_REFUSAL)  # it refuses for want of the document
    return tuple(sorted(causes, key=_ORDER.__getitem__)) or (Fault.UNDETERMINED,)


def _harms(traces: Traces) -> Iterator[Fault]:
    violated = (ClaimKind.SAYS, ClaimKind.MUST_NOT)
    if any(traces.has(kind, State.VIOLATED) for kind in violated):
        missed = traces.hit is False or Source.NOT_RETRIEVED in [
            *traces.where(ClaimKind.SAYS, State.VIOLATED)
        ]
        yield Fault.RETRIEVAL_MISS if missed else Fault.UNSUPPORTED
    if traces.has(ClaimKind.SUPPORTED, State.VIOLATED, State.UNMET):
        yield Fault.UNSUPPORTED
    if traces.has(ClaimKind.DECLINES, State.VIOLATED, State.UNMET):
        yield Fault.SHOULD_HAVE_REFUSED
    if traces.has(ClaimKind.HANDS_OVER, State.VIOLATED, State.UNMET):
        yield Fault.SHOULD_HAVE_ESCALATED


def _gaps(traces: Traces) -> Iterator[Fault]:
    """Where the way from the knowledge base to the answer broke."""
    missing = [*traces.where(ClaimKind.SAYS, *_OPEN)]
    refused = traces.has(ClaimKind.ANSWERS, State.UNMET)
    if refused and (traces.hit is not False or Source.RETRIEVED in missing):
        yield Fault.WRONG_REFUSAL
    for source in missing:
        if source is Source.RETRIEVED and refused:
            continue  # it refused what it had
        if source is not None:
            yield _MISSED[source]
        elif traces.hit is False:
            yield Fault.RETRIEVAL_MISS
    if traces.hit is False and refused and not missing:
        yield Fault.RETRIEVAL_MISS
