"""JSON of any form, each value with the line on which it begins: the one decoder of files."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from simulator.core.bounds import TooMuch, check_json
from simulator.formats.sources import Source
from simulator.formats.yaml.reading import Mark, Marked
from simulator.formats.yaml.scalars import plain

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
Json = Any


class NotJson(ValueError):
    """A text is no JSON, or holds too much: the text says why, and what to do.

    Attributes:
        line: where in the text, from 1; 0 where it is the whole of it.
    """

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


# Numbers keep their spelling: they are going to be text. A list may hold NaN, a line may not.
_OF_LISTS = json.JSONDecoder(parse_int=plain, parse_float=plain, parse_constant=str)
_OF_LINES = json.JSONDecoder(parse_int=plain, parse_float=plain, parse_constant=_refuse)
_BETWEEN = frozenset(" \t\r\n,")


@contextmanager
def _explained(advice: str) -> Iterator[None]:
    """Whatever the decoder does not take, as NotJson."""
    try:
        yield
    except json.JSONDecodeError as error:
        raise NotJson(error.lineno, f"this is not JSON ({error.msg}); {advice}") from error
    except TooMuch as error:
        raise NotJson(0, f"{error}; split it, or write it flatter") from error
    except RecursionError as error:
        raise NotJson(0, "is nested too deep; write it flatter") from error
    except ValueError as error:
        why = f"{error} is not JSON; write a number, null, or a text in quotes"
        raise NotJson(0, why) from error


def json_line(text: str) -> Json:
    """The value of a line of JSON.

    Raises:
        NotJson: it is none, or holds too much.
    """
    with _explained("write one object a line: {…}"):
        check_json(text)
        return _OF_LINES.decode(text)


def begins_with_json(text: str) -> bool:
    """True if the first value of a text is whole, over whatever number of lines."""
    try:
        _OF_LISTS.raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def read_json_list(source: Source, of: str) -> Marked:
    """The entries of a JSON list; `of` says in a complaint what they have to be.

    Raises:
        InputError: unreadable, not JSON, not a list.
    """
    text = source.text()
    if not text.strip():
        raise source.error(0, f"is empty; write a list of {of}")
    items = json_values(text, source)
    if text.lstrip()[0] != "[":
        raise source.error(0, f"has to be a list of {of}; begin with [")
    mark = Mark(1, children={at: Mark(line) for at, (line, _) in enumerate(items)})
    return Marked([item for _, item in items], mark, source)


def json_values(text: str, source: Source) -> list[tuple[int, Json]]:
    """The values of a JSON text with their lines: those of a list, or several one after another.

    Raises:
        InputError: it is not JSON, or holds too much.
    """
    try:
        with _explained("mend it"):
            check_json(text)
            start = text.find("[") + 1 if _is_list(text) else 0
            return list(_values(text, start))
    except NotJson as error:
        raise source.error(error.line, str(error)) from error


def _is_list(text: str) -> bool:
    """True if a text is one list, and nothing follows: what is broken anywhere in it is said."""
    if not text.lstrip().startswith("["):
        return False
    try:
        _OF_LISTS.decode(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        return False
    return True


def _values(text: str, start: int) -> Iterator[tuple[int, Json]]:
    line, counted, end = 1, 0, start
    while True:
        while end < len(text) and text[end] in _BETWEEN:
            end += 1
        if end == len(text) or (start and text[end] == "]"):
            return
        line, counted = line + text.count("\n", counted, end), end
        value, end = _OF_LISTS.raw_decode(text, end)
        yield line, value


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
