"""What a bot behind a WebSocket may do instead of answering, and what may be wrong in the file."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web
from pydantic import ValidationError

from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.talk import Talk
from simulator.targets.websocket import Websocket
from tests.loopback.websocket import Socket
from tests.targets.fakes import guarded, talk_of
from tests.targets.websocket.sockets import context, failure_of, says, socket_bot
from tests.waiting import until


async def test_the_bot_that_hangs_up_is_quoted() -> None:
    async def act(socket: Socket, message: str) -> None:
        await socket.close(code=4001, message="会話は終わりました".encode())

    failure = await failure_of(act)
    assert TargetFault.RAISED == failure.fault
    assert "it closed the connection (code 4001: 会話は終わりました)" == str(failure)


async def test_the_bot_that_hangs_up_between_the_questions_is_quoted_at_the_next() -> None:
    async def act(socket: Socket, message: str) -> None:
        await socket.send_str("a")
        await socket.close(code=1000)

    async with socket_bot(act) as (target, server):
        await target.answer("q", Talk("a"))
        while server.open:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.02)
        with pytest.raises(TargetError, match=r"it closed the connection \(code 1000\)$"):
            await target.answer("q", talk_of(("q", "a"), episode="a"))


async def test_a_connection_that_breaks_is_told_from_one_that_is_closed() -> None:
    async def act(socket: Socket, message: str) -> None:
        transport = socket._req.transport if socket._req else None
        assert transport is not None
        transport.abort()

    assert str(await failure_of(act)) in {
        "it dropped the connection",
        "mogi can't read its message: [Errno 104] Connection reset by peer",
    }


@pytest.mark.parametrize(
    ("message", "settings", "fault", "told"),
    [
        ("{broken", {}, TargetFault.INVALID, "the JSON that it sent is malformed (Expecting"),
        (
            "hello",
            {"answer": "text"},
            TargetFault.INVALID,
            "the JSON that it sent is malformed (Expecting value",
        ),
        (" ", {}, TargetFault.EMPTY, "it sent an empty message"),
        (b"\xff\xfe\x00", {}, TargetFault.RAISED, "it sent 3 bytes that aren't UTF-8 text"),
        ('{"text": "a"}', {}, TargetFault.INVALID, 'answer: "answer" matches nothing: the message'),
        ('{"error": "down"}', {}, TargetFault.RAISED, "it answered with an error: down"),
        ('{"answer": ["a"]}', {}, TargetFault.INVALID, 'answer: "answer" leads to a list'),
    ],
)
async def test_what_is_no_answer_is_shown(
    message: str | bytes, settings: dict[str, Any], fault: TargetFault, told: str
) -> None:
    failure = await failure_of(says(message), **settings)
    assert fault == failure.fault
    assert told == str(failure)[: len(told)]


@pytest.mark.parametrize(
    ("response", "told"),
    [
        (web.Response(status=401), "it answered GET /chat with 401 Unauthorized; it requires"),
        (web.Response(text="hi"), "it answered GET /chat with 200 OK: that isn't a WebSocket;"),
        (
            web.Response(status=302, headers={"Location": "http://elsewhere.test/x?key=1"}),
            "it redirects (302) to http://elsewhere.test/x, which mogi doesn't follow;",
        ),
    ],
)
async def test_a_bot_that_opens_no_connection_is_quoted(response: web.Response, told: str) -> None:
    async with socket_bot(says("a"), attempts=1) as (target, server):
        server.refuse = lambda request: response
        with pytest.raises(TargetError) as caught:
            await target.answer("q", Talk("a"))
    assert told == str(caught.value)[: len(told)]


async def test_a_bot_that_does_not_run_is_said_to() -> None:
    settings = Websocket.Settings(url="ws://127.0.0.1:9/chat", attempts=1)
    target = Websocket.open(settings, context())
    with pytest.raises(
        TargetError, match=r"no server responds at ws://127.0.0.1:9 .*is the bot run"
    ):
        await target.answer("q", Talk("a"))
    await target.close()


async def test_one_that_never_greets_is_a_timeout_and_its_connection_is_closed() -> None:
    async with socket_bot(says("a"), greeting=True) as (target, server):
        guard = guarded(target, timeout_s=0.3, stateful=True)
        said = await guard.answer("q", Talk("a"))
        assert TargetFault.TIMEOUT == getattr(said, "fault", None)
        await guard.leave("a")
        await until(lambda: 0 == server.open)


async def test_more_messages_than_asked_for_are_noted_when_they_are_there() -> None:
    async def act(socket: Socket, message: str) -> None:
        transport = socket._req.transport if socket._req else None
        assert transport is not None
        # Both in one packet: whoever reads the first one has the second as well.
        transport.write(b"\x81\x01a\x81\x01b")

    async with socket_bot(act) as (target, _):
        reply = await target.answer("q", Talk("a"))
    assert (
        "a",
        ("it sent more messages after its answer; if they are part of it, set `until`",),
    ) == (
        reply.text,
        reply.notes,
    )


URL = "wss://bot.test/chat"


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"url": "https://bot.test/chat"}, "isn't the URL of a WebSocket; write one that begins"),
        ({"url": "wss:///chat"}, "isn't the URL of a WebSocket"),
        ({"url": "wss://u:p@bot.test"}, "contains a user name or a"),
        ({"url": f"{URL}?token=abc"}, r"contains a key \(not shown here\)"),
        ({"url": f"{URL}/{{{{ question }}}}"}, r"uses \{\{ question \}\} where the connection is"),
        ({"url": URL, "send": {"text": "hi"}}, r"doesn't send the question; add \{\{ question"),
        ({"url": URL, "send": "{{ qestion }}"}, 'no value "qestion"; did you mean question'),
        ({"url": URL, "send": ["{{ question }}", "{{ session }}"]}, 'no value "session"'),
        (
            {"url": URL, "delta": "token"},
            "has `delta`, but mogi can't tell which message is the last",
        ),
        ({"url": URL, "until": "a["}, "isn't a JMESPa"),
        ({"url": URL, "headers": {"X-Key": "abcdefghijk"}}, "X-Key contains a"),
        ({"url": URL, "pieces": "token"}, "Extra inputs are not permitted"),
    ],
)
def test_what_is_wrong_in_the_file_is_said_before_anything_is_sent(
    settings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Websocket.Settings(**settings)


def test_a_variable_that_is_not_set_is_wrong_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOT_TOKEN", raising=False)
    settings = Websocket.Settings(url=f"{URL}?token=${{BOT_TOKEN}}")
    with pytest.raises(InputError, match=r"target.url: the environment variable BOT_TOKEN is not"):
        Websocket.open(settings, context())


def test_an_address_of_the_environment_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_URL", "https://bot.test")
    settings = Websocket.Settings(url="${BOT_URL}")
    with pytest.raises(InputError, match=r"target.url isn't the URL of a WebSocket"):
        Websocket.open(settings, context())


async def test_a_question_that_is_hard_to_quote_arrives_whole() -> None:
    heard: list[Any] = []

    async def act(socket: Socket, message: str) -> None:
        heard.append(json.loads(message))
        await socket.send_str("a")

    async with socket_bot(act, send={"text": "{{ question }}"}) as (target, _):
        await target.answer('"\n{{ 1 }} \ud800', Talk("a"))
    assert [{"text": '"\n{{ 1 }} ?'}] == heard
