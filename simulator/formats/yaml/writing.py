"""YAML that people go on editing: block style, and one value replaced while the rest stays."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

from simulator.core.errors import InputError
from simulator.formats.sources import Source, as_stored, replace_file, shown
from simulator.formats.yaml.reading import Loc, Marked, parse_yaml
from simulator.formats.yaml.scalars import EMPTY, plain

Value = str | bool | int | float | Sequence["Value"] | Mapping[str, "Value"]

# What YAML takes for something else at the beginning or within a text without quotes.
_NEVER_FIRST = frozenset("-?:,[]{}#&*!|>'\"%@` \t")
_NEVER_INSIDE = re.compile(r": |:$| #|\s$|\t")
_OF_FLOW = re.compile(r"[,\[\]{}?]")
# What cannot stand in a file, or counts as a line end in YAML.
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_RAGGED = re.compile(r"^\s|\s$|\s\n", re.MULTILINE)


def yaml_text(value: Sequence[Value] | Mapping[str, Value]) -> str:
    """A list or a mapping as YAML; read back (`read_yaml`) it is the same.

    Texts of several lines stand in blocks. Empty texts, lists and mappings are written as such.
    """
    return "\n".join(block_lines(value, "")) + "\n"


def flow_text(value: Value) -> str:
    """A value on one line, as it stands within `[…]` or `{…}` and anywhere else as well."""
    if isinstance(value, str):
        text = _scalar(value)
        return _quoted(value) if text == value and _OF_FLOW.search(value) else text
    if isinstance(value, Mapping):
        pairs = (f"{flow_text(key)}: {flow_text(inner)}" for key, inner in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(flow_text, value))}]"
    return json.dumps(value)


def block_lines(value: Value, indent: str) -> Iterator[str]:
    """A value as it stands behind a key in block style; all lines but the first are indented."""
    if isinstance(value, str):
        yield from _text_lines(value, indent)
    elif isinstance(value, Mapping):
        yield from _mapping(value, indent) if value else ("{}",)
    elif isinstance(value, Sequence):
        yield from _list(value, indent) if value else ("[]",)
    else:
        yield json.dumps(value)


def _mapping(value: Mapping[str, Value], indent: str) -> Iterator[str]:
    for key, inner in value.items():
        name = _scalar(key)
        if isinstance(inner, Mapping | list | tuple) and inner:
            yield f"{indent}{name}:"
            yield from block_lines(inner, indent + "  ")
        else:
            first, *rest = block_lines(inner, indent + "  ")
            yield f"{indent}{name}: {first}"
            yield from rest


def _list(value: Sequence[Value], indent: str) -> Iterator[str]:
    deeper = indent + "  "
    for inner in value:
        first, *rest = block_lines(inner, deeper)
        yield f"{indent}- {first.removeprefix(deeper)}"
        yield from rest


def _text_lines(text: str, indent: str) -> Iterator[str]:
    if "\n" not in text or _RAGGED.search(text) or _UNPRINTABLE.search(text):
        yield _scalar(text)
        return
    yield "|-"
    for line in text.split("\n"):
        yield f"{indent}{line}"


def _scalar(text: str) -> str:
    """One line: the text itself, or in quotes."""
    if not text or plain(text) is not text or text[0] in _NEVER_FIRST or "\n" in text:
        return _quoted(text)
    if _NEVER_INSIDE.search(text) or _UNPRINTABLE.search(text) or text.startswith(("---", "...")):
        return _quoted(text)
    return text


def _quoted(text: str) -> str:
    """In double quotes, with the escapes that JSON and YAML share."""
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


_STEP = 2  # by how much something new is indented
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _InTheWay(Exception):
    """What keeps a value from being changed, in words that a sentence can begin with."""


@dataclass(slots=True)
class _Node:
    """One part of a YAML text: `text[start:end]`, places counted in characters from 0.

    A collection in block style ends with its last part, before the comments that follow it. A
    block text (`|`, `>`) ends with its last line; only with `+` the blank lines behind belong to
    it. An empty value has `start == end`, just behind its key's colon.
    """

    kind: Literal["scalar", "mapping", "list", "alias"]
    start: int
    end: int
    flow: bool = False
    style: str = ""  # of a scalar: ' " | > or nothing
    anchor: str | None = None
    pairs: "dict[str, tuple[_Node, _Node]]" = field(default_factory=dict)  # key and value
    items: "list[_Node]" = field(default_factory=list)

    @property
    def parts(self) -> "list[_Node]":
        """Keys, values and entries, in their order."""
        return [n for pair in self.pairs.values() for n in pair] if self.pairs else self.items

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written there."""
        return self.kind == "scalar" and self.start == self.end

    @property
    def is_block_text(self) -> bool:
        """Whether it is a text of its own lines below `|` or `>`."""
        return self.style in ("|", ">")

    def has_comments(self, text: str) -> bool:
        """Whether anything is said between the parts of a collection, or beside a block text."""
        at = self.start
        for part in self.parts:
            head = text[part.start : part.end].partition("\n")[0] if part.is_block_text else ""
            if "#" in head or "#" in text[at : part.start] or part.has_comments(text):
                return True
            at = part.end
        return bool(self.parts) and "#" in text[at : self.end]


