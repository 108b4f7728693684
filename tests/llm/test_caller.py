import asyncio
from email.utils import formatdate

import pytest
from aiohttp import web

from simulator.core.errors import HaltReason, ModelError, ModelFault, RunStopped
from simulator.core.plan import Limits, ModelCaps, Price
from simulator.core.ports import Chat, Completion, Form, Role
from simulator.llm.chat import ModelChat
from simulator.llm.endpoint import Endpoint
from simulator.llm.retry import RetryPolicy
from tests.llm.world import MESSAGES, World, call_id, spec
from tests.loopback.replies import Body, Cut, Hang, Raw, Reply, Reset, Says, Status
from tests.loopback.server import ChatServer

FORM = Form("Verdict", {"type": "object"}, "Answer in JSON.")


async def ask(chat: Chat, turn: int = 1, form: Form | None = None) -> Completion:
    return await chat.complete(call_id(turn), MESSAGES, form=form)


PASSING: list[Reply] = [
    *(Status(code) for code in (408, 409, 425, 429, 500, 502, 503)),
    Raw(b"{"),
    Raw(b""),
    Raw(b"<html>", content_type="text/html"),
    Raw(b'{"choices": null}'),
    Raw(b'{"error": {"message": "overloaded"}}'),
    Reset(),
    Cut(),
]


@pytest.mark.parametrize("fault", PASSING)
async def test_a_passing_fault_is_survived(fault: Reply, chat_server: ChatServer) -> None:
    chat_server.script(fault, fault)
    world = World()
    async with world.accounts() as accounts:
        completion = await ask(accounts.chat(spec(chat_server.base_url), Role.USER))
    assert "ok" == completion.text
    assert 3 == chat_server.count == world.watch.seen[0].attempts


async def test_a_hanging_attempt_is_tried_again(chat_server: ChatServer) -> None:
    chat_server.script(Hang())
    world = World(policy=RetryPolicy(attempt_s=0.1))
    async with world.accounts() as accounts:
        completion = await ask(accounts.chat(spec(chat_server.base_url), Role.USER))
    assert "ok" == completion.text
    assert completion.latency_ms < 100  # that of the attempt that was answered


@pytest.mark.parametrize(
    ("headers", "at_least"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"Retry-After": formatdate(2**31 + 9, usegmt=True), "Date": ""}, 9.0),
        ({"Retry-After": "0"}, 0.0),
    ],
)
async def test_the_next_attempt_is_never_earlier_than_told(
    headers: dict[str, str], at_least: float, chat_server: ChatServer
) -> None:
    if "Date" in headers:
        headers = headers | {"Date": formatdate(2**31, usegmt=True)}
    chat_server.script(Status(429, headers=headers))
    world = World()
    async with world.accounts() as accounts:
        await ask(accounts.chat(spec(chat_server.base_url), Role.USER))
    assert at_least <= world.time.slept <= at_least + 1.001


async def test_a_wait_that_is_too_long_fails_within_the_deadline(chat_server: ChatServer) -> None:
    chat_server.script(Status(429, headers={"Retry-After": "300"}))
    world = World()
    async with world.accounts() as accounts:
        with pytest.raises(ModelError, match="asks to wait 300 s") as caught:
            await ask(accounts.chat(spec(chat_server.base_url), Role.USER))
    assert ModelFault.UNAVAILABLE is caught.value.fault
    assert 0.0 == world.time.slept
    assert world.halt.reason is None


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Status(401, "Incorrect API key"), "401: Incorrect API key"),
        (Status(403, "no access"), "403: no access"),
        (Status(404, "no model m"), "404: no model m"),
        (Status(402, "Insufficient Balance"), "402"),
        (Status(429, {"message": "pay", "code": "insufficient_quota"}), "429: pay"),
    ],
)
async def test_a_refused_account_stops_the_run_after_one_attempt(
    fault: Reply, said: str, chat_server: ChatServer
) -> None:
    chat_server.script(fault)
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        with pytest.raises(RunStopped, match=said) as caught:
            await ask(chat)
        with pytest.raises(RunStopped):
            await ask(chat, 2)
    assert 1 == chat_server.count
    assert HaltReason.ACCOUNT is world.halt.reason
    assert "m at http://127.0.0.1" in str(caught.value)
    assert "OPENAI_API_KEY" in str(caught.value)
    assert not world.watch.records


