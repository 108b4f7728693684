"""What real endpoints say when they refuse, on a real server: who pays for it, and how often."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from simulator.core.errors import HaltReason, ModelError, ModelFault, RunStopped
from simulator.core.ports import CallId, Chat, Completion, Form, Message, Role
from simulator.llm.caller import RetryPolicy
from simulator.llm.chat import ModelChat
from tests.llm.endpoints import SAID, of
from tests.llm.world import MESSAGES, World, call_id, spec
from tests.loopback.replies import Body, Raw, Reply, Says, Status
from tests.loopback.server import ChatServer

FORM = Form("Verdict", {"type": "object"}, "Answer in JSON.")
ODD = Status(400, "The moon is in the wrong house.")


async def ask(chat: Chat, turn: int = 1, form: Form | None = None) -> Completion:
    return await chat.complete(call_id(turn), MESSAGES, form=form)


async def ends(chat: Chat, *scenarios: str) -> list[str]:
    """How a call of each scenario ended, one after the other."""
    found = []
    for turn, scenario in enumerate(scenarios):
        call = CallId(f"{scenario}/calm/1", turn, Role.USER)
        try:
            found.append((await chat.complete(call, MESSAGES)).text)
        except ModelError as error:
            found.append(error.fault.value)
        except RunStopped as error:
            found.append(error.reason.value)
    return found


def bears_no_form(reply: Reply) -> Any:
    return lambda body: reply if "response_format" in body else {"a": 1}


@pytest.mark.parametrize("reply", of("form"))
async def test_a_form_that_is_refused_in_any_words_is_asked_for_on_a_lower_rung(
    reply: Reply, chat_server: ChatServer
) -> None:
    chat_server.answer = bears_no_form(reply)
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        assert '{"a": 1}' == (await ask(chat, 1, FORM)).text
        assert '{"a": 1}' == (await ask(chat, 2, FORM)).text
    rungs = [r.body.get("response_format", {}).get("type") for r in chat_server.requests]
    assert ["json_schema", "json_object", None, None] == rungs


@pytest.mark.parametrize("reply", [*of("account"), *of("wrong_place"), *of("permanent")])
async def test_what_is_the_accounts_trouble_costs_one_call(
    reply: Reply, chat_server: ChatServer
) -> None:
    chat_server.answer = lambda body: reply
    world = World()
    async with world.accounts() as accounts:
        chats = [accounts.chat(spec(chat_server.base_url), r) for r in (Role.USER, Role.JUDGE)]
        calls = (ask(chats[n % 2], n, FORM) for n in range(50))
        found = await asyncio.gather(*calls, return_exceptions=True)
    assert {RunStopped} == {type(error) for error in found}
    assert HaltReason.ACCOUNT is world.halt.reason
    assert 1 == chat_server.count


@pytest.mark.parametrize("reply", of("context"))
async def test_a_prompt_that_is_too_long_is_its_own_trouble(
    reply: Reply, chat_server: ChatServer
) -> None:
    world = World()
    chat_server.script("ok", *[reply] * 5, "ok")
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        found = await ends(chat, *"abcdefg")
        chat_server.script(reply)
        with pytest.raises(ModelError, match=r"increase it \(Ollama: num_ctx|raise the limit"):
            await ask(chat, 9, FORM)
    assert ["ok", *["rejected"] * 5, "ok"] == found
    assert world.halt.reason is None
    assert not world.halt.in_doubt("f/calm/1")
    assert 8 == chat_server.count


@pytest.mark.parametrize("reply", of("parameter"))
async def test_a_parameter_that_is_refused_is_left_out(
    reply: Reply, chat_server: ChatServer
) -> None:
    chat_server.answer = lambda body: reply if "temperature" in body else "ok"
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url, temperature=0.0), Role.JUDGE)
        assert "ok" == (await ask(chat)).text
    assert 2 == chat_server.count


@pytest.mark.parametrize("reply", [*of("system_role"), *of("roles")])
async def test_a_system_message_that_is_refused_is_said_with_the_first_one(
    reply: Reply, chat_server: ChatServer
) -> None:
    def answer(body: Body) -> Any:
        return reply if body["messages"][0]["role"] == "system" else {"a": 1}

    chat_server.answer = answer
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        for turn in (1, 2):
            await ask(chat, turn, FORM)
    assert 3 == chat_server.count
    told = {"role": "user", "content": "you are kind\n\nhello"}
    assert [told] == chat_server.requests[-1].body["messages"]
    assert "json_schema" == chat_server.requests[-1].body["response_format"]["type"]


STREAM = b"""\
data: {"choices": [{"delta": {"role": "assistant", "reasoning_content": "hm"}}]}

