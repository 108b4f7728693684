"""What a plain YAML word stands for, by the core schema of YAML 1.2, and how it was spelt."""

import re
from typing import Any


class Empty:
    """A key or a list item that was left empty: neither text nor null."""


EMPTY = Empty()


class WrittenInt(int):
    """A whole number whose spelling matters where text is wanted (`007`, `0x1F`)."""

    written: str


class WrittenFloat(float):
    """A number whose spelling matters where text is wanted (`1.10`, `1e3`)."""

    written: str


_WORDS: dict[str, Any] = {
    "": EMPTY,
    **dict.fromkeys(("null", "Null", "NULL", "~")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]{1,300}|0o[0-7]{1,300}|0x[0-9a-fA-F]{1,250}")
_FLOAT = re.compile(r"(?=.*[.eE])[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMERIC = frozenset("0123456789+-.")


def plain(text: str) -> Any:
    """A word without quotes: no yes/no/on/off, no dates, no 1:30; those stay text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMERIC:
        return text
    if _INT.fullmatch(text):
        return _as_written(int(text, 0) if text[:2] in ("0o", "0x") else int(text), text)
    if _FLOAT.fullmatch(text):
        return _as_written(float(text), text)
    if _INFINITE.fullmatch(text):
        return _as_written(float(text.replace(".", "", 1)), text)
    return text


def spelling(number: int | float) -> str:
    """A number as it stands in the file."""
    return getattr(number, "written", None) or str(number)


def _as_written(number: int | float, text: str) -> int | float:
    if str(number) == text:
        return number
    if isinstance(number, int):
        whole = WrittenInt(number)
        whole.written = text
        return whole
    real = WrittenFloat(number)
    real.written = text
    return real
