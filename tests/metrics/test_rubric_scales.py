"""rubrics: each kind of scale from the judge's JSON to a score; what turns it round or voids it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from simulator.core.health import YES_NO, Aspect, Labels, Ratings, Rubric, Scale, Share
from simulator.core.outcome import Gap, MetricInfo, Outcome, Score, Unscored
from simulator.core.scenario import Expected
from simulator.core.talk import Document, Exchange, Reply
from simulator.llm.scripted import ScriptedChat, ScriptedRequest
from tests.expecting import expecting
from tests.metrics.judged import aspect, evidence, exchange, judge, rubric, says, shipped_rubric

STATE = Labels({"Solved": 1.0, "partly": 0.5, "open": 0.0})


def of(scale: Scale, **more: Any) -> Rubric:
    return rubric("r", Aspect("it", "It", "Is it?", scale, **more))


def said(it: object, **more: object) -> dict[str, Any]:
    return {"comment": "c", "conclusion": "d", **more, "it": it}


async def scored(asked: Rubric, *answers: Mapping[str, Any], **given: Any) -> Outcome:
    return (await judge(says(*answers), asked).score(evidence(**given)))["it"]


@pytest.mark.parametrize(
    ("asked", "answer", "value", "raw", "label"),
    [
        (of(Share()), 0.25, 0.25, 0.25, ""),
        (of(Share()), 1, 1.0, 1.0, ""),
        (of(Share()), "0.5", 0.5, 0.5, ""),
        (of(Share(), low_is_good=True), 0.25, 0.75, 0.25, ""),
        (of(YES_NO), "yes", 1.0, 1.0, "yes"),
        (of(YES_NO), "No", 0.0, 0.0, "no"),
        (of(YES_NO), True, 1.0, 1.0, "yes"),
        (of(YES_NO), False, 0.0, 0.0, "no"),
        (of(YES_NO, low_is_good=True), "yes", 0.0, 1.0, "yes"),
        (of(STATE), "partly", 0.5, 0.5, "partly"),
        (of(STATE), " solved ", 1.0, 1.0, "Solved"),
        (of(Ratings(1, 5), low_is_good=True), 1, 1.0, 1.0, ""),
        (of(Ratings(1, 5), low_is_good=True), 5, 0.2, 5.0, ""),
        (of(Ratings(0, 10)), 7, 0.7, 7.0, ""),
    ],
)
async def test_what_is_said_becomes_a_value_and_stays_as_raw(
    asked: Rubric, answer: object, value: float, raw: float, label: str
) -> None:
    told = f"c\nd\nit: {label}" if label else "c\nd"
    assert Score(value, raw, told) == await scored(asked, said(answer))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (of(Share()), 1.1),
        (of(Share()), -0.1),
        (of(Share()), True),
        (of(Share()), None),
        (of(YES_NO), "maybe"),
        (of(YES_NO), 1),
        (of(STATE), "done"),
        (of(STATE), True),
        (of(STATE), 0.5),
    ],
)
async def test_what_is_off_the_scale_is_a_gap_and_never_a_number(
    asked: Rubric, answer: object
) -> None:
    outcome = await scored(asked, said(answer), said(answer))
    assert isinstance(outcome, Unscored)
    assert Gap.JUDGE_UNPARSABLE == outcome.reason


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        (of(Share()), {"type": "number"}),
        (of(YES_NO), {"type": "string", "enum": ["yes", "no"]}),
        (of(STATE), {"type": "string", "enum": ["Solved", "partly", "open"]}),
    ],
)
async def test_the_schema_names_the_answers(asked: Rubric, form: dict[str, Any]) -> None:
    chat = says(said("yes"), said("yes"))
    await judge(chat, asked).score(evidence())
    assert chat.requests[0].form is not None
    assert form == chat.requests[0].form.schema["properties"]["it"]


@pytest.mark.parametrize(
    ("asked", "low", "high", "rated"),
    [
        (of(Share()), 0.0, 1.0, False),
        (of(Share(), low_is_good=True), 0.0, 1.0, True),
        (of(YES_NO), 0.0, 1.0, False),
        (of(Labels({"good": 0.9, "bad": 0.1})), 0.1, 0.9, False),
        (of(Ratings(1, 5), low_is_good=True), 0.2, 1.0, True),
    ],
)
def test_an_info_tells_the_ends_of_the_values(
    asked: Rubric, low: float, high: float, rated: bool
) -> None:
    (info,) = judge(None, asked).infos
    assert MetricInfo("it", "It", low, high, ("judge",), rated, "Is it?") == replace(info, asked=())


@pytest.mark.parametrize(
    ("asked", "votes", "value"),
    [
        (of(Share()), (0.1, 0.9, 0.4), 0.4),
        (of(Share()), (0.1, 0.9), 0.1),
        (of(Ratings(1, 5), low_is_good=True), (2, 4), 0.4),  # the lower value, not the lower rating
        (of(YES_NO, low_is_good=True), ("yes", "no"), 0.0),
        (of(STATE), ("solved", "open", "partly"), 0.5),
    ],
)
async def test_the_value_in_the_middle_counts_the_lower_of_two(
    asked: Rubric, votes: tuple[object, ...], value: float
) -> None:
    chat = ScriptedChat(lambda r: json.dumps(said(votes[int(r.call.part[-1]) - 1])))
    outcomes = await judge(chat, asked, votes=len(votes)).score(evidence())
    assert value == getattr(outcomes["it"], "value", None)


async def test_the_label_that_counts_stands_below_the_comment_nearest_to_it() -> None:
    votes = {"vote1": ("open", 1), "vote2": ("partly", 5), "vote3": ("Solved", 5)}

    def answer(request: ScriptedRequest) -> str:
        state, rating = votes[request.call.part]
        return json.dumps(
            {"comment": request.call.part, "conclusion": "", "it": state, "n": rating}
        )

    asked = rubric("r", Aspect("it", "It", "?", STATE), aspect("n"))
    outcomes = await judge(ScriptedChat(answer), asked, votes=3).score(evidence())
    ends = {"lowest": 0.0, "highest": 1.0}
    assert Score(0.5, 0.5, "vote2\nit: partly", ends) == outcomes["it"]
    assert Score(1.0, 5.0, "vote2\nit: partly", {"lowest": 0.2, "highest": 1.0}) == outcomes["n"]


MAY_NOT = rubric("r", Aspect("it", "It", "?", Ratings(1, 5)), may_not_apply="It only greets.")


@pytest.mark.parametrize("it", [1, None, 7, "none"])
async def test_a_judge_may_say_that_a_rubric_does_not_apply(it: object) -> None:
    outcome = await scored(MAY_NOT, said(it, not_applicable=True))
    assert Unscored(Gap.NOT_APPLICABLE, "c\nd") == outcome


async def test_where_it_applies_a_rating_is_wanted_and_the_judge_has_to_say_so() -> None:
    assert Score(0.6, 3.0, "c\nd") == await scored(MAY_NOT, said(3, not_applicable=False))
    for wrong in (said(None, not_applicable=False), said(3)):
        outcome = await scored(MAY_NOT, wrong, wrong)
        assert Gap.JUDGE_UNPARSABLE == getattr(outcome, "reason", None)


async def test_a_rubric_that_always_applies_cannot_be_waved_away() -> None:
    outcome = await scored(of(Ratings(1, 5)), said(2, not_applicable=True))
    assert Score(0.4, 2.0, "c\nd") == outcome


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        ((None, None, 5), Unscored(Gap.NOT_APPLICABLE, "c1\nd")),
        ((None, 5, 2), Score(0.4, 2.0, "c3\nd", {"lowest": 0.4, "highest": 1.0})),
        ((None, 5), Score(1.0, 5.0, "c2\nd")),
    ],
)
async def test_more_than_half_of_the_votes_have_to_say_so(
    votes: tuple[int | None, ...], outcome: Outcome
) -> None:
    def answer(request: ScriptedRequest) -> str:
        vote = int(request.call.part[-1])
        it = votes[vote - 1]
        return json.dumps({**said(it, not_applicable=it is None), "comment": f"c{vote}"})

    outcomes = await judge(ScriptedChat(answer), MAY_NOT, votes=len(votes)).score(evidence())
    assert outcome == outcomes["it"]


async def test_a_rubric_that_needs_documents_is_not_asked_of_a_bot_that_reports_none() -> None:
    asked = shipped_rubric("en", "gpt_groundedness")
    chat = ScriptedChat([])
    outcomes = await judge(chat, asked).score(evidence())
    gap = Unscored(Gap.NOT_APPLICABLE, "the target has reported no documents so far")
    assert {"gpt_groundedness": gap} == outcomes
    assert [] == chat.requests


async def test_of_a_bot_that_looked_and_found_none_it_is_asked() -> None:
    judgement = {"comment": "c", "conclusion": "d", "not_applicable": False, "gpt_groundedness": 1}
    found_none = Exchange(1, "q", Reply("a", reports_documents=True))
    chat = says(judgement)
    outcomes = await judge(chat, shipped_rubric("en", "gpt_groundedness")).score(
        evidence(found_none)
    )
    assert Score(0.2, 1.0, "c\nd") == outcomes["gpt_groundedness"]
    assert "[Documents the bot retrieved]\n(none)" in chat.requests[0].last


HANDLING = "refusal_and_escalation"
_GAP = Unscored(Gap.NOT_APPLICABLE, "the scenario doesn't say what's correct")


@pytest.mark.parametrize(
    ("expected", "refuses", "hands_over", "refusal", "escalation"),
    [
        (expecting(answerable=False), "yes", "no", 1.0, None),
        (expecting(answerable=False), "no", "yes", 0.0, None),
        (expecting(answerable=True), "yes", "yes", 0.0, 0.0),
        (expecting(answer="So."), "no", "no", 1.0, 1.0),
        (expecting(escalate=True), "no", "yes", None, 1.0),
        (expecting(answerable=False, escalate=True), "yes", "no", 1.0, 0.0),
    ],
)
async def test_a_refusal_and_an_escalation_are_right_or_wrong_by_the_scenario(
    expected: Expected,
    refuses: str,
    hands_over: str,
    refusal: float | None,
    escalation: float | None,
) -> None:
    answer = {"comment": "c", "conclusion": "d"}
    answers = {"refusal_judged": refuses, "escalation_judged": hands_over}
    chat = says({**answer, **answers})
    outcomes = await judge(chat, shipped_rubric("en", HANDLING)).score(evidence(expected=expected))
    for name, value in (("refusal_judged", refusal), ("escalation_judged", escalation)):
        outcome = outcomes[name]
        if value is None:
            assert _GAP == outcome
        else:
            assert isinstance(outcome, Score)
            assert (value, float(answers[name] == "yes")) == (outcome.value, outcome.raw)
            assert f"{name}: {answers[name]}" in outcome.comment
    assert "So." not in chat.requests[0].last.partition("[Answer under evaluation]")[0]


async def test_where_the_scenario_says_nothing_they_are_not_asked() -> None:
    outcomes = await judge(ScriptedChat([]), shipped_rubric("en", HANDLING)).score(evidence())
    assert {"refusal_judged": _GAP, "escalation_judged": _GAP} == outcomes


def test_infos_say_what_they_need() -> None:
    names = ("gpt_similarity", "gpt_relevance", HANDLING)
    infos = judge(None, *(shipped_rubric("en", name) for name in names)).infos
    assert {
        "gpt_similarity": ("judge", "answer"),
        "gpt_relevance": ("judge", "context"),
        "refusal_judged": ("judge", "answerable"),
        "escalation_judged": ("judge", "answerable"),
    } == {info.name: info.needs for info in infos}


async def test_documents_that_a_rubric_may_not_see_are_not_shown_to_it() -> None:
    turn = evidence(exchange(1, "q", "a", Document("secret")), expected=expecting(answer="right"))
    similarity = {"comment": "c", "conclusion": "", "gpt_similarity": 5}
    chat = says(similarity, {"claims": []})
    await judge(chat, shipped_rubric("en", "gpt_similarity"), calls="apart").score(turn)
    assert "secret" not in chat.requests[0].last
    assert "right" in chat.requests[0].last
