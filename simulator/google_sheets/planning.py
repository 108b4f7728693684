"""From what is there and a book to the requests that make one into the other; nothing is sent."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from simulator.google_sheets import requests
from simulator.google_sheets.layout import Layout, Layouts, layout_of, new_rows
from simulator.google_sheets.requests import MARK, CellData, Request, Unit
from simulator.google_sheets.row_units import Rows
from simulator.google_sheets.state import SheetThere, SpreadsheetThere, Table, fitting
from simulator.sheet.book import Book, Column, Rule, Worksheet

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
    known = [_columns_of(found["range"]) for found in _ours(layout)]
    return [requests.protect(where) for where in areas if _columns_of(where) not in known]


def _ours(layout: Layout) -> Iterator[Mapping[str, Any]]:
    for found in layout.there.protected if layout.there else ():
        if found.get("description") == MARK and "range" in found:
            yield found


def _columns_of(where: Mapping[str, int]) -> tuple[int | None, int | None]:
    """The columns of an area; rows are not looked at, since Google may fill them in."""
    return where.get("startColumnIndex"), where.get("endColumnIndex")


def _runs(columns: Iterator[int] | Sequence[int]) -> Iterator[tuple[int, int]]:
    """Columns beside each other as (first, the first beyond)."""
    numbered = enumerate(columns)
    for _, group in groupby(numbered, key=lambda pair: pair[1] - pair[0]):
        found = [column for _, column in group]
        yield found[0], found[-1] + 1


Moved = Callable[[str, Layout, int], str]


def finish(layout: Layout, end: int, grid: int, moved: Moved) -> Unit:
    """Drop-downs, filter and rules of a worksheet whose rows end at `end`, its grid at `grid`."""
    unit = drop_downs(layout, end)
    unit += _filter(layout, end)
    return unit + rules(layout, grid, moved)


def drop_downs(layout: Layout, end: int) -> Unit:
    """The words that people choose from."""
    rows = (layout.head_row + 1, max(end, layout.head_row + 2))
    return [
        requests.drop_down(requests.area(layout.sheet, rows, (at, at + 1)), column.choices)
        for at, column in zip(layout.columns, layout.worksheet.columns, strict=True)
        if column.choices
    ]


def _filter(layout: Layout, end: int) -> Unit:
    """The filter over all rows; what people filter and sort by stays."""
    if not layout.worksheet.filtered:
        return []
    wanted = requests.area(
        layout.sheet,
        (layout.head_row, max(end, layout.head_row + 1)),
        (min(layout.columns), max(layout.columns) + 1),
    )
    before = layout.there.filter if layout.there else None
    if before is None:
        return [requests.set_filter({"range": wanted})]
    now = _joined(before.get("range", {}), wanted)
    if now == _with_id(before.get("range", {}), layout.sheet):
        return []
    kept = {name: before[name] for name in ("sortSpecs", "filterSpecs") if name in before}
    if "filterSpecs" not in kept and "criteria" in before:
        kept["criteria"] = before["criteria"]
    return [requests.set_filter({"range": now, **kept})]


def _joined(before: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    """The smallest area that holds both; an end that is not there means: as far as it goes."""
    found = {"sheetId": wanted["sheetId"]}
    for name in ("startRowIndex", "startColumnIndex"):
        found[name] = min(before.get(name, 0), wanted[name])
    for name in ("endRowIndex", "endColumnIndex"):
        if name in before:
            found[name] = max(before[name], wanted[name])
    return found


def _with_id(where: Mapping[str, int], sheet: int) -> dict[str, int]:
    start = {"sheetId": sheet, "startRowIndex": 0, "startColumnIndex": 0}
    return start | dict(where)


def rules(layout: Layout, grid: int, moved: Moved) -> Unit:
    """The rules of a worksheet: one that is there, by its formula, is stretched and not doubled."""
    there = list(layout.there.rules) if layout.there else []
    known = {_formula(found): index for index, found in reversed(list(enumerate(there)))}
    unit: Unit = []
    count = len(there)
    for wanted in layout.worksheet.rules:
        formula = moved(wanted.formula, layout, layout.head_row)
        where = _rule_area(layout, wanted, grid)
        index = known.get(_plain(formula))
        if index is None:
            made = requests.rule(where, formula, wanted.fill)
            unit.append(requests.add_rule(count, made))
            count += 1
        elif [_with_id(found, layout.sheet) for found in there[index]["ranges"]] != [where]:
            # Its colour stays: people may like another one better.
            now = {**there[index], "ranges": [where]}
            unit.append(requests.set_rule(layout.sheet, index, now))
    return unit


def _rule_area(layout: Layout, rule: Rule, grid: int) -> dict[str, int]:
    first = rule.first_row + layout.head_row
    end = grid if rule.last_row is None else rule.last_row + layout.head_row + 1
    columns = range(rule.first_column, rule.last_column + 1)
    places = [layout.column(column) for column in columns]
    return requests.area(layout.sheet, (first, max(end, first + 1)), (min(places), max(places) + 1))


def _formula(rule: Mapping[str, Any]) -> str:
    values = rule.get("booleanRule", {}).get("condition", {}).get("values", ())
    return _plain(str(values[0].get("userEnteredValue", ""))) if values else ""


def _plain(formula: str) -> str:
    return "".join(formula.split())


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
