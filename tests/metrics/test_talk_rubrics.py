"""rubrics about whole conversations: asked once, at the end, all of them in one call."""

import json

import pytest

from simulator.core.errors import TargetFault
from simulator.core.health import Rubric
from simulator.core.outcome import Gap, Score, Unscored
from simulator.core.ports import CallId, Role
from simulator.core.talk import Stop, StopReason, TargetFailure
from simulator.files.prompts import fenced
from simulator.llm.scripted import ScriptedAnswer, ScriptedChat, ScriptedRequest
from tests.metrics.judged import aspect, evidence, exchange, judge, rubric, says, shipped_rubric

DONE = Stop(StopReason.DONE)
WORDS = {"comment": "c", "conclusion": "d"}
REACHED = {**WORDS, "goal_reached": "partly"}
SATISFIED = {**WORDS, "satisfaction": 2}


def whole() -> tuple[Rubric, Rubric]:
    return shipped_rubric("en", "goal_reached"), shipped_rubric("en", "satisfaction")


async def test_all_are_asked_in_one_call_about_the_whole_talk() -> None:
    chat = says({"goal_reached": REACHED, "satisfaction": SATISFIED})
    metrics = judge(chat, *whole())
    outcomes = await metrics.score_talk(evidence(exchange(1, "q1", "a1"), exchange(2)), DONE)
    assert {
        "goal_reached": Score(0.5, 0.5, "c\nd\ngoal_reached: partly"),
        "satisfaction": Score(0.4, 2.0, "c\nd"),
    } == outcomes
    [request] = chat.requests
    assert CallId("login/calm/1", 2, Role.JUDGE, "talk") == request.call
    fence = request.fence
    said = [("User", "user", 1, "q1"), ("Bot", "assistant", 1, "a1"), ("User", "user", 2, "How?")]
    told = [f"{a} (turn {n}):\n{fenced(f'{b}-{n}', text, fence)}\n" for a, b, n, text in said]
    assert "".join(told) in request.last
    assert [("goal_reached", "talk"), ("satisfaction", "talk")] == [
        (info.name, info.scope) for info in metrics.infos
    ]


async def test_apart_and_with_votes_each_is_a_call_with_a_part_of_its_own() -> None:
    def answer(request: ScriptedRequest) -> ScriptedAnswer:
        return json.dumps(REACHED if "goal_reached" in request.call.part else SATISFIED)

    chat = ScriptedChat(answer)
    await judge(chat, *whole(), calls="apart", votes=2).score_talk(evidence(), DONE)
    assert [
        f"talk/{name}/vote{n}" for name in ("goal_reached", "satisfaction") for n in (1, 2)
    ] == [request.call.part for request in chat.requests]


async def test_turns_are_scored_without_them_and_they_without_turns() -> None:
    goal, _ = whole()
    chat = says({**WORDS, "good": 5}, REACHED)
    metrics = judge(chat, rubric("r", aspect("good")), goal)
    assert {"good"} == (await metrics.score(evidence())).keys()
    assert {"goal_reached"} == (await metrics.score_talk(evidence(), DONE)).keys()
    assert ["", "talk"] == [request.call.part for request in chat.requests]


async def test_a_run_without_them_asks_nothing_at_the_end() -> None:
    assert {} == await judge(ScriptedChat([])).score_talk(evidence(), DONE)


async def test_a_bot_that_failed_leaves_no_whole_talk() -> None:
    failed = exchange(2, "Hi", TargetFailure(TargetFault.TIMEOUT, "60 s"))
    stop = Stop(StopReason.TARGET_FAILED)
    outcomes = await judge(ScriptedChat([]), *whole()).score_talk(
        evidence(exchange(1), failed), stop
    )
    assert dict.fromkeys(("goal_reached", "satisfaction"), Unscored(Gap.TARGET_FAILED)) == outcomes


@pytest.mark.parametrize("reason", [StopReason.USER_FAILED, StopReason.USER_INVALID])
async def test_a_user_that_broke_off_says_nothing_of_the_bot(reason: StopReason) -> None:
    outcomes = await judge(ScriptedChat([]), *whole()).score_talk(evidence(), Stop(reason))
    gap = Unscored(Gap.SIMULATOR_INVALID)
    assert dict.fromkeys(("goal_reached", "satisfaction"), gap) == outcomes


async def test_what_a_scenario_does_not_give_is_not_compared_with() -> None:
    asked = rubric("r", aspect("same"), sees=("talk", "expected_answer"), scope="talk")
    outcomes = await judge(ScriptedChat([]), asked).score_talk(evidence(), DONE)
    assert {"same": Unscored(Gap.NOT_APPLICABLE, "no expected answer")} == outcomes
