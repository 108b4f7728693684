"""Each way for a judge to fail, over HTTP through the real chat: typed, counted, never a score."""

import json
from typing import Any

import pytest

from simulator.core.errors import HaltReason, ModelError, ModelFault, RunStopped
from simulator.core.outcome import Gap, Outcomes, Score, Unscored
from simulator.core.ports import Role
from simulator.core.talk import Document
from simulator.llm.caller import RetryPolicy
from tests.llm.world import World, spec
from tests.loopback.replies import Raw, Reply, Says, Status
from tests.loopback.server import ChatServer
from tests.metrics.judged import ASPECTS, evidence, exchange, judge, rating

GOOD = json.dumps(rating())
SCORED = Score(0.8, 4.0, "It answers.\nGood.")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    return World(policy=RetryPolicy(attempts=2))


async def judged(
    world: World, server: ChatServer, *replies: Reply | str, votes: int = 1, secret: str = "s"
) -> Any:
    server.script(*replies)
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(server.base_url), Role.JUDGE)
        turn = evidence(exchange(1, "How?", "So.", Document("text", "faq-1")))
        outcomes: Outcomes = await judge(chat, votes=votes, secret=secret).score(turn)
        return outcomes["overall"]


def filtered() -> Status:
    return Status(400, {"message": "blocked", "code": "content_filter"})


@pytest.mark.parametrize(
    ("replies", "gap", "calls"),
    [
        (["four of five", "still prose"], Gap.JUDGE_UNPARSABLE, 2),
        (['{"comment": "half', '{"comment": "half'], Gap.JUDGE_UNPARSABLE, 2),
        (["[]", "null"], Gap.JUDGE_UNPARSABLE, 2),
        (["{}", '{"score": 4}'], Gap.JUDGE_UNPARSABLE, 2),
        ([json.dumps(rating(overall=7))] * 2, Gap.JUDGE_UNPARSABLE, 2),
        ([json.dumps(rating(overall=0))] * 2, Gap.JUDGE_UNPARSABLE, 2),
        ([json.dumps(rating(overall=4.5))] * 2, Gap.JUDGE_UNPARSABLE, 2),
        ([json.dumps(rating(overall=float("nan")))] * 2, Gap.JUDGE_UNPARSABLE, 2),
        ([json.dumps(rating(overall=float("inf")))] * 2, Gap.JUDGE_UNPARSABLE, 2),
        ([json.dumps(rating(overall=True))] * 2, Gap.JUDGE_UNPARSABLE, 2),
        ([json.dumps(rating(overall=None))] * 2, Gap.JUDGE_UNPARSABLE, 2),
        ([Says("")], Gap.JUDGE_UNPARSABLE, 1),
        ([Says(None)], Gap.JUDGE_UNPARSABLE, 1),
        (["prose", Says("")], Gap.JUDGE_UNPARSABLE, 2),
        ([Says(None, refusal="I will not judge that")], Gap.JUDGE_REFUSED, 1),
        (["prose", Says(None, refusal="No")], Gap.JUDGE_REFUSED, 2),
        ([Says("", finish="content_filter")], Gap.JUDGE_REFUSED, 1),
        ([Says(GOOD, finish="content_filter")], Gap.JUDGE_REFUSED, 1),
        ([filtered()], Gap.JUDGE_REFUSED, 1),
        ([Says(GOOD[:-20], finish="length")], Gap.JUDGE_TRUNCATED, 1),
        ([Says("", finish="length")], Gap.JUDGE_TRUNCATED, 1),
        ([Status(400, {"message": "too long", "code": "context_length"})], Gap.JUDGE_ERROR, 1),
    ],
)
async def test_a_judge_that_fails_is_a_gap_with_its_reason(
    world: World, chat_server: ChatServer, replies: list[Reply | str], gap: Gap, calls: int
) -> None:
    outcome = await judged(world, chat_server, *replies)
    assert isinstance(outcome, Unscored)
    assert gap == outcome.reason
    assert outcome.detail
    assert calls == chat_server.count


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        json.dumps({**rating(), "confidence": float("nan"), "extra": {"overall": 1}}),
        json.dumps(rating(overall="4")),
        json.dumps(rating(overall=4.0)),
        f"<think>Perhaps 2?</think>{GOOD}",
    ],
)
async def test_what_can_be_read_without_doubt_is_read_at_once(
    world: World, chat_server: ChatServer, answer: str
) -> None:
    assert SCORED == await judged(world, chat_server, answer)
    assert 1 == chat_server.count


