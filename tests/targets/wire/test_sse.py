"""Events read from bytes that may be cut anywhere."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.targets._wire import parts as _sse
from simulator.targets._wire.parts import Event, EventTooLong, SseDecoder, events_of


def decoded(*chunks: bytes) -> list[Event]:
    decoder = SseDecoder()
    found = [event for chunk in chunks for event in decoder.feed(chunk)]
    last = decoder.end()
    return found if last is None else [*found, last]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"", []),
        (b"data: a\n\n", [Event("a")]),
        (b"data:a\r\n\r\ndata:  b\r\r", [Event("a"), Event(" b")]),
        (b"data: a\ndata\ndata: b\n\n", [Event("a\n\nb")]),
        (b"event: end\ndata: a\n\ndata: b\n\n", [Event("a", "end"), Event("b")]),
        (b": a comment\n\nid: 1\nretry: 5\nother: x\ndata: a\n\n", [Event("a")]),
        (b"event: without data\n\ndata: a\n\n", [Event("a")]),
        (b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", [Event("a")]),  # a mark once only
        (b"data: a: b\n\n", [Event("a: b")]),
        (b"data: a\xe2\x80\xa8b\x0bc\x85\n\n", [Event("a\u2028b\x0bc\ufffd")]),
        (b"data: a\xff\xe6\x97b\n\n", [Event("a\ufffd\ufffdb")]),
        (b"data: no blank line", [Event("no blank line")]),
        (b"data: cut character \xe6\x97", [Event("cut character \ufffd")]),
        (b"\n\n\n", []),
    ],
)
def test_a_stream_is_read_as_the_standard_says(stream: bytes, events: list[Event]) -> None:
    assert events == decoded(stream)
    assert events == decoded(*(bytes([byte]) for byte in stream))


_text = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))
_events = st.lists(st.tuples(st.lists(_text, min_size=1), st.sampled_from(["", "end", "質問"])))


@given(_events, st.sampled_from(["\n", "\r", "\r\n"]), st.data())
def test_wherever_the_bytes_are_cut_the_events_are_the_same(
    events: list[tuple[list[str], str]], end: str, data: st.DataObject
) -> None:
    lines = []
    for texts, name in events:
        lines += [f"event: {name}"] if name else []
        lines += [f"data: {text}" for text in texts] + [": comment", ""]
    stream = "".join(line + end for line in lines).encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=8)))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    expected = [Event("\n".join(texts), name or "message") for texts, name in events]
    assert expected == decoded(*chunks)


@given(st.lists(st.binary(max_size=40)))
def test_any_bytes_at_all_are_borne(chunks: list[bytes]) -> None:
    assert decoded(*chunks) == decoded(b"".join(chunks))


async def test_an_event_comes_before_more_bytes_are_asked_for() -> None:
    asked: list[str] = []

    async def chunks() -> AsyncIterator[bytes]:
        yield b"data: a\n\nda"
        asked.append("more")
        yield b"ta: b\n\n"

    stream = events_of(chunks())
    assert (Event("a"), []) == (await anext(stream), asked)
    assert [Event("b")] == [event async for event in stream]


@pytest.mark.parametrize("chunk", [b"data: 1234567", b"data: 12\n"])
def test_an_event_without_end_is_given_up(chunk: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sse, "EVENT_LIMIT", 40)
    with pytest.raises(EventTooLong):
        decoded(*[chunk] * 10)


def test_a_long_stream_of_short_events_has_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sse, "EVENT_LIMIT", 40)
    assert 100 == len(decoded(*[b"data: 12345678901234567890\n\n"] * 100))
