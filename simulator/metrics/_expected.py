"""What computed metrics share: what a scenario expects, what the words reader says of it."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from simulator.core.bounds import MAX_EXPECTED
from simulator.core.claim import Claim, ClaimKind, Reader, Reading, State, counting
from simulator.core.clean import normal_form
from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.ports import Evidence
from simulator.core.scenario import Element, Expected
from simulator.text.acts import only_asks_back, only_closes
from simulator.words import Words

DEPTHS = (1, 3, 5)
"""How far down a list is looked, where that is asked for."""
UNNAMED = "the bot has returned no document so far"
NOTHING_EXPECTED = Unscored(Gap.NOT_APPLICABLE, "no expected answer")
ASKS_BACK = Unscored(Gap.NOT_APPLICABLE, "the reply only asks back")
CLOSES = Unscored(Gap.NOT_APPLICABLE, "nothing was asked, and the reply makes no statement")
_NAMED = 8  # words


def ranking(evidence: Evidence) -> tuple[str | None, ...] | Unscored:
    """The ids of the documents that came with this turn's reply, the best first.

    A target that reports its documents and found none has missed them. Documents without an id
    cannot be told apart: they are a miss only for a target that has named one before.
    """
    if not evidence.scenario.expected.documents:
        return Unscored(Gap.NOT_APPLICABLE, "no expected documents")
    if not evidence.talk.reports_documents:
        return Unscored(Gap.NOT_APPLICABLE, "the target has reported no documents so far")
    documents = evidence.exchange.documents
    if documents and not evidence.talk.names_documents:
        return Unscored(Gap.NOT_APPLICABLE, UNNAMED)
    return tuple(document.id for document in documents)


def wanted_elements(expected: Expected) -> list[Element]:
    """The expected elements that say something, each without alternatives that do not."""
    elements = (tuple(filter(normal_form, element)) for element in expected.elements)
    return [element for element in elements if element]


def wanted_answers(expected: Expected) -> list[str]:
    """The expected answers that are not empty."""
    return [answer for answer in expected.answers if answer.strip()]


def no_answer(evidence: Evidence) -> Unscored | None:
    """Why the last reply is no answer: it only asks back, or takes leave; None where it is one."""
    if only_asks_back(evidence.exchange.assistant, evidence.language):
        return ASKS_BACK
    return CLOSES if only_closes(evidence.talk.exchanges, evidence.language) else None


def differing_words(evidence: Evidence, lacks: Sequence[str], adds: Sequence[str]) -> str:
    """Words of the expected answer that the reply has not, and the other way round; not all."""
    words, comments = Words(evidence.language, "comment"), []
    for key, items in (("lacks", lacks), ("adds", adds)):
        named = [*items[:_NAMED]]
        if len(items) > _NAMED:
            named.append(words("more", n=len(items) - _NAMED))
        if named:
            comments.append(words(key, items=words.comma.join(named)))
    return join_comments(evidence, *comments)


def join_comments(evidence: Evidence, *comments: str) -> str:
    """Comments as one, without those that are empty; with a mark where a reply is read in part."""
    words, size = Words(evidence.language, "comment"), len(evidence.exchange.assistant)
    mark = words("read_to", n=MAX_EXPECTED) if size > MAX_EXPECTED else ""
    return words("beside").join(filter(None, (*comments, mark)))


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
    contradicted: dict[str, list[str]] = {}
    for claim, reading in claims:
        if claim.kind is ClaimKind.SAYS and reading.state is State.VIOLATED and reading.quote:
            quote = " ".join(reading.quote.split())
            expected = words("quoted", text=reading.against or claim.text)
            contradicted.setdefault(quote, []).append(expected)
        elif key := _key(claim, reading.state):
            listed.setdefault(key, []).append(claim.text)
    for quote, texts in contradicted.items():
        yield words("both_sides", expected=words.comma.join(texts), said=quote)
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
