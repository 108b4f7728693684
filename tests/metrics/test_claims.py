"""Metrics that count what the words reader said about a turn's claims."""

from dataclasses import replace
from typing import Any

import pytest

from simulator.core.claim import Reader, Reading, State
from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.ports import Evidence
from simulator.metrics.answer_lexical import AnswerLexical
from simulator.metrics.elements_lexical import ElementsLexical
from simulator.metrics.lexical import Lexical
from simulator.metrics.refusal import Refusal
from tests.metrics.turns import comment, context, evidence, is_not_applicable, outcome, value

ELEMENTS, ANSWER = ElementsLexical.open(context()), AnswerLexical.open(context())
LEXICAL, REFUSAL = Lexical.open(context()), Refusal.open(context())
MET, UNMET, VIOLATED, UNKNOWN = State
REPLY = "Returns are free within 30 days."


def read(*states: State, reply: str = REPLY, must_not: str = "", **expected: Any) -> Evidence:
    """An English turn whose claims, in their order, words found in these states."""
    turn = evidence(reply, language="en", asked=("May I return it?",), **expected)
    if must_not:
        wanted = replace(turn.scenario.expected, must_not=(must_not,))
        turn = replace(turn, scenario=replace(turn.scenario, expected=wanted))
    readings = [
        Reading(claim.id, state, Reader.WORDS)
        for claim, state in zip(turn.claims, states, strict=True)
    ]
    return replace(turn, readings=tuple(readings))


def is_unread(found: Outcome) -> bool:
    return isinstance(found, Unscored) and found.reason is Gap.UNREAD


@pytest.mark.parametrize(
    ("states", "share"),
    [
        ((MET, MET), 1.0),
        ((MET, UNMET), 0.5),
        ((MET, UNKNOWN), 1.0),
        ((VIOLATED, UNKNOWN), 0.0),
    ],
)
async def test_of_the_elements_that_words_can_decide_the_share_that_is_met(
    states: tuple[State, ...], share: float
) -> None:
    turn = read(*states, MET, elements=["free", "30 days"])
    found = await outcome(ELEMENTS, turn)
    assert share == value(found)
    assert isinstance(found, Score)
    assert {s.value: float(states.count(s)) for s in State} == found.parts


async def test_what_words_cannot_decide_is_a_gap() -> None:
    assert is_unread(await outcome(ELEMENTS, read(UNKNOWN, MET, elements=["free"])))
    assert is_unread(await outcome(ANSWER, read(UNKNOWN, MET, answer=REPLY)))
    assert is_unread(await outcome(LEXICAL, read(UNKNOWN, MET, answer=REPLY)))
    assert is_unread(await outcome(REFUSAL, read(UNKNOWN, answerable=True)))


async def test_without_readings_nothing_is_known() -> None:
    turn = replace(read(MET, MET, elements=["free"]), readings=())
    assert is_unread(await outcome(LEXICAL, turn))


async def test_what_a_model_read_does_not_count() -> None:
    turn = read(UNMET, MET, elements=["free"])
    by_model = replace(turn.readings[0], reader=Reader.MODEL, state=State.MET)
    turn = replace(turn, readings=(*turn.readings, by_model))
    assert 0.0 == value(await outcome(ELEMENTS, turn))


@pytest.mark.parametrize(("state", "met"), [(MET, 1.0), (UNMET, 0.0), (VIOLATED, 0.0)])
async def test_an_expected_answer_is_said_or_not(state: State, met: float) -> None:
    assert met == value(await outcome(ANSWER, read(state, MET, answer=REPLY)))


async def test_an_answer_is_not_checked_where_elements_are() -> None:
    turn = read(MET, MET, answer=REPLY, elements=["free"])
    assert is_not_applicable(await outcome(ANSWER, turn))
    assert 1.0 == value(await outcome(ELEMENTS, turn))


@pytest.mark.parametrize(
    ("states", "expected", "score"),
    [
        ((MET, MET, MET), {"elements": ["free", "30 days"]}, 1.0),
        ((MET, UNMET, MET), {"elements": ["free", "30 days"]}, 0.5),
        ((MET, VIOLATED, MET), {"elements": ["free", "30 days"]}, 0.0),
        ((UNMET, MET), {"answer": REPLY}, 0.0),
        ((UNKNOWN, UNMET), {"answer": REPLY}, 0.0),
        ((MET,), {"answerable": True}, 1.0),
        ((UNMET,), {"documents": ["faq-1"]}, 0.0),
        ((MET,), {"answerable": False}, 1.0),
        ((MET, UNMET), {"answerable": False, "escalate": True}, 0.5),
        ((MET, VIOLATED, MET), {"elements": ["free"], "must_not": "No returns."}, 0.0),
    ],
)
async def test_the_lexical_score_is_the_share_of_claims_met(
    states: tuple[State, ...], expected: dict[str, Any], score: float
) -> None:
    assert score == value(await outcome(LEXICAL, read(*states, **expected)))


