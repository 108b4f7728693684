"""Metrics of a whole conversation that are computed: turns to the goal, repeated questions."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from simulator.core.errors import TargetFault
from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence, TalkMetric
from simulator.core.talk import Stop, StopReason, TargetFailure
from simulator.metrics.repeated_questions import RepeatedQuestions
from simulator.metrics.turns_to_goal import TurnsToGoal
from tests.metrics.turns import context, evidence, is_not_applicable

GOAL = TurnsToGoal.open(context())
REPEATS = RepeatedQuestions.open(context())
DONE = Stop(StopReason.DONE)
LIMIT = Stop(StopReason.MAX_TURNS)


async def whole(metric: TalkMetric, talk: Evidence, stop: Stop = LIMIT) -> Outcome:
    (info,) = metric.infos
    assert "talk" == info.scope
    outcomes = await metric.score_talk(talk, stop)
    assert {info.name} == outcomes.keys()
    return outcomes[info.name]


def saying(talk: Evidence, turns: Sequence[str]) -> Evidence:
    """The talk with these words of the user."""
    said = zip(talk.talk.exchanges, turns, strict=True)
    exchanges = tuple(replace(exchange, user=text) for exchange, text in said)
    return replace(talk, talk=replace(talk.talk, exchanges=exchanges))


@pytest.mark.parametrize(
    ("replies", "turn"),
    [
        (["送料は500円、30日以内に返品できます。", "はい。"], 1),
        (["送料は500円です。", "30日以内に返品できます。"], 2),
        (["はい。", "送料は500円です。", "30日以内に返品できます。"], 3),
    ],
)
async def test_the_goal_is_reached_when_all_elements_have_been_said(
    replies: list[str], turn: int
) -> None:
    talk = evidence(*replies, elements=["送料は500円", "30日以内"])
    for stop in (DONE, LIMIT):
        found = await whole(GOAL, talk, stop)
        assert Score(1 / turn, float(turn), "", {"reached": 1.0}) == found


@pytest.mark.parametrize(
    ("language", "told"),
    [("ja", "2 往復で、知りたいことが分からなかった"), ("en", "not reached in 2 turns")],
)
async def test_a_goal_that_is_never_reached_scores_nothing(language: Language, told: str) -> None:
    talk = evidence("500", "", language=language, elements=["500", "30 days"])
    for stop in (DONE, LIMIT, Stop(StopReason.GAVE_UP)):
        assert Score(0.0, 3.0, told, {"reached": 0.0}) == await whole(GOAL, talk, stop)


async def test_without_elements_the_user_says_when_it_is_reached() -> None:
    talk = saying(evidence("はい。", "はい。"), ["返品したい", "送料は"])
    assert Score(0.5, 2.0, "", {"reached": 1.0}) == await whole(GOAL, talk, DONE)
    found = await whole(GOAL, talk, LIMIT)
    assert isinstance(found, Score)
    assert (0.0, 3.0) == (found.value, found.raw)


async def test_closing_thanks_are_no_further_turn() -> None:
    talk = saying(
        evidence("はい。", "はい。", "いえ。"), ["返品したい", "送料は", "ありがとうございました。"]
    )
    assert Score(0.5, 2.0, "", {"reached": 1.0}) == await whole(GOAL, talk, DONE)
    talk = saying(evidence("はい。"), ["こんにちは"])
    assert Score(1.0, 1.0, "", {"reached": 1.0}) == await whole(GOAL, talk, DONE)


@pytest.mark.parametrize("stop", [DONE, LIMIT, Stop(StopReason.TARGET_FAILED)])
async def test_the_end_of_a_script_tells_of_no_goal(stop: Stop) -> None:
    talk = replace(evidence("はい。", "はい。"), scripted=True)
    assert is_not_applicable(await whole(GOAL, talk, stop))
    talk = replace(evidence("はい。", "30日以内です。", elements=["30日以内"]), scripted=True)
    assert Score(0.5, 2.0, "", {"reached": 1.0}) == await whole(GOAL, talk, stop)


async def test_to_be_handed_over_is_the_goal_where_the_scenario_asks_for_it() -> None:
    handed = Stop(StopReason.ESCALATED)
    talk = evidence("はい。", "担当者におつなぎします。")
    found = await whole(GOAL, talk, handed)
    assert isinstance(found, Score)
    assert 0.0 == found.value
    expected = replace(talk.scenario.expected, escalate=True)
    talk = replace(talk, scenario=replace(talk.scenario, expected=expected))
    assert Score(0.5, 2.0, "", {"reached": 1.0}) == await whole(GOAL, talk, handed)


async def test_what_cannot_be_answered_has_no_goal() -> None:
    assert is_not_applicable(await whole(GOAL, evidence("はい。", answerable=False), DONE))


@pytest.mark.parametrize(
    ("reason", "gap"),
    [
        (StopReason.TARGET_FAILED, Gap.TARGET_FAILED),
        (StopReason.USER_FAILED, Gap.SIMULATOR_INVALID),
    ],
)
async def test_a_talk_that_broke_off_is_a_gap_unless_the_goal_was_reached_before(
    reason: StopReason, gap: Gap
) -> None:
    failed = TargetFailure(TargetFault.TIMEOUT, "60 s")
    stop = Stop(reason, "why")
    found = await whole(GOAL, evidence("はい。", failed, elements=["30日以内"]), stop)
    assert Unscored(gap, "why") == found
    found = await whole(GOAL, evidence("30日以内です。", failed, elements=["30日以内"]), stop)
    assert Score(1.0, 1.0, "", {"reached": 1.0}) == found


async def test_the_share_of_later_turns_that_ask_nothing_again() -> None:
    replies = evidence("はい。", "はい。", "はい。", "はい。")
    talk = saying(
        replies, ["送料はいくら？", "返品できますか", "送料はいくらですか", "キャンセルは？"]
    )
    assert Score(2 / 3, 1.0, "3: 送料はいくらですか") == await whole(REPEATS, talk)
    talk = saying(replies, ["送料はいくらですか"] * 4)
    found = await whole(REPEATS, talk)
    assert isinstance(found, Score)
    assert (0.0, 3.0) == (found.value, found.raw)


async def test_a_user_who_spoke_once_could_not_repeat_anything() -> None:
    assert is_not_applicable(await whole(REPEATS, evidence("はい。")))