data: {"choices": [{"delta": {"content": "{\\"a\\""}}]}

data: {"choices": [{"delta": {"content": ": 1}"}, "finish_reason": "stop"}]}

data: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}

data: [DONE]
"""


@pytest.mark.parametrize("reply", of("settings"))
async def test_a_model_that_only_streams_is_asked_for_a_stream(
    reply: Reply, chat_server: ChatServer
) -> None:
    stream = Raw(STREAM, content_type="text/event-stream")
    chat_server.answer = lambda body: stream if body.get("stream") else reply
    async with World().accounts() as accounts:
        found = await ask(accounts.chat(spec(chat_server.base_url), Role.JUDGE), 1, FORM)
    assert ('{"a": 1}', 7, 3) == (found.text, found.usage.input, found.usage.output)
    assert 2 == chat_server.count


def test_every_line_is_looked_at() -> None:
    known = {"form", "account", "wrong_place", "permanent", "context", "parameter", "garbled"}
    assert known | {"system_role", "roles", "settings", "filter", "passes"} == {
        line["means"] for line in SAID
    }


async def test_a_stream_that_nobody_asked_for_is_read(chat_server: ChatServer) -> None:
    chat_server.script(Raw(STREAM), Raw(STREAM[:150], content_type="text/event-stream"))
    world = World(policy=RetryPolicy(attempts=1))
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        assert '{"a": 1}' == (await ask(chat)).text
        with pytest.raises(ModelError, match="not a JSON body"):  # it was cut off
            await ask(chat, 2)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": None, "reasoning_content": 'so: {"a": 1}'}, 'so: {"a": 1}'),
        ({"content": "", "reasoning": '{"a": 1}'}, '{"a": 1}'),
        ({"tool_calls": [{"function": {"arguments": '{"a": 1}'}}]}, '{"a": 1}'),
        ({"function_call": {"arguments": {"a": 1}}}, '{"a": 1}'),
        ({"content": '{"b": 2}', "reasoning_content": '{"a": 1}'}, '{"b": 2}'),
        ({"content": "", "reasoning_content": "I would say yes"}, ""),
        ({"content": "", "tool_calls": [None], "reasoning": 3}, ""),
    ],
)
async def test_an_answer_is_found_where_the_server_put_it(
    message: dict[str, Any], text: str, chat_server: ChatServer
) -> None:
    data = {"choices": [{"message": message, "finish_reason": "stop"}]}
    chat_server.script(Raw(json.dumps(data).encode()))
    async with World().accounts() as accounts:
        found = await ask(accounts.chat(spec(chat_server.base_url), Role.JUDGE), 1, FORM)
    assert (text, None if text else ModelFault.EMPTY) == (found.text, found.fault)


@pytest.mark.parametrize(
    "reply",
    [
        Says("", finish="content_filter"),
        Says("", finish="SAFETY"),
        Says("", finish="sensitive"),
        Says("", finish="guardrail_intervened"),
        Status(400, {"message": "x", "code": "content_filter"}),
        Status(400, {"message": "x", "code": "data_inspection_failed"}),
        Status(400, "Content Exists Risk"),
        Status(400, "The request was rejected because it was considered high risk"),
        Status(403, "Content violates usage guidelines."),
        *of("filter"),
    ],
)
async def test_a_content_filter_in_any_dialect_is_an_answer_of_its_own(
    reply: Reply, chat_server: ChatServer
) -> None:
    chat_server.script(reply)
    async with World().accounts() as accounts:
        found = await ask(accounts.chat(spec(chat_server.base_url), Role.JUDGE), 1, FORM)
    assert ModelFault.FILTERED is found.fault
    assert 1 == chat_server.count


@pytest.mark.parametrize("reply", of("garbled"))
async def test_an_answer_that_the_endpoint_could_not_make_a_form_of_is_tried_again(
    reply: Reply, chat_server: ChatServer
) -> None:
    chat_server.script(reply, {"a": 1}, *[reply] * 3)
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        assert '{"a": 1}' == (await ask(chat, 1, FORM)).text
        with pytest.raises(ModelError, match="couldn't produce the requested format") as caught:
            await ask(chat, 2, FORM)
    assert ModelFault.UNPARSABLE is caught.value.fault
    forms = [r.body.get("response_format", {}).get("type") for r in chat_server.requests]
    assert [*["json_schema"] * 4, None] == forms  # in words alone, after two of one call


@pytest.mark.parametrize("reply", of("garbled"))
async def test_after_two_garbled_answers_the_form_is_asked_for_in_words(
    reply: Reply, chat_server: ChatServer
) -> None:
    chat_server.answer = bears_no_form(reply)
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        assert ['{"a": 1}'] * 2 == [(await ask(chat, turn, FORM)).text for turn in (1, 2)]
    forms = [r.body.get("response_format", {}).get("type") for r in chat_server.requests]
    assert ["json_schema", "json_schema", None] * 2 == forms


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [("minimal", "low"), ("xhigh", "high"), ("none", "low"), ("odd", None)],
)
async def test_a_level_of_reasoning_becomes_the_nearest_that_the_endpoint_names(
    wanted: str, taken: str | None, chat_server: ChatServer
) -> None:
    refusal = {
        "message": f"Unsupported value: 'reasoning_effort' does not support '{wanted}' with this "
        "model. Supported values are: 'low', 'medium', and 'high'.",
        "param": "reasoning_effort",
        "code": "unsupported_value",
    }
    levels = (None, "low", "medium", "high")
    chat_server.answer = lambda body: (
        "ok" if body.get("reasoning_effort") in levels else Status(400, refusal)
    )
    async with World().accounts() as accounts:
        thinking = replace(spec(chat_server.base_url), reasoning_effort=wanted)
        chat = accounts.chat(thinking, Role.USER)
        assert ["ok"] * 2 == [(await ask(chat, turn)).text for turn in (1, 2)]
    assert [wanted, taken, taken] == [
        request.body.get("reasoning_effort") for request in chat_server.requests
    ]


LOGIN = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><form></form></html>"


async def test_a_login_page_costs_one_call_and_is_told(chat_server: ChatServer) -> None:
    chat_server.answer = lambda body: Raw(LOGIN, content_type="text/html")
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        with pytest.raises(RunStopped, match=r"a web page.*Sign in.*check base_url"):
            await ask(chat)
    assert HaltReason.UNREACHABLE is world.halt.reason
    assert 1 == chat_server.count


async def test_before_an_account_has_answered_three_rejections_alike_halt_the_run(
    chat_server: ChatServer,
) -> None:
    chat_server.script(
        Status(400, "request 7d2f0a91 has no luck"),
        Status(400, "other"),
        Status(422, "request 8 has no luck"),
        Status(400, "request 9 has no luck"),
    )
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        assert ["rejected"] * 3 == await ends(chat, *"aaa")
        assert ["account"] == await ends(chat, "a")
    assert HaltReason.ACCOUNT is world.halt.reason
    said = (
        "rejected 3 requests alike; last error: 400: request 9 has no luck; check the model's name"
    )
    assert said in world.halt.message


async def test_afterwards_three_in_a_row_from_three_scenarios_do(chat_server: ChatServer) -> None:
    chat_server.script("ok", ODD, ODD, "ok", ODD, ODD, ODD, ODD)
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        assert ["ok", "rejected", "rejected", "ok"] == await ends(chat, *"abcd")
        assert not world.halt.in_doubt("c/calm/1")
        assert ["rejected"] * 3 == await ends(chat, *"efe")
        assert world.halt.in_doubt("e/calm/1")
        assert ["account"] == await ends(chat, "g")
    assert "rejected 4 requests in a row; last error: 400: The moon" in world.halt.message
    assert "OPENAI_API_KEY" in world.halt.message


async def test_ten_in_a_row_do_whatever_they_are_from(chat_server: ChatServer) -> None:
    chat_server.script("ok", *[ODD] * 10)
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        assert ["ok", *["rejected"] * 9, "account"] == await ends(chat, *"aaaaaaaaaaa")


async def test_a_request_that_is_rejected_on_every_rung_counts_once(
    chat_server: ChatServer,
) -> None:
    chat_server.answer = lambda body: ODD
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        for turn in (1, 2):
            with pytest.raises(ModelError, match="The moon is in the wrong house"):
                await ask(chat, turn, FORM)
        with pytest.raises(RunStopped):
            await ask(chat, 3, FORM)
        assert isinstance(chat, ModelChat)
        assert 0 == chat.paid.caller.endpoint.dialect.rung  # the form was not to blame
    assert 3 + 1 + 1 == chat_server.count


async def test_one_rejected_request_does_not_lower_the_rung(chat_server: ChatServer) -> None:
    chat_server.script({"a": 1}, ODD, ODD, ODD, {"a": 1})
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        await ask(chat, 1, FORM)
        with pytest.raises(ModelError):
            await ask(chat, 2, FORM)
        await ask(chat, 3, FORM)
    assert "json_schema" == chat_server.requests[-1].body["response_format"]["type"]


async def test_until_an_account_has_answered_one_call_at_a_time_goes_to_it(
    chat_server: ChatServer,
) -> None:
    chat_server.latency_s = 0.02
    peaks: list[int] = []

    def answer(body: Body) -> Any:
        peaks.append(chat_server.peak)
        return Status(503) if len(peaks) < 3 else "ok"

    chat_server.answer = answer
    async with World().accounts() as accounts:
        chats = [accounts.chat(spec(chat_server.base_url, m), Role.USER) for m in "mn"]
        await asyncio.gather(*(ask(chats[n % 2], n) for n in range(10)))
    assert [1, 1, 1] == peaks[:3]
    assert chat_server.peak > 3


async def test_after_an_outage_one_call_goes_first_again(chat_server: ChatServer) -> None:
    chat_server.latency_s = 0.02
    peaks: list[int] = []
    chat_server.script("ok", Status(503))
    world = World(policy=RetryPolicy(attempts=1))
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await ask(chat, 1)
        with pytest.raises(ModelError):
            await ask(chat, 2)

        def answer(body: Body) -> str:
            peaks.append(chat_server.peak)
            return "ok"

        chat_server.answer = answer
        await asyncio.gather(*(ask(chat, n) for n in range(3, 13)))
    assert 1 == peaks[0]
    assert chat_server.peak > 3


async def test_a_call_that_is_given_up_lets_the_next_one_go_first(
    chat_server: ChatServer,
) -> None:
    chat_server.latency_s = 0.05
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        first = asyncio.create_task(ask(chat, 1))
        second = asyncio.create_task(ask(chat, 2))
        await asyncio.sleep(0.01)
        first.cancel()
        assert "ok" == (await second).text


async def test_what_a_provider_behind_a_gateway_said_is_shown(chat_server: ChatServer) -> None:
    error = {"message": "Provider returned error", "metadata": {"raw": "image input is not free"}}
    chat_server.script(Status(400, error))
    async with World().accounts() as accounts:
        with pytest.raises(ModelError, match=r"Provider returned error \(image input is not fr"):
            await ask(accounts.chat(spec(chat_server.base_url), Role.USER))


async def test_no_rung_is_tried_for_a_place_that_is_named(chat_server: ChatServer) -> None:
    chat_server.script(Status(400, {"message": "bad", "param": "messages[1].content"}))
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        with pytest.raises(ModelError):
            await chat.complete(call_id(), [Message("user", "hello")], form=FORM)
    assert 1 == chat_server.count
