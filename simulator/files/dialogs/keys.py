"""How logs call things: who speaks, what is said, in which conversation."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from simulator.files.column_names import column_names

# What a log with an utterance a line has to tell: its kind, and more names to write it under.
SHOWN: Mapping[str, tuple[str, ...]] = {
    "to which conversation a line belongs": ("conversation", "session_id", "会話ID"),
    "who speaks": ("speaker", "role", "話者"),
    "what is said": ("text", "message", "発言"),
}
_NUMBER = re.compile(r"[\s_#:.-]*\d*$")
_TAIL = 40  # characters of a name in which its number is looked for: that is not linear


def names_of(kind: str) -> tuple[str, ...]:
    """The names under which a log may tell something: speaker, text and so on."""
    return column_names("dialogs")[kind]


def plain_name(name: str) -> str:
    """A key's or a role's name without differences of case, width, and marks between words."""
    return re.sub(r"[\s_-]", "", unicodedata.normalize("NFKC", name).casefold())


def value_of(data: Mapping[str, Any], kind: str) -> Any:
    """What stands under the first of the names of a kind that is there; None where none is."""
    keys = {plain_name(key): key for key in reversed(list(data))}
    return next((data[keys[name]] for name in names_of(kind) if name in keys), None)


def is_silent(speaker: str) -> bool:
    """Whether this is no party to the talk: a prompt, a tool."""
    return plain_name(speaker) in column_names("speakers")["silent"]


def is_customer(speaker: str) -> bool | None:
    """Whether the name says that this is the customer (`customer_12`); None if it says nothing."""
    name = plain_name(speaker[:-_TAIL] + _NUMBER.sub("", speaker[-_TAIL:]))
    if name in column_names("speakers")["customer"]:
        return True
    return False if name in column_names("speakers")["other"] else None
