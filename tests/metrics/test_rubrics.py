"""rubrics: calls, votes, scores, and every gap with its reason."""

import json
from dataclasses import replace

import pytest

from simulator.core.errors import (
    HaltReason,
    InputError,
    ModelError,
    ModelFault,
    RunStopped,
    TargetFault,
)
from simulator.core.outcome import Gap, MetricInfo, Outcomes, Score, Unscored
from simulator.core.ports import CallId, Completion, Role
from simulator.core.talk import TargetFailure
from simulator.llm.scripted import ScriptedAnswer, ScriptedChat, ScriptedRequest
from tests.expecting import expecting
from tests.metrics.judged import (
    ASPECTS,
    always,
    aspect,
    evidence,
    exchange,
    judge,
    rating,
    rubric,
    says,
)


async def test_a_rating_becomes_a_share_of_the_highest_with_its_comment() -> None:
    chat = says(rating(overall=3, correctness=1))
    outcomes = await judge(chat).score(evidence())
    assert Score(0.6, 3.0, "It answers.\nGood.") == outcomes["overall"]
    assert Score(0.2, 1.0, "It answers.\nGood.") == outcomes["correctness"]
    assert set(ASPECTS) == outcomes.keys()
    assert [CallId("login/calm/1", 1, Role.JUDGE)] == [r.call for r in chat.requests]


async def test_a_judge_is_told_of_comments_before_ratings() -> None:
    chat = always(rating())
    await judge(chat).score(evidence())
    form = chat.requests[0].form
    assert form is not None
    names = ["comment", "conclusion", *ASPECTS, "claims", "user_in_role"]
    assert names == list(form.schema["properties"])
    assert [1, 2, 3, 4, 5] == form.schema["properties"]["overall"]["enum"]


def test_infos_say_scale_and_needs() -> None:
    metrics = judge(
        None,
        rubric("first", aspect("good")),
        rubric("second", aspect("same", 0, 10), sees=("answer", "expected_answer")),
    )
    question = "How is its {}?"
    assert [
        MetricInfo("good", "Good", 0.2, 1.0, ("judge",), True, question.format("good")),
        MetricInfo("same", "Same", 0.0, 1.0, ("judge", "answer"), True, question.format("same")),
    ] == [replace(info, asked=()) for info in metrics.infos]


def test_infos_hold_the_wording_that_a_judge_may_only_say_back() -> None:
    of = rubric("first", replace(aspect("good"), anchors={1: "Of no use", 5: "All is there"}))
    (info,) = judge(None, of).infos
    assert (of.instruction, "Of no use", "All is there") == info.asked


def test_two_aspects_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="rubrics a and b both have an aspect 'overall'"):
        judge(None, rubric("a", aspect("overall")), rubric("b", aspect("overall")))


def test_the_judges_own_words_are_no_names_for_aspects() -> None:
    with pytest.raises(InputError, match="an aspect can't be called 'comment'"):
        judge(None, rubric("a", aspect("comment")))


async def test_names_that_mean_something_to_pydantic_are_names_like_any_other() -> None:
    names = ("model_dump", "json", "schema", "copy")
    chat = always({"comment": "c", "conclusion": "", **dict.fromkeys(names, 5)})
    outcomes = await judge(chat, rubric("r", *map(aspect, names))).score(evidence())
    assert dict.fromkeys(names, Score(1.0, 5.0, "c")) == outcomes


async def test_without_a_model_there_is_nothing_to_score_with() -> None:
    with pytest.raises(InputError, match="need a judge"):
        await judge(None).score(evidence())


TWO = (rubric("form", aspect("fluent")), rubric("fact", aspect("true"), sees=("documents",)))


async def test_together_one_call_answers_all_rubrics() -> None:
    said = {"comment": "c", "conclusion": "d"}
    chat = says({"form": {**said, "fluent": 5}, "fact": {**said, "true": 1}})
    outcomes = await judge(chat, *TWO).score(evidence())
    assert {"fluent": Score(1.0, 5.0, "c\nd"), "true": Score(0.2, 1.0, "c\nd")} == outcomes
    assert 1 == len(chat.requests)


