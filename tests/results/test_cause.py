"""The cause of a weak turn."""

import pytest

from simulator.core.claim import ClaimKind, Reading, Source, State, claims_of
from simulator.core.scenario import Expected
from simulator.results.verdict import Fault, Traces, causes_of
from tests.results.made import ELEMENT, MET, UNKNOWN, UNMET, VIOLATED, WORDS

R, N, W = Source.RETRIEVED, Source.NOT_RETRIEVED, Source.NOWHERE
C = Source.COPY_DIFFERS


def causes(
    expected: Expected,
    *states: State,
    source: Source | None = None,
    hit: bool | None = None,
    follows: bool = False,
    unsound: bool = False,
    from_another: bool = False,
) -> tuple[Fault, ...]:
    claims = claims_of(expected)
    filled = (*states, *[MET] * (len(claims) - len(states)))
    read = {c.id: Reading(c.id, s, WORDS) for c, s in zip(claims, filled, strict=True)}
    says = [c.id for c in claims if c.kind is ClaimKind.SAYS]
    sources = dict.fromkeys(says, source) if source else {}
    return causes_of(Traces(claims, read, sources, hit, follows, unsound, from_another))


@pytest.mark.parametrize(
    ("states", "source", "hit", "faults"),
    [
        ((UNMET,), R, None, (Fault.UNUSED,)),
        ((UNKNOWN,), R, None, (Fault.UNUSED,)),
        ((UNMET,), N, None, (Fault.RETRIEVAL_MISS,)),
        ((UNMET,), W, None, (Fault.KNOWLEDGE_GAP,)),
        ((UNMET,), C, True, (Fault.COPY_DIFFERS,)),
        ((UNMET,), C, None, (Fault.COPY_DIFFERS,)),
        ((UNMET, UNMET), C, True, (Fault.COPY_DIFFERS,)),
        ((VIOLATED,), C, True, (Fault.COPY_DIFFERS,)),
        ((UNMET,), None, False, (Fault.RETRIEVAL_MISS,)),
        ((UNMET,), None, None, (Fault.UNDETERMINED,)),
        ((VIOLATED,), R, True, (Fault.UNSUPPORTED,)),
        ((VIOLATED,), None, None, (Fault.UNSUPPORTED,)),
        ((VIOLATED,), N, None, (Fault.RETRIEVAL_MISS,)),
        ((VIOLATED,), None, False, (Fault.RETRIEVAL_MISS,)),
        ((UNMET, UNMET), R, True, (Fault.WRONG_REFUSAL,)),
        ((UNMET, UNMET), N, False, (Fault.RETRIEVAL_MISS,)),
        ((UNMET, UNMET), W, None, (Fault.KNOWLEDGE_GAP,)),
        ((UNMET, UNMET), None, False, (Fault.RETRIEVAL_MISS,)),
        ((UNMET, UNMET), None, None, (Fault.WRONG_REFUSAL,)),
        ((UNMET, UNMET), R, False, (Fault.WRONG_REFUSAL,)),
        ((UNMET, UNMET), W, False, (Fault.RETRIEVAL_MISS, Fault.KNOWLEDGE_GAP)),
        ((UNMET,), W, True, (Fault.KNOWLEDGE_GAP,)),
        ((MET, UNMET), None, None, (Fault.WRONG_REFUSAL,)),
        ((MET, UNMET), None, False, (Fault.RETRIEVAL_MISS,)),
    ],
)
def test_where_the_claim_is_tells_the_cause(
    states: tuple[State, ...],
    source: Source | None,
    hit: bool | None,
    faults: tuple[Fault, ...],
) -> None:
    assert faults == causes(ELEMENT, *states, source=source, hit=hit)


@pytest.mark.parametrize(
    ("hit", "fault"),
    [(True, Fault.UNUSED), (None, Fault.UNUSED), (False, Fault.RETRIEVAL_MISS)],
)
def test_who_says_what_another_document_says_did_not_use_the_right_one(
    hit: bool | None, fault: Fault
) -> None:
    assert (fault,) == causes(ELEMENT, VIOLATED, hit=hit, from_another=True)


@pytest.mark.parametrize("state", [UNKNOWN, UNMET, VIOLATED])
def test_what_was_due_and_did_not_come(state: State) -> None:
    declines, hands_over = Expected(answerable=False), Expected(escalate=True)
    assert (Fault.SHOULD_HAVE_REFUSED,) == causes(declines, state)
    assert (Fault.SHOULD_HAVE_REFUSED,) == causes(declines, state, hit=False)
    assert (Fault.SHOULD_HAVE_ESCALATED,) == causes(hands_over, state)


def test_what_must_not_be_said_is_unsupported() -> None:
    assert (Fault.UNSUPPORTED,) == causes(Expected(must_not=("It is free.",)), VIOLATED)


@pytest.mark.parametrize("state", [UNMET, VIOLATED])
def test_what_no_document_supports_is_unsupported(state: State) -> None:
    supported = claims_of(Expected(), supported=True)
    read = {claim.id: Reading(claim.id, state, WORDS) for claim in supported}
    assert (Fault.UNSUPPORTED,) == causes_of(Traces(supported, read, {}))


def test_a_follow_up_that_is_missed_lost_the_thread() -> None:
    assert (Fault.LOST_THREAD,) == causes(ELEMENT, UNMET, source=N, follows=True)
    assert (Fault.LOST_THREAD,) == causes(ELEMENT, UNMET, UNMET, source=R, follows=True)
    assert (Fault.UNUSED,) == causes(ELEMENT, UNMET, source=R, follows=True)


def test_what_nobody_read_has_no_cause() -> None:
    assert (Fault.UNDETERMINED,) == causes_of(Traces(claims_of(ELEMENT), {}, {}))


def test_harm_comes_first_and_the_simulator_last() -> None:
    two = Expected(elements=(("30 minutes",), ("free",)))
    claims = claims_of(two)
    states = dict(zip([c.id for c in claims], (UNMET, VIOLATED, MET), strict=True))
    read = {name: Reading(name, state, WORDS) for name, state in states.items()}
    traces = Traces(claims, read, dict.fromkeys(states, R), unsound=True)
    assert (Fault.UNSUPPORTED, Fault.UNUSED, Fault.SIMULATOR) == causes_of(traces)
