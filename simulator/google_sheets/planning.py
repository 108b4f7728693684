"""From what is there and a book to the requests that make one into the other; nothing is sent."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from simulator.google_sheets import requests
from simulator.google_sheets.finishing import finish, rules
from simulator.google_sheets.layout import Layout, Layouts, layout_of, new_rows
from simulator.google_sheets.requests import Unit
from simulator.google_sheets.row_units import Rows
from simulator.google_sheets.setting_up import (
    grown,
    head,
    head_shape,
    make_ready,
    new_grid,
    protection,
    widths,
)
from simulator.google_sheets.there import SpreadsheetThere, Table
from simulator.sheet.book import Book, Worksheet


class Planned:
    """The way from a spreadsheet to one that holds a book.

    Carried out twice, or broken off anywhere between two units and planned again, it ends with
    the same cells. `starts`: by title, the row at which new rows begin; `ends`: that at which
    they end, once `units` has yielded them.

    Args:
        there: The spreadsheet as it is.
        tables: What was read of the worksheets that grow and are there, by the book's titles.

    Raises:
        InputError: a worksheet of a title that the book uses has something else in it.
    """

    def __init__(self, there: SpreadsheetThere, tables: Mapping[str, Table], book: Book) -> None:
        def place(worksheet: Worksheet) -> Layout:
            return layout_of(worksheet, there, tables.get(worksheet.title))

        self._layouts = Layouts(book, place)
        self.starts = {at.worksheet.title: _start(at) for at in self._layouts}
        self.ends: dict[str, int] = {}

    def units(self) -> Iterator[Unit]:
        """The requests, in their order; those of a unit have to go together."""
        # All worksheets first: a formula that names one that is not there yet stays broken.
        for layout in self._layouts:
            ready = self._ready(layout)
            if ready:
                yield ready
        # From the last: rows that are put in between would move what formulas already name.
        for layout in reversed(list(self._layouts)):
            yield from self._grown(layout) if layout.worksheet.grows else self._anew(layout)

    def _ready(self, layout: Layout) -> Unit:
        if layout.worksheet.grows:
            return make_ready(layout)
        if layout.there is not None:
            return []
        return [requests.add_sheet(layout.sheet, layout.title, new_grid(layout.worksheet))]

    def _grown(self, layout: Layout) -> Iterator[Unit]:
        grid = max(layout.there.rows if layout.there else 0, 0)
        if not layout.has_heads:
            grid = max(grid, new_grid(layout.worksheet)["rowCount"])
        rows = Rows(layout, self._layouts.moved, grid, layout.next_row, inserted=True)
        yield from rows.units(new_rows(layout))
        self.ends[layout.worksheet.title] = rows.end
        unit = finish(layout, rows.end, rows.grid, self._layouts.moved)
        if unit:
            yield unit

    def _anew(self, layout: Layout) -> Iterator[Unit]:
        """A worksheet that is written as a whole: its columns emptied, then filled.

        What people wrote in columns to the right of these stays.
        """
        worksheet = layout.worksheet
        first = 1 if worksheet.header else 0
        cells = list(worksheet.rows())
        end = first + len(cells)
        grid = new_grid(worksheet, end)
        grid["rowCount"] = max(grid["rowCount"], layout.there.rows if layout.there else 0)
        unit = _emptied(layout, grid) + list(widths(layout, layout.columns))
        unit += protection(layout)
        if worksheet.header:
            unit.append(head_shape(layout.sheet, len(worksheet.columns)))
            heads = [head(column) for column in worksheet.columns]
            unit.append(requests.write(layout.sheet, 0, 0, [heads]))
        yield unit
        rows = Rows(layout, self._layouts.moved, grid["rowCount"], first, inserted=False)
        numbered = [(n, n, row) for n, row in enumerate(cells, start=first)]
        yield from rows.units(numbered)
        self.ends[worksheet.title] = end
        bare = _without_rules(layout)
        unit = rules(bare, grid["rowCount"], self._layouts.moved)
        if unit:
            yield unit


def _emptied(layout: Layout, grid: Mapping[str, int]) -> Unit:
    """The worksheet as large as it has to be, its columns without cells and rules."""
    if layout.there is None:
        return [requests.set_grid(layout.sheet, **grid)]
    unit = list(grown(layout.there, grid))
    columns = (0, len(layout.worksheet.columns))
    unit.append(requests.clear(requests.area(layout.sheet, None, columns)))
    last = len(layout.there.rules) - 1
    return unit + [requests.delete_rule(layout.sheet, at) for at in range(last, -1, -1)]


def _without_rules(layout: Layout) -> Layout:
    return replace(layout, there=None)


def _start(layout: Layout) -> int:
    return layout.next_row if layout.worksheet.grows else int(layout.worksheet.header)
