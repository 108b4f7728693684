"""A table of any kind: rows by the names of their columns, each with its place in the file."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from simulator.core.errors import Complaint, raise_all
from simulator.formats.sources import Source, shown

_NONE: Mapping[str, str] = {}
# What parts the texts of a cell. Names hold no commas, so people may part them as they like.
BAR = re.compile(r"[|｜\n]")
OR = re.compile(r"\s//\s")
OR_LINE = re.compile(r"^[ \t\u3000]*//[ \t\u3000]*$", re.MULTILINE)
BAR_OR_COMMA = re.compile(r"[|｜\n,、，]")
YES = ("true", "yes", "はい", "○", "◯", "〇")
NO = ("false", "no", "いいえ", "×", "✕", "✖", "❌")


class Record(NamedTuple):
    """One row by the numbers of its columns, from 0: its texts, stripped, and no empty ones.

    `broken` are the cells whose text could not be had, and what is wrong with each.
    """

    line: int
    cells: Mapping[int, str]
    broken: Mapping[int, str] = {}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its place in the file, and its cells by the names of their columns.

    Empty cells are left out; `broken` says what is wrong with cells that cannot be read.
    """

    line: int
    cells: dict[str, str]
    broken: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """The names of the columns as written (stripped, "" where there is none), and the rows."""

    source: Source
    header_line: int
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def broken(self, columns: Iterable[str]) -> Iterator[Complaint]:
        """A complaint about each cell of these columns that cannot be read."""
        wanted = frozenset(columns)
        for row in self.rows:
            for column, problem in row.broken.items():
                if column in wanted:
                    yield self.source.complaint(row.line, f"{column}: {problem}")


def table_of(source: Source, records: Iterable[Record]) -> Table:
    """The table whose first record names the columns; what stands under no name is left out.

    Raises:
        InputError: there is no record, or two columns have one name.
    """
    waiting = iter(records)
    header = next(waiting, None)
    if header is None:
        message = f"empty file; write the names of the columns in the first {source.unit}"
        raise source.error(0, message)
    raise_all([source.complaint(header.line, problem) for problem in header.broken.values()])
    names = header.cells
    raise_all([source.complaint(header.line, message) for message in repeated(names.values())])
    rows = []
    for line, cells, broken in waiting:
        texts = {names[at]: text for at, text in cells.items() if at in names}
        wrong = {names[at]: problem for at, problem in broken.items() if at in names}
        if texts or wrong:  # a remark beside the table is no row of it
            rows.append(Row(line, texts, wrong or _NONE))
    columns = tuple(names.get(at, "") for at in range(max(names) + 1))
    return Table(source, header.line, columns, tuple(rows))


def same_name(name: str) -> str:
    """A column's name without differences of case, width and white space."""
    return " ".join(unicodedata.normalize("NFKC", name).split()).casefold()


def repeated(columns: Iterable[str]) -> list[str]:
    """A complaint about each name that stands there several times; "" is none."""
    first_of: dict[str, str] = {}
    complaints = {}
    for column in filter(None, columns):
        first = first_of.setdefault(same_name(column), column)
        if first is not column:
            complaints[first] = f"the column {shown(first)} appears twice; keep one of them"
    return list(complaints.values())


def first_column(columns: Iterable[str], known: Iterable[str]) -> str | None:
    """The column with the first of the known names that there is."""
    by_name = {same_name(column): column for column in columns}
    return next((by_name[name] for name in known if name in by_name), None)


def parts_of(text: str, parted_by: re.Pattern[str]) -> list[str]:
    """The parts of a cell that holds several, without empty ones."""
    return [part for p in parted_by.split(text) if (part := p.strip())]
