"""What a client file says of a model beside its name, as a real server sees it."""

import json

import pytest

from simulator.core.errors import InputError, ModelError, RunStopped
from simulator.core.plan import Limits, ModelSpec, Price
from simulator.core.ports import CallId, Form, Role
from simulator.llm.caller import RetryPolicy
from tests.llm.world import MESSAGES, World, call_id
from tests.loopback.replies import Hang, Raw, Says, Status
from tests.loopback.server import Asked, ChatServer

CANARY = "gateway-canary-51c0"


def lowered(asked: Asked) -> dict[str, str]:
    return {name.lower(): value for name, value in asked.headers.items()}


async def test_everything_that_is_said_is_sent(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_KEY", CANARY)
    spec = ModelSpec(
        "m",
        base_url=chat_server.base_url,
        max_tokens=77,
        reasoning_effort="low",
        headers={"X-Key": "Bearer ${GATEWAY_KEY}", "X-Tenant": "acme"},
        extra_body={"top_p": 0.5, "chat_template_kwargs": {"enable_thinking": False}},
    )
    chat_server.script(Says(f"your key is {CANARY}"))
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec, Role.USER)
        assert "your key is [key]" == (await chat.complete(call_id(), MESSAGES)).text
        assert CANARY not in repr((accounts, chat, world.watch.records))
    asked = chat_server.requests[0]
    headers = lowered(asked)
    assert (f"Bearer {CANARY}", "acme") == (headers["x-key"], headers["x-tenant"])
    sent = {name: asked.body[name] for name in asked.body.keys() - {"model", "messages"}}
    assert sent == {
        "max_tokens": 77,
        "reasoning_effort": "low",
        "top_p": 0.5,
        "chat_template_kwargs": {"enable_thinking": False},
    }


async def test_an_embedding_takes_headers_and_body_too(chat_server: ChatServer) -> None:
    spec = ModelSpec(
        "e", base_url=chat_server.base_url, headers={"X-T": "a"}, extra_body={"dimensions": 64}
    )
    async with World().accounts() as accounts:
        await accounts.embedder(spec).embed(CallId("a/b/1", 1, Role.EMBEDDING), ["x"])
    asked = chat_server.requests[0]
    assert ("a", 64) == (lowered(asked)["x-t"], asked.body["dimensions"])


async def test_a_header_whose_variable_is_not_set_is_wrong_input(chat_server: ChatServer) -> None:
    headers = {"X-A": "${NOT_SET_A}", "X-B": "${NOT_SET_B}"}
    spec = ModelSpec("m", base_url=chat_server.base_url, headers=headers)
    async with World().accounts() as accounts:
        with pytest.raises(
            InputError, match=r"headers of the model m: .* NOT_SET_A is not set"
        ) as e:
            accounts.chat(spec, Role.USER)
    assert 2 == len(e.value.complaints)


