"""One worksheet of a workbook as a csv file: what its cells come to, and nothing of its looks."""

from pathlib import Path

from simulator.tables.book import Cell, Value, Worksheet
from simulator.tables.guard import fitting
from simulator.tables.writing import csv_file


def write_sheet(sheet: Worksheet, path: Path) -> None:
    """Write the worksheet in UTF-8 with a byte order mark, by which Excel knows Japanese.

    Formulas stand there as what they come to; texts are guarded, and cut where a cell could not
    hold them.

    Raises:
        OSError: the file cannot be written.
    """
    with csv_file(path, marked=True) as write:
        if sheet.header:
            write([column.head for column in sheet.columns])
        for row in sheet.rows():
            write([_shown(value) for value in row])


def _shown(value: Value | Cell) -> Value:
    found = value.value if isinstance(value, Cell) else value
    return fitting(found) if isinstance(found, str) else found
