"""One mistake that could be made in a message."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slip:
    """`text` in place of the characters from `start` to `end` of a message."""

    start: int
    end: int
    text: str


Slips = Sequence[Sequence[Slip]]
"""The places for slips in a message, those of one sort together."""


def pairs(text: str) -> dict[str, str]:
    """What is meant and what is written instead, from `meant:written` between white space."""
    return dict(pair.split(":") for pair in text.split())