async def test_a_rejected_request_is_tried_once_and_the_run_goes_on(
    chat_server: ChatServer,
) -> None:
    chat_server.script(Status(400, {"message": "too long", "code": "context_length_exceeded"}))
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        with pytest.raises(ModelError, match="too long") as caught:
            await ask(chat)
        assert "ok" == (await ask(chat, 2)).text
    assert ModelFault.REJECTED is caught.value.fault
    assert "context_length_exceeded" in caught.value.body
    assert 2 == chat_server.count


async def test_an_endpoint_where_nobody_is_stops_the_run_after_three_attempts() -> None:
    async with ChatServer() as gone:
        pass
    world = World()
    async with world.accounts() as accounts:
        with pytest.raises(RunStopped, match=r"nothing answers at .*: connection refused; is the"):
            await ask(accounts.chat(spec(gone.base_url), Role.USER))
    assert HaltReason.UNREACHABLE is world.halt.reason
    assert world.time.slept < 10


async def test_a_server_that_comes_up_meanwhile_is_found() -> None:
    late = ChatServer()
    async with late:
        pass
    world = World()
    naps = 0

    async def sleep(seconds: float) -> None:
        nonlocal naps
        naps += 1
        world.time.seconds += seconds
        if naps == 3:
            await late.__aenter__()

    world.time.sleep = sleep  # type: ignore[method-assign]
    async with world.accounts() as accounts:
        assert "ok" == (await ask(accounts.chat(spec(late.base_url), Role.USER))).text
    await late.__aexit__(None, None, None)


async def test_an_endpoint_that_answered_before_is_waited_for_until_the_deadline() -> None:
    world = World()
    async with world.accounts() as accounts:
        async with ChatServer() as server:
            chat = accounts.chat(spec(server.base_url), Role.USER)
            await ask(chat)
        with pytest.raises(ModelError, match="connection refused") as caught:
            await ask(chat, 2)
    assert ModelFault.UNAVAILABLE is caught.value.fault
    assert world.time.slept > 150
    assert world.halt.reason is None


async def test_five_calls_in_a_row_without_an_answer_open_the_breaker(
    chat_server: ChatServer,
) -> None:
    busy = Status(500)
    chat_server.script("ok", *[busy] * 4, "ok", *[busy] * 4, Status(422), *[busy] * 5)
    world = World(policy=RetryPolicy(attempts=1))
    ends = []
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        for turn in range(1, 18):
            try:
                ends.append((await ask(chat, turn)).text)
            except (ModelError, RunStopped) as error:
                ends.append(type(error).__name__)
    failed = ["ModelError"] * 4
    rejected = "ModelError"
    halted = ["RunStopped"] * 2
    assert ["ok", *failed, "ok", *failed, rejected, *failed, *halted] == ends
    assert HaltReason.UNREACHABLE is world.halt.reason
    assert 16 == chat_server.count


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
        await asyncio.gather(*(ask(chat, turn, FORM) for turn in range(10)))
        await ask(chat, 11, FORM)
    forms = [r.body["response_format"]["type"] for r in chat_server.requests]
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
    chat_server.script("Sure! Here you are.", Says("Sorry", finish="length"), {"fits": True})
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        for turn in (1, 2, 3, 4):
            await ask(chat, turn, FORM)
    forms = [r.body["response_format"]["type"] for r in chat_server.requests]
    assert ["json_schema"] + ["json_object"] * 3 == forms


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
    chat_server.script(*[Status(429)] * 10)
    world = World(limits=Limits(model=ModelCaps(concurrency=10)))
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await asyncio.gather(*(ask(chat, n) for n in range(10)))
        assert isinstance(chat, ModelChat)
        assert 8 == chat.caller.gate.width


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
    assert [(estimate, 42), (estimate, estimate), (estimate, 0)] == settled
    assert 300 < estimate < 400


async def test_a_run_halted_in_the_queue_sends_nothing(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()

    async def admit(self: Endpoint, tokens: int) -> None:
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
