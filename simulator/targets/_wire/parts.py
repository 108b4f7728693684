"""An answer in parts (server-sent events, messages of a socket) read into one Reply."""

import codecs
import io
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, Field

from simulator.core.bounds import BODY_LIMIT, EVENT_LIMIT, MAX_EVENT_LINES, MAX_PIECES
from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Document, Reply
from simulator.formats.jmespath import PathText, compiled, is_true
from simulator.llm.replies import words_in
from simulator.targets._shapes import invalid, raised
from simulator.targets._wire.reading import Paths, answer_in, fail_on_error, json_or_text

_DONE = "[DONE]"
_ERROR = "error"
UNNAMED = "message"


class PartSettings(BaseModel, extra="forbid"):
    """How an answer is put together from its parts."""

    answer_event: str | None = Field(None, description="the name of the events with text")
    documents_event: str | None = Field(None, description="the name of the events with documents")
    end: str | None = Field(
        None,
        description="the data or name of the event that ends a stream; without that event, the "
        "stream is incomplete. [DONE] always ends it",
    )
    until: PathText | None = Field(
        None, description="a JMESPath that is true in the event that ends a stream"
    )
    replaces: PathText | None = Field(
        None, description="a JMESPath that is true if the text replaces all earlier text"
    )
    failed: PathText | None = Field(
        None, description="a JMESPath to an event's error message; null if there is none"
    )
    pieces: Literal["join", "last"] = Field(
        "join", description="join: each event has a piece; last: each repeats the text so far"
    )


@dataclass(frozen=True, slots=True)
class PartsForm:
    """How an answer is made of parts. `unit` is what one is called: `event`, `message`.

    `piece` is the path to the text in a part, which the setting `key` names. A text at `whole`
    takes the place of all pieces; with `whole_only` there are no pieces, and a part without a
    visible text there is passed over.
    """

    paths: Paths
    settings: PartSettings
    piece: str | None
    unit: str = "event"
    key: str = "answer"
    whole: str | None = None
    whole_only: bool = False