def one_by_part(request: ScriptedRequest) -> ScriptedAnswer:
    name = {"form": "fluent", "fact": "true"}[request.call.part.split("/")[0]]
    return json.dumps({"comment": name, "conclusion": "", name: 2})


async def test_apart_each_rubric_has_its_call_and_sees_its_own_blocks_only() -> None:
    chat = ScriptedChat(one_by_part)
    outcomes = await judge(chat, *TWO, calls="apart", votes=2).score(evidence())
    assert {"fluent": Score(0.4, 2.0, "fluent"), "true": Score(0.4, 2.0, "true")} == outcomes
    parts = ["form/vote1", "form/vote2", "fact/vote1", "fact/vote2"]
    assert parts == [r.call.part for r in chat.requests]
    assert ["[Answer" in r.last for r in chat.requests] == [True, True, False, False]


async def test_a_failure_of_one_call_leaves_the_other_rubrics_scored() -> None:
    def answer(request: ScriptedRequest) -> ScriptedAnswer:
        refused = Completion("no", fault=ModelFault.REFUSED)
        return refused if request.call.part == "form" else one_by_part(request)

    outcomes = await judge(ScriptedChat(answer), *TWO, calls="apart").score(evidence())
    assert Unscored(Gap.JUDGE_REFUSED, "the model refused to answer") == outcomes["fluent"]
    assert Score(0.4, 2.0, "true") == outcomes["true"]


def voting(*overalls: int | ModelFault) -> ScriptedChat:
    def answer(request: ScriptedRequest) -> ScriptedAnswer:
        vote = overalls[int(request.call.part.removeprefix("vote")) - 1]
        if isinstance(vote, ModelFault):
            return Completion("", fault=vote)
        return json.dumps(rating(overall=vote, comment=f"vote {vote}"))

    return ScriptedChat(answer)


def _overall(outcomes: Outcomes) -> Score:
    """What the votes came to, without what they differ by."""
    score = outcomes["overall"]
    assert isinstance(score, Score)
    return replace(score, parts={})


@pytest.mark.parametrize(
    ("votes", "median"),
    [((1, 5, 4), 4), ((5, 2, 1), 2), ((2, 4), 2), ((1, 3, 5, 4), 3), ((3, 3, 1, 1, 3), 3)],
)
async def test_the_median_of_the_votes_counts_the_lower_of_two(
    votes: tuple[int, ...], median: int
) -> None:
    outcomes = await judge(voting(*votes), votes=len(votes)).score(evidence())
    assert Score(median / 5, float(median), f"vote {median}\nGood.") == _overall(outcomes)


async def test_votes_that_differ_leave_their_ends() -> None:
    outcomes = await judge(voting(2, 5, 4), votes=3).score(evidence())
    score = outcomes["overall"]
    assert isinstance(score, Score)
    assert {"lowest": 0.4, "highest": 1.0} == score.parts


async def test_votes_that_agree_leave_nothing() -> None:
    outcomes = await judge(voting(4, 4, 4), votes=3).score(evidence())
    score = outcomes["overall"]
    assert isinstance(score, Score)
    assert {} == score.parts


async def test_votes_are_calls_of_their_own() -> None:
    chat = voting(1, 2, 3)
    await judge(chat, votes=3).score(evidence())
    assert ["vote1", "vote2", "vote3"] == sorted(r.call.part for r in chat.requests)


async def test_most_votes_suffice() -> None:
    chat = voting(2, ModelFault.REFUSED, 4)
    outcomes = await judge(chat, votes=3).score(evidence())
    assert Score(0.4, 2.0, "vote 2\nGood.") == _overall(outcomes)


