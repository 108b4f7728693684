import asyncio

import pytest
from aiohttp import web

from simulator.core.errors import HaltReason, ModelError, RunStopped
from simulator.core.plan import Limits, ModelCaps, Price
from simulator.core.ports import Chat, Completion, Form, Role
from simulator.core.traffic import Track
from simulator.llm.chat import ModelChat
from simulator.llm.client import Endpoint
from tests.llm.world import MESSAGES, World, call_id, spec
from tests.loopback.replies import Body, Says, Status
from tests.loopback.server import ChatServer

FORM = Form("Verdict", {"type": "object"}, "Answer in JSON.")


async def ask(chat: Chat, turn: int = 1, form: Form | None = None) -> Completion:
    return await chat.complete(call_id(turn), MESSAGES, form=form)


async def test_a_refused_parameter_is_left_out_from_then_on(chat_server: ChatServer) -> None:
    chat_server.refuses = {"temperature"}
    world = World()
    async with world.accounts() as accounts:
        user = accounts.chat(spec(chat_server.base_url, temperature=0.5), Role.USER)
        judge = accounts.chat(spec(chat_server.base_url, temperature=0.0), Role.JUDGE)
        for turn in (1, 2):
            await ask(user, turn)
            await ask(judge, turn + 10)
    assert [True, False, False, False, False] == [
        "temperature" in r.body for r in chat_server.requests
    ]
    assert 0.0 == world.time.slept


async def test_calls_in_flight_learn_the_same_thing_once(chat_server: ChatServer) -> None:
    chat_server.forms = {"json_object"}
    chat_server.latency_s = 0.02
    chat_server.answer = lambda body: {"ok": True}
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await ask(chat, 20)
        await asyncio.gather(*(ask(chat, turn, FORM) for turn in range(10)))
        await ask(chat, 11, FORM)
    forms = [r.body["response_format"]["type"] for r in list(chat_server.requests)[1:]]
    assert ["json_schema"] * 10 + ["json_object"] * 11 == forms


async def test_the_length_is_renamed_where_a_budget_bounds_it(chat_server: ChatServer) -> None:
    chat_server.refuses = {"max_tokens"}
    world = World(limits=Limits(budget_usd=1.0), prices={"m": Price(0.1, 0.1)})
    async with world.accounts() as accounts:
        await ask(accounts.chat(spec(chat_server.base_url), Role.USER))
    sent = [sorted(r.body.keys() - {"messages", "model"}) for r in chat_server.requests]
    assert [["max_tokens"], ["max_completion_tokens"]] == sent


async def test_the_structured_output_ladder_is_climbed_down_once(chat_server: ChatServer) -> None:
    chat_server.forms = set()
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await ask(chat, 1, FORM)
        await ask(chat, 2, FORM)
    forms = [r.body.get("response_format", {}).get("type") for r in chat_server.requests]
    assert ["json_schema", "json_object", None, None] == forms
    told = ["Answer in JSON." in r.body["messages"][0]["content"] for r in chat_server.requests]
    assert [False, True, True, True] == told


async def test_an_endpoint_that_ignores_the_schema_is_told_in_words(
    chat_server: ChatServer,
) -> None:
    chat_server.script("Sure! Here you are.", Says("Sorry", finish="length"), "Sure!", {"a": 1})
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        for turn in (1, 2, 3, 4):
            await ask(chat, turn, FORM)
    forms = [r.body["response_format"]["type"] for r in chat_server.requests]
    assert ["json_schema"] * 3 + ["json_object"] == forms


async def test_one_formless_answer_costs_an_endpoint_nothing(chat_server: ChatServer) -> None:
    chat_server.script({"a": 1}, "Sure!", "Sure!", "Sure!", {"a": 1})
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        for turn in (1, 2, 3, 4, 5):
            await ask(chat, turn, FORM)
    forms = [r.body["response_format"]["type"] for r in chat_server.requests]
    assert ["json_schema"] * 5 == forms


async def test_a_role_never_has_more_calls_in_flight_than_its_cap(chat_server: ChatServer) -> None:
    chat_server.latency_s = 0.005
    world = World(limits=Limits(model=ModelCaps(concurrency=3)))
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await asyncio.gather(*(ask(chat, turn) for turn in range(30)))
    assert 3 == chat_server.peak


async def test_each_role_has_a_cap_of_its_own(chat_server: ChatServer) -> None:
    chat_server.latency_s = 0.02
    world = World(limits=Limits(model=ModelCaps(concurrency=3)))
    async with world.accounts() as accounts:
        chats = [accounts.chat(spec(chat_server.base_url), r) for r in (Role.USER, Role.JUDGE)]
        await asyncio.gather(*(ask(chats[n % 2], n) for n in range(20)))
    assert 6 == chat_server.peak


async def test_a_burst_of_429_narrows_the_gate_of_the_role(chat_server: ChatServer) -> None:
    chat_server.latency_s = 0.02
    chat_server.script("ok", *[Status(429)] * 10)
    world = World(limits=Limits(model=ModelCaps(concurrency=10)))
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await ask(chat, 20)
        await asyncio.gather(*(ask(chat, n) for n in range(10)))
        assert isinstance(chat, ModelChat)
        assert 8 == chat.paid.caller.gate.width


async def test_tokens_are_settled_by_what_was_used(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 2}
    chat_server.script(Says("hi", usage=usage), Says("hi", usage={}), Status(422))
    settled: list[tuple[int, int]] = []
    monkeypatch.setattr(Endpoint, "settle", lambda self, *counts: settled.append(counts))
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await ask(chat, 1)
        await ask(chat, 2)
        with pytest.raises(ModelError):
            await ask(chat, 3)
    estimate = settled[0][0]
    assert [(estimate, 42), (42, 42), (42, 0)] == settled  # the first one taught it
    assert 300 < estimate < 400


async def test_a_run_halted_in_the_queue_sends_nothing(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()

    async def admit(self: Endpoint, tokens: int, track: Track) -> None:
        world.halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")

    monkeypatch.setattr(Endpoint, "admit", admit)
    async with world.accounts() as accounts:
        with pytest.raises(RunStopped):
            await ask(accounts.chat(spec(chat_server.base_url), Role.USER))
    assert 0 == chat_server.count


async def test_a_run_halted_while_a_parameter_is_refused_does_not_ask_again(
    chat_server: ChatServer,
) -> None:
    world = World()

    class Interrupting(Status):
        async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
            world.halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
            return await Status.send(self, request, body)

    chat_server.script(Interrupting(400, {"message": "no", "param": "temperature"}))
    async with world.accounts() as accounts:
        with pytest.raises(RunStopped):
            await ask(accounts.chat(spec(chat_server.base_url, temperature=1.0), Role.USER))
    assert 1 == chat_server.count
