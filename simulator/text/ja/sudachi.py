"""Japanese morphemes by Sudachi: one dictionary for all, one tokenizer per thread, built late."""

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from simulator.core.bounds import Memo
from simulator.core.clean import clean

if TYPE_CHECKING:
    from sudachipy import Dictionary, Tokenizer  # type: ignore[import-untyped]

# Sudachi takes 49,149 bytes of UTF-8 in one call, but is slower by the byte on longer text.
MOST_BYTES = 49_149
CALL_BYTES = 6_000
_PIECE = re.compile(r"[^。！？!?\s]*[。！？!?\s]*")
# Without what nobody reads here it is a tenth faster; without `pos` it would cut otherwise.
_FIELDS = {"pos", "normalized_form"}
_NO_ENTRY = 0xF000_0000  # numbers of words from here on tell only the class of an unknown word
_MOST_KEPT = 50_000  # words, of the hundreds of thousands that the dictionary has
_SENTENCE = 300  # characters
_LONGEST_WORD = 1_000  # characters: the dictionary takes no more than 49,149 bytes
_read = Memo[list[Any]](100_000)  # of Sudachi, 17 kB each
_kept = Memo[list["Morpheme"]](400_000)  # texts come again: a morpheme is some 150 bytes
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


T = TypeVar("T")


class Lexicon(Generic[T]):
    """What is wanted of each word, found out once for all texts: to ask a morpheme takes longest.

    `read` is given a word's normal form and its class, by Sudachi's number of it.
    """

    def __init__(self, read: Callable[[str, int], T]) -> None:
        self._read = read
        self._known: dict[int, T] = {}

    def of(self, lists: Iterable[Any]) -> list[T]:
        """It for each morpheme of Sudachi's lists, in order; what is empty is left out."""
        get, out = self._known.get, []
        for part in lists:
            for m in part:
                wanted = get(m.word_id())
                if wanted is None:
                    wanted = self._new(m)
                if wanted:
                    out.append(wanted)
        return out

    def _new(self, morpheme: Any) -> T:
        wanted = self._read(morpheme.normalized_form(), morpheme.part_of_speech_id())
        number = morpheme.word_id()
        if number < _NO_ENTRY and len(self._known) < _MOST_KEPT:
            self._known[number] = wanted
        return wanted


def morphemes(text: str) -> list[Morpheme]:
    """The morphemes of any text, in order; text that Sudachi cannot take is cleaned first."""
    return list(_kept.of(text, len(text), lambda: read_out(tokenized(clean(text)))))


def tokenized(text: str, mode: Mode = "A", most: int | None = None) -> list[Any]:
    """Sudachi's own lists of morphemes, one for each piece of a text, however long that is.

    For those who need only a part of each morpheme, since reading all of it takes as long as
    finding it. The text must hold no lone surrogates.

    Args:
        text: Any text that UTF-8 can hold.
        mode: How finely it is cut.
        most: Bytes of UTF-8 in one piece at most; None: CALL_BYTES.
    """
    limit = CALL_BYTES if most is None else most
    if len(text) <= _SENTENCE:  # several checks read it, one after the other
        return _read.of((text, mode), len(text), lambda: _tokenize(text, mode))
    if len(text) * 4 <= limit:
        return _tokenize(text, mode)
    return [part for chunk in _chunks(text, limit) for part in _tokenize(chunk, mode)]


def classes() -> Iterator[tuple[str, ...]]:
    """Every class of words in the order of Sudachi's numbers for them, each with six levels."""
    number = 0
    while (pos := _dictionary().pos_of(number)) is not None:
        yield pos
        number += 1


def read_out(lists: Iterable[Any]) -> list[Morpheme]:
    """The morphemes of Sudachi's lists, each with all that mogi wants of it."""
    read = [part if isinstance(part, list) else list(part) for part in lists]
    new = tuple.__new__  # the constructor of a NamedTuple takes thrice as long
    return [
        new(Morpheme, (m.surface(), *rest))
        for part in read
        for m, rest in zip(part, _lexicon().of([part]), strict=True)
    ]


@cache
def _lexicon() -> Lexicon[tuple[Any, ...]]:
    """Each word as a `Morpheme` has it behind its surface."""
    kinds = tuple((pos[:4], pos[5], pos[4]) for pos in classes())
    return Lexicon(lambda normal, number: (normal, *kinds[number]))


def synonym_groups(word: str) -> frozenset[str]:
    """The groups of synonyms that the dictionary counts a word among, as it is written there."""
    if len(word) > _LONGEST_WORD:
        return frozenset()
    return frozenset(
        str(group) for m in _dictionary().lookup(word) for group in m.synonym_group_ids()
    )


@cache
def reading_of(text: str) -> str:
    """How a short text is read, in katakana; a word that the dictionary lacks as it is written."""
    from sudachipy import SplitMode

    tokenizer = _dictionary().tokenizer(mode=SplitMode.C, fields={"pos", "reading_form"})
    return "".join(m.reading_form() for m in tokenizer.tokenize(clean(text)[:_LONGEST_WORD]))


def versions() -> dict[str, str]:
    """The versions that a run records, since another dictionary cuts words in other places."""
    from importlib.metadata import version

    return {"sudachipy": version("sudachipy"), "sudachidict": version("sudachidict_core")}


@cache
def _dictionary() -> "Dictionary":
    from sudachipy import Dictionary

    return Dictionary(dict="core")


class _Local(threading.local):
    def __init__(self) -> None:
        self.tokenizers: dict[Mode, Tokenizer] = {}


_local = _Local()


def _tokenizer(mode: Mode = "A") -> "Tokenizer":
    tokenizers = _local.tokenizers
    if mode not in tokenizers:
        from sudachipy import SplitMode

        with _building:  # two threads must not load the dictionary twice
            split = getattr(SplitMode, mode)
            tokenizers[mode] = _dictionary().tokenizer(mode=split, fields=_FIELDS)
    return tokenizers[mode]


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
    if len(text.encode()) <= limit:
        yield text
        return
    chunk, size = "", 0
    for piece in _pieces(text, limit // 4):  # no character is longer than 4 bytes
        length = len(piece.encode())
        if size + length > limit:
            yield chunk
            chunk, size = "", 0
        chunk, size = chunk + piece, size + length
    yield chunk


def _pieces(text: str, most: int) -> Iterator[str]:
    for match in _PIECE.finditer(text):
        piece = match.group()
        yield from (piece[i : i + most] for i in range(0, len(piece), most))
