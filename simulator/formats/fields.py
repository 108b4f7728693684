"""Fields that people fill in and JSON values; each says in words what is right."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from simulator.core.bounds import TooMuch, check_json
from simulator.core.clean import clean
from simulator.core.errors import InputError
from simulator.formats.sources import Source, shown
from simulator.formats.yaml.reading import Mark, Marked
from simulator.formats.yaml.scalars import EMPTY, plain, spelling

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pydantic import TypeAdapter


_T = TypeVar("_T", bound="DataclassInstance")


class Written(BaseModel):
    """A mapping that a person wrote: no other keys, no guessing at types, empty keys left out."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, data: Any) -> Any:
        return without_empty(data, cls) if isinstance(data, dict) else data

    def to(self, kind: type[_T], **rest: Any) -> _T:
        """The same as a core type: its fields of the same names, and the `rest`."""
        same = {name: getattr(self, name) for name in _shared(type(self), kind)}
        return kind(**{**same, **rest})


@cache
def _shared(entry: type[BaseModel], kind: "type[DataclassInstance]") -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.name in entry.model_fields)


def without_empty(data: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """The mapping without those of the model's keys that were left empty (`goal:`)."""
    if EMPTY not in data.values():
        return data
    known = model.model_fields
    return {k: v for k, v in data.items() if v is not EMPTY or k not in known}


def _as_text(value: Any) -> Any:
    """Text without space around it; numbers are text, too, spelt as in the file: 007, 1.10."""
    if isinstance(value, str):
        return clean(value).strip()
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return spelling(value) if is_number else value


def _not_blank(text: str) -> str:
    if not text:
        raise ValueError("is empty; write some text")
    return text


def _one_name(text: str) -> str:
    if "/" in text or "\n" in text or len(text) > 100:
        raise ValueError(
            f"can't be {shown(text)}; write a name of at most 100 characters on one line, without /"
        )
    return text


def _env_name(text: str) -> str:
    # A pasted key may consist of capitals and digits, too, but has no underscore to part words.
    pasted = len(text) >= 16 and "_" not in text and any(c.isdigit() for c in text)
    if pasted or not re.fullmatch("[A-Z_][A-Z0-9_]{0,99}", text):
        raise ValueError(
            "is not the name of an environment variable; write its name, such as OPENAI_API_KEY, "
            "and keep the key itself in the environment (a key that you pasted here isn't "
            "shown; remove it from the file and replace it)"
        )
    return text


KEY_IN_URL = re.compile(r"(key|token|secret|password|passwd|sig|signature)$", re.IGNORECASE)


def wrong_url(url: str, right: str) -> str:
    """What is wrong with a URL; empty where nothing is. It is not repeated.

    `right` says where a key belongs that stands in it.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or re.search(r"\s", url):
        return "is not a URL; write one that begins with https:// or http://"
    if "@" in parts.netloc:
        return f"contains a user name or a password (not shown here); {right}"
    if any(KEY_IN_URL.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        return f"contains a key (not shown here); {right}"
    return ""


def _url(text: str) -> str:
    right = "take it out of the URL and keep it in the environment (api_key_env)"
    if wrong := wrong_url(text, right):
        raise ValueError(wrong)
    return text


def shorthand(key: str) -> BeforeValidator:
    """A text or a number stands for a mapping that holds it under this key."""
    return BeforeValidator(lambda v: {key: v} if isinstance(v, str | int | float) else v)


_ANY = Annotated[str, BeforeValidator(_as_text)]
AnyText = Annotated[_ANY, Field(description="text")]
Text = Annotated[_ANY, AfterValidator(_not_blank), Field(description="text")]
Name = Annotated[Text, AfterValidator(_one_name), Field(description="a name on one line")]
EnvName = Annotated[
    Text,
    AfterValidator(_env_name),
    Field(description="the name of an environment variable, such as OPENAI_API_KEY"),
]
Url = Annotated[
    Text, AfterValidator(_url), Field(description="a URL that begins with https:// or http://")
]
Texts = Annotated[tuple[Text, ...], Field(strict=False, description="a list, such as [a, b]")]
Names = Annotated[
    tuple[Name, ...], Field(strict=False, description="a list of names, such as [a, b]")
]


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple | dict) else (value,)


def _none_if_blank(value: Any) -> Any:
    return () if isinstance(value, str) and not value.strip() else _as_list(value)


Answers = Annotated[
    tuple[Text, ...],
    BeforeValidator(_none_if_blank),
    Field(strict=False, description="text, or a list of which any one will do"),
]
Ways = Annotated[
    tuple[Text, ...],
    BeforeValidator(_as_list),
    Field(strict=False, min_length=1, description="text, or a list of which any one will do"),
]
Elements = Annotated[
    tuple[Ways, ...],
    Field(strict=False, description="a list, such as [a, [b, the same in other words]]"),
]
YesNo = Annotated[bool, Field(description="true or false")]
Count = Annotated[int, Field(ge=1, description="a whole number of 1 or more")]
Share = Annotated[float, Field(ge=0, le=1, description="a number from 0 to 1")]
Positive = Annotated[float, Field(gt=0, description="a number above 0")]
NotNegative = Annotated[float, Field(ge=0, description="a number of 0 or more")]


_IN_URL = re.compile(r"/spreadsheets/(?:u/\d+/)?d/([A-Za-z0-9_-]+)")
_KEY = re.compile(r"[A-Za-z0-9_-]{5,}")


def spreadsheet_key(where: str) -> str:
    """The key in a spreadsheet's URL, or the key itself.

    Raises:
        InputError: it is neither.
    """
    text = where.strip()
    key = _IN_URL.search(text)
    if key:
        return key[1]
    if _KEY.fullmatch(text):
        return text
    raise InputError(
        f"{shown(where)} isn't a spreadsheet; use its key or its URL: "
        "https://docs.google.com/spreadsheets/d/KEY/edit"
    )


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
        raise NotJson(error.lineno, f"this isn't JSON ({error.msg}); {advice}") from error
    except TooMuch as error:
        raise NotJson(0, f"{error}; split it, or use fewer levels") from error
    except RecursionError as error:
        raise NotJson(0, "is nested too deep; use fewer levels") from error
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
        raise source.error(0, f"empty file; write a list of {of}")
    items = json_values(text, source)
    if text.lstrip()[0] != "[":
        raise source.error(0, f"this must be a list of {of}; begin with [")
    mark = Mark(1, children={at: Mark(line) for at, (line, _) in enumerate(items)})
    return Marked([item for _, item in items], mark, source)


def json_values(text: str, source: Source) -> list[tuple[int, Json]]:
    """The values of a JSON text with their lines: those of a list, or several one after another.

    Raises:
        InputError: it is not JSON, or holds too much.
    """
    try:
        with _explained("fix it"):
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
