"""What an answer is checked against (claims), and what readers say about it (readings)."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from simulator.core.clean import normal_form
from simulator.core.scenario import Expected

CLAIMS = "claims"  # the section of the judge's call that reads them


class ClaimKind(StrEnum):
    """What a claim asks of an answer."""

    SAYS = "says"  # an expected element or, where there are none, the expected answer
    MUST_NOT = "must_not"  # a statement that would be wrong
    DECLINES = "declines"  # there is no answer to give
    HANDS_OVER = "hands_over"  # a person has to take over
    ANSWERS = "answers"  # the question can be answered: the whole answer is no refusal
    SUPPORTED = "supported"  # the documents say all that the answer states


class State(StrEnum):
    """Whether an answer satisfies a claim; the states of MUST_NOT are MET, VIOLATED, UNKNOWN."""

    MET = "met"
    UNMET = "unmet"  # the answer does not say it
    VIOLATED = "violated"  # it says the opposite, another value, or what it must not
    UNKNOWN = "unknown"


class Reader(StrEnum):
    """Who read, in their order of authority."""

    PERSON = "person"
    MODEL = "model"
    WORDS = "words"


class Source(StrEnum):
    """Where the content of a claim is, as far as documents tell."""

    RETRIEVED = "retrieved"  # in a document that came with the answer
    NOT_RETRIEVED = "not_retrieved"  # in one that should have come
    COPY_DIFFERS = "copy_differs"  # in the entry of one that came with another text
    NOWHERE = "nowhere"  # in no entry of the knowledge base


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that an answer is checked against.

    Attributes:
        id: the kind and 8 hex digits of the SHA-256 of its first wording, so that a new claim
            renames no other.
        wordings: any one of them will do; empty for kinds that need no wording.
        is_whole: it is a whole expected answer, of which a customer may not need every word.
    """

    id: str
    kind: ClaimKind
    wordings: tuple[str, ...] = ()
    is_whole: bool = False

    @property
    def text(self) -> str:
        """The claim as people read it: `6 cents / $0.06`; empty for kinds without a wording."""
        return self.wordings[0] if self.is_whole else " / ".join(self.wordings)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reader says about one claim in one answer.

    Attributes:
        claim: the claim's id.
        quote: a span of the answer; empty where there is none to show.
        against: the wording that the answer was compared with.
    """

    claim: str
    state: State
    reader: Reader
    quote: str = ""
    against: str = ""


@lru_cache(maxsize=4_096)
def claims_of(expected: Expected, *, supported: bool = False) -> tuple[Claim, ...]:
    """The claims that a scenario makes, in the order in which people read them.

    Wordings of nothing but marks (`…`) say nothing, and are none.

    Args:
        expected: what the scenario expects.
        supported: the client fails answers that their documents do not support.
    """
    claims = [*_says(expected)]
    claims += [
        _claim(ClaimKind.MUST_NOT, (text,)) for text in filter(normal_form, expected.must_not)
    ]
    if expected.answerable is False:
        claims.append(_claim(ClaimKind.DECLINES))
    if expected.escalate:
        claims.append(_claim(ClaimKind.HANDS_OVER))
    elif expected.can_be_answered:
        claims.append(_claim(ClaimKind.ANSWERS))
    if supported:
        claims.append(_claim(ClaimKind.SUPPORTED))
    return tuple({claim.id: claim for claim in claims}.values())


def kind_of(claim: str) -> ClaimKind:
    """The kind of a claim, by its id."""
    return ClaimKind(claim.rpartition("-")[0])


def counting(readings: Iterable[Reading]) -> dict[str, Reading]:
    """For each claim of one answer, by its id, the reading that counts.

    A person's counts before a model's, and a model's before that of words. Words overrule no
    model: where they prove a violation of what a model calls met, the claim is unknown.
    """
    by_claim: dict[str, dict[Reader, Reading]] = {}
    for reading in readings:
        by_claim.setdefault(reading.claim, {})[reading.reader] = reading
    return {claim: _first(some) for claim, some in by_claim.items()}


def _first(some: Mapping[Reader, Reading]) -> Reading:
    if len(some) == 1:
        return next(iter(some.values()))
    reading = next(some[reader] for reader in Reader if reader in some)
    if reading.reader is Reader.MODEL and _differ(some):
        words = some[Reader.WORDS]
        return replace(reading, state=State.UNKNOWN, quote=words.quote, against=words.against)
    return reading


def _differ(some: Mapping[Reader, Reading]) -> bool:
    model, words = some.get(Reader.MODEL), some.get(Reader.WORDS)
    is_met = model is not None and model.state is State.MET
    return is_met and words is not None and words.state is State.VIOLATED


def _says(expected: Expected) -> Iterable[Claim]:
    elements = [tuple(filter(normal_form, element)) for element in expected.elements]
    if any(elements):
        return [_claim(ClaimKind.SAYS, element) for element in elements if element]
    answers = tuple(filter(normal_form, expected.answers))
    if not answers or expected.answerable is False:  # then the answer words a refusal
        return []
    return [_claim(ClaimKind.SAYS, answers, is_whole=True)]


def _claim(kind: ClaimKind, wordings: tuple[str, ...] = (), *, is_whole: bool = False) -> Claim:
    first = wordings[0] if wordings else ""
    digest = hashlib.sha256(first.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Claim(f"{kind}-{digest}", kind, wordings, is_whole)
