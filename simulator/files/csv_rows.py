"""A csv file as rows by column name, each with its line in the file."""

import csv
import io
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from simulator.core.clean import clean
from simulator.core.errors import InputError
from simulator.files.sources import Source


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its first line in the file, and its cells that are not empty, stripped."""

    line: int
    cells: dict[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A csv file: the names of its columns as written (stripped), and its rows."""

    source: Source
    header_line: int
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def read_csv(source: Source) -> Table:
    """The rows of a csv file in UTF-8 or cp932; rows without any text are left out.

    Raises:
        InputError: unreadable, no csv, no header, a column name twice, too many cells in a row.
    """
    records = _records(source)
    line, header = next(records, (0, []))
    columns = tuple(cell.strip() for cell in header)
    if not any(columns):
        raise source.error(0, "is empty; write the names of the columns in the first line")
    names = [same_name(c) for c in columns]
    doubles = [c for c, name in zip(columns, names, strict=True) if c and names.count(name) > 1]
    if doubles:
        raise source.error(line, f'the column "{doubles[0]}" stands there twice; keep one of them')
    rows, complaints = [], []
    for number, cells in records:
        if any(cell.strip() for cell in cells[len(columns) :]):
            message = (
                f"has {len(cells)} cells where the first line names {len(columns)} columns; "
                'put a text that holds "," in double quotes'
            )
            complaints.append(source.complaint(number, message))
        texts = {c: t for c, cell in zip(columns, cells, strict=False) if c and (t := cell.strip())}
        rows.append(Row(number, texts))
    if complaints:
        raise InputError(*complaints)
    return Table(source, line, columns, tuple(rows))


def same_name(name: str) -> str:
    """A column's name without differences of case, width and space around it."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _records(source: Source) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of each record that holds any text; strict, so no quote swallows the rest."""
    reader = csv.reader(io.StringIO(clean(source.table_text()), newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise source.error(line, _in_plain_words(str(error))) from error


def _in_plain_words(said: str) -> str:
    if "unexpected end" in said:
        return "a double quote opens in this row and never closes; close it"
    if "expected after" in said:
        return 'text follows a closing quote; write a double quote inside a text twice ("")'
    return "a cell is longer than 131,072 characters; close its quote, or cut it"
