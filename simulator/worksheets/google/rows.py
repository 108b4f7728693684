"""Rows as requests: in groups that are written whole or not at all.

Rows that are added to a table are put in between, not over what stands there: between reading and
writing somebody may have inserted rows, written a note below, or another run may have been added.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from simulator.worksheets.book import Column, SheetRow
from simulator.worksheets.google import requests
from simulator.worksheets.google.layout import Layout
from simulator.worksheets.google.requests import (
    CellData,
    RequestGroup,
    cell_data,
    number_format,
    size_of,
)

NumberedRow = tuple[int, int, SheetRow]
"""Row in the book, row in the sheet, cells."""
_GROUP = 50_000  # bytes: the smaller, the better requests are filled
_LONGEST = 1_500_000  # bytes of a row that goes in one request


@dataclass(slots=True)
class Rows:
    """The rows of one worksheet on their way; `end` is the first row beyond, `grid` the grid's.

    `inserted`: they are put before what stands in their place; else over it.
    """

    layout: Layout
    grid: int
    end: int
    inserted: bool
    _waiting: list[list[CellData]] = field(default_factory=list)
    _size: int = 0

    def units(self, rows: Iterable[NumberedRow]) -> Iterator[RequestGroup]:
        """The requests that write these rows, which follow each other in the sheet."""
        for row, target, cells in rows:
            made = self._cells(row, target, cells)
            size = size_of(made)
            if size > _LONGEST:
                yield from self._flush()
                yield from self._in_pieces(target, made)
            elif self._size + size > _GROUP:
                yield from self._flush()
            if size <= _LONGEST:
                self._waiting.append(made)
                self._size += size
            self.end = target + 1
        yield from self._flush()

    def _cells(self, row: int, target: int, cells: SheetRow) -> list[CellData]:
        def here(formula: str) -> str:
            return self.layout.moved(formula, target - row)

        columns = self.layout.worksheet.columns
        return [cell_data(cell, column, here) for cell, column in zip(cells, columns, strict=False)]

    def _flush(self) -> Iterator[RequestGroup]:
        if not self._waiting:
            return
        rows, self._waiting, self._size = self._waiting, [], 0
        first = self.end - len(rows)
        unit = self._put(first, self.end) if self.inserted else self._ready(first, self.end)
        for start, at, count in runs(self.layout.columns):
            part = [_trimmed(row[start : start + count]) for row in rows]
            if any(part):
                unit.append(requests.write_cells(self.layout.sheet, first, at, part))
        yield unit

    def _in_pieces(self, target: int, cells: Sequence[CellData]) -> Iterator[RequestGroup]:
        """A row too long for one request, from right to left: its key comes last.

        A row without its key is not known, and is written again: over what is there of it, so it
        is not put in between.
        """
        unit, size = self._ready(target, target + 1), 0
        for index in range(len(cells) - 1, -1, -1):
            at = self.layout.columns[index]
            request = requests.write_cells(self.layout.sheet, target, at, [[cells[index]]])
            more = size_of([request])
            # The first two columns tell where a table ends, so they come together.
            if size + more > _LONGEST and index > 1:
                yield unit
                unit, size = [], 0
            unit.append(request)
            size += more
        yield unit

    def _put(self, first: int, end: int) -> RequestGroup:
        """New rows, and how they look. Google puts rows only before one that is there."""
        unit = self._grown(first + 1)
        unit.append(requests.insert_rows(self.layout.sheet, first, end))
        self.grid += end - first
        return unit + shapes(self.layout, first, end)

    def _ready(self, first: int, end: int) -> RequestGroup:
        """The grid, large enough, and how new rows look."""
        return self._grown(end) + shapes(self.layout, first, end)

    def _grown(self, rows: int) -> RequestGroup:
        """The grid made longer: never set to a length, for it may be longer than it was."""
        more = rows - self.grid
        if more <= 0:
            return []
        self.grid = rows
        return [requests.append(self.layout.sheet, "ROWS", more)]


def shapes(layout: Layout, first: int, end: int) -> RequestGroup:
    """How the columns of these rows look."""
    columns = dict(zip(layout.columns, layout.worksheet.columns, strict=True))
    looks = [(at, _look(columns[at])) for at in sorted(columns)]
    unit: RequestGroup = []
    beside = groupby(enumerate(looks), key=lambda pair: (pair[1][0] - pair[0], pair[1][1]))
    for (_, look), group in beside:
        places = [at for _, (at, _) in group]
        where = requests.area(layout.sheet, (first, end), (places[0], places[-1] + 1))
        unit.append(requests.shape(where, look))
    return unit


def _look(column: Column) -> dict[str, Any]:
    # Wrapped texts make their rows as high as they are, so what is clipped is not wrapped here.
    wrap = "CLIP" if column.clip else "WRAP" if column.wrap else "OVERFLOW_CELL"
    look: dict[str, Any] = {"verticalAlignment": "TOP", "wrapStrategy": wrap}
    return {**look, "numberFormat": number_format(column.form)} if column.form else look


def runs(columns: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Columns that are beside each other in book and sheet: (in the book, in the sheet, count)."""
    for _, group in groupby(enumerate(columns), key=lambda pair: pair[1] - pair[0]):
        found = list(group)
        yield found[0][0], found[0][1], len(found)


def _trimmed(cells: Sequence[CellData]) -> list[CellData]:
    """Without the empty cells at the end."""
    last = next((n for n in range(len(cells), 0, -1) if cells[n - 1]), 0)
    return list(cells[:last])
