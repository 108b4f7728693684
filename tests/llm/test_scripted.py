"""scripted: a chat that says what it is told to, and remembers what it was asked."""

import pytest

from simulator.core.errors import ModelError, ModelFault
from simulator.core.ports import CallId, Completion, Form, Message, Role
from simulator.llm.scripted import ScriptedChat, ScriptedRequest

CALL = CallId("e", 1, Role.USER)
ASKED = [Message("user", "hi")]


async def test_a_list_is_answered_in_its_order_and_then_runs_out() -> None:
    chat = ScriptedChat(["one", Completion("two", fault=ModelFault.TRUNCATED), ""])
    assert Completion("one") == await chat.complete(CALL, ASKED)
    assert ModelFault.TRUNCATED == (await chat.complete(CALL, ASKED)).fault
    assert Completion("", fault=ModelFault.EMPTY) == await chat.complete(CALL, ASKED)
    with pytest.raises(LookupError, match="no more answers"):
        await chat.complete(CALL, ASKED)


async def test_a_function_is_asked_with_the_request() -> None:
    chat = ScriptedChat(lambda request: f"{request.last} back")
    assert "hi back" == (await chat.complete(CALL, ASKED)).text


async def test_an_exception_is_raised() -> None:
    chat = ScriptedChat([ModelError(ModelFault.REJECTED, "no")])
    with pytest.raises(ModelError, match="no"):
        await chat.complete(CALL, ASKED)


async def test_requests_are_remembered() -> None:
    chat = ScriptedChat(["one"])
    form = Form("F", {})
    await chat.complete(CALL, ASKED, form=form, fence="f")
    assert [ScriptedRequest(CALL, tuple(ASKED), form, "f")] == chat.requests
