"""A table of any kind: rows by the names of their columns, each with its place in the file."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from simulator.core.bounds import MAX_CELLS, MAX_COLUMN
from simulator.core.clean import clean
from simulator.core.errors import Complaint, raise_all
from simulator.formats.sources import Source, shown
from simulator.formats.xlsx.workbook import read_workbook

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
        message = f"is empty; write the names of the columns in the first {source.unit}"
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


_CSV = (".csv", ".tsv")
_XLSX = (".xlsx", ".xlsm")


def is_table(path: Path) -> bool:
    """Whether the file's name says that it holds a table."""
    return path.suffix.lower() in _CSV or is_workbook(path)


def is_workbook(path: Path) -> bool:
    """Whether the file's name says that it holds worksheets."""
    return path.suffix.lower() in _XLSX


def read_table(source: Source, worksheet: str | None = None) -> Table:
    """The table in a csv or xlsx file; `worksheet` names one of a workbook's, None the first.

    Raises:
        InputError: it cannot be read.
    """
    if is_workbook(source.path):
        return read_workbook(source, worksheet)
    return read_csv(source)


_HEADER = "the first line has to name all columns, and nothing may stand above it"
_SEPARATORS = {",": '","', ";": '";"', "\t": "a tab"}
_QUOTED = re.compile('"[^"]*"?')
_LINE_END = re.compile(r"\r\n|\r|\n")
_LOOKED_AT = 10_000  # characters
_MOST_COMMAS = 10 * MAX_COLUMN  # of one line: texts hold commas, too
# A line for Excel alone, which reads and hides it.
_HINT = re.compile(r'"?sep=([,;|\t])"?(?:\n|\Z)', re.IGNORECASE)


def read_csv(source: Source) -> Table:
    """The rows of a csv file in UTF-8, UTF-16 or cp932; rows without any text are left out.

    What parts the cells is what a line `sep=;` above the names of the columns says, or what these
    have most of: commas, semicolons or tabs. Where rows hold line ends, complaints name the row as
    a spreadsheet counts it beside the line.

    Raises:
        InputError: unreadable, no csv, no header, a column name twice, too many cells in a row.
    """
    return csv_table(clean(source.table_text()), source)


def csv_table(text: str, source: Source) -> Table:
    """The rows of the text of a csv file: see `read_csv`.

    Raises:
        InputError: no csv, no header, a column name twice, too many cells in a row.
    """
    separator = separator_of(text)
    records: list[Record] = []
    rows: dict[int, int] = {}
    complaints: list[Complaint] = []
    width = 0
    for line, row, cells in _records(text, source, separator):
        if line != row:
            rows[line] = row
        texts = _texts(cells)
        if not texts or (line == 1 and _HINT.match(text)):
            continue
        width = width or len(cells)
        if max(texts) >= width:
            if width == 1:
                message = f"names one column and row {row} has more; {_HEADER}"
                raise source.error(records[0].line, message)
            message = too_wide(cells, width, separator)
            complaints.append(replace(source, rows=rows).complaint(line, message))
        records.append(Record(line, texts))
    raise_all(complaints)
    return table_of(replace(source, rows=rows), records)


def read_records(source: Source) -> list[Record]:
    """The rows of a csv file as a spreadsheet counts them, whatever stands in the first of them.

    As `read_csv`, but no row has to name the columns, and rows may differ in length.

    Raises:
        InputError: unreadable, or no csv.
    """
    text = clean(source.table_text())
    hint = _HINT.match(text)
    separator = hint[1] if hint else most_frequent_separator(text[:_LOOKED_AT])
    return [
        Record(row - bool(hint), texts)
        for _, row, cells in _records(text, source, separator)
        if (texts := _texts(cells)) and not (hint and row == 1)
    ]


def separator_of(text: str) -> str:
    """What parts the cells of a csv text: see `read_csv`."""
    hint = _HINT.match(text)
    return hint[1] if hint else most_frequent_separator(text.lstrip("\n").partition("\n")[0])


def most_frequent_separator(names: str) -> str:
    """What parts the names of the columns."""
    return max(_SEPARATORS, key=_QUOTED.sub("", names).count)


