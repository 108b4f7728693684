"""What is told of a call that is kept waiting by its account, or whose form is not made."""

import asyncio

import pytest

from simulator.core.errors import ModelError
from simulator.core.ports import Form, Role
from simulator.core.traffic import Traffic
from tests.llm.world import MESSAGES, World, call_id, spec
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer


async def test_who_waits_for_the_accounts_first_answer_is_said_to(
    chat_server: ChatServer,
) -> None:
    traffic = Traffic(lambda: float(chat_server.count))  # a second passes with each request
    world = World()
    async with world.accounts(traffic=traffic) as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.USER)
        await asyncio.gather(*(chat.complete(call_id(n), MESSAGES) for n in range(3)))
    first, *others = world.watch.seen
    assert "" == first.why
    assert ["waited for first_answer"] * 2 == [end.why for end in others]
    assert traffic.waited()["m"]["first_answer"] >= 1


async def test_what_an_endpoint_quotes_of_a_form_that_failed_is_not_told(
    chat_server: ChatServer,
) -> None:
    said = {"message": "Failed to generate JSON: Alice owes 40", "code": "json_validate_failed"}
    chat_server.script(*[Status(400, said)] * 3)
    world = World()
    form = Form("Verdict", {"type": "object"}, "Answer in JSON.")
    async with world.accounts() as accounts:
        chat = accounts.chat(spec(chat_server.base_url), Role.JUDGE)
        with pytest.raises(ModelError):
            await chat.complete(call_id(1), MESSAGES, form=form)
    [end] = world.watch.seen
    assert ("unparsable", 3) == (end.status, end.attempts)
    assert "garbled (the response has the wrong format)" in end.why
    assert "Alice" not in end.why
