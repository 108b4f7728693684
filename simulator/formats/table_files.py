"""A table from whatever kind of file holds it; csv read here, and single cells of it replaced."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from simulator.core.clean import clean
from simulator.core.errors import InputError, raise_all
from simulator.formats.sources import Source
from simulator.formats.tables import Record, Table, table_of
from simulator.formats.xlsx.workbook import read_workbook

_CSV = frozenset((".csv", ".tsv"))
_XLSX = frozenset((".xlsx", ".xlsm"))


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


_QUOTED = re.compile('"[^"]*"?')
_HEADER = "the first line has to name all columns, and nothing may stand above it"
_NAMES = {",": '","', ";": '";"', "\t": "a tab"}
_LOOKED_AT = 10_000  # characters
# A line for Excel alone, which reads and hides it.
_TOLD = re.compile(r'"?sep=([,;|\t])"?(?:\n|\Z)', re.IGNORECASE)


def read_csv(source: Source) -> Table:
    """The rows of a csv file in UTF-8, UTF-16 or cp932; rows without any text are left out.

    What parts the cells is what a line `sep=;` above the names of the columns says, or what these
    have most of: commas, semicolons or tabs. Where rows hold line ends, complaints name the row as
    a spreadsheet counts it beside the line.

    Raises:
        InputError: unreadable, no csv, no header, a column name twice, too many cells in a row.
    """
    text = clean(source.table_text())
    told = _TOLD.match(text)
    parted_by = separator_of(text)
    records: list[Record] = []
    rows: dict[int, int] = {}
    width: int | None = None
    complaints = []
    for line, row, cells in _records(text, source, parted_by):
        if line != row:
            rows[line] = row
        found = {at: stripped for at, cell in enumerate(cells) if (stripped := cell.strip())}
        if not found or (told and line == 1):
            continue
        width = len(cells) if width is None else width
        if max(found) >= width:
            if width == 1:
                message = f"names one column and row {row} has more; {_HEADER}"
                raise source.error(records[0].line, message)
            message = (
                f"has {len(cells)} cells where the first line names {width} columns; "
                f"put a text that holds {_NAMES.get(parted_by, parted_by)} in double quotes"
            )
            complaints.append(replace(source, rows=rows).complaint(line, message))
        records.append(Record(line, found))
    raise_all(complaints)
    return table_of(replace(source, rows=rows), records)


def separator_of(text: str) -> str:
    """What parts the cells of a csv text: see `read_csv`."""
    told = _TOLD.match(text)
    return told[1] if told else _most_of(text.lstrip("\n").partition("\n")[0])


def read_records(source: Source) -> list[Record]:
    """The rows of a csv file as a spreadsheet counts them, whatever stands in the first of them.

    As `read_csv`, but no row has to name the columns, and rows may differ in length.

    Raises:
        InputError: unreadable, or no csv.
    """
    text = clean(source.table_text())
    told = _TOLD.match(text)
    parted_by = told[1] if told else _most_of(text[:_LOOKED_AT])
    records = []
    for _, row, cells in _records(text, source, parted_by):
        found = {at: stripped for at, cell in enumerate(cells) if (stripped := cell.strip())}
        if found and not (told and row == 1):
            records.append(Record(row - 1 if told else row, found))
    return records


def _most_of(names: str) -> str:
    """What parts the names of the columns."""
    return max(_NAMES, key=_QUOTED.sub("", names).count)


def _records(text: str, source: Source, parted_by: str) -> Iterator[tuple[int, int, list[str]]]:
    """(line, row, cells) of each record, both from 1; strict: no quote swallows the rest."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=parted_by)
    line = row = 1
    try:
        for cells in reader:
            yield line, row, cells
            line, row = reader.line_num + 1, row + 1
    except csv.Error as error:
        rows = {} if line == row else {line: row}
        raise _not_csv(replace(source, rows=rows), line, str(error)) from error


def _not_csv(source: Source, line: int, said: str) -> InputError:
    if "unexpected end" in said:
        message = "a double quote opens in this row and never closes; close it"
    elif "expected after" in said:
        message = 'text follows a closing quote; write a double quote inside a text twice ("")'
    else:
        message = "a cell is longer than 131,072 characters; close its quote, or cut it"
    return source.error(line, message)


_ENDS = "\r\n"


@dataclass(slots=True)
class _Located:
    """One row: the line on which it begins, where each cell stands, and where the row ends."""

    line: int
    cells: list[tuple[int, int]]
    end: int


def splice_cells(text: str, parted_by: str, cells: Mapping[tuple[int, int], str]) -> str:
    """The text with other texts in some cells.

    Args:
        text: of a csv file, its line ends as they are.
        parted_by: what stands between two cells.
        cells: the new texts by the line on which their row begins (from 1) and the number of
            their column (from 0). A row that ends before that column is filled up.

    Raises:
        LookupError: no row begins on such a line.
    """
    rows = {record.line: record for record in _located(text, parted_by)}
    changes: list[tuple[int, int, str]] = []
    for (line, column), new in cells.items():
        record = rows[line]
        if column < len(record.cells):
            start, end = record.cells[column]
            changes.append((start, end, _written(new, parted_by, like=text[start:end])))
        else:
            filling = parted_by * (column - len(record.cells) + 1)
            changes.append((record.end, record.end, filling + _written(new, parted_by)))
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _written(text: str, parted_by: str, like: str = "") -> str:
    """A cell, in quotes where it needs them or had them before."""
    needs = any(mark in text for mark in (parted_by, '"', "\n", "\r")) or text != text.strip()
    if not needs and not like.startswith('"'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _located(text: str, parted_by: str) -> Sequence[_Located]:
    found: list[_Located] = []
    at, line = 0, 1
    while at < len(text):
        record = _Located(line, [], at)
        while True:
            end = _cell_end(text, at, parted_by)
            record.cells.append((at, end))
            line += _lines(text[at:end])
            at = end
            if at >= len(text) or text[at] in _ENDS:
                break
            at += len(parted_by)
        record.end = at
        found.append(record)
        at += 2 if text.startswith("\r\n", at) else 1
        line += 1
    return found


def _cell_end(text: str, at: int, parted_by: str) -> int:
    if text.startswith('"', at):
        at += 1
        while at < len(text):
            closing = text.find('"', at)
            if closing < 0:
                return len(text)
            at = closing + 1
            if not text.startswith('"', at):
                break
            at += 1
    while at < len(text) and text[at] not in _ENDS and not text.startswith(parted_by, at):
        at += 1
    return at


def _lines(text: str) -> int:
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
