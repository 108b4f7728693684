"""Server-sent events, read from bytes as they come.

The rules are those of the HTML standard, section 9.2.6 "Interpreting an event stream": line ends
are CR LF, LF or CR, a blank line ends an event, `data` lines are joined by LF, comments and unknown
fields are passed over. One rule is kinder: an event before a clean end of the stream counts without
its blank line, too, since many bots leave that out. Written here, since the libraries at hand read
through a client of their own (httpx-sse) or reconnect (aiohttp-sse-client2), which would ask the
bot a second time.
"""

import codecs
import io
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from dataclasses import dataclass

from simulator.core.bounds import EVENT_LIMIT, MAX_EVENT_LINES


class EventTooLong(ValueError):
    """One event is longer than any answer; nothing more of the stream is read."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `name` is what its `event:` line says, `message` where there is none."""

    data: str
    name: str = "message"


class SseDecoder:
    """Bytes in, events out. Bytes may be cut anywhere: in a line end, in a character.

    What is not UTF-8 becomes U+FFFD, as the standard says.
    """

    def __init__(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._decode = io.IncrementalNewlineDecoder(decoder, translate=True).decode
        self._line: list[str] = []  # the pieces of a line that is not over yet
        self._data: list[str] = []
        self._size = 0  # of the event so far
        self._pending = 0  # of the line so far
        self._name = ""
        self._lines_left = MAX_EVENT_LINES

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that these bytes complete.

        Raises:
            EventTooLong: an event has more than `EVENT_LIMIT` characters, or the stream more
                than `MAX_EVENT_LINES`.
        """
        return filter(None, map(self._take, self._lines(self._decode(chunk))))

    def end(self) -> Event | None:
        """The event that the clean end of the stream completes, if any. Call it once."""
        ended = map(self._take, self._lines(self._decode(b"", final=True) + "\n"))
        return next(filter(None, list(ended)), None) or self._dispatch()

    def _lines(self, text: str) -> Iterator[str]:
        # Not str.splitlines, which also cuts at U+2028 and others that may stand in an answer.
        *ended, rest = text.split("\n")
        for line in ended:
            whole = "".join((*self._line, line))
            self._line, self._pending = [], 0
            yield whole
        self._line.append(rest)
        self._pending += len(rest)
        self._bound()

    def _take(self, line: str) -> Event | None:
        self._lines_left -= 1
        if self._lines_left < 0:
            raise EventTooLong
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        self._size += len(line)
        self._bound()
        return None

    def _dispatch(self) -> Event | None:
        data, name = self._data, self._name or "message"
        self._data, self._name, self._size = [], "", 0
        return Event("\n".join(data), name) if data else None

    def _bound(self) -> None:
        if self._size + self._pending > EVENT_LIMIT:
            raise EventTooLong


async def events_of(chunks: AsyncIterable[bytes]) -> AsyncGenerator[Event, None]:
    """The events of a stream of bytes, each as soon as its blank line has come.

    Raises:
        EventTooLong: as for `SseDecoder.feed`; and whatever reading the bytes raises.
    """
    decoder = SseDecoder()
    async for chunk in chunks:
        for event in decoder.feed(chunk):
            yield event
    last = decoder.end()
    if last is not None:
        yield last


async def lines_of(chunks: AsyncIterable[bytes]) -> AsyncGenerator[Event, None]:
    """The lines of a stream of JSON values (NDJSON), each as an event; blank ones are passed over.

    Raises:
        EventTooLong: a line has more than `EVENT_LIMIT` bytes, or there are too many.
    """
    pieces: list[bytes] = []  # of a line that is not over yet
    size = count = 0
    async for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for line in ended:
            whole = b"".join((*pieces, line)).decode("utf-8", "replace").strip()
            pieces, size = [], 0
            if whole:
                yield Event(whole)
        pieces.append(rest)
        size, count = size + len(rest), count + len(ended)
        if size > EVENT_LIMIT or count > MAX_EVENT_LINES:
            raise EventTooLong
    last = b"".join(pieces).decode("utf-8", "replace").strip()
    if last:
        yield Event(last)
