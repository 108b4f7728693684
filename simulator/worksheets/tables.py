"""Tables written row by row, as csv or xlsx; nothing is kept in memory."""

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from simulator.core.clean import guarded
from simulator.core.errors import InputError
from simulator.worksheets.book import CellValue, SheetCell, Worksheet
from simulator.worksheets.guard import cell, fitting

Write = Callable[[Sequence[Any]], None]
"""Takes one row; None is an empty cell."""

MOST_ROWS = 1_048_576  # of a worksheet, with its head
_MARK = "\ufeff"


@contextmanager
def csv_file(path: Path, parted_by: str = ",", *, marked: bool = False) -> Iterator[Write]:
    """A csv file in UTF-8; `marked` with the byte order mark by which Excel knows that it is."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(_MARK if marked else "")
        writer = csv.writer(file, delimiter=parted_by, lineterminator="\r\n" if marked else "\n")

        def write(row: Sequence[Any]) -> None:
            writer.writerow([_text(value) for value in row])

        yield write


@contextmanager
def xlsx_file(path: Path, sheet: str = "Sheet1") -> Iterator[Write]:
    """A workbook with one worksheet, whose first row stays in sight; texts are never formulas.

    Raises:
        InputError: more rows than a worksheet can hold.
        OSError: the file cannot be written.
    """
    with workbook(path) as book:
        worksheet = book.add_worksheet(sheet)
        bold = book.add_format({"bold": True})
        worksheet.freeze_panes(1, 0)
        number = 0

        def write(row: Sequence[Any]) -> None:
            nonlocal number
            if number >= MOST_ROWS:
                raise too_many_rows()
            for column, value in enumerate(row):
                if value is None:
                    continue
                shown = cell(value) if number else str(value)
                if isinstance(shown, str):
                    worksheet.write_string(number, column, shown, bold if number == 0 else None)
                else:
                    worksheet.write_number(number, column, shown)
            number += 1

        yield write


@contextmanager
def workbook(path: Path, **options: Any) -> Iterator[Any]:
    """An empty workbook of XlsxWriter, in which no text becomes a formula, a number or a link.

    Its rows go to disk as they come, so they are written from top to bottom. `options` are
    XlsxWriter's own.

    Raises:
        OSError: the file cannot be written.
    """
    from xlsxwriter import Workbook  # type: ignore[import-untyped]
    from xlsxwriter.exceptions import FileCreateError  # type: ignore[import-untyped]

    plain = dict.fromkeys(("strings_to_formulas", "strings_to_numbers", "strings_to_urls"), False)
    with TemporaryDirectory(prefix="mogi-") as rows, path.open("wb") as file:
        way = {"constant_memory": True, "in_memory": False, "tmpdir": rows}
        book = Workbook(file, {**way, **plain, **options})
        try:
            yield book
        finally:
            try:
                book.close()
            except FileCreateError as error:  # no OSError, but it holds the one that it is about
                raise error.args[0] from error


def too_many_rows() -> InputError:
    """What is said where a worksheet is full."""
    return InputError(f"a worksheet holds {MOST_ROWS:,} rows; name a .csv file instead")


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) else guarded(str(value))


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


def _shown(value: CellValue | SheetCell) -> CellValue:
    found = value.value if isinstance(value, SheetCell) else value
    return fitting(found) if isinstance(found, str) else found
