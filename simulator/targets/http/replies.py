"""What a bot behind HTTP answers, as JSON, as text or as a stream of events, read into a Reply."""

from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.core.bounds import MAX_PIECES, json_data
from simulator.core.clean import cut, is_page, visible, without_tags
from simulator.core.concurrency import beside
from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Id, Reply
from simulator.llm.replies import words_in
from simulator.targets._shapes import invalid, raised
from simulator.targets._wire.client import Incoming
from simulator.targets._wire.errors import excerpt, own_words
from simulator.targets._wire.jmespath import JmesPath, compiled, is_true
from simulator.targets._wire.reading import (
    Paths,
    Pieces,
    answer_in,
    default_path,
    fail_on_error,
    malformed,
)
from simulator.targets._wire.sse import Event, EventTooLong, events_of
from simulator.targets.http.carry import HandedOut, Place
from simulator.targets.http.settings import Sse

_DONE = "[DONE]"
_ERROR = "error"
_UNNAMED = "message"


_ACCEPTED = 202


@dataclass(frozen=True, slots=True)
class Job:
    """What a bot calls the answer that it is still working on; None: `why` it did not say."""

    id: Id | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Poll:
    """How it is told that an answer is there; `every_s`: seconds between two looks.

    `until` None: it is there when the status is not 202.
    """

    job: Place
    until: JmesPath | None
    every_s: float

    def is_done(self, incoming: Incoming, data: Any) -> bool:
        """Whether this holds the answer."""
        if self.until is None:
            return incoming.response.status != _ACCEPTED
        return is_true(self.until.search(data))

    def job_in(self, incoming: Incoming, data: Any) -> Job:
        """The job that is to be asked for.

        Raises:
            TargetError: (RAISED) the answer tells of an error.
        """
        fail_on_error(data)
        found, why = self.job.find(incoming, data)
        return Job(found, why)


async def read_whole(
    incoming: Incoming, handed: HandedOut, paths: Paths, poll: Poll | None = None
) -> Reply | Job:
    """The reply in a body that comes at once, or the job that the bot is still working on.

    Raises:
        TargetError: EMPTY or INVALID, saying what came back; RAISED where that was an error.
    """
    body = await incoming.body()
    return await beside(len(body), _read_body, incoming, body, handed, paths, poll)


def _read_body(
    incoming: Incoming, body: bytes, handed: HandedOut, paths: Paths, poll: Poll | None
) -> Reply | Job:
    later = poll is not None
    data = None
    if not later or body.strip():  # of a job, headers may say all
        data = data_of(incoming, body, as_text=later or paths.answer is None)
    handed.take(incoming, data)
    if poll is not None and not poll.is_done(incoming, data):
        return poll.job_in(incoming, data)
    if later and data is None:
        raise _empty(incoming)
    text = answer_in(data, paths.answer, "the body")
    return _with_ids(paths.documents_in(data, "the body").reply(text), handed)


def _with_ids(reply: Reply, handed: HandedOut) -> Reply:
    handed.check()
    return replace(reply, ids=handed.ids, unsent=handed.unsent)


def _empty(incoming: Incoming) -> TargetError:
    return TargetError(TargetFault.EMPTY, f"it answered {incoming.request} with an empty body")


def data_of(incoming: Incoming, body: bytes, *, as_text: bool) -> Any:
    """The body as JSON; with `as_text`, a body that is none is text.

    Raises:
        TargetError: it is neither.
    """
    kind, request = incoming.content_type, incoming.request
    if not body.strip():
        raise _empty(incoming)
    if kind == "text/event-stream":
        raise invalid(f"it answered {request} with a stream of events ({kind}); write stream: sse")
    text = _decoded(body, incoming)
    # PHP and others send JSON as text/html, unless they are told.
    if "json" in kind or text.lstrip()[:1] in ("{", "[", '"'):
        try:
            return json_data(text)
        except (ValueError, RecursionError) as error:
            if "json" in kind:
                raise malformed(f"the JSON that it answered {request} with", text, error) from None
    if "html" in kind or is_page(text):
        told = cut(without_tags(text), 120)
        raise invalid(f"it answered {request} with a web page: {told}; look at the url")
    if as_text:
        return text
    named = kind or "no content type"
    raise invalid(
        f"it answered {request} with {named}, which is not JSON: {excerpt(text)}; "
        "leave out `answer` to take the whole text as its answer"
    )


def _decoded(body: bytes, incoming: Incoming) -> str:
    name = incoming.charset
    try:
        return body.decode("utf-8-sig" if name.lower() in ("utf-8", "utf8") else name)
    except LookupError:
        return body.decode("utf-8", "replace")
    except UnicodeDecodeError as error:
        begins = excerpt(body[:1000].decode("utf-8", "replace"))
        raise invalid(
            f"what it answered {incoming.request} with is not {name} "
            f"(byte 0x{body[error.start]:02x} at {error.start}): {begins}"
        ) from None


async def read_stream(incoming: Incoming, handed: HandedOut, paths: Paths, form: Sse) -> Reply:
    """The reply that a stream of events amounts to.

    Raises:
        TargetError: EMPTY or INVALID, saying what came back; RAISED where that was an error.
    """
    if incoming.content_type != "text/event-stream":
        kind = incoming.content_type or "no content type"
        begins = own_words((await incoming.body())[:4096], kind)
        raise invalid(
            f"it answered {incoming.request} with {kind}, not with a stream of events: "
            f'"{cut(begins, 120)}"; write stream: none if it never sends one'
        )
    reading = _Stream(paths, StreamForm.of(form), incoming, handed)
    try:
        async with aclosing(incoming.chunks()) as chunks, aclosing(events_of(chunks)) as events:
            async for event in events:
                if await beside(len(event.data), reading.take, event):
                    break
    except EventTooLong:
        raise invalid("one event of its stream is longer than any answer") from None
    return _with_ids(reading.reply(), handed)


