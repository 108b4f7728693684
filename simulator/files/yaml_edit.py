"""Where a new value goes in a YAML text, and how it is written there.

What comes out is not checked here: see `yaml_splice`.
"""

from collections.abc import Mapping, Sequence

from simulator.files.yaml_marks import Loc
from simulator.files.yaml_nodes import InTheWay, Node, column_of, nodes_of
from simulator.files.yaml_writing import Value, block_lines, flow_text

_STEP = 2  # by how much something new is indented


def changed(text: str, path: Loc, value: Value) -> str:
    """The text with `value` at `path`.

    Raises:
        InTheWay: an anchor, an alias or a comment, or the path leads through something that can
            hold no such step.
    """
    node, flow, column = nodes_of(text), False, -_STEP
    for depth, step in enumerate(path):
        _refuse_anchor(node)
        flow = flow or node.flow
        if step in node.pairs:
            key, node = node.pairs[str(step)]
            column = column_of(text, key.start)
        elif node.kind == "list" and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
            column = column_of(text, node.start) - _STEP
        else:
            return _made(text, node, path[depth:], value, column, flow=flow)
    _refuse_anchor(node)
    if isinstance(value, Mapping) and node.pairs and node.pairs.keys() <= value.keys():
        for name, inner in value.items():
            text = changed(text, (*path, name), inner)
        return text
    put = _filled if node.is_empty else _replaced
    return put(text, node, value, column, flow=flow)


def _nested(steps: Loc, value: Value) -> Value:
    for step in reversed(steps):
        value = {str(step): value}
    return value


def _made(text: str, node: Node, steps: Loc, value: Value, column: int, *, flow: bool) -> str:
    """With all that is missing from `node` down to a value."""
    first, rest = steps[0], steps[1:]
    if node.kind == "mapping" and isinstance(first, str):
        return _added(text, node, first, _nested(rest, value), flow=flow)
    if node.is_empty and isinstance(first, str):
        return _filled(text, node, _nested(steps, value), column, flow=flow)
    raise InTheWay(f"the {node.kind} on the way to {first}")


def _refuse_anchor(node: Node) -> None:
    """An anchored part is shown in other places as well, and would change there, too."""
    if node.anchor is not None:
        raise InTheWay(f"the {'alias' if node.kind == 'alias' else 'anchor'} {node.anchor!r}")


def _added(text: str, mapping: Node, key: str, value: Value, *, flow: bool) -> str:
    """With a new last key in a mapping."""
    last = mapping.parts[-1].end if mapping.pairs else mapping.start + 1
    if flow:
        pair = f"{flow_text(key)}: {flow_text(value)}"
        return _put(text, last, f", {pair}" if mapping.pairs else pair)
    end = _line_end(text)
    lines = end.join(_pair(key, value, " " * column_of(text, mapping.start), end))
    at = last if text[last - 1] == "\n" else text.find("\n", last) + 1
    return _put(text, at, f"{lines}{end}") if at else f"{text}{end}{lines}"


def _filled(text: str, empty: Node, value: Value, column: int, *, flow: bool) -> str:
    """With a value behind a key that had none."""
    after = "" if text[empty.start - 1].isspace() else " "
    if flow or not isinstance(value, Mapping) or _is_flat(value):
        return _put(text, empty.start, f"{after}{flow_text(value)}")
    end = _line_end(text)
    at = text.find("\n", empty.start) + 1  # behind what else is said on the line
    lines = end.join(_lines(value, " " * (column + _STEP), end))
    return _put(text, at, f"{lines}{end}") if at else f"{text}{end}{lines}"


def _replaced(text: str, node: Node, value: Value, column: int, *, flow: bool) -> str:
    """With another value in the place of one that is there."""
    if node.kind in ("mapping", "list") and node.has_comments(text):
        raise InTheWay("a comment inside")
    start, end, comment = node.start, node.end, ""
    if node.is_block_text:
        end = start + len(text[start:end].rstrip())
        _, mark, said = text[start:end].partition("\n")[0].partition("#")
        comment = f" {mark}{said.rstrip()}" if mark else ""
    rest = text[end:].partition("\n")[0].strip()
    if isinstance(value, str) and not (flow or rest or comment):
        lines = _line_end(text).join(block_lines(value, " " * (column + _STEP)))
    else:
        lines = f"{flow_text(value)}{comment}"
    if not node.flow and node.kind in ("mapping", "list"):
        # A list may stand right below its key; nothing else may.
        lines = " " * max(0, column + 1 - column_of(text, start)) + lines
    return text[:start] + lines + text[end:]


def _pair(key: str, value: Value, indent: str, end: str) -> Sequence[str]:
    """The lines of a key and its value in block style."""
    name, deeper = f"{indent}{flow_text(key)}:", indent + " " * _STEP
    if isinstance(value, str):
        first, *rest = block_lines(value, deeper)
        return [f"{name} {first}", *rest]
    if _is_flat(value):
        return [f"{name} {flow_text(value)}"]
    return [name, *_lines(value, deeper, end)]


def _lines(value: Value, indent: str, end: str) -> Sequence[str]:
    if isinstance(value, Mapping):
        return [line for key, inner in value.items() for line in _pair(key, inner, indent, end)]
    return list(block_lines(value, indent))


def _is_flat(value: Value) -> bool:
    """Whether it is read most easily on one line."""
    if isinstance(value, str) or not isinstance(value, Mapping | Sequence):
        return True
    inner = value.values() if isinstance(value, Mapping) else value
    return not any(isinstance(i, Mapping | list | tuple) or "\n" in str(i) for i in inner)


def _put(text: str, at: int, new: str) -> str:
    return text[:at] + new + text[at:]


def _line_end(text: str) -> str:
    """How the lines of a text end."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
