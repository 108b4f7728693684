"""A bot that answers with server-sent events, over real HTTP."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Document, Reply, Talk
from simulator.targets._wire import parts as _sse
from tests.loopback.bot import Heard, Sent, cut, drop, stream
from tests.targets.http.bots import failure_of, http_bot, reply_to

Act = Callable[[Heard], Awaitable[Sent]]
OPENAI = "choices[0].delta.content"


def _events(*events: Any, end: str = "\n\n") -> Act:
    """Each event: JSON data, text, or (name, data)."""

    def line(event: Any) -> str:
        name, data = event if isinstance(event, tuple) else ("", event)
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        return (f"event: {name}\n" if name else "") + f"data: {text}{end}"

    return lambda heard: stream(heard, *map(line, events))


def _delta(text: str | None) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": text} if text else {"role": "assistant"}}]}


async def _read(act: Act, **settings: Any) -> Reply:
    return await reply_to(act, stream="sse", **settings)


async def _failed(act: Act, **settings: Any) -> TargetError:
    return await failure_of(act, stream="sse", **settings)


async def test_pieces_are_joined_and_the_marker_ends_them() -> None:
    act = _events(
        _delta(None), _delta("送料は"), _delta("500円"), {"usage": 1}, "[DONE]", _delta("x")
    )
    assert Reply("送料は500円") == await _read(act, answer=OPENAI)


async def test_it_asks_for_events() -> None:
    async with http_bot(_events("a"), stream="sse") as (target, server):
        await target.answer("q", Talk("e"))
        assert "text/event-stream" == server.heard[0].headers["Accept"]


@pytest.mark.parametrize(
    ("events", "settings", "text"),
    [
        (["Hel", "lo, ", "world"], {}, "Hello, world"),
        (["42", "[x]", "{odd", '"quoted"'], {}, "42[x]{oddquoted"),
        ([{"answer": "a"}, {"answer": "b"}, ("ping", "ping"), ("end", "bye")], {}, "ab"),
        ([{"t": "a"}, {"t": "ab"}], {"answer": "t", "sse": {"pieces": "last"}}, "ab"),
        ([("token", "a"), ("log", "x"), ("token", "b")], {"sse": {"answer_event": "token"}}, "ab"),
        (
            [("token", {"t": "a"}), ("log", {"t": "x"})],
            {"answer": "t", "sse": {"answer_event": "token"}},
            "a",
        ),
        (["a", ("bye", ""), "b"], {"sse": {"end": "bye"}}, "a"),
        (["a", "STOP", "b"], {"sse": {"end": "STOP"}}, "a"),
        (["a", "[DONE]", "b"], {"sse": {"end": "STOP"}}, "a"),
    ],
)
async def test_the_text_is_found_in_every_shape_of_stream(
    events: list[Any], settings: dict[str, Any], text: str
) -> None:
    assert text == (await _read(_events(*events), **settings)).text


async def test_pieces_arrive_cut_anywhere() -> None:
    whole = "".join(f"data: {json.dumps(_delta(c), ensure_ascii=False)}\r\n\r\n" for c in "日本語")
    data = whole.encode()
    reply = await _read(lambda h: stream(h, *(data[i : i + 7] for i in range(0, len(data), 7))),
                        answer=OPENAI)  # fmt: skip
    assert "日本語" == reply.text


async def test_documents_come_from_any_event_each_once() -> None:
    def source(name: int) -> dict[str, Any]:
        return {"id": name, "text": f"t{name}"}

    events = [{"t": "a", "d": [source(1)]}, {"t": "b", "d": [source(1), source(2)]}, {"t": "c"}]
    reply = await _read(_events(*events), answer="t", documents="d")
    assert Reply("abc", (Document("t1", "1"), Document("t2", "2"))) == reply


async def test_documents_come_from_the_event_that_is_named_even_the_last() -> None:
    events = [{"t": "a", "d": ["no"]}, ("done", {"d": [{"id": "x", "text": "yes"}]})]
    reply = await _read(
        _events(*events), answer="t", documents="d", sse={"documents_event": "done", "end": "done"}
    )
    assert Reply("a", (Document("yes", "x"),)) == reply


async def test_an_empty_list_says_that_the_search_found_nothing() -> None:
    assert Reply("a", reports_documents=True) == await _read(
        _events({"t": "a"}, {"d": []}), answer="t", documents="d"
    )
    unknown = await _read(_events({"t": "a"}), answer="t", documents="d")
    assert not unknown.reports_documents
    assert ('documents: "d" matches nothing: the event has no `d`; it has: t',) == unknown.notes


@pytest.mark.parametrize(
    ("act", "settings", "fault", "said"),
    [
        (_events(), {}, "empty", "its stream ended without an event"),
        (_events(("error", {"message": "busy"})), {}, "raised", "answered with an error: busy"),
        (_events("a", ("error", "busy")), {}, "raised", "answered with an error: busy"),
        (_events({"t": "a"}, {"error": {"message": "busy"}}), {"answer": "t"}, "raised", "busy"),
        (_events('{"t": "a"'), {"answer": "t"}, "invalid", "event 1 of its answer is malformed"),
        (_events({"t": 7}), {"answer": "t"}, "invalid", '"t" leads to a number (7)'),
        (_events("a"), {"sse": {"end": "STOP"}}, "invalid",
         'its stream ended early: no "STOP" came after message ×1'),
        (_events("a"), {"sse": {"answer_event": "token"}}, "invalid",
         'its stream has no event "token"; it sent message ×1'),
        (_events(("token", "a"), ("token", "b")), {}, "invalid",
         "it sent token ×2; set the event with the text: sse: {answer_event: ...}"),
        (_events({"txt": "a"}, {"txt": "b"}, {"usage": 1}), {"answer": "text"}, "invalid",
         "the event has no `text`; did you mean txt? it has: txt; text is at: txt; "
         'the response was {"txt": "a"}; in all there came message ×3'.replace('"a"', '"b"')),
        (_events("a", "b"), {"answer": "t"}, "invalid", 'the event is text ("b"), not a mapping'),
    ],
)  # fmt: skip
async def test_a_stream_without_an_answer_is_told_for_what_it_is(
    act: Act, settings: dict[str, Any], fault: str, said: str
) -> None:
    error = await _failed(act, **settings)
    assert TargetFault(fault) == error.fault
    assert said in str(error)


async def test_an_answer_that_is_no_stream_is_told() -> None:
    error = await _failed(lambda _: {"answer": "a"})  # type: ignore[arg-type,return-value]
    assert (
        "it answered POST /chat with application/json, not with a stream of events: "
        '"{"answer": "a"}"; write stream: none if it never sends one'
    ) == str(error)


async def test_a_stream_that_is_cut_is_no_answer() -> None:
    error = await _failed(lambda h: cut(h, b"data: half an\n\n", "text/event-stream"))
    assert "it stopped in the middle of its answer to POST /chat" == str(error)


async def test_a_chunked_stream_that_is_dropped_is_no_answer() -> None:
    async def act(heard: Heard) -> Sent:
        response = await stream(heard, "data: half an\n\n")
        drop(heard)
        return response

    assert "it stopped in the middle" in str(await _failed(act))


async def test_the_status_is_looked_at_before_the_stream() -> None:
    async def act(heard: Heard) -> Sent:
        return web.json_response({"detail": "no"}, status=500)

    assert "500 Internal Server Error: no" in str(await _failed(act))


async def test_an_endless_event_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sse, "EVENT_LIMIT", 1000)
    error = await _failed(lambda h: stream(h, "data: ", *["x" * 400] * 10))
    assert "one event of its stream is longer than any answer" == str(error)
