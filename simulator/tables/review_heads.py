"""Which column of a sheet is which: by what its head says, in either language, tidied or not."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from simulator.files.answers.values import Wrong, verdict_of
from simulator.formats.tables import Record
from simulator.tables.review_columns import COLUMNS, ColumnId, parted_key

PEOPLE: tuple[ColumnId, ...] = tuple(column.id for column in COLUMNS if column.people)
_LOOKED_AT = 50  # rows above the table that somebody may have put there
_SURE = 4  # so many known heads make a row the head of a table, even without the key's
# What people write behind a head: 判定 (OK/NG), 判定: OK か NG, 判定※必須.
_REMARK = re.compile(r"[(\[{<〔【「:;*※].*", re.DOTALL)
_Fits = Callable[[Sequence[str]], bool]
_LOOSE = re.compile(r"[\s_\-]+")


def _plain(head: str) -> str:
    return _LOOSE.sub("", unicodedata.normalize("NFKC", head)).casefold()


_KNOWN: Mapping[str, ColumnId] = {
    **{_plain(name): name for name in get_args(ColumnId)},
    **{_plain(head): column.id for column in COLUMNS for head in column.heads.values()},
    **dict.fromkeys(("正誤",), "verdict"),
    **dict.fromkeys(("確認者",), "reviewer"),
}


def column_of(head: str) -> ColumnId | None:
    """What a column with this head holds; None for a column of somebody's own.

    Width, case, spaces and a remark in brackets behind the name make no difference.
    """
    plain = _plain(head)
    return _KNOWN.get(plain) or _KNOWN.get(_REMARK.sub("", plain))


@dataclass(slots=True)
class Heads:
    """The head of a table: where each column is (several where a head stands there twice).

    `at` is its place among the records, `places` those of the columns, all from 0; `texts` are
    the heads as they stand there. `guessed`: columns that were found by what stands in them,
    since their head says something else.
    """

    at: int
    texts: Mapping[int, str]
    places: dict[ColumnId, list[int]]
    guessed: set[ColumnId] = field(default_factory=set)

    def named(self, name: ColumnId) -> str:
        """The head of a column, as it stands there."""
        return self.texts.get(self.places[name][0], "")

    def missing(self) -> Iterator[ColumnId]:
        """The columns in which people write that are not there."""
        return (name for name in PEOPLE if name not in self.places)


def find_heads(records: Sequence[Record]) -> Heads | None:
    """The head of the Review table among these rows; None where there is no such table.

    It need not be the first row. A head that was renamed is known by its cells, where these leave
    no doubt: the keys, and verdicts where no other column may hold them.
    """
    for at, record in enumerate(records[:_LOOKED_AT]):
        heads = _heads(at, record)
        if "key" not in heads.places and len(heads.places) >= _SURE:
            _guess(heads, "key", records, _is_key)
        people = any(name in heads.places for name in PEOPLE)
        if "key" in heads.places and (people or len(heads.places) >= _SURE):
            if "verdict" not in heads.places:
                _guess(heads, "verdict", records, _are_words)
            return heads
    return None


def _heads(at: int, record: Record) -> Heads:
    heads = Heads(at, record.cells, {})
    for place, text in sorted(record.cells.items()):
        if name := column_of(text):
            heads.places.setdefault(name, []).append(place)
    return heads


def _guess(heads: Heads, name: ColumnId, records: Sequence[Record], fits: _Fits) -> None:
    """Take the one column without a known head whose cells all fit."""
    cells = _unnamed(heads, records[heads.at + 1 :])
    found = [place for place, texts in cells.items() if fits(texts)]
    if len(found) == 1:
        heads.places[name] = found
        heads.guessed.add(name)


def _unnamed(heads: Heads, records: Iterable[Record]) -> dict[int, list[str]]:
    named = {place for places in heads.places.values() for place in places}
    cells: dict[int, list[str]] = {}
    for record in records:
        for place, text in record.cells.items():
            if place not in named:
                cells.setdefault(place, []).append(text)
    return cells


def _is_key(texts: Sequence[str]) -> bool:
    return all(parted_key(text) for text in texts)


def _are_words(texts: Sequence[str]) -> bool:
    """Whether all are verdicts; 1 and 0 alone may be anything."""
    return all(map(is_word, texts)) and not all(text in ("0", "1") for text in texts)


def is_word(text: str) -> bool:
    """Whether a text is one of the words for a verdict."""
    try:
        return verdict_of(text) is not None
    except Wrong:
        return False
