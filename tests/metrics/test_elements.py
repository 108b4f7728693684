"""elements: the published figures, exactly n+1 checks, one call with the rubrics, and votes."""

import json
import re
from typing import Any

import pytest

from simulator.core.errors import ModelFault
from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Completion
from simulator.llm.scripted import ScriptedAnswer, ScriptedChat, ScriptedRequest
from simulator.metrics.elements import Elements
from tests.expecting import expecting
from tests.metrics.judged import aspect, evidence, judge, rubric, says


def checks(*scores: object, beyond: object = 1, first: int = 1) -> dict[str, Any]:
    """A judgement of so many elements, and of what is beyond them."""
    return {
        "checks": [
            {"number": n, "explanation": f"why {n}", "score": score}
            for n, score in enumerate(scores, start=first)
        ],
        "nothing_else": {"explanation": "why not", "score": beyond},
    }


def turn(count: int, **more: Any) -> Any:
    names = tuple(f"element {n}" for n in range(1, count + 1))
    return evidence(expected=expecting(elements=names), **more)


async def scored(count: int, *answers: dict[str, Any], votes: int = 1) -> Outcome:
    chat = says(*answers)
    return (await judge(chat, joining=(Elements,), votes=votes).score(turn(count)))["elements"]


@pytest.mark.parametrize(
    ("case", "scores", "beyond", "value"),
    [
        ("a concept: 2 of 5 named", (1, 1, 0, 0, 0), 1, 0.5),
        ("the values: 5 of 5", (1, 1, 1, 1, 1), 1, 1.0),
        ("the roles: 3 of 3", (1, 1, 1), 1, 1.0),
        ("two values taken out of the source: 3 of 5", (1, 1, 1, 0, 0), 1, 0.667),
        ("roles that the source lacks: an honest 'not in the text'", (0, 0, 0), 1, 0.25),
    ],
)
async def test_the_published_figures_come_out_of_the_arithmetic(
    case: str, scores: tuple[int, ...], beyond: int, value: float
) -> None:
    outcome = await scored(len(scores), checks(*scores, beyond=beyond))
    assert isinstance(outcome, Score), case
    assert value == round(outcome.value, 3)
    assert outcome.raw == outcome.value


async def test_coverage_and_excess_are_told_apart() -> None:
    outcome = await scored(2, checks(1, 0.5, beyond=0.25))
    assert isinstance(outcome, Score)
    assert pytest.approx(1.75 / 3) == outcome.value
    assert {"coverage": 0.75, "excess": 0.75} == outcome.parts


@pytest.mark.parametrize(
    ("language", "last"),
    [("en", "nothing beyond these"), ("ja", "要素のほかに述べたことがない")],
)
async def test_each_element_has_its_comment(language: Language, last: str) -> None:
    metrics = judge(says(checks(1, 0.5)), joining=(Elements,), language=language)
    outcome = (await metrics.score(turn(2, language=language)))["elements"]
    assert isinstance(outcome, Score)
    assert ["1 element 1: why 1", "0.5 element 2: why 2", f"1 {last}: why not"] == (
        outcome.comment.splitlines()
    )


async def test_checks_are_told_by_their_numbers() -> None:
    answer = checks(1, 0)
    answer["checks"].reverse()
    outcome = await scored(2, answer)
    assert "1 element 1: why 1\n0 element 2: why 2" in getattr(outcome, "comment", "")


@pytest.mark.parametrize(
    "wrong",
    [
        checks(1),
        checks(1, 1, 1),
        checks(1, 1, first=0),
        checks(1, 1, first=2),
        checks(1, 1.5),
        checks(1, True),
        checks(1, float("nan")),
        checks(1, 1, beyond=None),
        {"checks": checks(1, 1)["checks"]},
        {**checks(1, 1), "checks": checks(1)["checks"] * 2},
    ],
)
async def test_any_other_number_of_checks_is_sent_back_once_and_then_a_gap(
    wrong: dict[str, Any],
) -> None:
    outcome = await scored(2, wrong, wrong)
    assert isinstance(outcome, Unscored)
    assert Gap.JUDGE_UNPARSABLE == outcome.reason
    assert getattr(await scored(2, wrong, checks(1, 1)), "value", None) == 1.0


