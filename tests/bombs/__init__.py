"""Inputs that cost little to send and much to read; each has to end with a sentence, soon.

`python -m tests.bombs [NAME…]` sets each off in a process of its own and shows its time and memory.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def _nothing(folder: Path) -> None:
    del folder


@dataclass(frozen=True, slots=True)
class Bomb:
    """`light` reads it, and raises or returns what a person is told, in which `said` stands.

    `make` writes what that needs into a folder, beforehand and in another process.
    """

    said: str
    light: Callable[[Path], object]
    make: Callable[[Path], object] = _nothing