@pytest.mark.parametrize(
    "votes", [(5, ModelFault.TRUNCATED), (5, ModelFault.TRUNCATED, ModelFault.EMPTY)]
)
async def test_half_of_the_votes_are_not_enough(votes: tuple[int | ModelFault, ...]) -> None:
    outcomes = await judge(voting(*votes), votes=len(votes)).score(evidence())
    gap = Unscored(Gap.JUDGE_TRUNCATED, "the answer was cut off at the token limit")
    assert dict.fromkeys(ASPECTS, gap) == outcomes


@pytest.mark.parametrize(
    ("answers", "gap"),
    [
        ([Completion("no", fault=ModelFault.REFUSED)], Gap.JUDGE_REFUSED),
        ([Completion("", fault=ModelFault.FILTERED)], Gap.JUDGE_REFUSED),
        ([Completion('{"comment": "', fault=ModelFault.TRUNCATED)], Gap.JUDGE_TRUNCATED),
        ([""], Gap.JUDGE_UNPARSABLE),
        (["four", "still four"], Gap.JUDGE_UNPARSABLE),
        ([ModelError(ModelFault.REJECTED, "too long", of_prompt=True)], Gap.JUDGE_ERROR),
    ],
)
async def test_a_judge_that_fails_leaves_a_gap_with_its_reason(
    answers: list[ScriptedAnswer], gap: Gap
) -> None:
    outcomes = await judge(ScriptedChat(answers)).score(evidence())
    assert dict.fromkeys(ASPECTS, gap) == {
        name: o.reason for name, o in outcomes.items() if isinstance(o, Unscored)
    }


@pytest.mark.parametrize(
    "error",
    [
        ModelError(ModelFault.UNAVAILABLE, "down"),
        ModelError(ModelFault.REJECTED, "no such moon"),
        RunStopped(HaltReason.BUDGET, "spent"),
    ],
)
async def test_infrastructure_and_a_stopped_run_are_no_gaps(error: Exception) -> None:
    with pytest.raises(type(error)):
        await judge(ScriptedChat([error])).score(evidence())


async def test_votes_in_flight_are_let_finish_before_an_error_is_raised() -> None:
    chat = ScriptedChat([ModelError(ModelFault.UNAVAILABLE, "down"), "?", "?", "?", "?"])
    with pytest.raises(ModelError, match="down"):
        await judge(chat, votes=3).score(evidence())
    assert 5 == len(chat.requests)


async def test_a_failed_target_is_not_shown_to_the_judge() -> None:
    failed = exchange(1, "Hi", TargetFailure(TargetFault.TIMEOUT, "60 s"))
    chat = ScriptedChat([])
    outcomes = await judge(chat).score(evidence(failed))
    assert dict.fromkeys(ASPECTS, Unscored(Gap.TARGET_FAILED)) == outcomes
    assert [] == chat.requests


@pytest.mark.parametrize("block", ["expected_answer", "expected_elements"])
async def test_nothing_to_compare_with_is_not_applicable_and_costs_nothing(block: str) -> None:
    chat = ScriptedChat([])
    outcomes = await judge(chat, rubric("r", aspect("same"), sees=(block,))).score(evidence())
    why = f"no {block.replace('_', ' ')}"
    assert {"same": Unscored(Gap.NOT_APPLICABLE, why)} == outcomes
    assert [] == chat.requests


async def test_a_rubric_without_its_comparison_is_left_out_and_does_not_stop_the_others() -> None:
    said = {"comment": "c", "conclusion": ""}
    rubrics = rubric("a", aspect("good")), rubric("b", aspect("same"), sees=("expected_answer",))
    chat = says({**said, "good": 5}, {"a": {**said, "good": 5}, "b": {**said, "same": 5}})
    metrics = judge(chat, *rubrics)
    without = await metrics.score(evidence())
    gap = Unscored(Gap.NOT_APPLICABLE, "no expected answer")
    assert {"good": Score(1.0, 5.0, "c"), "same": gap} == without
    given = await metrics.score(evidence(expected=expecting(answer="Like this.")))
    assert Score(1.0, 5.0, "c") == given["same"]
    assert ["How is its same?" in r.messages[0].content for r in chat.requests] == [False, True]