def _column_of(text: str, at: int) -> int:
    """How many characters stand before a place on its line."""
    return at - text.rfind("\n", 0, at) - 1


def splice_file(source: Source, changes: Mapping[Loc, Value]) -> None:
    """Make some changes in a file, as `splice` does; it is replaced as a whole or not at all.

    Raises:
        InputError: it cannot be read, changed as asked, or written.
    """
    text = source.text()
    for path, value in changes.items():
        text = splice(text, path, value, source)
    replace_file(source, as_stored(source, source.content(), text))


def splice(text: str, path: Loc, value: Value, source: Source) -> str:
    """The text with `value` at `path`, and nothing else changed.

    Mappings on the way that are not there yet are made. Where a mapping takes the place of one
    and has all its keys, it is changed key by key, so that comments inside stay.

    Args:
        text: of a YAML file, without a byte order mark.
        path: at least one step: keys of mappings, and places in lists, from 0, that there are.
        value: what is to be read there afterwards.
        source: the file, for complaints.

    Raises:
        InputError: the text is not YAML, or the value cannot be put there without changing more:
            anchors, aliases or comments are in the way.
    """
    before = parse_yaml(text, source)
    try:
        new = _changed(text, path, value)
        after = parse_yaml(new, source).data
        right = _same(_with(before.data, path, value), after)
    except _InTheWay as error:
        raise _by_hand(before, path, value, f"{error} is in the way") from error
    except (InputError, LookupError, TypeError):  # it would not be the same file any more
        right = False
    if not right:
        raise _by_hand(before, path, value, "it can't be added there without changing other lines")
    return new


def _by_hand(before: Marked, path: Loc, value: Value, why: str) -> InputError:
    name = ".".join(map(str, path))
    return before.source.error(
        before.line(path), f"{shown(name)} is unchanged: {why}; write {flow_text(value)} by hand"
    )


def _with(data: Any, path: Loc, value: Value) -> Any:
    """What is to be read when the change is made; nothing of `data` itself changes."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(data, list):
        copy: Any = list(data)
        copy[step] = _with(data[int(step)], rest, value)
        return copy
    old = {} if data is EMPTY else data
    return {**old, str(step): _with(old.get(str(step), EMPTY), rest, value)}


def _same(one: Any, other: Any) -> bool:
    """Equal in type as well: true is not 1, and a number is itself even where it is none."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool) or one is EMPTY or other is EMPTY:
        return one is other
    if isinstance(one, str) != isinstance(other, str):
        return False
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124  not a number


def _changed(text: str, path: Loc, value: Value) -> str:
    """The text with `value` at `path`.

    Raises:
        InTheWay: an anchor, an alias or a comment, or the path leads through something that can
            hold no such step.
    """
    node, flow, column = _nodes_of(text), False, -_STEP
    for depth, step in enumerate(path):
        _refuse_anchor(node)
        flow = flow or node.flow
        if step in node.pairs:
            key, node = node.pairs[str(step)]
            column = _column_of(text, key.start)
        elif node.kind == "list" and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
            column = _column_of(text, node.start) - _STEP
        else:
            return _made(text, node, path[depth:], value, column, flow=flow)
    _refuse_anchor(node)
    if isinstance(value, Mapping) and node.pairs and node.pairs.keys() <= value.keys():
        for name, inner in value.items():
            text = _changed(text, (*path, name), inner)
        return text
    put = _filled if node.is_empty else _replaced
    return put(text, node, value, column, flow=flow)


def _made(text: str, node: _Node, steps: Loc, value: Value, column: int, *, flow: bool) -> str:
    """With all that is missing from `node` down to a value."""
    first = steps[0]
    for step in reversed(steps[1:]):
        value = {str(step): value}
    if node.kind == "mapping" and isinstance(first, str):
        return _added(text, node, first, value, flow=flow)
    if node.is_empty and isinstance(first, str):
        return _filled(text, node, {first: value}, column, flow=flow)
    raise _InTheWay(f"the {node.kind} on the way to {first}")


def _refuse_anchor(node: _Node) -> None:
    """An anchored part is shown in other places as well, and would change there, too."""
    if node.anchor is not None:
        raise _InTheWay(f"the {'alias' if node.kind == 'alias' else 'anchor'} {node.anchor!r}")


def _added(text: str, mapping: _Node, key: str, value: Value, *, flow: bool) -> str:
    """With a new last key in a mapping."""
    last = mapping.parts[-1].end if mapping.pairs else mapping.start + 1
    if flow:
        pair = f"{flow_text(key)}: {flow_text(value)}"
        return _insert(text, last, f", {pair}" if mapping.pairs else pair)
    at = last if text[last - 1] == "\n" else text.find("\n", last) + 1
    return _insert_lines(text, at, _pair(key, value, " " * _column_of(text, mapping.start)))


