"""Pairs of answers between which a person decides, as a worksheet and back.

What a person chose counts for exactly these two answers to this question, wherever they come again.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from simulator.core.clean import normal_form
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.persona import Language
from simulator.formats.own_files import whole
from simulator.formats.sources import Source, shown
from simulator.formats.table_files import is_table, read_table
from simulator.formats.tables import Table, same_name
from simulator.words import Words
from simulator.worksheets.book import Book, Column, SheetRow, Worksheet
from simulator.worksheets.files import write_sheet, write_xlsx

KINDS = (".csv", ".xlsx")
_WIDTHS = {"pair": 14, "question": 36, "before": 60, "after": 60, "why": 40, "right": 18}


class Right(StrEnum):
    """Which of two answers is right."""

    BEFORE = "before"
    AFTER = "after"
    EQUAL = "equal"  # both are right, or neither is


_NUMBERS = {str(number): right for number, right in enumerate(Right, 1)}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers between which a person has to decide, and why readers cannot."""

    question: str
    before: str
    after: str
    why: str

    @property
    def key(self) -> str:
        """What the pair is known by."""
        return pair_key(self.question, self.before, self.after)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person chose of a pair."""

    pair: Pair
    right: Right


def pair_key(question: str, before: str, after: str) -> str:
    """What two answers to a question are known by, whatever their white space and width."""
    text = "\0".join(map(normal_form, (question, before, after)))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def write_pairs(
    pairs: Iterable[Pair], choices: Mapping[str, Right], language: Language, path: Path
) -> int:
    """Write a worksheet in which a person chooses, with what was chosen before; the rows.

    Raises:
        InputError: `path` ends in none of `KINDS`, is there already, or cannot be written.
    """
    if path.suffix.lower() not in KINDS:
        raise InputError(f"--pairs {path}: use a file name that ends in {' or '.join(KINDS)}")
    if path.exists():
        message = "already exists, so nothing was written; use another file, or import it"
        raise Source.of(path).error(0, f"{message} with --pairs-read")
    words = Words(language, "improve", "report")
    names = {right: words(f"pairs.{right}") for right in Right}
    rows: dict[str, SheetRow] = {
        pair.key: (
            pair.key, pair.question, pair.before, pair.after, pair.why,
            names[choices[pair.key]] if pair.key in choices else "",
        )
        for pair in pairs
    }  # fmt: skip
    columns = tuple(
        Column(
            words(f"pairs.head.{name}"),
            width,
            wrap=name != "pair",
            people=name == "right",
            choices=tuple(names.values()) if name == "right" else (),
        )
        for name, width in _WIDTHS.items()
    )
    sheet = Worksheet(words("pairs.worksheet"), columns, rows.values, filtered=True)
    with whole(str(path), "the pairs") as part:
        if path.suffix.lower() == ".csv":
            write_sheet(sheet, part)
        else:
            write_xlsx(Book((sheet,)), part)
    return len(rows)


def read_pairs(path: Path, pairs: Iterable[Pair], language: Language) -> tuple[Choice, ...]:
    """What a person chose in a worksheet; empty cells say nothing.

    Raises:
        InputError: it cannot be read or is no such worksheet, or a row has another choice or is of
            no pair that is known.
    """
    source = Source.of(path)
    if not is_table(path):
        raise source.error(0, f"isn't a {' or '.join(KINDS)} file; use the one with the pairs")
    known = {pair.key: pair for pair in pairs}
    words = Words(language, "improve", "report")
    spellings = dict(_spellings(words))
    choices: dict[str, Choice] = {}
    complaints: list[Complaint] = []
    for row in _filled_in(read_table(source), words):
        key, text = row.key, row.text
        right, pair = spellings.get(same_name(text)), known.get(key)
        if right is None:
            named = words.comma.join(words(f"pairs.{each}") for each in Right)
            complaints.append(source.complaint(row.line, f"{shown(text)} isn't valid: {named}"))
        elif pair is None:
            message = f"{shown(key)} isn't in this run's latest pairs; write them with --pairs"
            complaints.append(source.complaint(row.line, message))
        elif choices.setdefault(key, Choice(pair, right)).right is not right:
            message = f"{shown(key)} appears twice, with two choices; keep one"
            complaints.append(source.complaint(row.line, message))
    raise_all(complaints)
    return tuple(choices.values())


class _Row(NamedTuple):
    """A row in which something was chosen."""

    line: int
    key: str
    text: str


def _filled_in(table: Table, words: Words) -> Iterator[_Row]:
    heads = [words(f"pairs.head.{name}") for name in ("pair", "right")]
    by_name = {same_name(column): column for column in table.columns}
    lacking = [head for head in heads if same_name(head) not in by_name]
    if lacking:
        message = f"lacks the column {words.comma.join(map(shown, lacking))}; write it with --pairs"
        raise table.source.error(table.header_line, message)
    key_column, right_column = (by_name[same_name(head)] for head in heads)
    raise_all(list(table.broken([key_column, right_column])))
    for row in table.rows:
        if text := row.cells.get(right_column, "").strip():
            yield _Row(row.line, row.cells.get(key_column, "").strip(), text)


def _spellings(words: Words) -> Iterator[tuple[str, Right]]:
    """How a choice may be written."""
    yield from _NUMBERS.items()
    for right in Right:
        yield right.value, right
        yield same_name(words(f"pairs.{right}")), right


def rights_of(choices: Sequence[Choice]) -> dict[str, Right]:
    """What was chosen, by the keys of pairs; later choices win."""
    return {choice.pair.key: choice.right for choice in choices}