@dataclass(slots=True)
class PartsReader:
    """What has come so far of an answer in parts; a document that comes twice counts once."""

    form: PartsForm
    last: Any = None  # the data of the last part
    _names: Counter[str] = field(default_factory=Counter)
    _count: int = 0
    _size: int = 0
    _texts: list[str] = field(default_factory=list)
    _whole: str = ""
    _ended: bool = False
    _documents: dict[Document, None] = field(default_factory=dict)
    _reports_documents: bool = False
    _notes: tuple[str, ...] = ()
    # Data without a piece, by its keys, and how often such came: the commonest is explained.
    _others: Counter[str] = field(default_factory=Counter)
    _examples: dict[str, Any] = field(default_factory=dict)

    def take(self, text: str, name: str = UNNAMED) -> bool:
        """Read one part; True if it is the last.

        Raises:
            TargetError: it tells of an error, cannot be read, or is one too many.
        """
        self._names[name] += 1
        self._count += 1
        self._size += len(text)
        if self._size > BODY_LIMIT or self._count > MAX_PIECES:
            raise invalid(
                f"its answer is longer than {BODY_LIMIT // 1024**2} MB or {MAX_PIECES:,} "
                f"{self.form.unit}s; mogi didn't read the rest"
            )
        settings = self.form.settings
        if self.form.unit == "event" and text.strip() in (_DONE, settings.end):
            self._ended = True
            return True
        data = self.last = self._data(text)
        self._ended = name == settings.end or _holds(settings.until, data)
        self._fail_on_error(text, name, data)
        self._take_text(text, name, data)
        if name == settings.documents_event or (
            settings.documents_event is None and not isinstance(data, str)
        ):
            self._take_documents(data)
        return self._ended

    def reply(self) -> Reply:
        """The reply, when the last part is here.

        Raises:
            TargetError: parts are missing, or none held any text.
        """
        settings, texts = self.form.settings, self._texts
        if not self._names:
            raise TargetError(TargetFault.EMPTY, f"its stream ended without an {self.form.unit}")
        for key, end in (("end", settings.end), ("until", settings.until)):
            if end is not None and not self._ended:
                raise invalid(
                    f'its stream ended early: no "{end}" came after {self.came}; '
                    f"remove sse.{key} if the bot doesn't always send it"
                )
        if not (texts or self._whole):
            raise self._no_text()
        if settings.pieces == "last":
            texts = [text for text in texts if visible(text)][-1:]
        return Reply(
            self._whole or "".join(texts),
            tuple(self._documents),
            reports_documents=self._reports_documents,
            notes=self._notes,
        )

    @property
    def came(self) -> str:
        """What came, such as `message ×3, end ×1`."""
        commonest = self._names.most_common(8)
        return ", ".join(f"{cut(visible(name), 40)} ×{n}" for name, n in commonest)

    @property
    def _root(self) -> str:
        return f"the {self.form.unit}"

    def _data(self, text: str) -> Any:
        what = f"{self.form.unit} {self._count} of its answer"
        is_object = self.form.piece is not None and text.lstrip().startswith("{")
        return json_or_text(text, what, required=is_object)

    def _fail_on_error(self, text: str, name: str, data: Any) -> None:
        failed = self.form.settings.failed
        error = compiled(failed).search(data) if failed else None
        if error or name == _ERROR:
            words = cut(visible(words_in(error) or words_in(data) or text), 400)
            raise raised(f"it answered with an error: {words}")
        fail_on_error(data)

    def _take_text(self, text: str, name: str, data: Any) -> None:
        if _holds(self.form.settings.replaces, data):
            self._texts.clear()
        whole = compiled(self.form.whole).search(data) if self.form.whole else None
        if isinstance(whole, str) and visible(whole):
            self._whole = whole
        if self.form.whole_only:
            self._note_other(data)
            return
        wanted = self.form.settings.answer_event
        # Plain text of `ping` or `end` is not the answer's.
        if name == (wanted or UNNAMED) or (wanted is None and isinstance(data, Mapping | list)):
            self._take_piece(text, data)

    def _take_piece(self, text: str, data: Any) -> None:
        path = self.form.piece
        if path is None and not isinstance(data, Mapping):
            # Plain text may happen to be a JSON list.
            self._texts.append(data if isinstance(data, str) else text)
            return
        piece = compiled(path or "answer").search(data)
        if isinstance(piece, str):
            self._texts.append(piece)
        elif piece is not None:
            answer_in(data, path, self._root, self.form.key)  # raises, saying what it is instead
        elif not self._texts:
            self._note_other(data)

    def _note_other(self, data: Any) -> None:
        keys = str(sorted(data)) if isinstance(data, Mapping) else ""
        self._others[keys] += 1
        self._examples[keys] = data

    def _take_documents(self, data: Any) -> None:
        """Keep the documents of one part, or why there were none."""
        reading = self.form.paths.documents_in(data, self._root)
        if reading.documents is None:
            self._notes = self._notes if self._reports_documents else reading.notes
            return
        if reading.notes or not self._reports_documents:
            self._notes = reading.notes
        self._reports_documents = True
        self._documents.update(dict.fromkeys(reading.documents))

    def _no_text(self) -> TargetError:
        wanted = self.form.settings.answer_event
        if wanted is not None and not self._names[wanted]:
            return invalid(f'its stream has no event "{wanted}"; it sent {self.came}')
        if not self._others:
            return invalid(
                f"its stream has no text in events without a name; it sent {self.came}; "
                "set the event with the text: sse: {answer_event: ...}"
            )
        [(commonest, _)] = self._others.most_common(1)
        try:
            answer_in(self._examples[commonest], self.form.piece, self._root, self.form.key)
        except TargetError as error:
            return TargetError(error.fault, f"{error}; in all there came {self.came}")
        return invalid(f"its stream has no text; it sent {self.came}")


def _holds(condition: str | None, data: Any) -> bool:
    return condition is not None and is_true(compiled(condition).search(data))


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
