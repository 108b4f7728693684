"""Taking in what a model that plays a user has said: fields, bare text, or nothing usable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, model_validator

from simulator.core.clean import visible
from simulator.core.ports import Message
from simulator.llm.structured import CleanText, FormModel, Unreadable, after_reasoning, read_form

MARK = "**DONE**"
"""What a model that cannot answer in fields writes, alone or as its last line, to end the talk."""

# Fields in a form that is not JSON, JSON that is broken, reasoning without an end: its author's
# thoughts are in there, so it is never taken for a message.
_FIELD = "(?:thought|message|stop|reason)"
_FIELDS = re.compile(rf'^\W*{_FIELD}\W{{0,3}}[:：]|"{_FIELD}"\s*:|<think', re.MULTILINE | re.I)


def _text(value: object) -> object:
    return "" if value is None else value


def _stop(value: object) -> object:
    return value.strip().lower() or "none" if isinstance(value, str) else value or "none"


class Said(FormModel):
    """What the model says in one turn. It thinks first: fields are written in their order."""

    thought: Annotated[CleanText, BeforeValidator(_text)] = ""
    message: Annotated[CleanText, BeforeValidator(_text)] = ""
    stop: Annotated[Literal["none", "done", "gave_up", "escalated"], BeforeValidator(_stop)] = (
        "none"
    )
    reason: Annotated[CleanText, BeforeValidator(_text)] = ""

    @model_validator(mode="before")
    @classmethod
    def _has_a_field(cls, value: object) -> object:
        """JSON that a person pastes into a message is not an answer in fields."""
        if isinstance(value, dict) and not cls.model_fields.keys() & value.keys():
            raise ValueError("none of the fields is there")
        return value


def hear(text: str, shown: Sequence[Message], *, whole: bool) -> Said | None:
    """What was said; None for an answer that is meant to be in fields but cannot be read.

    A text without fields is the message itself, if it is `whole` (not cut off). The mark ends
    the talk only as the whole message or its last line; at the end of a sentence it is taken off.
    """
    try:
        return _unmarked(read_form(text, Said, shown))
    except Unreadable:
        bare = after_reasoning(text)
        if not whole or _FIELDS.search(bare):
            return None
        return _unmarked(Said(message=bare))


def _unmarked(said: Said) -> Said:
    *before, last = said.message.strip().split("\n")
    ended = last.strip() == MARK
    message = (
        "\n".join(before).strip() if ended else said.message.strip().removesuffix(MARK).rstrip()
    )
    return said.model_copy(
        update={
            "message": message if visible(message) else "",
            "stop": "done" if ended and said.stop == "none" else said.stop,
        }
    )
