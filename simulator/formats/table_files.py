"""A table from whatever kind of file holds it; csv read here, and single cells of it replaced."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from simulator.core.bounds import MAX_CELLS, MAX_COLUMN
from simulator.core.clean import clean
from simulator.core.errors import Complaint, raise_all
from simulator.formats.sources import Source
from simulator.formats.tables import Record, Table, table_of

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
        from simulator.formats.xlsx.workbook import read_workbook

        return read_workbook(source, worksheet)
    return read_csv(source)


_HEADER = "the first line must name all columns, with nothing above it"
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
        f"put text that contains {_SEPARATORS.get(separator, separator)} in double quotes"
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
            raise source.error(line, f"is too large: more than {MAX_CELLS:,} cells; split it")
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
    return f"is too large: a row of {count:,} cells; a table has up to {MAX_COLUMN:,} columns"
