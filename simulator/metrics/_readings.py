"""What the words reader says about the claims of a turn, as computed metrics count it."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from simulator.core.claim import Claim, ClaimKind, Reader, Reading, State, counting
from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.ports import Evidence
from simulator.metrics._expected import join_comments, no_answer
from simulator.words import Words

_UNREAD = Unscored(Gap.UNREAD)
_WRONG = {
    ClaimKind.ANSWERS: "refused",
    ClaimKind.DECLINES: "answered",
    ClaimKind.HANDS_OVER: "kept",
}


class ReadClaim(NamedTuple):
    """A claim and what words say about it."""

    claim: Claim
    reading: Reading

    @property
    def state(self) -> State:
        """Whether the answer satisfies it."""
        return self.reading.state


def by_words(evidence: Evidence, wanted: Callable[[Claim], bool]) -> list[ReadClaim]:
    """The claims that are wanted, with what words say about them in the last answer."""
    known = counting(r for r in evidence.readings if r.reader is Reader.WORDS)
    return [
        ReadClaim(c, known.get(c.id) or Reading(c.id, State.UNKNOWN, Reader.WORDS))
        for c in evidence.claims
        if wanted(c)
    ]


def share_met(evidence: Evidence, claims: Sequence[ReadClaim], nothing: str) -> Outcome:
    """The share of claims met among those that words could decide, with its counts as parts.

    `nothing`: why it is not applicable where there is no claim.
    """
    if not claims:
        return Unscored(Gap.NOT_APPLICABLE, nothing)
    if (reason := no_answer(evidence)) is not None:
        return reason
    counts = {state.value: float(sum(state is c.state for c in claims)) for state in State}
    decided = len(claims) - counts[State.UNKNOWN]
    if not decided:
        return _UNREAD
    value = counts[State.MET] / decided
    words = Words(evidence.language, "comment")
    return Score(value, value, join_comments(evidence, *_comments(claims, words)), counts)


def _comments(claims: Sequence[ReadClaim], words: Words) -> Iterator[str]:
    """What is wrong, missing and not decided; a contradiction with what was said."""
    listed: dict[str, list[str]] = {}
    for claim, reading in claims:
        if claim.kind is ClaimKind.SAYS and reading.state is State.VIOLATED and reading.quote:
            expected = reading.against or claim.text
            yield words("both_sides", expected=expected, said=reading.quote)
        elif key := _key(claim, reading.state):
            listed.setdefault(key, []).append(claim.text)
    for key, items in listed.items():
        yield words(key, items=words.comma.join(items))


def _key(claim: Claim, state: State) -> str:
    """The key of the wording for a claim in this state; empty where there is nothing to say."""
    if state is State.MET or (state is State.UNKNOWN and claim.kind is not ClaimKind.SAYS):
        return ""
    if claim.kind is not ClaimKind.SAYS:
        return _WRONG.get(claim.kind, claim.kind.value)
    if not claim.is_whole:
        return state.value
    return "" if state is State.UNKNOWN else f"answer.{state}"
