"""A list in JSON, each entry with the line on which it begins; values a line each."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from simulator.core.bounds import TooMuch, check_json
from simulator.formats.sources import Source
from simulator.formats.yaml.reading import Mark, Marked
from simulator.formats.yaml.scalars import plain

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
_BETWEEN = frozenset(" \t\r\n,")
# Numbers keep their spelling: they are going to be text.
_DECODER = json.JSONDecoder(parse_int=plain, parse_float=plain, parse_constant=str)


def read_json_list(source: Source, of: str) -> Marked:
    """The entries of a JSON list; `of` says in a complaint what they have to be.

    Raises:
        InputError: unreadable, not JSON, not a list.
    """
    text = source.text()
    if not text.strip():
        raise source.error(0, f"is empty; write a list of {of}")
    items = json_items(text, source, of)
    mark = Mark(1, children={at: Mark(line) for at, (line, _) in enumerate(items)})
    return Marked([item for _, item in items], mark, source)


def json_items(text: str, source: Source, of: str) -> list[tuple[int, Any]]:
    """The entries of a JSON list, each with its line.

    Raises:
        InputError: not JSON, not a list.
    """
    try:
        check_json(text)
        if not isinstance(_DECODER.decode(text), list):  # what is broken anywhere is said first
            raise source.error(0, f"has to be a list of {of}; begin with [")
        return list(_items(text))
    except json.JSONDecodeError as error:
        raise source.error(error.lineno, f"this is not JSON ({error.msg}); mend it") from error
    except TooMuch as error:
        raise source.error(0, f"{error}; split it, or write it flatter") from error
    except RecursionError as error:
        raise source.error(0, "is nested too deep; write it flatter") from error


def _items(text: str) -> Iterator[tuple[int, Any]]:
    line, counted, end = 1, 0, text.index("[") + 1
    while True:
        while text[end] in _BETWEEN:
            end += 1
        if text[end] == "]":
            return
        line, counted = line + text.count("\n", counted, end), end
        item, end = _DECODER.raw_decode(text, end)
        yield line, item


def json_lines(source: Source, form: "TypeAdapter[T]", complaint: str) -> list[T]:
    """The values of a file that holds one a line; none where there is no file.

    Raises:
        InputError: it cannot be read, or a line is no such value.
    """
    if not source.path.exists():
        return []
    values = []
    for number, line in enumerate(source.text().split("\n"), 1):
        if line.strip():
            try:
                values.append(form.validate_json(line))
            except ValueError as error:
                raise source.error(number, complaint) from error
    return values
