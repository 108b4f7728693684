"""A list in JSON, each entry with the line on which it begins."""

import json

from simulator.files.sources import Source
from simulator.files.yaml_marks import Mark, Marked
from simulator.files.yaml_scalars import plain

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
    return Marked(data, _lines(text, len(data)), source)


def _lines(text: str, entries: int) -> Mark:
    mark = Mark(1)
    line, counted, end = 1, 0, text.find("[") + 1
    for index in range(entries):
        while text[end] in _BETWEEN:
            end += 1
        line, counted = line + text.count("\n", counted, end), end
        mark.children[index] = Mark(line)
        _, end = _DECODER.raw_decode(text, end)
    return mark