def too_wide(cells: Sequence[str], width: int, separator: str) -> str:
    """The complaint about a row of more cells than there are columns."""
    return (
        f"has {len(cells)} cells where the first line names {width} columns; "
        f"put a text that holds {_SEPARATORS.get(separator, separator)} in double quotes"
    )


def splice_cells(text: str, separator: str, cells: Mapping[tuple[int, int], str]) -> str:
    """The text with other texts in some cells; every other character stays.

    Args:
        text: of a csv file, its line ends as they are.
        separator: what stands between two cells.
        cells: the new texts by the line on which their row begins (from 1) and the number of
            their column (from 0). A row that ends before that column is filled up.

    Raises:
        LookupError: no row begins on such a line.
    """
    rows = _places(text, separator)
    changes: list[tuple[int, int, str]] = []
    for (line, column), new in cells.items():
        row = rows[line]
        if column < len(row):
            start, end = row[column]
            changes.append((start, end, _written(new, separator, like=text[start:end])))
        else:
            end = row[-1][1]
            filling = separator * (column - len(row) + 1)
            changes.append((end, end, filling + _written(new, separator)))
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _texts(cells: Sequence[str]) -> dict[int, str]:
    return {at: text for at, cell in enumerate(cells) if (text := cell.strip())}


def csv_records(
    lines: Iterable[str], source: Source, separator: str
) -> Iterator[tuple[int, int, list[str]]]:
    """(line, row, cells) of each record, both from 1; strict: no quote swallows the rest.

    Raises:
        InputError: no csv, or a row of too many cells.
    """
    reader = csv.reader(lines, strict=True, delimiter=separator)
    line = row = 1
    try:
        for cells in reader:
            if len(cells) > MAX_COLUMN:
                raise source.error(line, _too_many_columns(len(cells)))
            yield line, row, cells
            line, row = reader.line_num + 1, row + 1
    except csv.Error as error:
        place = source if line == row else replace(source, rows={line: row})
        raise place.error(line, _not_csv(str(error))) from error


def _records(text: str, source: Source, separator: str) -> Iterator[tuple[int, int, list[str]]]:
    """The records of a text, as `csv_records`, within the bounds of a table."""
    left = MAX_CELLS
    for line, row, cells in csv_records(_narrow(text, source, separator), source, separator):
        left -= 1 + len(cells)
        if left < 0:
            raise source.error(line, f"holds too much: more than {MAX_CELLS:,} cells; split it")
        yield line, row, cells


def _narrow(text: str, source: Source, separator: str) -> Iterator[str]:
    """The lines of a text, none of which can hold many more cells than a worksheet has columns."""
    for number, line in enumerate(io.StringIO(text, newline=""), 1):
        if line.count(separator) > _MOST_COMMAS:
            raise source.error(number, _too_many_columns(line.count(separator)))
        yield line


def _not_csv(problem: str) -> str:
    if "unexpected end" in problem:
        return "a double quote opens in this row and never closes; close it"
    if "expected after" in problem:
        return 'text follows a closing quote; write a double quote inside a text twice ("")'
    return "a cell is longer than 131,072 characters; close its quote, or cut it"


def _written(text: str, separator: str, like: str = "") -> str:
    """A cell, in quotes where it needs them or had them before."""
    needs = any(mark in text for mark in (separator, '"', "\n", "\r")) or text != text.strip()
    if not needs and not like.startswith('"'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _places(text: str, separator: str) -> Mapping[int, list[tuple[int, int]]]:
    """Where the cells of each row begin and end, by the line on which the row begins."""
    parted_by = re.escape(separator)
    cell = rf'((?:"(?:[^"]|"")*+(?:"|\Z))?[^{parted_by}\r\n]*)({parted_by}|\r\n|\r|\n|\Z)'
    places: dict[int, list[tuple[int, int]]] = {}
    line = row = 1
    for match in re.finditer(cell, text):
        places.setdefault(row, []).append(match.span(1))
        line += len(_LINE_END.findall(match[0]))
        if match[2] != separator:
            row = line
    return places


def _too_many_columns(count: int) -> str:
    """The complaint about a row of more cells than a worksheet has columns."""
    return f"holds too much: a row of {count:,} cells; a table has up to {MAX_COLUMN:,} columns"