@dataclass(frozen=True, slots=True)
class StreamForm:
    """How a stream is read: its settings, and the paths in them compiled."""

    settings: Sse
    until: JmesPath | None
    replaces: JmesPath | None
    failed: JmesPath | None

    @classmethod
    def of(cls, settings: Sse) -> "StreamForm":
        """The form that the settings describe."""
        return cls(settings, *map(compiled, (settings.until, settings.replaces, settings.failed)))


@dataclass(slots=True)
class _Stream:
    """What a stream has brought so far."""

    paths: Paths
    form: StreamForm
    incoming: Incoming
    handed: HandedOut
    names: Counter[str] = field(default_factory=Counter)
    count: int = 0
    pieces: Pieces = field(default_factory=Pieces)
    ended: bool = False
    # Data without a piece, by its keys, and how often such came: the commonest is told of.
    others: Counter[str] = field(default_factory=Counter)
    example: dict[str, Any] = field(default_factory=dict)

    def take(self, event: Event) -> bool:
        """Read one event; True if it is the end."""
        self.names[event.name] += 1
        self.count += 1
        if self.count > MAX_PIECES:
            raise invalid(f"its stream is longer than {MAX_PIECES:,} events; the rest was not read")
        end = self.form.settings.end
        if event.data.strip() in (_DONE, end):
            self.ended = True
            return True
        data = self._data(event)
        self.ended = event.name == end or _holds(self.form.until, data)
        self._fail_on_error(event, data)
        self.handed.take(self.incoming, data, "the event")
        if _holds(self.form.replaces, data):
            self.pieces.texts.clear()
        if self._may_answer(event, data):
            self._piece(event, data)
        wanted = self.form.settings.documents_event
        if event.name == wanted or (wanted is None and not isinstance(data, str)):
            self.pieces.take(self.paths.documents_in(data, "the event"))
        return self.ended

    def reply(self) -> Reply:
        """The reply, when the stream is over."""
        if not self.names:
            raise TargetError(TargetFault.EMPTY, "its stream ended without an event")
        form = self.form.settings
        for key, last in (("end", form.end), ("until", form.until)):
            if last is not None and not self.ended:
                raise invalid(
                    f'its stream broke off: no "{last}" came after {self._came()}; '
                    f"leave out sse.{key} if it does not always send that"
                )
        texts = self.pieces.texts
        if not texts:
            raise self._no_piece()
        return self.pieces.reply(texts[-1] if form.pieces == "last" else "".join(texts))

    def _fail_on_error(self, event: Event, data: Any) -> None:
        told = self.form.failed.search(data) if self.form.failed else None
        if told or event.name == _ERROR or (isinstance(data, Mapping) and data.get(_ERROR)):
            told = cut(visible(words_in(told) or words_in(data) or event.data), 400)
            raise raised(f"its stream ended with an error: {told}")

    def _data(self, event: Event) -> Any:
        text = event.data.strip()
        if not text.startswith(("{", "[", '"')):
            return event.data
        try:
            return json_data(text)
        except (ValueError, RecursionError) as error:
            if self.paths.answer is None or not text.startswith("{"):
                return event.data  # a piece of plain text may begin so
            raise malformed(f"event {self.count} of its stream", text, error) from None

    def _may_answer(self, event: Event, data: Any) -> bool:
        """Whether an event may hold text; plain text of `ping` or `end` is not the answer's."""
        if self.form.settings.answer_event is not None:
            return event.name == self.form.settings.answer_event
        return isinstance(data, Mapping | list) or event.name == _UNNAMED

    def _piece(self, event: Event, data: Any) -> None:
        path = self.paths.answer
        if path is None and not isinstance(data, Mapping | str):
            data = event.data  # plain text that happens to be a JSON list
        if path is None and isinstance(data, str):
            self.pieces.texts.append(data)
            return
        piece = (path or default_path("answer")).search(data)
        if isinstance(piece, str):
            self.pieces.texts.append(piece)
        elif piece is not None:
            answer_in(data, path, "the event")  # raises, saying what is there instead
        elif not self.pieces.texts:
            keys = str(sorted(data)) if isinstance(data, Mapping) else ""
            self.others[keys] += 1
            self.example[keys] = data

    def _no_piece(self) -> TargetError:
        wanted = self.form.settings.answer_event
        if wanted is not None and not self.names[wanted]:
            return invalid(f'its stream has no event "{wanted}"; there came {self._came()}')
        if not self.others:
            return invalid(
                f"its stream has no text in events without a name; there came {self._came()}; "
                "name those with the text: sse: {answer_event: ...}"
            )
        [(commonest, _)] = self.others.most_common(1)
        try:
            answer_in(self.example[commonest], self.paths.answer, "the event")
        except TargetError as error:
            return TargetError(error.fault, f"{error}; in all there came {self._came()}")
        return invalid(f"its stream has no text; there came {self._came()}")

    def _came(self) -> str:
        """Such as `message ×3, end ×1`."""
        counted = self.names.most_common(8)
        return ", ".join(f"{cut(visible(name), 40)} ×{n}" for name, n in counted) or "no event"


def _holds(path: JmesPath | None, data: Any) -> bool:
    return path is not None and is_true(path.search(data))
