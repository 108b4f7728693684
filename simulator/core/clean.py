"""Sanitising text once, at the edge: what comes in can be stored, sent on and shown."""

import re

_SURROGATES = re.compile("[\ud800-\udfff]")
# C0 controls but tab and newline, DEL, C1 controls: NUL breaks stores, ESC takes over terminals.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNCLEAN = re.compile(f"{_SURROGATES.pattern}|{_CONTROLS.pattern}")  # carriage returns too
# Marks that turn the reading direction or that nobody sees: kept in the store, not on screen.
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def clean(text: str) -> str:
    r"""The text without what breaks databases, JSON, requests and terminals.

    Lone surrogates become U+FFFD, line ends become ``\n``, other control characters go.
    Everything else, zero-width and right-to-left marks too, stays as it came.
    """
    if _UNCLEAN.search(text) is None:  # most texts: one look instead of four
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", _SURROGATES.sub("\ufffd", text))


def visible(text: str) -> str:
    """The text as one line for a screen: no invisible marks, white space squeezed."""
    return " ".join(_INVISIBLE.sub("", clean(text)).split())


def cut(text: str, limit: int, mark: str = "…") -> str:
    """The text, at most `limit` characters long; where it was cut, `mark` shows it."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit - len(mark))] + mark
