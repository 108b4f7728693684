"""One value of a YAML file that people wrote, replaced or added; every other byte stays.

Comments, order, indentation, quotes and line ends are a person's own. The round trip of
ruamel.yaml keeps comments and order, but it indents lists anew, moves the comments beside them and
writes `{ a:  1 }` as `{a: 1}`, so a change of one key is shown as a change of half the file.
"""

from collections.abc import Mapping
from typing import Any

from simulator.core.errors import InputError
from simulator.files.hints import shown
from simulator.files.replacing import replace_file
from simulator.files.sources import Source
from simulator.files.yaml_edit import changed
from simulator.files.yaml_marks import Loc, Marked, parse_yaml
from simulator.files.yaml_nodes import InTheWay
from simulator.files.yaml_scalars import EMPTY
from simulator.files.yaml_writing import Value, flow_text

_BOM = b"\xef\xbb\xbf"


def splice_file(source: Source, changes: Mapping[Loc, Value]) -> None:
    """Make some changes in a file, as `splice` does; it is replaced as a whole or not at all.

    Raises:
        InputError: it cannot be read, changed as asked, or written.
    """
    text = source.text()
    for path, value in changes.items():
        text = splice(text, path, value, source)
    mark = _BOM if source.content().startswith(_BOM) else b""
    replace_file(source, mark + text.encode("utf-8"))


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
        new = changed(text, path, value)
        after = parse_yaml(new, source).data
        right = _same(_with(before.data, path, value), after)
    except InTheWay as error:
        raise _by_hand(before, path, value, f"{error} is in the way") from error
    except (InputError, LookupError, TypeError):  # it would not be the same file any more
        right = False
    if not right:
        raise _by_hand(before, path, value, "it cannot be put there without touching more")
    return new


def _by_hand(before: Marked, path: Loc, value: Value, why: str) -> InputError:
    name = ".".join(map(str, path))
    return before.source.error(
        before.line(path), f"{shown(name)} is not changed: {why}; write {flow_text(value)} by hand"
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
