"""A table from whatever kind of file holds it."""

from pathlib import Path

from simulator.files.csv_rows import read_csv
from simulator.files.rows import Table
from simulator.files.sources import Source
from simulator.files.xlsx.workbook import read_workbook

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
