"""Japanese morphemes by Sudachi: one dictionary for all, one tokenizer per thread, built late."""

import re
import threading
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from simulator.core.clean import clean

if TYPE_CHECKING:
    from sudachipy import Dictionary, Tokenizer  # type: ignore[import-untyped]

# Sudachi takes 49,149 bytes of UTF-8 in one call, but is slower by the byte on longer text.
MOST_BYTES = 49_149
CALL_BYTES = 6_000
_PIECE = re.compile(r"[^。！？!?\s]*[。！？!?\s]*")
_local = threading.local()
_building = threading.Lock()


Mode = Literal["A", "C"]
"""How finely Sudachi cuts: A the shortest units, C named entities and compounds whole."""


class Morpheme(NamedTuple):
    """The shortest unit of Japanese (SplitMode.A). `pos`: the first four levels of its class.

    `form` is how it is conjugated here, such as 命令形, and `kind` after what pattern, such as
    五段-カ行; `*` for what is not conjugated.
    """

    surface: str
    normal: str
    pos: tuple[str, ...]
    form: str = "*"
    kind: str = "*"


def morphemes(text: str) -> list[Morpheme]:
    """The morphemes of any text, in order; text that Sudachi cannot take is cleaned first."""
    return read_out(tokenized(clean(text)))


def tokenized(text: str, mode: Mode = "A", most: int | None = None) -> list[Any]:
    """Sudachi's own lists of morphemes, one for each piece of a text, however long that is.

    For those who need only a part of each morpheme, since reading all of it takes as long as
    finding it. The text must hold no lone surrogates.

    Args:
        text: Any text that UTF-8 can hold.
        mode: How finely it is cut.
        most: Bytes of UTF-8 in one piece at most; None: CALL_BYTES.
    """
    return [
        found
        for chunk in _chunks(text, CALL_BYTES if most is None else most)
        for found in _tokenize(chunk, mode)
    ]


def read_out(lists: list[Any]) -> list[Morpheme]:
    """The morphemes of Sudachi's lists, each with all that mogi wants of it."""
    # What the constructor of a NamedTuple does, at a third of its price.
    new = tuple.__new__
    classes = _classes
    out: list[Morpheme] = []
    for found in lists:
        for m in found:
            number = m.part_of_speech_id()
            known = classes.get(number) or _class_of(m, number)
            out.append(new(Morpheme, (m.surface(), m.normalized_form(), *known)))
    return out


def versions() -> dict[str, str]:
    """The versions that a run records, since another dictionary cuts words in other places."""
    from importlib.metadata import version

    return {"sudachipy": version("sudachipy"), "sudachidict": version("sudachidict_core")}


@cache
def _dictionary() -> "Dictionary":
    from sudachipy import Dictionary

    return Dictionary(dict="core")


# By Sudachi's number of a class: pos, form, kind. There are about 1,500 of them.
_classes: dict[int, tuple[tuple[str, ...], str, str]] = {}


def _class_of(found: Any, number: int) -> tuple[tuple[str, ...], str, str]:
    pos = found.part_of_speech()
    _classes[number] = pos[:4], pos[5], pos[4]
    return _classes[number]


def _tokenizer(mode: Mode = "A") -> "Tokenizer":
    held: dict[Mode, Tokenizer] | None = getattr(_local, "tokenizers", None)
    if held is None:
        held = _local.tokenizers = {}
    if mode not in held:
        from sudachipy import SplitMode

        with _building:  # two threads must not load the dictionary twice
            held[mode] = _dictionary().tokenizer(mode=getattr(SplitMode, mode))
    return held[mode]


def _tokenize(text: str, mode: Mode) -> list[Any]:
    from sudachipy.errors import SudachiError  # type: ignore[import-untyped]

    try:
        return [_tokenizer(mode).tokenize(text)]
    except SudachiError:
        # Compatibility characters grow when they are normalised: ㍿ becomes 株式会社.
        middle = len(text) // 2
        if not middle:
            raise
        return _tokenize(text[:middle], mode) + _tokenize(text[middle:], mode)


def _chunks(text: str, limit: int) -> Iterator[str]:
    """Pieces of at most `limit` bytes, cut after a sentence or at white space if there is any."""
    if len(text) * 4 <= limit or len(text.encode()) <= limit:
        yield text
        return
    held, size = "", 0
    for piece in _pieces(text, limit // 4):  # no character is longer than 4 bytes
        length = len(piece.encode())
        if size + length > limit:
            yield held
            held, size = "", 0
        held, size = held + piece, size + length
    yield held


def _pieces(text: str, most: int) -> Iterator[str]:
    for found in _PIECE.finditer(text):
        piece = found.group()
        yield from (piece[i : i + most] for i in range(0, len(piece), most))
