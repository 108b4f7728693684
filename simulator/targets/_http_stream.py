"""A bot's answer that comes as server-sent events, read into a Reply."""

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Document, Reply
from simulator.targets._http_client import Incoming
from simulator.targets._http_errors import words, words_in
from simulator.targets._http_reading import Paths, answer_in, default_path, invalid, malformed
from simulator.targets._http_settings import Sse
from simulator.targets._sse import Event, EventTooLong, events_of

_DONE = "[DONE]"
_ERROR = "error"
_UNNAMED = "message"


async def read_stream(incoming: Incoming, paths: Paths, form: Sse) -> Reply:
    """The reply that a stream of events amounts to.

    Raises:
        TargetError: EMPTY or INVALID, saying what came back; RAISED where that was an error.
    """
    if incoming.content_type != "text/event-stream":
        kind = incoming.content_type or "no content type"
        begins = words((await incoming.body())[:4096], kind)
        raise invalid(
            f"it answered {incoming.request} with {kind}, not with a stream of events: "
            f'"{cut(begins, 120)}"; write stream: none if it never sends one'
        )
    reading = _Reading(paths, form)
    try:
        async with aclosing(incoming.chunks()) as chunks, aclosing(events_of(chunks)) as events:
            async for event in events:
                if reading.take(event):
                    break
    except EventTooLong:
        raise invalid("one event of its stream is longer than any answer") from None
    return reading.reply()


@dataclass(slots=True)
class _Reading:
    """What a stream has brought so far."""

    paths: Paths
    form: Sse
    names: Counter[str] = field(default_factory=Counter)
    pieces: list[str] = field(default_factory=list)
    documents: dict[Document, None] = field(default_factory=dict)
    reports: bool = False
    ended: bool = False
    notes: tuple[str, ...] = ()
    # Data without a piece, by its keys, and how often such came: the commonest is told of.
    others: Counter[str] = field(default_factory=Counter)
    example: dict[str, Any] = field(default_factory=dict)

    def take(self, event: Event) -> bool:
        """Read one event; True if it is the end."""
        self.names[event.name] += 1
        if event.data.strip() in (_DONE, self.form.end):
            self.ended = True
            return True
        self.ended = event.name == self.form.end
        data = self._data(event)
        self._fail_on_error(event, data)
        if self._may_answer(event, data):
            self._piece(event, data)
        if self.form.documents_event in (None, event.name):
            self._documents(data)
        return self.ended

    def reply(self) -> Reply:
        """The reply, when the stream is over."""
        if not self.names:
            raise TargetError(TargetFault.EMPTY, "its stream ended without an event")
        if self.form.end is not None and not self.ended:
            raise invalid(
                f'its stream broke off: no "{self.form.end}" came after {self._came()}; '
                "leave out sse.end if it does not always send that"
            )
        if not self.pieces:
            raise self._no_piece()
        text = self.pieces[-1] if self.form.pieces == "last" else "".join(self.pieces)
        notes = () if self.reports else self.notes
        return Reply(text, tuple(self.documents), reports_documents=self.reports, notes=notes)

    def _data(self, event: Event) -> Any:
        text = event.data.strip()
        if not text.startswith(("{", "[", '"')):
            return event.data
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            if self.paths.answer is None or not text.startswith("{"):
                return event.data  # a piece of plain text may begin so
            raise malformed(f"event {self.names.total()} of its stream", text, error) from None

    def _fail_on_error(self, event: Event, data: Any) -> None:
        in_data = isinstance(data, Mapping) and bool(data.get(_ERROR))
        if event.name != _ERROR and not in_data:
            return
        told = cut(visible(words_in(data) or event.data), 400)
        raise TargetError(TargetFault.RAISED, f"its stream ended with an error: {told}")

    def _may_answer(self, event: Event, data: Any) -> bool:
        """Whether an event may hold text; plain text of `ping` or `end` is not the answer's."""
        if self.form.answer_event is not None:
            return event.name == self.form.answer_event
        return isinstance(data, Mapping | list) or event.name == _UNNAMED

    def _piece(self, event: Event, data: Any) -> None:
        path = self.paths.answer
        if path is None and not isinstance(data, Mapping | str):
            data = event.data  # plain text that happens to be a JSON list
        if path is None and isinstance(data, str):
            self.pieces.append(data)
            return
        piece = (path or default_path("answer")).search(data)
        if isinstance(piece, str):
            self.pieces.append(piece)
        elif piece is not None:
            answer_in(data, path, "the event")  # raises, saying what is there instead
        elif not self.pieces:
            keys = str(sorted(data)) if isinstance(data, Mapping) else ""
            self.others[keys] += 1
            self.example[keys] = data

    def _documents(self, data: Any) -> None:
        if isinstance(data, str) and self.form.documents_event is None:
            return
        found = self.paths.documents_in(data, "the event")
        if found.documents is None:
            self.notes = found.notes
            return
        self.reports = True
        self.documents.update(dict.fromkeys(found.documents))

    def _no_piece(self) -> TargetError:
        wanted = self.form.answer_event
        if wanted is not None and not self.names[wanted]:
            return invalid(f'its stream has no event "{wanted}"; there came {self._came()}')
        if not self.others:
            return invalid(
                f"its stream has no text in events without a name; there came {self._came()}; "
                "name those with the text: sse: {answer_event: ...}"
            )
        (commonest, _), *_ = self.others.most_common(1)
        try:
            answer_in(self.example[commonest], self.paths.answer, "the event")
        except TargetError as error:
            return TargetError(error.fault, f"{error}; in all there came {self._came()}")
        return invalid(f"its stream has no text; there came {self._came()}")

    def _came(self) -> str:
        """Such as `message ×3, end ×1`."""
        counted = self.names.most_common(8)
        return ", ".join(f"{cut(visible(name), 40)} ×{n}" for name, n in counted) or "no event"
