"""Japanese morphemes by Sudachi: one dictionary for all, one tokenizer per thread, built late."""

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from simulator.core.clean import clean

if TYPE_CHECKING:
    from sudachipy import Dictionary, Tokenizer  # type: ignore[import-untyped]

# Sudachi takes 49,149 bytes of UTF-8 in one call, but is slower by the byte on longer text.
CALL_BYTES = 6_000
_PIECE = re.compile(r"[^。！？!?\s]*[。！？!?\s]*")
_local = threading.local()
_building = threading.Lock()


@dataclass(frozen=True, slots=True)
class Morpheme:
    """The shortest unit of Japanese (SplitMode.A). `pos`: the first four levels of its class."""

    surface: str
    normal: str
    pos: tuple[str, ...]


def morphemes(text: str) -> list[Morpheme]:
    """The morphemes of any text, in order; text that Sudachi cannot take is cleaned first."""
    return [m for chunk in _chunks(clean(text)) for m in _tokenize(chunk)]


def versions() -> dict[str, str]:
    """The versions that a run records, since another dictionary cuts words in other places."""
    from importlib.metadata import version

    return {"sudachipy": version("sudachipy"), "sudachidict": version("sudachidict_core")}


@cache
def _dictionary() -> "Dictionary":
    from sudachipy import Dictionary

    return Dictionary(dict="core")


def _tokenizer() -> "Tokenizer":
    found: Tokenizer | None = getattr(_local, "tokenizer", None)
    if found is None:
        from sudachipy import SplitMode

        with _building:  # two threads must not load the dictionary twice
            found = _dictionary().tokenizer(mode=SplitMode.A)
        _local.tokenizer = found
    return found


def _tokenize(text: str) -> list[Morpheme]:
    from sudachipy.errors import SudachiError  # type: ignore[import-untyped]

    try:
        found = _tokenizer().tokenize(text)
    except SudachiError:
        # Compatibility characters grow when they are normalised: ㍿ becomes 株式会社.
        middle = len(text) // 2
        if not middle:
            raise
        return _tokenize(text[:middle]) + _tokenize(text[middle:])
    return [Morpheme(m.surface(), m.normalized_form(), m.part_of_speech()[:4]) for m in found]


def _chunks(text: str) -> Iterator[str]:
    """Pieces of at most CALL_BYTES, cut after a sentence or at white space where there is any."""
    if len(text.encode()) <= CALL_BYTES:
        yield text
        return
    held, size = "", 0
    for piece in _pieces(text):
        length = len(piece.encode())
        if size + length > CALL_BYTES:
            yield held
            held, size = "", 0
        held, size = held + piece, size + length
    yield held


def _pieces(text: str) -> Iterator[str]:
    most = CALL_BYTES // 4  # characters; none is longer than 4 bytes
    for found in _PIECE.finditer(text):
        piece = found.group()
        yield from (piece[i : i + most] for i in range(0, len(piece), most))
