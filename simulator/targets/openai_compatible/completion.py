"""A chat completion that a bot sent, whole or as a stream, read into one reply."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from simulator.core.bounds import MAX_PIECES, json_data
from simulator.core.clean import cut, visible
from simulator.core.concurrency import beside
from simulator.core.errors import ModelFault, TargetError, TargetFault
from simulator.core.talk import Reply
from simulator.llm.replies import Failure, ModelAnswer, read_response, text_of
from simulator.targets._shapes import invalid, noted
from simulator.targets._wire.errors import json_or_none
from simulator.targets._wire.reading import DocumentPaths
from simulator.targets._wire.sse import Event, EventTooLong, SseDecoder, events_of

ROOT = "the response"  # what complaints call it
_SHOWN = 300  # characters of what came back instead of an answer
_END = "[DONE]"
_JOINED = ("content", "refusal")

_NOTES = {
    ModelFault.REFUSED: "the answer is a refusal (message.refusal)",
    ModelFault.TRUNCATED: "the answer was cut off at the token limit (finish_reason: length)",
    ModelFault.FILTERED: "a content filter cut the answer off (finish_reason: content_filter)",
}
_WITHOUT_TEXT = {
    ModelFault.TRUNCATED: (TargetFault.EMPTY, "it reached the token limit before any text"),
    ModelFault.FILTERED: (TargetFault.RAISED, "a content filter stopped the answer"),
}


def read_completion(text: str, content_type: str, paths: DocumentPaths) -> Reply:
    """The reply that the body of a successful response amounts to.

    Raises:
        TargetError: EMPTY without text, INVALID for what is no completion, RAISED where a content
            filter stopped the answer.
    """
    came = read_response(200, {"content-type": content_type}, text.encode())
    if isinstance(came, Failure):
        there = f"; it came back with: {_cut(came.body)}" if came.body.strip() else ""
        raise invalid(f"{came.message}{there}")
    data = json_data(text)
    if not came.text.strip():
        raise _without_text(came, data)
    found = paths.read(data, ROOT)
    reply = found.reply(came.text)
    return noted(reply, _NOTES[came.fault]) if came.fault else reply


def _without_text(came: ModelAnswer, data: Any) -> TargetError:
    if came.fault in _WITHOUT_TEXT:
        return TargetError(*_WITHOUT_TEXT[came.fault])
    message = data["choices"][0]["message"]
    if message.get("tool_calls"):
        told = "it answered with a call of a tool, and no text; a bot calls its tools itself"
        return TargetError(TargetFault.EMPTY, told)
    finish = f" (finish_reason: {came.finish})" if came.finish else ""
    return TargetError(TargetFault.EMPTY, f"it answered without text{finish}")


def _cut(text: str) -> str:
    return cut(visible(text), _SHOWN)


@dataclass(slots=True)
class Stream:
    """A streamed completion, put together to what it would have been if it had come whole.

    The pieces of the text are joined. Of all else that a delta holds, lists grow, mappings are
    merged, and of other values the last one counts; beside the choices the last value counts. A
    value that is null says nothing. Only the first choice is read. The whole message stands under
    `choices[0].delta` as well as under `choices[0].message`. What comes as an event with a name of
    its own, and is no object, stands under that name.
    """

    _top: dict[str, Any] = field(default_factory=dict)
    _message: dict[str, Any] = field(default_factory=dict)
    _pieces: dict[str, list[str]] = field(default_factory=dict)
    _finish: Any = None
    _begun: bool = False
    _done: bool = False
    _count: int = 0
    size: int = 0  # characters so far

    def take(self, event: Event) -> bool:
        """Take one event in; whether it was the last one.

        Raises:
            TargetError: (INVALID) it is no piece of a completion.
        """
        if event.data.strip() == _END:
            self._done = True
            return True
        self._count += 1
        self.size += len(event.data)
        if self._count > MAX_PIECES:
            raise invalid(f"its stream is longer than {MAX_PIECES:,} events; the rest was not read")
        data = self._object(event)
        if event.name == "error" or data.get("error"):
            self._top["error"] = data.get("error") or data
            return True
        _merge(self._top, {k: v for k, v in data.items() if k != "choices"}, grow=False)
        choices = data.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index"):
                self._choice(choice)
        return False

    def _object(self, event: Event) -> dict[str, Any]:
        data = json_or_none(event.data)
        if isinstance(data, dict):
            return data
        if data is not None and event.name != "message":
            return {event.name: data}
        raise invalid(f"an event that is no JSON object{self.so_far}: {_cut(event.data)}")

    @property
    def text(self) -> str:
        """The completion as JSON text."""
        choices = []
        if self._begun:
            joined = {name: "".join(pieces) for name, pieces in self._pieces.items()}
            message = {**self._message, **joined}
            choices = [{"message": message, "delta": message, "finish_reason": self._finish}]
        return json.dumps({**self._top, "choices": choices})  # escaped: half a surrogate is borne

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how it ended."""
        if self._done or self._finish is not None:
            return ()
        return ("the stream ended without [DONE] and without a finish_reason",)

    @property
    def so_far(self) -> str:
        """The words that came, for a sentence about what went wrong then."""
        said = _cut("".join(self._pieces.get("content", ())))
        return f' (after "{said}")' if said else ""

    def _choice(self, choice: Mapping[str, Any]) -> None:
        self._begun = True
        self._finish = choice.get("finish_reason") or self._finish
        whole, delta = choice.get("message"), choice.get("delta")
        for piece in (whole, delta):
            if isinstance(piece, dict):
                self._piece(piece, once_more=piece is whole)

    def _piece(self, piece: Mapping[str, Any], *, once_more: bool) -> None:
        for name in _JOINED:
            if words := text_of(piece.get(name)):
                if once_more:
                    self._pieces[name] = []
                self._pieces.setdefault(name, []).append(words)
        _merge(self._message, {k: v for k, v in piece.items() if k not in _JOINED}, grow=True)


async def streamed(chunks: AsyncIterator[bytes]) -> Stream:
    """The stream that these bytes are, read up to its end.

    Raises:
        TargetError: (INVALID) it broke off, or it is no stream of a completion.
    """
    import aiohttp

    stream = Stream()
    try:
        async with aclosing(events_of(chunks)) as events:
            async for event in events:
                if await beside(len(event.data), stream.take, event):
                    break
    except (aiohttp.ClientError, OSError):
        raise invalid(f"the stream broke off{stream.so_far}") from None
    except EventTooLong:
        raise invalid("an event of the stream is longer than any answer") from None
    return stream


def stream_in(text: str) -> Stream | None:
    """The stream that a whole body is, whatever it was called; None if it is none.

    Raises:
        TargetError: as `streamed`.
    """
    if not text.lstrip("\ufeff \r\n").startswith(("data:", "event:", ":")):
        return None
    stream, decoder = Stream(), SseDecoder()
    for event in (*decoder.feed(text.encode()), decoder.end()):
        if event is not None and stream.take(event):
            break
    return stream


def _merge(held: dict[str, Any], more: Mapping[str, Any], *, grow: bool) -> None:
    for key, value in more.items():
        there = held.get(key)
        if value is None:
            continue
        if grow and isinstance(there, dict) and isinstance(value, dict):
            _merge(there, value, grow=True)
        elif grow and isinstance(there, list) and isinstance(value, list):
            if value[: len(there)] == there:  # some send all that they have each time
                held[key] = value
            else:
                there += value
        else:
            held[key] = value