@pytest.mark.parametrize(
    ("at", "path"),
    [
        ("", "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"),
        ("/openai/v1", "/openai/v1/chat/completions?api-version=2024-10-21"),
    ],
)
async def test_azures_version_makes_azures_addresses(
    at: str, path: str, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_KEY", CANARY)
    spec = ModelSpec(
        "my-gpt",
        base_url=chat_server.url + at,
        api_key_env="AZURE_KEY",
        api_version="2024-10-21",
    )
    async with World().accounts() as accounts:
        chat = accounts.chat(spec, Role.USER)
        assert "ok" == (await chat.complete(call_id(), MESSAGES)).text
    asked = chat_server.requests[0]
    assert CANARY == asked.headers["api-key"]
    assert asked.path in {path, path.replace("/v1/", "/v1/deployments/my-gpt/")}


async def test_its_own_times_hold(chat_server: ChatServer) -> None:
    chat_server.answer = lambda body: Hang()
    spec = ModelSpec("m", base_url=chat_server.base_url, timeout_s=0.1, deadline_s=0.2)
    world = World(policy=RetryPolicy(attempts=2))
    async with world.accounts() as accounts:
        with pytest.raises(ModelError, match=r"no whole answer within 0.1 s; .* set timeout_s"):
            await accounts.chat(spec, Role.USER).complete(call_id(), MESSAGES)


async def test_another_setting_is_another_question(chat_server: ChatServer) -> None:
    world = World()
    for settings in ({}, {}, {"max_tokens": 9}, {"extra_body": {"top_p": 0.1}}, {"client": "sdk"}):
        async with world.accounts() as accounts:
            spec = ModelSpec("m", base_url=chat_server.base_url, **settings)
            await accounts.chat(spec, Role.USER).complete(call_id(), MESSAGES)
    assert 4 == chat_server.count  # only the second one is known; the last replaced its record


async def test_a_refused_effort_is_left_out(chat_server: ChatServer) -> None:
    chat_server.refuses = {"reasoning_effort"}
    spec = ModelSpec("m", base_url=chat_server.base_url, reasoning_effort="low")
    async with World().accounts() as accounts:
        await accounts.chat(spec, Role.USER).complete(call_id(), MESSAGES)
        assert any("reasoning_effort" in note for note in accounts.notes())


@pytest.mark.parametrize(
    ("role", "said", "most"),
    [
        (Role.USER, {}, 1024),
        (Role.JUDGE, {}, 2048),
        (Role.USER, {"reasoning_effort": "high"}, 4096),
        (Role.USER, {"max_tokens": 50}, 50),
    ],
)
async def test_a_budget_reserves_what_a_role_can_use(
    role: Role, said: dict[str, object], most: int, chat_server: ChatServer
) -> None:
    world = World(limits=Limits(budget_usd=1.0), prices={"m": Price(0.1, 0.1)})
    async with world.accounts() as accounts:
        spec = ModelSpec("m", base_url=chat_server.base_url, **said)  # type: ignore[arg-type]
        await accounts.chat(spec, role).complete(call_id(role=role), MESSAGES)
    assert most == chat_server.requests[0].body["max_tokens"]


async def test_a_model_that_is_cut_off_under_a_budget_may_write_more_from_then_on(
    chat_server: ChatServer,
) -> None:
    chat_server.script(Says("", finish="length"))
    world = World(limits=Limits(budget_usd=1.0), prices={"m": Price(0.1, 0.1)})
    async with world.accounts() as accounts:
        chat = accounts.chat(ModelSpec("m", base_url=chat_server.base_url), Role.USER)
        for turn in (1, 2):
            await chat.complete(call_id(turn), MESSAGES)
    assert [1024, 4096] == [r.body["max_tokens"] for r in chat_server.requests]


async def test_a_small_budget_is_used_once_it_is_known_how_bytes_become_tokens(
    chat_server: ChatServer,
) -> None:
    long = [MESSAGES[0], type(MESSAGES[1])("user", "word " * 2000)]  # 10,000 bytes
    usage = {"prompt_tokens": 2000, "completion_tokens": 50}  # 0.0021 USD
    chat_server.answer = lambda body: Says("hi", usage=usage)
    spec = ModelSpec("m", base_url=chat_server.base_url, max_tokens=100)
    world = World(limits=Limits(budget_usd=0.02), prices={"m": Price(1.0, 1.0)})
    async with world.accounts() as accounts:
        chat = accounts.chat(spec, Role.USER)
        for turn in range(8):
            await chat.complete(call_id(turn), long)
        assert 0.0160 < (accounts.ledger.cost_usd or 0) <= 0.02


async def test_a_gateways_own_prompt_is_set_aside_for_once_it_is_known(
    chat_server: ChatServer,
) -> None:
    usage = {"prompt_tokens": 6000, "completion_tokens": 50}  # of two messages of some words
    chat_server.answer = lambda body: Says("hi", usage=usage)
    spec = ModelSpec("m", base_url=chat_server.base_url, max_tokens=100)
    world = World(limits=Limits(budget_usd=0.02), prices={"m": Price(1.0, 1.0)})
    async with world.accounts() as accounts:
        chat = accounts.chat(spec, Role.USER)
        for turn in range(3):
            await chat.complete(call_id(turn), MESSAGES)
        with pytest.raises(RunStopped):
            await chat.complete(call_id(3), MESSAGES)
        assert 3 == chat_server.count
        assert 0.018 < (accounts.ledger.cost_usd or 0) <= 0.02


async def test_a_length_that_stands_in_the_body_under_a_wrong_name_ends_well(
    chat_server: ChatServer,
) -> None:
    chat_server.refuses = {"max_tokens", "max_completion_tokens"}
    spec = ModelSpec("m", base_url=chat_server.base_url, max_tokens=9)
    async with World().accounts() as accounts:
        chat = accounts.chat(spec, Role.USER)
        assert "ok" == (await chat.complete(call_id(), MESSAGES)).text
    assert 3 == chat_server.count


async def test_a_stream_is_asked_for_by_hand(chat_server: ChatServer) -> None:
    events = [{"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]}]
    stream = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    chat_server.answer = lambda body: Raw(stream) if body.get("stream") else Status(500)
    spec = ModelSpec("m", base_url=chat_server.base_url, extra_body={"stream": True})
    async with World().accounts() as accounts:
        chat = accounts.chat(spec, Role.USER)
        form = Form("F", {"type": "object"})
        assert "hi" == (await chat.complete(call_id(), MESSAGES, form=form)).text
