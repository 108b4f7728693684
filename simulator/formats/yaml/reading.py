"""YAML 1.2 read from the parser's events: data, the line of each part, and no bombs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.reader import Reader

from simulator.core.errors import Complaint, InputError
from simulator.formats.sources import Source
from simulator.formats.yaml.scalars import EMPTY, plain

MAX_DEPTH = 40
MAX_EXPANDED = 200_000  # nodes that aliases may add
MAX_EVENTS = 2_000_000  # some 40,000 long scenarios; more would fill the memory

Loc = tuple[int | str, ...]
# The fallback is slower by a factor of ten and reads the same.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NON_PRINTABLE = Reader.NON_PRINTABLE


@dataclass(slots=True)
class Mark:
    """Where one node stands; `keys` are the lines of a mapping's keys.

    `size` counts the node and all below it, aliases expanded. `glued` are the places of a list's
    words that only a comma parts from the word before (`[4,000]`), none in quotes.
    """

    line: int
    keys: dict[str, int] = field(default_factory=dict)
    children: "dict[int | str, Mark]" = field(default_factory=dict)
    size: int = 1
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
    return parse_yaml(source.text(), source)


def parse_yaml(text: str, source: Source, first_line: int = 1) -> Marked:
    """The data of a YAML text that begins on line `first_line` of its file.

    Raises:
        InputError: see `read_yaml`; duplicate keys are complained of all at once.
    """
    if odd := _NON_PRINTABLE.search(text):
        line = first_line + text.count("\n", 0, odd.start())
        code = ord(odd.group())
        raise source.error(line, f"holds the control character U+{code:04X}; remove it")
    builder = _Builder(source, first_line)
    try:
        return builder.build(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        line, message = in_plain_words(error)
        raise source.error(first_line + line, message) from error


@dataclass(slots=True)
class _Open:
    """A collection that is not closed yet; `key` waits for its value."""

    data: Any
    mark: Mark
    anchor: str | None
    key: str | None = None


class _Builder:
    """Takes one event after the other and keeps its own stack, so nothing recurses."""

    def __init__(self, source: Source, first_line: int) -> None:
        self._source = source
        self._first = first_line
        self._complaints: list[Complaint] = []
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, Mark] | None] = {}
        self._expanded = 0
        self._documents = 0
        self._word_end = _NOWHERE
        self._root: tuple[Any, Mark] = (EMPTY, Mark(first_line))

    def build(self, events: Iterable[Any]) -> Marked:
        """Everything that the events say."""
        takes = {
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.MappingStartEvent: self._start,
            yaml.SequenceStartEvent: self._start,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.DocumentStartEvent: self._document,
        }
        for number, event in enumerate(events):
            if number > MAX_EVENTS:
                raise self._error(event, "the file holds too much from here on; split it")
            if take := takes.get(type(event)):
                take(event)
        if self._complaints:
            raise InputError(*self._complaints)
        data, mark = self._root
        if data is EMPTY:
            raise self._source.error(0, "is empty; write at least one entry")
        return Marked(data, mark, self._source)

    def _line(self, event: Any) -> int:
        return int(event.start_mark.line) + self._first

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise self._error(event, 'a second document begins here; remove the line "---"')

    def _scalar(self, event: Any) -> None:
        self._refuse_tag(event)
        value = plain(event.value) if event.implicit[0] else event.value
        mark = Mark(self._line(event), _NO_KEYS, _NO_CHILDREN, glued=_NONE_GLUED)
        self._see_glue(event)
        if event.anchor:
            self._anchors[event.anchor] = (value, mark)
        self._put(value, mark, event.value)

    def _see_glue(self, event: Any) -> None:
        is_word = event.implicit[0]
        if is_word and self._stack and event.start_mark.index == self._word_end + 1:
            top = self._stack[-1]
            if isinstance(top.data, list):
                top.mark.glued.append(len(top.data))
        self._word_end = event.end_mark.index if is_word else _NOWHERE

    def _start(self, event: Any) -> None:
        self._refuse_tag(event)
        if len(self._stack) >= MAX_DEPTH:
            raise self._error(event, f"is nested more than {MAX_DEPTH} deep; write it flatter")
        if event.anchor:
            self._anchors[event.anchor] = None  # not usable inside itself
        data: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._stack.append(_Open(data, Mark(self._line(event)), event.anchor))

    def _end(self, _event: Any) -> None:
        closed = self._stack.pop()
        if closed.anchor:
            self._anchors[closed.anchor] = (closed.data, closed.mark)
        self._put(closed.data, closed.mark, None)

    def _alias(self, event: Any) -> None:
        name = event.anchor
        if name not in self._anchors:
            raise self._error(
                event, f'"*{name}" refers to nothing; put a text that begins with * in quotes'
            )
        found = self._anchors[name]
        if found is None:
            raise self._error(event, f'"*{name}" contains itself; write the value out')
        value, mark = found
        self._expanded += mark.size
        if self._expanded > MAX_EXPANDED:
            raise self._error(
                event, f'"*{name}" makes the file grow beyond all bounds; write the values out'
            )
        self._put(value, mark, value if isinstance(value, str) else None)

    def _put(self, value: Any, mark: Mark, text: str | None) -> None:
        if not self._stack:
            self._root = (value, mark)
            return
        top = self._stack[-1]
        if isinstance(top.data, list):
            top.mark.children[len(top.data)] = mark
            top.data.append(value)
        elif top.key is None:
            top.key = self._key(top, text, mark)
            return
        else:
            if top.key not in top.data:
                top.data[top.key] = value
                top.mark.children[top.key] = mark
            top.key = None
        top.mark.size += mark.size

    def _key(self, top: _Open, text: str | None, mark: Mark) -> str:
        if text is None:
            raise self._source.error(
                mark.line, "a key has to be text; put a text that begins with { or [ in quotes"
            )
        if text in top.mark.keys:
            first = top.mark.keys[text]
            message = f'the key "{text}" stands on line {first} already; keep one of them'
            self._complaints.append(self._source.complaint(mark.line, message))
        else:
            top.mark.keys[text] = mark.line
        return text

    def _refuse_tag(self, event: Any) -> None:
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            raise self._error(event, f'tags such as "{tag}" are refused; write the plain value')

    def _error(self, event: Any, message: str) -> InputError:
        return self._source.error(self._line(event), message)


_NOWHERE = -2
# Scalars have none; one empty value serves them all, since only collections are added to.
_NO_KEYS: dict[str, int] = {}
_NO_CHILDREN: dict[int | str, Mark] = {}
_NONE_GLUED: list[int] = []


# (what the parser says, what is wrong and what would be right), in libyaml's and PyYAML's words.
_PLAIN = {
    "mapping values are not allowed": (
        'a ":" stands where none can be; put the text in quotes, or mend the indentation'
    ),
    "entries are not allowed": (
        'a "-" stands where no list can begin; begin the list on a line of its own'
    ),
    "could not find expected ':'": (
        'this line is neither a "key: value" nor part of a text; '
        'add the ":", or put the whole text in quotes'
    ),
    "cannot start any token": (
        "a text cannot begin with a tab, @, ` or %; put it in quotes, and indent with spaces"
    ),
    "unexpected end of stream": "a quote opens here and never closes; close it",
    "unknown escape character": "an unknown \\ in double quotes; write \\\\, or use single quotes",
    "character escape code": "an impossible \\u in double quotes; write the character itself",
    "expected ',' or ']'": 'a list opens with "[" here and is not closed; add "," or "]"',
    "expected ',' or '}'": 'a mapping opens with "{" here and is not closed; add "," or "}"',
    "node content": (
        "a value is missing, or a bracket is not closed; write it, or close the bracket"
    ),
    "while parsing a block collection": 'a list goes on without "-"; mend the indentation',
    "while parsing a block mapping": (
        "the indentation or the quotes do not fit; indent all keys alike, "
        "and put a text that holds quotes in quotes of the other kind"
    ),
}
# Where the parser noticed is the end of the file; people need the place where it opened.
_OPENED = ("unexpected end of stream", "expected ',' or", "could not find expected")


def in_plain_words(error: yaml.MarkedYAMLError) -> tuple[int, str]:
    """The line (from 0) and a complaint for something that is not YAML."""
    said = f"{error.problem or ''} {error.context or ''}".strip()
    mark = error.problem_mark
    if any(words in said for words in _OPENED):
        mark = error.context_mark or mark
    plain = next((words for key, words in _PLAIN.items() if key in said), None)
    return (mark.line if mark else 0), plain or f"this is not YAML ({said}); mend it"
