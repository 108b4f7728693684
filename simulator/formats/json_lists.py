"""A list in JSON, each entry with the line on which it begins."""

import json
from collections.abc import Iterator
from typing import Any

from simulator.formats.sources import Source
from simulator.formats.yaml.reading import Mark, Marked
from simulator.formats.yaml.scalars import plain

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
    try:
        data = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise source.error(error.lineno, f"this is not JSON ({error.msg}); mend it") from error
    except RecursionError as error:
        raise source.error(0, "is nested too deep; write it flatter") from error
    if not isinstance(data, list):
        raise source.error(0, f"has to be a list of {of}; begin with [")
    mark = Mark(1)
    for at, (line, _) in enumerate(items_of(text, _DECODER)):
        mark.children[at] = Mark(line)
    return Marked(data, mark, source)


def items_of(text: str, decoder: json.JSONDecoder) -> Iterator[tuple[int, Any]]:
    """The entries of a JSON list that was found right as a whole, each with its line."""
    line, counted, end = 1, 0, text.index("[") + 1
    while True:
        while text[end] in _BETWEEN:
            end += 1
        if text[end] == "]":
            return
        line, counted = line + text.count("\n", counted, end), end
        item, end = decoder.raw_decode(text, end)
        yield line, item
