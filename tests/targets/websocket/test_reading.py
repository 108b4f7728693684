"""Answers in many messages over a WebSocket: pieces, signs of typing, and an end."""

import json
from typing import Any

import pytest

from simulator.core.errors import TargetFault
from simulator.core.talk import Document, Reply, Talk
from tests.loopback.websocket import Act, Socket
from tests.targets.fakes import talk_of
from tests.targets.websocket.sockets import failure_of, reply_to, says, socket_bot
from tests.waiting import settle


def sends(*values: Any) -> Act:
    return says(*(json.dumps(value) for value in values))


async def test_pieces_are_joined_until_the_end() -> None:
    act = sends({"typing": True}, {"token": "Fees "}, {"token": "are 5."}, {"done": True})
    assert Reply("Fees are 5.") == await reply_to(act, delta="token", until="done")


async def test_a_whole_text_at_the_end_goes_before_the_pieces() -> None:
    act = sends({"token": "Fes"}, {"done": True, "answer": "Fees"})
    assert Reply("Fees") == await reply_to(act, delta="token", until="done", answer="answer")
    pieces_only = sends({"token": "Fees"}, {"done": True, "answer": ""})
    reply = await reply_to(pieces_only, delta="token", until="done", answer="answer")
    assert Reply("Fees") == reply


async def test_signs_of_typing_are_passed_over() -> None:
    act = sends({"type": "typing"}, {"type": "answer", "answer": "Fees"})
    assert Reply("Fees") == await reply_to(act, until="type == 'answer'")


@pytest.mark.parametrize("sign", ['{"answer": false}', '{"answer": {}}', "ping", '"typing"'])
@pytest.mark.parametrize("settings", [{}, {"answer": "answer"}])
async def test_messages_without_a_text_at_answer_are_passed_over(
    sign: str, settings: dict[str, Any]
) -> None:
    act = says(sign, '{"answer": "Fees"}', "[DONE]", '{"done": true}')
    assert Reply("Fees") == await reply_to(act, until="done", **settings)


async def test_documents_of_any_message_count() -> None:
    act = sends(
        {"sources": [{"id": "d1", "text": "one"}]},
        {"token": "a"},
        {"sources": [{"id": "d2", "text": "two"}], "done": True},
    )
    reply = await reply_to(act, delta="token", until="done", documents="sources")
    assert Reply("a", (Document("one", "d1"), Document("two", "d2"))) == reply


async def test_documents_are_found_by_themselves_in_answers_of_pieces_too() -> None:
    act = sends({"token": "a", "documents": ["one"]}, {"done": True})
    assert Reply("a", (Document("one"),)) == await reply_to(act, delta="token", until="done")


async def test_what_comes_between_the_questions_is_passed_over() -> None:
    async def act(socket: Socket, message: str) -> None:
        await socket.send_str('{"token": "a", "done": true}')
        await socket.send_str('{"type": "presence"}')

    async with socket_bot(act, delta="token", until="done") as (target, _):
        assert "a" == (await target.answer("q", Talk("a"))).text
        await settle()
        assert "a" == (await target.answer("q", talk_of(("q", "a"), episode="a"))).text


async def test_a_second_message_is_not_taken_for_the_next_answer() -> None:
    async with socket_bot(says("one", "two")) as (target, _):
        assert "one" == (await target.answer("q", Talk("a"))).text
        await settle()
        failure = await _fails(target, talk_of(("q", "a"), episode="a"))
    assert failure.startswith('it sent an unexpected message: "two"; where an answer is')


async def _fails(target: Any, talk: Talk) -> str:
    with pytest.raises(Exception, match="unexpected message") as caught:
        await target.answer("q", talk)
    return str(caught.value)


@pytest.mark.parametrize(
    ("values", "settings", "fault", "message"),
    [
        (
            [{"text": "a"}, {"done": True}],
            {"delta": "token", "until": "done"},
            TargetFault.INVALID,
            'delta: "token" matches nothing: the message has no `token`; it has: text; text is',
        ),
        (
            [{"text": "a"}, {"done": True}],
            {"until": "done"},
            TargetFault.INVALID,
            'answer: "answer" matches nothing: the message has no `answer`; it has: text',
        ),
        (
            [{"token": 5}],
            {"delta": "token", "until": "done"},
            TargetFault.INVALID,
            'delta: "token" leads to a number (5); expected',
        ),
        (
            [{"error": {"message": "no index"}}],
            {"delta": "token", "until": "done"},
            TargetFault.RAISED,
            "it answered with an error: no index",
        ),
    ],
)
async def test_a_stream_without_text_is_explained_by_what_came(
    values: list[Any], settings: dict[str, Any], fault: TargetFault, message: str
) -> None:
    failure = await failure_of(sends(*values), **settings)
    assert fault == failure.fault
    assert message == str(failure)[: len(message)]


async def test_a_connection_that_ends_in_the_middle_says_how_far_it_came() -> None:
    async def act(socket: Socket, message: str) -> None:
        await socket.send_str('{"token": "a"}')
        await socket.close(code=1011, message=b"out of memory")

    failure = await failure_of(act, delta="token", until="done")
    assert TargetFault.RAISED == failure.fault
    assert (
        "it closed the connection (code 1011: out of memory) after message ×1, none of which made "
        'until: "done" true; the last: "{"token": "a"}"'
    ) == str(failure)
