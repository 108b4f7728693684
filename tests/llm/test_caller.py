import asyncio
from email.utils import formatdate

import pytest

from simulator.core.errors import HaltReason, ModelError, ModelFault, RunStopped
from simulator.core.plan import Limits, ModelCaps
from simulator.core.ports import Chat, Completion, Form, Role
from simulator.llm.caller import RetryPolicy
from tests.llm.world import MESSAGES, World, call_id, spec
from tests.loopback.replies import Cut, Hang, Raw, Reply, Reset, Status
from tests.loopback.server import ChatServer
from tests.waiting import settle

FORM = Form("Verdict", {"type": "object"}, "Answer in JSON.")


async def ask(chat: Chat, turn: int = 1, form: Form | None = None) -> Completion:
    return await chat.complete(call_id(turn), MESSAGES, form=form)


PASSING: list[Reply] = [
    *(Status(code) for code in (408, 409, 425, 429, 500, 502, 503)),
    Raw(b"{"),
    Raw(b""),
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
        with pytest.raises(
            RunStopped, match=r"no server responds at .*: connection refused; is the"
        ):
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


async def test_a_stopped_run_does_not_wait_for_its_rate(chat_server: ChatServer) -> None:
    world = World(limits=Limits(model=ModelCaps(requests_per_minute=1)))
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await ask(chat)
        waiting = [asyncio.create_task(ask(chat, turn)) for turn in range(2, 6)]
        await settle()
        world.halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
        ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [RunStopped] * 4 == [type(error) for error in ended]
    assert 1 == chat_server.count
