"""YAML 1.2 read from the parser's events: data, the line of each part, and no bombs.

PyYAML's composers and constructors are not used: they recurse (deep nesting kills the process),
expand aliases without a limit, read `no` as false and forget where a value stood.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import Reader

from simulator.core.bounds import MAX_DEPTH, MAX_EXPANDED, MAX_NODES, MAX_REPEATED
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.formats.sources import Source
from simulator.formats.yaml.scalars import EMPTY, plain

Loc = tuple[int | str, ...]
# The fallback is slower by a factor of ten and reads the same.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NON_PRINTABLE = Reader.NON_PRINTABLE


@dataclass(slots=True)
class Mark:
    """Where one node stands; `keys` are the lines of a mapping's keys.

    `size` counts the node and all below it, aliases expanded; `length` the characters of their
    texts. `glued` are the places of a list's
    words that only a comma parts from the word before (`[4,000]`), none in quotes.
    """

    line: int
    keys: dict[str, int] = field(default_factory=dict)
    children: "dict[int | str, Mark]" = field(default_factory=dict)
    size: int = 1
    length: int = 0
    glued: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Marked:
    """Data and the lines of its parts. Keys of mappings are text, as they were written.

    `names` are dotted keys that people see under another name: the column of a table. What was
    found wrong on the way, but does not keep the data from being looked at, is in `complaints`;
    what is not wrong, but may not be what was meant, in `notes`.
    """

    data: Any
    mark: Mark
    source: Source
    names: Mapping[str, str] = field(default_factory=dict)
    complaints: tuple[Complaint, ...] = ()
    notes: tuple[Complaint, ...] = ()

    def line(self, loc: Loc) -> int:
        """The line of the part at `loc`: of its key, in a mapping.

        Steps that lead nowhere in the file are skipped, so what is missing has its parent's line.
        """
        mark, line = self.mark, self.mark.line
        for step in loc:
            child = mark.children.get(step)
            if child is not None:
                line = mark.keys.get(str(step), child.line)
                mark = child
        return line

    def written(self, loc: Loc) -> Loc:
        """The steps of `loc` that the data really have."""
        data, steps = self.data, []
        for step in loc:
            try:
                data = data[step]
            except (LookupError, TypeError):
                continue
            steps.append(step)
        return tuple(steps)

    def left_empty(self, loc: Loc) -> bool:
        """Whether the part at `loc` is there and holds nothing (`goal:`)."""
        data = self.data
        for step in self.written(loc):
            data = data[step]
        return data is EMPTY

    def complaint(self, loc: Loc, message: str) -> Complaint:
        """A complaint about the part at `loc`."""
        return self.source.complaint(self.line(loc), message)


def read_yaml(source: Source) -> Marked:
    """The data of a YAML file.

    Raises:
        InputError: unreadable, not YAML, empty, a bomb, a tag, a key twice.
    """
    marked = read_whole_yaml(source)
    raise_all(marked.complaints)
    return marked


def read_whole_yaml(source: Source) -> Marked:
    """The data of a YAML file; a key that is there twice is among its `complaints`.

    Raises:
        InputError: unreadable, not YAML, empty, a bomb, a tag.
    """
    return _parsed(source.text(), source, 1)


def parse_yaml(text: str, source: Source, first_line: int = 1) -> Marked:
    """The data of a YAML text that begins on line `first_line` of its file.

    Raises:
        InputError: see `read_yaml`; duplicate keys are complained of all at once.
    """
    marked = _parsed(text, source, first_line)
    raise_all(marked.complaints)
    return marked


def _parsed(text: str, source: Source, first_line: int) -> Marked:
    if odd := _NON_PRINTABLE.search(text):
        line = first_line + text.count("\n", 0, odd.start())
        code = ord(odd.group())
        raise source.error(line, f"contains the control character U+{code:04X}; remove it")
    try:
        return _Builder(yaml.parse(text, Loader=_LOADER), source, first_line).build()
    except yaml.MarkedYAMLError as error:
        line, message = _explained(error)
        raise source.error(first_line + line, message) from error


_NOWHERE = -2
# Scalars have none; one empty value serves them all, since only collections are added to.
_NO_KEYS: dict[str, int] = {}
_NO_CHILDREN: dict[int | str, Mark] = {}
_NONE_GLUED: list[int] = []
_Part = tuple[Any, Mark]
_SCALAR: Any = yaml.ScalarEvent
_LIST_END: Any = yaml.SequenceEndEvent
_MAPPING_END: Any = yaml.MappingEndEvent


class _Builder:
    """Takes one event after the other, and enters nothing that is nested too deep."""

    def __init__(self, events: Iterable[Any], source: Source, first_line: int) -> None:
        self._events = self._bounded(events)
        self._source = source
        self._first = first_line
        self._complaints: list[Complaint] = []
        self._anchors: dict[str, _Part | None] = {}
        self._expanded = self._repeated = 0
        self._word_end = _NOWHERE

    def build(self) -> Marked:
        """Everything that the events say."""
        data, mark, documents = EMPTY, Mark(self._first), 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._error(event, 'a second document begins here; remove the line "---"')
            elif isinstance(event, yaml.NodeEvent):
                data, mark = self._part(event)
        if data is EMPTY:
            raise self._source.error(0, "empty file; write its contents")
        return Marked(data, mark, self._source, complaints=tuple(self._complaints))

    def _bounded(self, events: Iterable[Any]) -> Iterator[Any]:
        for number, event in enumerate(events):
            if number > MAX_NODES:
                raise self._error(event, "the file is too large from here on; split it")
            yield event

    def _part(self, event: Any, depth: int = 0) -> _Part:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            raise self._error(event, f'tags such as "{tag}" are refused; write the plain value')
        if type(event) is _SCALAR:
            is_word = event.implicit[0]
            self._word_end = event.end_mark.index if is_word else _NOWHERE
            length = len(event.value)
            mark = Mark(self._line(event), _NO_KEYS, _NO_CHILDREN, 1, length, _NONE_GLUED)
            part = plain(event.value) if is_word else event.value, mark
        elif depth >= MAX_DEPTH:
            raise self._error(event, f"is nested more than {MAX_DEPTH} deep; use fewer levels")
        else:
            if event.anchor:
                self._anchors[event.anchor] = None  # not usable inside itself
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            mark = Mark(self._line(event))
            part = (self._mapping if is_mapping else self._list)(mark, depth + 1), mark
        if event.anchor:
            self._anchors[event.anchor] = part
        return part

    def _list(self, mark: Mark, depth: int) -> list[Any]:
        data: list[Any] = []
        while type(event := next(self._events)) is not _LIST_END:
            is_word = type(event) is _SCALAR and event.implicit[0]
            if is_word and event.start_mark.index == self._word_end + 1:
                mark.glued.append(len(data))
            value, child = self._part(event, depth)
            mark.children[len(data)] = child
            mark.size += child.size
            mark.length += child.length
            data.append(value)
        return data

    def _mapping(self, mark: Mark, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        while type(event := next(self._events)) is not _MAPPING_END:
            key = self._key(event, *self._part(event, depth))
            if first := mark.keys.get(key):
                message = f'the key "{key}" is already on line {first}; keep one of them'
                self._complaints.append(self._source.complaint(self._line(event), message))
            else:
                mark.keys[key] = self._line(event)
            value, child = self._part(next(self._events), depth)
            mark.children.setdefault(key, child)
            data.setdefault(key, value)
            mark.size += child.size
            mark.length += child.length
        return data

    def _key(self, event: Any, value: Any, mark: Mark) -> str:
        """As it was written."""
        text = event.value if isinstance(event, yaml.ScalarEvent) else value
        if not isinstance(text, str):
            raise self._source.error(
                mark.line, "a key must be text; if it begins with { or [, put it in quotes"
            )
        return text

    def _alias(self, event: Any) -> _Part:
        name = event.anchor
        if name not in self._anchors:
            raise self._error(
                event, f'"*{name}" refers to nothing; put a text that begins with * in quotes'
            )
        part = self._anchors[name]
        if part is None:
            raise self._error(event, f'"*{name}" contains itself; write the value out')
        self._expanded += part[1].size
        self._repeated += part[1].length
        if self._expanded > MAX_EXPANDED or self._repeated > MAX_REPEATED:
            raise self._error(
                event, f'"*{name}" makes the file grow without limit; write the values out'
            )
        return part

    def _line(self, event: Any) -> int:
        return int(event.start_mark.line) + self._first

    def _error(self, event: Any, message: str) -> InputError:
        return self._source.error(self._line(event), message)


# What the parser says, in libyaml's and PyYAML's words: what is wrong and what would be right.
_PLAIN = Path(__file__).with_name("parser_errors.json")
# Where the parser noticed is the end of the file; people need the place where it opened.
_OPENED = ("unexpected end of stream", "expected ',' or", "could not find expected")


def _explained(error: yaml.MarkedYAMLError) -> tuple[int, str]:
    """The line (from 0) and a complaint for something that is not YAML."""
    problem = f"{error.problem or ''} {error.context or ''}".strip()
    mark = error.problem_mark
    if any(words in problem for words in _OPENED):
        mark = error.context_mark or mark
    known: dict[str, str] = json.loads(_PLAIN.read_text("utf-8"))
    plain = next((words for key, words in known.items() if key in problem), None)
    return (mark.line if mark else 0), plain or f"this isn't valid YAML ({problem}); fix it"
