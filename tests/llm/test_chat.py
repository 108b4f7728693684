import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from simulator.core.errors import HaltReason, ModelFault, RunStopped, StoreError
from simulator.core.plan import Limits, ModelCaps, Price
from simulator.core.ports import Form, Message, Role, Usage
from simulator.core.traffic import call_event
from tests.llm.world import MESSAGES, Watch, World, call_id, spec
from tests.loopback.replies import Hang, Raw, Says, Status
from tests.loopback.server import ChatServer
from tests.waiting import until

PRICES = {"m": Price(1.0, 10.0)}
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100}


async def test_an_answer_is_committed_before_it_is_returned(chat_server: ChatServer) -> None:
    chat_server.answer = lambda body: Says("hi", usage=USAGE)
    world = World(prices=PRICES)
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        completion = await chat.complete(call_id(), MESSAGES)
        ledger = accounts.ledger
    record = world.watch.records[call_id()]
    (call,) = world.watch.seen
    # A busy machine makes it wait for its turn, and the event says so.
    assert call_event("", record) == replace(call, sent=0, why="")
    assert {"text": "hi", "fault": None, "finish": "stop"} == json.loads(record.response)
    assert ("m", Usage(1000, 100), 1) == (record.model, record.usage, record.attempts)
    assert pytest.approx(0.002) == record.cost_usd
    assert ("hi", record.usage) == (completion.text, completion.usage)
    assert record.latency_ms == completion.latency_ms > 0
    assert ({"user": 1}, 1000, 100) == (ledger.calls, ledger.input_tokens, ledger.output_tokens)
    assert record.cost_usd == ledger.cost_usd


async def test_a_call_that_was_paid_for_is_taken_from_the_journal(chat_server: ChatServer) -> None:
    watch = Watch()
    for _ in range(2):
        world = World(watch=watch)
        async with world.accounts() as accounts:
            chat = accounts.chat(spec(chat_server.base_url), Role.USER)
            completion = await chat.complete(call_id(), MESSAGES)
            calls = accounts.ledger.calls
    assert 1 == chat_server.count
    assert "ok" == completion.text
    assert [False, True] == [call.recalled for call in watch.seen]
    assert {} == calls


async def test_another_input_is_another_call(chat_server: ChatServer) -> None:
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await chat.complete(call_id(), MESSAGES)
        await chat.complete(call_id(), [*MESSAGES, Message("assistant", "and?")])
    assert 2 == chat_server.count


async def test_a_user_whom_a_filter_stopped_is_asked_again(chat_server: ChatServer) -> None:
    chat_server.script(Says("", finish="content_filter"))
    async with World().accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        assert ModelFault.FILTERED is (await chat.complete(call_id(), MESSAGES)).fault
        for _ in range(2):
            assert "ok" == (await chat.complete(call_id(), MESSAGES)).text
    assert 2 == chat_server.count


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (Says("", refusal="never"), ModelFault.REFUSED),
        (Says("", finish="content_filter"), ModelFault.FILTERED),
        (Status(400, {"message": "x", "code": "content_filter"}), ModelFault.FILTERED),
        (Says("cut", finish="length"), ModelFault.TRUNCATED),
        (Says(None), ModelFault.EMPTY),
    ],
)
async def test_faults_in_the_models_own_words_are_paid_for_and_kept(
    reply: Says | Status, fault: ModelFault, chat_server: ChatServer
) -> None:
    chat_server.script(reply)
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        judged = replace(call_id(), role=Role.JUDGE)
        first = await chat.complete(judged, MESSAGES)
        again = await chat.complete(judged, MESSAGES)
    assert fault is first.fault
    assert first == again
    assert 1 == chat_server.count


async def test_texts_are_sanitised_both_ways(chat_server: ChatServer) -> None:
    chat_server.script(Says("a\ud800\x00b\u202e\u200b" + "x" * 1_000_000))
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        first = await chat.complete(call_id(), [Message("user", "lone \ud800 surrogate")])
        second = await chat.complete(call_id(2), [Message("user", first.text)])
    assert "a\ufffdb\u202e\u200bxx" == first.text[:7]
    assert "lone \ufffd surrogate" == chat_server.requests[0].said
    assert first.text == chat_server.requests[1].said
    assert "ok" == second.text
    world.watch.records[call_id()].response.encode()


async def test_nothing_is_asked_once_the_run_is_halted(chat_server: ChatServer) -> None:
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        world.halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
        with pytest.raises(RunStopped, match="Ctrl-C"):
            await chat.complete(call_id(), MESSAGES)
    assert 0 == chat_server.count


async def test_an_answer_that_cannot_be_saved_halts_the_run(chat_server: ChatServer) -> None:
    world = World(watch=Watch(fails=StoreError("disk full")))
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        with pytest.raises(StoreError, match="disk full"):
            await chat.complete(call_id(), MESSAGES)
        with pytest.raises(RunStopped, match="disk full"):
            await chat.complete(call_id(2), MESSAGES)
    assert HaltReason.STORE is world.halt.reason
    assert 1 == chat_server.count