async def test_a_repair_says_how_many_there_have_to_be() -> None:
    chat = says(checks(1), checks(1, 1))
    await judge(chat, joining=(Elements,)).score(turn(2))
    assert "one check for each of the elements 1 to 2" in chat.requests[1].last


async def test_nothing_expected_is_not_applicable_and_costs_nothing() -> None:
    chat = ScriptedChat([])
    outcomes = await judge(chat, joining=(Elements,)).score(evidence())
    assert {"elements": Unscored(Gap.NOT_APPLICABLE, "no expected elements")} == outcomes
    assert [] == chat.requests


GOOD = {"comment": "c", "conclusion": "", "good": 5}


async def test_it_is_asked_in_the_one_call_for_all_rubrics() -> None:
    chat = says({"r": GOOD, "elements": checks(1, 1, beyond=0)})
    metrics = judge(chat, rubric("r", aspect("good")), joining=(Elements,))
    assert ["good", "elements"] == [info.name for info in metrics.infos]
    outcomes = await metrics.score(turn(2))
    assert [""] == [request.call.part for request in chat.requests]
    assert (1.0, 2 / 3) == (outcomes["good"].value, outcomes["elements"].value)  # type: ignore[union-attr]
    told = chat.requests[0].last.partition("[Elements the answer should contain]\n")[2]
    assert re.match(r"<data-expected_elements-\w+>\n1. element 1\n2. element 2\n</data", told)


async def test_apart_it_has_a_call_of_its_own() -> None:
    def answer(request: ScriptedRequest) -> ScriptedAnswer:
        return json.dumps(GOOD if request.call.part == "r" else checks(1, 0))

    chat = ScriptedChat(answer)
    metrics = judge(chat, rubric("r", aspect("good")), joining=(Elements,), calls="apart")
    outcomes = await metrics.score(turn(2))
    assert ["r", "elements", "claims"] == [request.call.part for request in chat.requests]
    assert 2 / 3 == outcomes["elements"].value  # type: ignore[union-attr]


async def test_the_schema_is_the_same_however_many_elements_there_are() -> None:
    """Else each scenario would be a new schema, and nothing of the prompt cached."""
    chat = ScriptedChat(lambda request: Completion("", fault=ModelFault.EMPTY))
    metrics = judge(chat, joining=(Elements,))
    for count in (1, 2, 5):
        await metrics.score(turn(count))
    schemas = [request.form.schema for request in chat.requests if request.form]
    assert schemas[0] == schemas[1] == schemas[2]
    items = schemas[0]["properties"]["checks"]["items"]
    assert ["number", "explanation", "score"] == list(items["properties"]) == items["required"]


async def test_of_several_votes_the_middle_counts_check_by_check() -> None:
    votes = {"vote1": checks(1, 0), "vote2": checks(1, 1, beyond=0), "vote3": checks(0, 1)}
    for part, vote in votes.items():
        vote["nothing_else"]["explanation"] = part
    chat = ScriptedChat(lambda request: json.dumps(votes[request.call.part]))
    outcome = (await judge(chat, joining=(Elements,), votes=3).score(turn(2)))["elements"]
    assert isinstance(outcome, Score)
    assert 1.0 == outcome.value
    assert outcome.comment.endswith("1 nothing beyond these: vote1")


async def test_a_judge_that_fails_is_a_gap() -> None:
    chat = ScriptedChat([Completion("no", fault=ModelFault.REFUSED)])
    outcomes = await judge(chat, joining=(Elements,)).score(turn(2))
    assert {"elements": Unscored(Gap.JUDGE_REFUSED, "the model refused to answer")} == outcomes
