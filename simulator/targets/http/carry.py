"""Ids that a bot hands out with its answers, and that it is sent back from turn 2 on."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.core.talk import Id
from simulator.formats.jmespath import checked_path, compiled
from simulator.targets._shapes import invalid
from simulator.targets._wire.client import TRACEPARENT, Incoming
from simulator.targets._wire.reading import is_name

HEADER, QUERY, COOKIE = "header:", "query:", "cookie:"
_MAX_ID = 10_000  # characters of an id; some bots pack the state of the talk into it
# What bots call the id of a talk, and, of a response of the Responses API, its id.
_OF_A_TALK = re.compile(
    "(conversation|session|thread|chat|dialog|dialogue|talk)[_-]?id", re.IGNORECASE
)
_MAX_DEPTH = 3


def checked_place(text: str) -> str:
    """Where an id is found: a JMESPath, or `header:NAME`.

    Raises:
        ValueError: it is neither.
    """
    if text.startswith(HEADER):
        return _named(text, HEADER)
    return checked_path(text)


def checked_source(text: str) -> str:
    """Where a step of a session takes something from: a JMESPath, `header:NAME`, `cookie:NAME`.

    Raises:
        ValueError: it is none of them.
    """
    return _named(text, COOKIE) if text.startswith(COOKIE) else checked_place(text)


def checked_destination(text: str) -> str:
    """What an id is sent back as: a key of the body, `header:NAME` or `query:NAME`.

    Raises:
        ValueError: it is none of them.
    """
    for kind in (HEADER, QUERY):
        if text.startswith(kind):
            return _named(text, kind)
    if not text.strip():
        raise ValueError(": write a key of the body, header:NAME or query:NAME")
    return text


def _named(text: str, kind: str) -> str:
    name = text.removeprefix(kind)
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise ValueError(f': "{text}" has no {kind[:-1]} name; write {kind}NAME, without a space')
    return text


@dataclass(frozen=True, slots=True)
class IdMatch:
    """An id that a bot handed out; None: `why` there is none."""

    id: Id | None
    why: str = ""


def find_id(place: str, incoming: Incoming, data: Any, root: str = "the body") -> IdMatch:
    """The id in an answer, whose body or event holds `data`; `place` as `checked_place` has it."""
    if place.startswith(HEADER):
        name = place.removeprefix(HEADER)
        return IdMatch(incoming.response.headers.get(name) or None, f"it sent no header {name}")
    match = compiled(place).find(data, root)
    if match.why:
        return IdMatch(None, match.why)
    if match.value == "" or not is_name(match.value):
        return IdMatch(None, f'at "{place}" isn\'t text or a number')
    if len(str(match.value)) > _MAX_ID:
        return IdMatch(None, f'at "{place}" are more than {_MAX_ID:,} characters')
    return IdMatch(match.value)


@dataclass(slots=True)
class AnswerIds:
    """What one answer hands out; `ids` are those that the talk has already.

    `sent`: all that the request held, as text; None: ids that are sent back nowhere do not matter.
    `trace`: the id of the bot's own trace, at `trace_at`, or else in the header `traceparent`;
    `trace_why`: why it was not at `trace_at`.
    """

    carry: Mapping[str, str]
    ids: dict[str, Id] = field(default_factory=dict)
    sent: str | None = None
    unsent: str = ""
    trace_at: str | None = None
    trace: str = ""
    trace_why: str = ""
    _why: dict[str, str] = field(default_factory=dict)

    def take(self, incoming: Incoming, data: Any, root: str = "the body") -> None:
        """Take what this part of the answer holds; the latest of a name counts."""
        for name, place in self.carry.items():
            match = find_id(place, incoming, data, root)
            if match.id is None:
                self._why[name] = match.why
            else:
                self.ids[name] = match.id
        self.trace = self._trace_in(incoming, data, root) or self.trace
        if self.sent is not None and not self.unsent:
            sent = self.sent
            self.unsent = next((path for path, i in ids_in(data) if not _stands_in(sent, i)), "")

    def _trace_in(self, incoming: Incoming, data: Any, root: str) -> str:
        if self.trace_at is not None:
            match = find_id(self.trace_at, incoming, data, root)
            if match.id is not None:
                whole = TRACEPARENT.fullmatch(str(match.id))
                return whole[1] if whole else str(match.id)
            self.trace_why = f"trace: {match.why}"
        return incoming.trace

    def check(self) -> None:
        """Make sure that all that is to be sent back is there, at the end of an answer.

        Raises:
            TargetError: (INVALID) something is not, so the bot would not know the talk again.
        """
        for name in self.carry:
            if name not in self.ids:
                raise invalid(f"carry.{name}: {self._why.get(name, 'no answer')}")


def _stands_in(text: str, name: Id) -> bool:
    """Whether an id stands there, and not only as a part of a word or number."""
    return bool(re.search(rf"(?<![A-Za-z0-9]){re.escape(str(name))}(?![A-Za-z0-9])", text))


def ids_in(data: Any, path: str = "") -> Iterator[tuple[str, Id]]:
    """What looks like the id of a talk in JSON-like data, and its path."""
    if not isinstance(data, Mapping) or path.count(".") >= _MAX_DEPTH:
        return
    for key, value in data.items():
        at = f"{path}.{key}".lstrip(".")
        is_response = key == "id" and data.get("object") == "response"
        if (is_response or _OF_A_TALK.fullmatch(str(key))) and value != "" and is_name(value):
            yield at, value
    for key, value in data.items():
        yield from ids_in(value, f"{path}.{key}".lstrip("."))
