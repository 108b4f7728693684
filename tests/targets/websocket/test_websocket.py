"""A bot behind a real WebSocket: a connection for each talk, a message for each question."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from simulator.core.errors import TargetFault
from simulator.core.ports import Target
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.targets.websocket import Websocket
from tests.loopback.websocket import Socket
from tests.targets.contract import Bot, Contract
from tests.targets.fakes import guarded, talk_of
from tests.targets.websocket.sockets import reply_to, says, socket_bot
from tests.waiting import pass_time, settle, until


class TestContract(Contract):
    @pytest.fixture
    async def target(self, bot: Bot) -> AsyncIterator[Target]:
        async def act(socket: Socket, message: str) -> None:
            question = json.loads(message)["question"]
            bot.enter(question)
            try:
                if question == "hang":
                    await asyncio.sleep(30)
                if question == "slow":
                    await asyncio.sleep(0.02)
                await socket.send_str(json.dumps({"answer": Bot.say(question)}))
            except ValueError as error:
                await socket.send_str(json.dumps({"error": f"ValueError: {error}"}))
            finally:
                bot.leave()

        async with socket_bot(act) as (target, _):
            yield target

    async def test_an_exception_is_a_failure_with_its_type_and_text(self, target: Target) -> None:
        said = await guarded(target).answer("raise", Talk("e"))
        assert isinstance(said, TargetFailure)
        assert (
            TargetFault.RAISED,
            "it answered with an error: ValueError: out of order \ufffd",
        ) == (
            said.fault,
            said.message,
        )


async def _echo(socket: Socket, message: str) -> None:
    await socket.send_str(message)


async def test_each_talk_has_a_connection_of_its_own_until_it_is_over() -> None:
    heard: dict[int, list[str]] = {}

    async def act(socket: Socket, message: str) -> None:
        said = heard.setdefault(id(socket), [])
        said.append(message)
        await socket.send_str(" then ".join(said))

    async with socket_bot(act, send="{{ question }}") as (target, server):
        assert Reply("one") == await target.answer("one", Talk("a"))
        assert Reply("other") == await target.answer("other", Talk("b"))
        talk = talk_of(("one", "one"), episode="a")
        assert Reply("one then two") == await target.answer("two", talk)
        assert 2 == server.open
        await target.leave("a")
        await until(lambda: 1 == server.open)
        assert (1, [1000]) == (server.open, server.closes)
    assert [1000, 1000] == server.closes


def test_the_connection_is_the_talk() -> None:
    assert Websocket.keeps_talk(Websocket.Settings(url="ws://127.0.0.1/chat"))


async def test_the_question_is_sent_as_the_file_says() -> None:
    send = {
        "type": "say",
        "text": "{{ question }}",
        "turn": "{{ turn }}",
        "past": "{{ history }}",
        "all": "{{ messages }}",
    }
    reply = await reply_to(_echo, talk_of(("a", "b")), send=send, answer="to_string(@)")
    messages = [("user", "a"), ("assistant", "b"), ("user", "q")]
    assert {
        "type": "say",
        "text": "q",
        "turn": 2,
        "past": [{"user": "a", "assistant": "b"}],
        "all": [{"role": role, "content": text} for role, text in messages],
    } == json.loads(reply.text)


async def test_without_a_send_question_and_history_are_sent() -> None:
    reply = await reply_to(_echo, answer="to_string(@)")
    assert {"question": "q", "history": []} == json.loads(reply.text)


async def test_a_talk_is_known_by_a_name_that_no_other_has_had() -> None:
    settings = {"query": "?talk={{ episode }}", "headers": {"X-Talk": "{{ episode }}"}}
    names = []
    for _ in range(2):
        async with socket_bot(says("hi"), **settings) as (target, server):  # type: ignore[arg-type]
            await target.answer("q", Talk("faq-1/calm/1"))
            (request,) = server.requests
            assert request.query["talk"] == request.headers["X-Talk"]
            names.append(request.query["talk"])
    assert all(name.startswith("faq-1-calm-1-") for name in names)
    assert 2 == len(set(names))


async def test_a_key_comes_from_the_environment_and_is_never_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOT_TOKEN", "s3cret-0123456789")
    async with socket_bot(
        says("your key is s3cret-0123456789"),
        query="?token=${BOT_TOKEN}",
        headers={"Authorization": "Bearer ${BOT_TOKEN}"},
    ) as (target, server):
        reply = await target.answer("q", Talk("a"))
    (request,) = server.requests
    assert "Bearer s3cret-0123456789" == request.headers["Authorization"]
    assert "s3cret-0123456789" == request.query["token"]
    assert Reply("your key is ${BOT_TOKEN}") == reply


async def test_documents_come_with_their_ids() -> None:
    message = {"data": {"text": "a", "sources": [{"key": "d1", "passage": "t", "name": "T"}]}}
    reply = await reply_to(
        says(json.dumps(message)),
        answer="data.text",
        documents="data.sources[].passage",
        document_ids="data.sources[].key",
        document_titles="data.sources[].name",
    )
    assert Reply("a", (Document("t", "d1", "T"),)) == reply


async def test_a_path_that_finds_no_documents_is_noted_with_what_was_there() -> None:
    reply = await reply_to(
        says('{"answer": "a", "sources": []}'), answer="answer", documents="source"
    )
    (note,) = reply.notes
    assert "a" == reply.text
    assert "did you mean sources?" in note


async def test_a_greeting_is_none_of_the_answers() -> None:
    async def greet(socket: Socket) -> None:
        await asyncio.sleep(0.01)
        await socket.send_str("Welcome!")

    async with socket_bot(says("answer"), greeting=True) as (target, server):
        server.greet = greet
        first = await target.answer("q", Talk("a"))
        second = await target.answer("q", talk_of(("q", "a"), episode="a"))
    assert (Reply("answer"), Reply("answer")) == (first, second)


async def test_pings_are_answered_while_nobody_asks_anything() -> None:
    async with socket_bot(says("answer")) as (target, server):
        server.options = {"heartbeat": 20}
        await target.answer("q", Talk("a"))
        for _ in range(6):  # a ping each time, or its end if that is not answered
            pass_time(10)
            await settle()
        assert 1 == server.open
        assert Reply("answer") == await target.answer("q", talk_of(("q", "a"), episode="a"))


async def test_text_in_binary_messages_is_text() -> None:
    assert Reply("円") == await reply_to(says('{"answer": "円"}'.encode()))


@pytest.mark.parametrize("text", ["plain words", "[1] see there", '"quoted" and more'])
async def test_a_message_of_text_is_the_answer(text: str) -> None:
    assert Reply(text) == await reply_to(says(text))


async def test_connecting_is_tried_again_where_nothing_was_said_yet() -> None:
    from aiohttp import web

    async with socket_bot(says("answer")) as (target, server):
        refusals = [web.Response(status=503)]

        def refuse(request: web.Request) -> web.StreamResponse:
            server.refuse = None
            return refusals.pop()

        server.refuse = refuse
        reply = await target.answer("q", Talk("a"))
    assert "answer" == reply.text
    assert (
        "connected only when tried again, after: it answered GET /chat with 503" in reply.notes[0]
    )