@pytest.mark.parametrize(
    "wrong",
    [
        "prose",
        f"Step by step.\n\n{GOOD}",
        f"{GOOD}\nI hope that helps.",
        json.dumps(rating(overall=7)),
        json.dumps(rating(overall=float("nan"))),
    ],
)
async def test_one_repair_mends_it_and_both_calls_are_kept(
    world: World, chat_server: ChatServer, wrong: str
) -> None:
    assert SCORED == await judged(world, chat_server, wrong, GOOD)
    assert ["", "repair"] == [call.part for call in world.watch.records]
    assert wrong in chat_server.requests[-1].said


async def test_a_complete_answer_at_the_token_limit_is_taken(
    world: World, chat_server: ChatServer
) -> None:
    assert SCORED == await judged(world, chat_server, Says(GOOD, finish="length"))


@pytest.mark.parametrize("forms", [{"json_object"}, set()])
async def test_lower_rungs_put_the_form_behind_the_constant_instructions(
    world: World, chat_server: ChatServer, forms: set[str]
) -> None:
    chat_server.forms = forms
    chat_server.answer = lambda body: f"```json\n{GOOD}\n```"
    assert SCORED == await judged(world, chat_server)
    sent = chat_server.requests[-1].body
    system, user = (m["content"] for m in sent["messages"])
    assert '"additionalProperties": false' in system
    assert '"additionalProperties": false' not in user
    assert "\n<data-answer-" in user


async def test_a_strict_schema_holds_no_range_that_endpoints_refuse(
    world: World, chat_server: ChatServer
) -> None:
    await judged(world, chat_server, GOOD)
    form = chat_server.requests[0].body["response_format"]["json_schema"]
    assert True is form["strict"]
    schema = form["schema"]
    names = ["comment", "conclusion", *ASPECTS, "claims", "user_in_role"]
    assert list(schema["properties"]) == schema["required"] == names
    assert {"type", "enum"} == schema["properties"]["overall"].keys()


async def test_surrogates_and_nul_in_a_comment_are_made_harmless(
    world: World, chat_server: ChatServer
) -> None:
    text = GOOD.replace("It answers.", "a\\ud800b\\u0000c\\u202e")
    outcome = await judged(world, chat_server, text)
    assert Score(0.8, 4.0, "a\ufffdbc\u202e\nGood.") == outcome


async def test_a_broken_body_is_tried_again_and_then_scored(
    world: World, chat_server: ChatServer
) -> None:
    assert SCORED == await judged(world, chat_server, Raw(b'{"choices": ['), GOOD)


async def test_an_endpoint_that_stays_broken_is_no_gap_of_the_judge(
    world: World, chat_server: ChatServer
) -> None:
    with pytest.raises(ModelError) as caught:
        await judged(world, chat_server, Raw(b"<html>"), Raw(b"<html>"))
    assert ModelFault.UNAVAILABLE == caught.value.fault


async def test_a_refused_account_stops_the_run(world: World, chat_server: ChatServer) -> None:
    with pytest.raises(RunStopped) as caught:
        await judged(world, chat_server, Status(401))
    assert HaltReason.ACCOUNT == caught.value.reason


async def test_a_resumed_run_pays_no_judgement_twice_whatever_its_fence(
    world: World, chat_server: ChatServer
) -> None:
    chat_server.answer = lambda body: GOOD
    first = await judged(world, chat_server, votes=3)
    again = await judged(world, chat_server, votes=3, secret="another")
    assert first == again == SCORED
    assert 3 == chat_server.count