async def test_judgements_of_another_run_are_reused_by_their_input(
    chat_server: ChatServer,
) -> None:
    first, second = World(prices=PRICES), World(prices=PRICES)
    judge, user = call_id(1, Role.JUDGE), call_id(1, Role.USER)
    async with first.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        await chat.complete(judge, MESSAGES, fence="f1")
        await chat.complete(user, MESSAGES)
    reuse = {(record.call.part, record.digest): record for record in first.watch.records.values()}
    other = replace(judge, episode="faq/angry/7")
    async with second.accounts(reuse=reuse) as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        completion = await chat.complete(other, MESSAGES, fence="f2")
        await chat.complete(replace(user, episode="faq/angry/7"), MESSAGES)
        ledger = accounts.ledger
    assert "ok" == completion.text
    assert 3 == chat_server.count  # the user's call was made
    record = second.watch.records[other]
    assert (True, 0.0, Usage(), 0) == (
        record.reused,
        record.cost_usd,
        record.usage,
        record.attempts,
    )
    assert {"user": 1} == ledger.calls


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "written", "budget", "price", "least"),
    [
        (None, 1000, 0.25, 0.5, 100),
        (None, 4000, 1.0, 0.5, 100),
        # A third of the money goes before 54 went well, so that fewer are in flight at once.
        (4000, 4000, 1.0, 1.0, 55),
    ],
    ids=["as it was told", "four times what it was told", "as the client says"],
)
async def test_the_budget_holds_with_200_calls_in_flight(
    chat_server: ChatServer,
    said: int | None,
    written: int,
    budget: float,
    price: float,
    least: int,
) -> None:
    chat_server.latency_s = 0.6  # longer than a slow machine takes to send them all
    usage = {"prompt_tokens": 10, "completion_tokens": written}
    chat_server.answer = lambda body: Says("hi", usage=usage)
    one = (10 + written) * price / 1e6
    limits = Limits(model=ModelCaps(concurrency=200), budget_usd=budget)
    world = World(prices={"m": Price(price, price)}, limits=limits)
    async with world.accounts() as accounts:
        asked = replace(spec(chat_server.base_url), max_tokens=said)
        chat = accounts.chat(asked, Role.USER)
        made = (
            chat.complete(call_id(turn), MESSAGES) for turn in range(400 if price == 1 else 700)
        )
        ends = await asyncio.gather(*made, return_exceptions=True)
        spent = accounts.ledger.cost_usd
    assert spent is not None
    assert 0.99 * budget < spent <= budget
    assert chat_server.count == len(world.watch.records) == round(spent / one)
    assert chat_server.peak >= least
    assert {RunStopped} == {type(e) for e in ends if isinstance(e, BaseException)}
    assert HaltReason.BUDGET is world.halt.reason
    assert {said or 1024} == {asked.body["max_tokens"] for asked in chat_server.requests}


async def test_usage_that_is_not_told_is_charged_at_its_most(chat_server: ChatServer) -> None:
    chat_server.answer = lambda body: Says("hi", usage={})
    world = World(prices=PRICES)
    async with world.accounts() as accounts:
        await accounts.chat(spec(chat_server.base_url), Role.USER).complete(call_id(), MESSAGES)
    record = world.watch.records[call_id()]
    assert Usage() == record.usage
    assert record.cost_usd is not None
    assert 20e-6 < record.cost_usd < 200e-6


async def test_a_failed_or_cancelled_call_gives_its_place_and_money_back(
    chat_server: ChatServer,
) -> None:
    chat_server.script(Raw(b"{}", 422), Hang())
    budget = Limits(budget_usd=0.05)  # room for one call of at most 0.041 at a time
    world = World(prices=PRICES, limits=budget)
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await asyncio.gather(chat.complete(call_id(1), MESSAGES), return_exceptions=True)
        hanging = asyncio.create_task(chat.complete(call_id(2), MESSAGES))
        await until(lambda: 2 == chat_server.count)
        hanging.cancel()
        await asyncio.gather(hanging, return_exceptions=True)
        assert "ok" == (await chat.complete(call_id(3), MESSAGES)).text


FORM = Form("F", {"type": "object"}, "words")


def fenced(role: str = "user", fence: str = "x9", word: str = "data") -> list[Message]:
    return [Message(role, f"<<{fence}>> {word} <<{fence}>>")]  # type: ignore[arg-type]


async def digest(
    server: ChatServer,
    *,
    model: str = "m",
    temperature: float | None = 0.5,
    messages: list[Message] | None = None,
    form: Form | None = FORM,
    fence: str = "x9",
) -> str:
    world = World()
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(server.base_url, model, temperature), Role.USER)
        await chat.complete(call_id(), messages or fenced(), form=form, fence=fence)
    return world.watch.records[call_id()].digest


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        ({}, True),
        ({"messages": fenced(fence="y7"), "fence": "y7"}, True),
        ({"form": Form("G", {"type": "object"})}, True),
        ({"model": "n"}, False),
        ({"temperature": None}, False),
        ({"messages": fenced("system")}, False),
        ({"messages": fenced(word="Data")}, False),
        ({"messages": [*fenced(), Message("user", "")]}, False),
        ({"form": Form("F", {"type": "array"})}, False),
        ({"form": None}, False),
    ],
)
async def test_the_digest_covers_the_input_and_not_the_fence(
    change: dict[str, Any], is_same: bool, chat_server: ChatServer
) -> None:
    assert is_same is (await digest(chat_server) == await digest(chat_server, **change))


async def test_two_messages_are_not_one_that_reads_like_both(chat_server: ChatServer) -> None:
    apart = [Message("user", "a"), Message("user", "b")]
    one = [Message("user", "auserb")]
    assert await digest(chat_server, messages=apart) != await digest(chat_server, messages=one)