async def test_not_to_refuse_and_not_to_say_what_is_wrong_earn_nothing_beside_content() -> None:
    turn = read(UNKNOWN, MET, MET, elements=["free"], must_not="No returns.")
    assert is_unread(await outcome(LEXICAL, turn))


@pytest.mark.parametrize(
    ("state", "expected", "right"),
    [
        (MET, {"answerable": True}, 1.0),
        (UNMET, {"answerable": True}, 0.0),
        (UNMET, {"answerable": False}, 0.0),
        (VIOLATED, {"answerable": False}, 0.0),
        (MET, {"escalate": True}, 1.0),
    ],
)
async def test_a_refusal_is_right_where_it_is_due(
    state: State, expected: dict[str, Any], right: float
) -> None:
    assert right == value(await outcome(REFUSAL, read(state, **expected)))


@pytest.mark.parametrize(
    ("reply", "logged", "right"),
    [
        ("Sorry, I don't know.", True, 0.0),
        (REPLY, True, 1.0),
        ("Sorry, I don't know.", False, None),
    ],
)
async def test_in_a_log_that_expects_nothing_a_refusal_shows_by_itself(
    reply: str, logged: bool, right: float | None
) -> None:
    found = await outcome(REFUSAL, replace(read(reply=reply), logged=logged))
    assert right == (found.value if isinstance(found, Score) else None)


@pytest.mark.parametrize(
    ("reply", "parts"),
    [
        ("Sorry, I don't know.", {"refused": 1.0, "handed_over": 0.0}),
        ("I will put you through to a colleague.", {"refused": 0.0, "handed_over": 1.0}),
        (REPLY, {"refused": 0.0, "handed_over": 0.0}),
    ],
)
async def test_its_parts_say_what_the_reply_does(reply: str, parts: dict[str, float]) -> None:
    found = await outcome(REFUSAL, read(MET, reply=reply, escalate=True))
    assert isinstance(found, Score)
    assert parts == found.parts
    found = await outcome(REFUSAL, read(MET, reply=reply, answerable=True))
    assert isinstance(found, Score)
    assert {"refused": parts["refused"]} == found.parts


async def test_comments_say_what_is_missing_contradicted_and_not_decided() -> None:
    turn = read(UNMET, VIOLATED, UNKNOWN, MET, elements=["free", "30 days", "unused"])
    expected = "not said: free; contradicted: 30 days; not decided: unused"
    assert expected == comment(await outcome(ELEMENTS, turn))
    assert expected == comment(await outcome(LEXICAL, turn))
    (missing, wrong, *others) = turn.readings
    wrong = replace(wrong, quote="within 14 days", against="30 days")
    turn = replace(turn, readings=(missing, wrong, *others))
    assert "expected “30 days”; the bot said “within 14 days”" in comment(
        await outcome(ELEMENTS, turn)
    )


@pytest.mark.parametrize(
    ("states", "expected", "told"),
    [
        ((MET, MET), {"answer": REPLY}, ""),
        ((UNMET, MET), {"answer": REPLY}, "not said: the expected answer"),
        ((VIOLATED, MET), {"answer": REPLY}, "contradicts the expected answer"),
        ((UNKNOWN, UNMET), {"answer": REPLY}, "declined an answerable question"),
        (
            (MET, VIOLATED, MET),
            {"elements": ["free"], "must_not": "No returns."},
            "says what it must not say: No returns.",
        ),
        ((UNMET,), {"escalate": True}, "should have handed over to a person"),
    ],
)
async def test_comments_of_the_lexical_score(
    states: tuple[State, ...], expected: dict[str, Any], told: str
) -> None:
    assert told == comment(await outcome(LEXICAL, read(*states, **expected)))


@pytest.mark.parametrize("metric", [ELEMENTS, ANSWER, LEXICAL, REFUSAL])
async def test_where_nothing_is_expected_they_are_not_applicable(metric: Any) -> None:
    assert is_not_applicable(await outcome(metric, read()))


@pytest.mark.parametrize("metric", [ELEMENTS, LEXICAL, REFUSAL])
async def test_a_reply_that_only_asks_back_is_no_answer_yet(metric: Any) -> None:
    turn = read(UNMET, UNMET, reply="Which order is it?", elements=["free"])
    assert is_not_applicable(await outcome(metric, turn))


@pytest.mark.parametrize("metric", [ELEMENTS, LEXICAL, REFUSAL])
async def test_nor_is_one_that_takes_leave(metric: Any) -> None:
    turn = evidence(
        REPLY, "You're welcome!", language="en", asked=("May I?", "Thanks."), elements=["free"]
    )
    assert is_not_applicable(await outcome(metric, turn))
