"""A chat completion read into a reply: whole, streamed, broken, and everything else that comes."""

import json
from contextlib import suppress
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.errors import TargetError, TargetFault
from simulator.targets._wire.parts import Event
from simulator.targets._wire.reading import Paths
from simulator.targets.openai_compatible import Stream, read_completion
from tests.loopback.bot import Heard, Sent, cut, stream
from tests.targets.openai_compatible.chat_bots import (
    DONE,
    completion,
    event,
    failure_of,
    piece,
    reply_to,
)

HELLO = (piece({"role": "assistant", "content": ""}), piece({"content": "Hel"}))
REST = piece({"content": "lo"})
STOP = piece({}, "stop")
USAGE = event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})


@pytest.mark.parametrize(
    ("message", "text", "note"),
    [
        ({"content": "half an ans", "finish": "length"}, "half an ans", "cut off at the token"),
        ({"content": None, "refusal": "I will not."}, "I will not.", "is a refusal"),
        ({"content": "some", "finish": "content_filter"}, "some", "content filter cut"),
    ],
)
async def test_what_a_customer_would_read_is_the_answer_and_a_note_tells_more(
    message: dict[str, Any], text: str, note: str
) -> None:
    reply = await reply_to(lambda _: completion(**message))
    assert text == reply.text
    assert note in reply.notes[0]


@pytest.mark.parametrize(
    ("sent", "fault", "told"),
    [
        (completion(None), "empty", r"without text \(finish_reason: stop\)"),
        (completion(" \n", finish=None), "empty", "without text"),
        (completion(None, "length"), "empty", "token limit before any text"),
        (completion("", "content_filter"), "raised", "content filter stopped the answer"),
        (completion(None, "tool_calls", tool_calls=[{"id": "1"}]), "empty", "tool call"),
        ({"choices": []}, "invalid", r'without a message; the response was: {"choices": \[\]}'),
        ({"answer": "hi"}, "invalid", r'the response was: {"answer": "hi"}'),
        ([], "invalid", "without a message"),
        ("<html><h1>Login</h1></html>", "invalid", r"not a JSON body \(text/plain.*Login"),
        (b"", "invalid", "an empty body"),
        ({"error": {"message": "index is down"}}, "invalid", "error in a 200: index is down"),
        (b'{"choices": [{"mess', "invalid", "not a JSON body"),
    ],
)
async def test_what_is_no_answer_is_a_failure_that_shows_what_came(
    sent: Sent, fault: str, told: str
) -> None:
    failure = await failure_of(lambda _: sent)
    assert TargetFault(fault) == failure.fault
    with pytest.raises(TargetError, match=told):
        raise failure


async def test_a_content_of_several_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "image"}, {"type": "text", "text": "lo"}]
    assert "Hello" == (await reply_to(lambda _: completion(parts))).text


@pytest.mark.parametrize(
    ("events", "notes"),
    [
        ((*HELLO, REST, STOP, DONE), 0),
        ((*HELLO, REST, STOP), 0),
        ((*HELLO, REST, DONE), 0),
        ((*HELLO, REST), 1),
        ((*HELLO, REST, STOP, USAGE, DONE, "data: not JSON\n\n"), 0),
        ((": keep-alive\n\n", *HELLO, ": keep-alive\n\n", REST, STOP.rstrip()), 0),
        ((*HELLO, event({"choices": [{"index": 1, "delta": {"content": "x"}}]}), REST, DONE), 0),
        (("".join((*HELLO, REST, DONE)).replace("\n", "\r\n"),), 0),
        ((*HELLO, event({"choices": [{"message": {"content": "Hello"}}]}), DONE), 0),
        ((piece({"content": [{"type": "text", "text": "Hello"}]}), DONE), 0),
    ],
)
async def test_the_pieces_of_a_stream_are_joined_however_it_ends(
    events: tuple[str, ...], notes: int
) -> None:
    reply = await reply_to(lambda heard: stream(heard, *events), stream=True)
    assert ("Hello", notes) == (reply.text, len(reply.notes))


async def test_a_stream_is_read_to_done_and_no_further() -> None:
    async def act(heard: Heard) -> Sent:
        return await stream(heard, *HELLO, REST, DONE, *[": keep-alive\n\n"] * 500, pause=0.02)

    assert "Hello" == (await reply_to(act, stream=True, timeout_s=5.0)).text