def _filled(text: str, empty: _Node, value: Value, column: int, *, flow: bool) -> str:
    """With a value behind a key that had none."""
    after = "" if text[empty.start - 1].isspace() else " "
    if flow or not isinstance(value, Mapping) or _is_flat(value):
        return _insert(text, empty.start, f"{after}{flow_text(value)}")
    at = text.find("\n", empty.start) + 1  # behind what else is said on the line
    return _insert_lines(text, at, _lines(value, " " * (column + _STEP)))


def _replaced(text: str, node: _Node, value: Value, column: int, *, flow: bool) -> str:
    """With another value in the place of one that is there."""
    if node.kind in ("mapping", "list") and node.has_comments(text):
        raise _InTheWay("a comment inside")
    start, end, comment = node.start, node.end, ""
    if node.is_block_text:
        end = start + len(text[start:end].rstrip())
        _, mark, comment_text = text[start:end].partition("\n")[0].partition("#")
        comment = f" {mark}{comment_text.rstrip()}" if mark else ""
    rest = text[end:].partition("\n")[0].strip()
    if isinstance(value, str) and not (flow or rest or comment):
        lines = _line_end(text).join(block_lines(value, " " * (column + _STEP)))
    elif node.kind == "list" and not node.flow and value and isinstance(value, list | tuple):
        indent = " " * _column_of(text, start)
        new = _line_end(text).join(block_lines(value, indent)).removeprefix(indent)
        return text[:start] + new + text[end:]
    else:
        lines = f"{flow_text(value)}{comment}"
    if not node.flow and node.kind in ("mapping", "list"):
        # A list may stand right below its key; nothing else may.
        lines = " " * max(0, column + 1 - _column_of(text, start)) + lines
    return text[:start] + lines + text[end:]


def _pair(key: str, value: Value, indent: str) -> Iterator[str]:
    """The lines of a key and its value in block style."""
    name, deeper = f"{indent}{flow_text(key)}:", indent + " " * _STEP
    if isinstance(value, str):
        first, *rest = block_lines(value, deeper)
        yield f"{name} {first}"
        yield from rest
    elif _is_flat(value):
        yield f"{name} {flow_text(value)}"
    else:
        yield name
        yield from _lines(value, deeper)


def _lines(value: Value, indent: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield from block_lines(value, indent)
        return
    for key, inner in value.items():
        yield from _pair(key, inner, indent)


def _is_flat(value: Value) -> bool:
    """Whether it is read most easily on one line."""
    if isinstance(value, str) or not isinstance(value, Mapping | Sequence):
        return True
    inner = value.values() if isinstance(value, Mapping) else value
    return not any(isinstance(i, Mapping | list | tuple) or "\n" in str(i) for i in inner)


def _insert(text: str, at: int, new: str) -> str:
    return text[:at] + new + text[at:]


def _insert_lines(text: str, at: int, lines: Iterable[str]) -> str:
    """With whole lines where another one begins; 0: at the end of a text that ends without one."""
    end = _line_end(text)
    new = end.join(lines)
    return _insert(text, at, f"{new}{end}") if at else f"{text}{end}{new}"


def _line_end(text: str) -> str:
    """How the lines of a text end."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _nodes_of(text: str) -> _Node:
    """The root of a text which is known to be YAML that this package reads (`parse_yaml`)."""
    events = iter(yaml.parse(text, Loader=_LOADER))
    return next(_node(text, event, events) for event in events if isinstance(event, yaml.NodeEvent))


def _node(text: str, event: Any, events: Iterator[Any]) -> _Node:
    start, end = event.start_mark.index, event.end_mark.index
    if isinstance(event, yaml.AliasEvent):
        return _Node("alias", start, end, anchor=event.anchor)
    if isinstance(event, yaml.ScalarEvent):
        style = event.style or ""
        if style in ("|", ">") and "+" not in text[start:end].split("\n", 1)[0].split("#", 1)[0]:
            end = start + len(text[start:end].rstrip())
        return _Node("scalar", start, end, style=style, anchor=event.anchor)
    is_mapping = isinstance(event, yaml.MappingStartEvent)
    node = _Node("mapping" if is_mapping else "list", start, start, anchor=event.anchor)
    node.flow = bool(event.flow_style)
    while not isinstance(event := next(events), yaml.CollectionEndEvent):
        part = _node(text, event, events)
        if is_mapping:
            name = event.value if isinstance(event, yaml.ScalarEvent) else ""
            node.pairs[name] = part, _node(text, next(events), events)
        else:
            node.items.append(part)
    closing: Any = event
    node.end = closing.end_mark.index if node.flow or not node.parts else node.parts[-1].end
    return node
