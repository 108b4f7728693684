"""What makes a worksheet ready for rows: the sheet, its heads, widths and protection."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from simulator.google_sheets import requests
from simulator.google_sheets.cells import CellData
from simulator.google_sheets.identity import fitting
from simulator.google_sheets.layout import Layout
from simulator.google_sheets.requests import MARK, Request, Unit
from simulator.google_sheets.there import SheetThere
from simulator.sheet.book import Column, Worksheet

_PIXELS = 7  # of a character
_PADDING = 12  # pixels of a column, beside its text
_HEAD = {
    "textFormat": {"bold": True},
    "backgroundColorStyle": {"rgbColor": {"red": 0.93, "green": 0.93, "blue": 0.93}},
    "wrapStrategy": "WRAP",
    "verticalAlignment": "MIDDLE",
}


def make_ready(layout: Layout) -> Unit:
    """Make the worksheet if it is not there, and the columns that are missing.

    All in one unit: where the heads are, the rest was done as well.
    """
    worksheet = layout.worksheet
    unit: Unit = []
    if layout.there is None:
        unit.append(requests.add_sheet(layout.sheet, layout.title, new_grid(worksheet)))
    elif layout.missing:
        unit += _widened(layout)
    if layout.missing:
        unit += list(widths(layout, layout.missing))
        unit += list(_heads(layout))
    if not layout.has_heads:
        unit += protection(layout)
    return unit


def new_grid(worksheet: Worksheet, rows: int = 0) -> dict[str, int]:
    """The grid of a worksheet of so many rows: Google freezes no more than all but one."""
    frozen_rows, frozen_columns = worksheet.frozen
    return {
        "rowCount": max(rows, frozen_rows + 1, 2),
        "columnCount": max(len(worksheet.columns), frozen_columns + 1),
        "frozenRowCount": frozen_rows,
        "frozenColumnCount": frozen_columns,
    }


def _widened(layout: Layout) -> Iterator[Request]:
    if layout.there is None:
        return
    wanted = {"columnCount": max(layout.columns) + 1}
    if layout.has_heads:
        yield from grown(layout.there, wanted)
    else:  # an empty worksheet that somebody made
        yield from grown(layout.there, {**new_grid(layout.worksheet), **wanted})


def grown(there: SheetThere, grid: Mapping[str, int]) -> Iterator[Request]:
    """A grid made as large as this; none is made smaller, whatever somebody added meanwhile."""
    rows = grid.get("rowCount", 0) - there.rows
    if rows > 0:
        yield requests.append_rows(there.id, rows)
    columns = grid.get("columnCount", 0) - there.columns
    if columns > 0:
        yield requests.append_columns(there.id, columns)
    frozen = {name: count for name, count in grid.items() if name.startswith("frozen")}
    if frozen:
        yield requests.set_grid(there.id, **frozen)


def widths(layout: Layout, columns: Sequence[int]) -> Iterator[Request]:
    """How wide these columns of the book are, and which are hidden."""
    for index in columns:
        column = layout.worksheet.columns[index]
        pixels = column.width * _PIXELS + _PADDING
        at = layout.columns[index]
        yield requests.column_width(layout.sheet, at, pixels, hidden=column.hidden)


def _heads(layout: Layout) -> Iterator[Request]:
    for first, last in _runs(layout.columns[index] for index in layout.missing):
        where = requests.area(layout.sheet, (layout.head_row, layout.head_row + 1), (first, last))
        yield requests.shape(where, _HEAD)
        heads = [
            head(layout.worksheet.columns[index])
            for index in layout.missing
            if first <= layout.columns[index] < last
        ]
        yield requests.write(layout.sheet, layout.head_row, first, [heads])


def head_shape(sheet: int, columns: int) -> Request:
    """How the heads of a worksheet look that stand in its first row."""
    return requests.shape(requests.area(sheet, (0, 1), (0, columns)), _HEAD)


def head(column: Column) -> CellData:
    """The cell of a head, with the column's note."""
    data: CellData = {"userEnteredValue": {"stringValue": fitting(column.head)}}
    return {**data, "note": fitting(column.note)} if column.note else data


def protection(layout: Layout) -> Unit:
    """A warning before machine columns are edited; none where there is one already."""
    columns = layout.worksheet.columns
    if not any(column.people for column in columns):
        areas = [requests.area(layout.sheet)]
    else:
        machine = sorted(
            at for at, column in zip(layout.columns, columns, strict=True) if not column.people
        )
        areas = [requests.area(layout.sheet, None, run) for run in _runs(machine)]
    known = [_plain(found["range"]) for found in _ours(layout)]
    return [requests.protect(where) for where in areas if _plain(where) not in known]


def _ours(layout: Layout) -> Iterator[Mapping[str, Any]]:
    for found in layout.there.protected if layout.there else ():
        if found.get("description") == MARK and "range" in found:
            yield found


def _plain(where: Mapping[str, int]) -> tuple[int | None, int | None]:
    """The columns of an area; rows are not looked at, since Google may fill them in."""
    return where.get("startColumnIndex"), where.get("endColumnIndex")


def _runs(columns: Iterator[int] | Sequence[int]) -> Iterator[tuple[int, int]]:
    """Columns beside each other as (first, the first beyond)."""
    numbered = enumerate(columns)
    for _, group in groupby(numbered, key=lambda pair: pair[1] - pair[0]):
        found = [column for _, column in group]
        yield found[0], found[-1] + 1
