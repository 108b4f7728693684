"""Where each part of a YAML text begins and ends, to the character."""

from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class InTheWay(Exception):
    """What keeps a value from being changed, in words that a sentence can begin with."""


@dataclass(slots=True)
class Node:
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
    pairs: "dict[str, tuple[Node, Node]]" = field(default_factory=dict)  # key and value
    items: "list[Node]" = field(default_factory=list)

    @property
    def parts(self) -> "list[Node]":
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


def column_of(text: str, at: int) -> int:
    """How many characters stand before a place on its line."""
    return at - text.rfind("\n", 0, at) - 1


@dataclass(slots=True)
class _Open:
    node: Node
    key: Node | None = None
    name: str = ""


def nodes_of(text: str) -> Node:
    """The root of a text which is known to be YAML that this package reads (`parse_yaml`)."""
    stack: list[_Open] = []
    root: list[Node] = []
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            stack.append(_Open(_started(event)))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            closed = stack.pop().node
            _end(closed, event)
            _put(stack, root, closed, "")
        elif isinstance(event, yaml.ScalarEvent):
            _put(stack, root, _scalar(text, event), event.value)
        elif isinstance(event, yaml.AliasEvent):
            _put(stack, root, _alias(event), "")
    return root[0]


def _alias(event: Any) -> Node:
    return Node("alias", event.start_mark.index, event.end_mark.index, anchor=event.anchor)


def _started(event: Any) -> Node:
    kind: Literal["mapping", "list"] = (
        "mapping" if isinstance(event, yaml.MappingStartEvent) else "list"
    )
    start = event.start_mark.index
    return Node(kind, start, start, flow=bool(event.flow_style), anchor=event.anchor)


def _end(node: Node, event: Any) -> None:
    parts = node.parts
    node.end = event.end_mark.index if node.flow or not parts else parts[-1].end


def _scalar(text: str, event: Any) -> Node:
    start, end, style = event.start_mark.index, event.end_mark.index, event.style or ""
    if style in ("|", ">") and "+" not in text[start:end].split("\n", 1)[0].split("#", 1)[0]:
        end = start + len(text[start:end].rstrip())
    return Node("scalar", start, end, style=style, anchor=event.anchor)


def _put(stack: list[_Open], root: list[Node], node: Node, name: str) -> None:
    if not stack:
        root.append(node)
        return
    top = stack[-1]
    if top.node.kind == "list":
        top.node.items.append(node)
    elif top.key is None:
        top.key, top.name = node, name
    else:
        top.node.pairs[top.name] = (top.key, node)
        top.key = None
