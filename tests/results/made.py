"""Small made-up conversations with readings, for the tests of results and of reports."""

from dataclasses import replace
from typing import Any

from simulator.core.claim import Claim, ClaimKind, Reader, Reading, State, claims_of
from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.plan import Cell
from simulator.core.run import Episode, Turn
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Exchange, Reply, Stop, StopReason
from simulator.results.verdict import Rules

MET, UNMET, VIOLATED, UNKNOWN = State.MET, State.UNMET, State.VIOLATED, State.UNKNOWN
WORDS, MODEL, PERSON = Reader.WORDS, Reader.MODEL, Reader.PERSON
OVERALL = MetricInfo("overall", "Overall", low=0.2, high=1.0, needs=("judge",), rated=True)
ELEMENT = Expected(elements=(("30 minutes",),))


def claim_of(expected: Expected, kind: ClaimKind = ClaimKind.SAYS) -> Claim:
    """The first claim of a kind that a scenario makes."""
    return next(claim for claim in claims_of(expected, supported=True) if claim.kind is kind)


def readings(expected: Expected, *states: State, reader: Reader = WORDS) -> tuple[Reading, ...]:
    """A reading of each of the first claims; the others are met."""
    claims = claims_of(expected)
    filled = (*states, *[MET] * (len(claims) - len(states)))
    return tuple(Reading(c.id, s, reader) for c, s in zip(claims, filled, strict=True))


def answer(
    *said: Reading, number: int = 1, outcomes: Outcomes | None = None, **changes: Any
) -> Turn:
    """A turn with these readings."""
    made = Turn(Exchange(number, "How long?", Reply("30 minutes.")), outcomes or {}, readings=said)
    return replace(made, **changes)


def talk(expected: Expected, *turns: Turn, **changes: Any) -> Episode:
    """A conversation of these turns, numbered from 1."""
    numbered = tuple(
        replace(turn, exchange=replace(turn.exchange, turn=n)) for n, turn in enumerate(turns, 1)
    )
    scenario = Scenario("lock", "How long?", expected=expected)
    stop = Stop(StopReason.DONE)
    return replace(Episode(Cell("lock", "calm"), numbered, stop, scenario=scenario), **changes)


def rules(*fail_on: str, **limits: float) -> Rules:
    """The rules of a run with a judged metric."""
    return Rules.of([OVERALL], limits or {"overall": 0.7}, fail_on)