async def test_a_refusal_comes_in_pieces_too() -> None:
    pieces = piece({"refusal": "I will"}), piece({"refusal": " not."}, "stop"), DONE
    reply = await reply_to(lambda heard: stream(heard, *pieces), stream=True)
    assert ("I will not.", 1) == (reply.text, len(reply.notes))


@pytest.mark.parametrize(
    ("path", "events"),
    [
        ("citations[].text", (event({"choices": [], "citations": [{"text": "one"}]}), *HELLO)),
        ("citations[].text", (*HELLO, piece({}, "stop", citations=[{"text": "one"}]))),
        ("citations[].text", (*HELLO, STOP, event({"citations": [{"text": "one"}]}))),
        ("citations[].text", (*HELLO, 'event: citations\ndata: [{"text": "one"}]\n\n')),
        (
            "choices[0].message.context.citations[].content",
            (piece({"context": {"citations": [{"content": "one"}]}}), *HELLO),
        ),
        (
            "choices[0].delta.context.citations[].content",
            (*HELLO, piece({"context": {"citations": [{"content": "one"}]}}, "stop")),
        ),
    ],
)
async def test_citations_are_found_in_whichever_event_they_come(
    path: str, events: tuple[str, ...]
) -> None:
    reply = await reply_to(lambda heard: stream(heard, *events, DONE), stream=True, documents=path)
    assert ["one"] == [d.text for d in reply.documents]


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ((["a"], ["b"]), ["a", "b"]),
        ((["a"], ["a", "b"]), ["a", "b"]),
        ((["a", "b"], ["a", "b"]), ["a", "b"]),
        ((["a"], None), ["a"]),
    ],
)
async def test_a_list_that_comes_in_parts_grows_and_one_that_is_repeated_does_not(
    lists: tuple[Any, ...], expected: list[str]
) -> None:
    events = [piece({"sources": some}) for some in lists]
    reply = await reply_to(
        lambda heard: stream(heard, *HELLO, *events, DONE),
        stream=True,
        documents="choices[0].message.sources",
    )
    assert expected == [d.text for d in reply.documents]


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ((), "without a message"),
        ((DONE,), "without a message"),
        ((*HELLO, event({"error": {"message": "index is down"}})), "index is down"),
        ((*HELLO, 'event: error\ndata: {"message": "index is down"}\n\n'), "index is down"),
        ((*HELLO, "data: oops\n\n"), r'a JSON object \(after "Hel"\): oops'),
        ((*HELLO, "data: [1]\n\n"), "isn't a JSON object"),
    ],
)
async def test_a_stream_that_goes_wrong_is_no_answer(events: tuple[str, ...], told: str) -> None:
    failure = await failure_of(lambda heard: stream(heard, *events), stream=True)
    assert TargetFault.INVALID == failure.fault
    with pytest.raises(TargetError, match=told):
        raise failure


async def test_a_stream_that_breaks_off_tells_how_far_it_came() -> None:
    begun = "".join(HELLO).encode()
    failure = await failure_of(lambda heard: cut(heard, begun, "text/event-stream"), stream=True)
    assert TargetFault.INVALID == failure.fault
    assert 'the stream ended early (after "Hel")' == str(failure)


@pytest.mark.parametrize("asked_for", [True, False])
@pytest.mark.parametrize("kind", ["text/plain", "application/json", "application/octet-stream"])
async def test_what_came_counts_not_what_was_asked_for_or_what_it_is_called(
    kind: str, asked_for: bool
) -> None:
    events = "".join((*HELLO, REST, DONE))
    for body in (events, json.dumps(completion("Hello"))):
        sent = web.Response(text=body, content_type=kind)
        assert "Hello" == (await reply_to(lambda _: sent, stream=asked_for)).text  # noqa: B023


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "delta", "message", "content", "index", "error", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(_JSON, max_size=4), st.booleans())
def test_whatever_a_server_sends_ends_in_a_reply_or_a_target_error(
    sent: list[Any], streamed: bool
) -> None:
    with suppress(TargetError):
        text = json.dumps(sent[0] if sent else None)
        if streamed:
            held = Stream()
            for data in sent:
                held.take(Event(json.dumps(data)))
            text = held.text
        assert read_completion(text, "application/json", Paths("answer")).text.strip()
