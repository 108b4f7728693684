"""From what is there and a book to the requests that make one into the other; nothing is sent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from simulator.worksheets.book import (
    Book,
    CellValue,
    Colour,
    Column,
    Rule,
    SheetCell,
    Trace,
    Worksheet,
)
from simulator.worksheets.google import requests
from simulator.worksheets.google.layout import (
    Layout,
    Location,
    empty_cells,
    layout_of,
    new_rows,
    targets,
    value_of,
)
from simulator.worksheets.google.requests import (
    PROTECTION_MARK,
    CellData,
    RequestGroup,
    SheetRequest,
    cell_data,
)
from simulator.worksheets.google.rows import Rows, runs
from simulator.worksheets.google.state import SheetState, SpreadsheetState, TableState, cell_text

_PIXELS = 8  # of a character
_PADDING = 12  # pixels of a column, beside its text
HEAD_FILL = Colour(237, 237, 237)
_HEAD = {
    "textFormat": {"bold": True},
    "backgroundColorStyle": {"rgbColor": requests.colour(HEAD_FILL)},
    "wrapStrategy": "WRAP",
    "verticalAlignment": "MIDDLE",
}


def _make_ready(layout: Layout) -> RequestGroup:
    """Make the worksheet if it is not there, and the columns that are missing.

    All in one unit: where the heads are, the rest was done as well.
    """
    worksheet = layout.worksheet
    unit: RequestGroup = []
    if layout.state is None:
        unit.append(requests.add_sheet(layout.sheet, layout.title, _new_grid(worksheet)))
    elif layout.missing:
        unit += _widened(layout, layout.state)
    if layout.missing:
        unit += list(_widths(layout, layout.missing))
        unit += list(_heads(layout))
    if not layout.has_heads:
        unit += _protection(layout)
    return unit


def _new_grid(worksheet: Worksheet, rows: int = 0) -> dict[str, int]:
    """The grid of a worksheet of so many rows: Google freezes no more than all but one."""
    frozen_rows, frozen_columns = worksheet.frozen
    return {
        "rowCount": max(rows, frozen_rows + 1, 2),
        "columnCount": max(len(worksheet.columns), frozen_columns + 1),
        "frozenRowCount": frozen_rows,
        "frozenColumnCount": frozen_columns,
    }


def _widened(layout: Layout, state: SheetState) -> Iterator[SheetRequest]:
    # Without heads it is an empty worksheet that somebody made.
    grid = {} if layout.has_heads else _new_grid(layout.worksheet)
    return _grown(state, {**grid, "columnCount": max(layout.columns) + 1})


def _grown(state: SheetState, grid: Mapping[str, int]) -> Iterator[SheetRequest]:
    """A grid made as large as this; none is made smaller, whatever somebody added meanwhile."""
    rows = grid.get("rowCount", 0) - state.rows
    if rows > 0:
        yield requests.append(state.id, "ROWS", rows)
    columns = grid.get("columnCount", 0) - state.columns
    if columns > 0:
        yield requests.append(state.id, "COLUMNS", columns)
    frozen = {name: count for name, count in grid.items() if name.startswith("frozen")}
    if frozen:
        yield requests.set_grid(state.id, **frozen)


def _widths(layout: Layout, columns: Sequence[int]) -> Iterator[SheetRequest]:
    """How wide these columns of the book are, and which are hidden."""
    for index in columns:
        column = layout.worksheet.columns[index]
        pixels = column.width * _PIXELS + _PADDING
        at = layout.columns[index]
        yield requests.column_width(layout.sheet, at, pixels, hidden=column.hidden)


def _heads(layout: Layout) -> Iterator[SheetRequest]:
    for start, first, count in runs([layout.columns[index] for index in layout.missing]):
        rows = (layout.head_row, layout.head_row + 1)
        where = requests.area(layout.sheet, rows, (first, first + count))
        yield requests.shape(where, _HEAD)
        columns = layout.missing[start : start + count]
        heads = [_head(layout.worksheet.columns[index]) for index in columns]
        yield requests.write_cells(layout.sheet, layout.head_row, first, [heads])


def _head(column: Column) -> CellData:
    """The cell of a head, with the column's note."""
    data: CellData = {"userEnteredValue": {"stringValue": cell_text(column.head)}}
    return {**data, "note": cell_text(column.note)} if column.note else data


def _protection(layout: Layout) -> RequestGroup:
    """A warning before machine columns are edited; none where there is one already."""
    columns = layout.worksheet.columns
    if not any(column.people for column in columns):
        areas = [requests.area(layout.sheet)]
    else:
        machine = sorted(
            at for at, column in zip(layout.columns, columns, strict=True) if not column.people
        )
        areas = [
            requests.area(layout.sheet, None, (first, first + count))
            for _, first, count in runs(machine)
        ]
    known = [
        _columns_of(found["range"])
        for found in (layout.state.protected if layout.state else ())
        if found.get("description") == PROTECTION_MARK and "range" in found
    ]
    return [requests.protect(where) for where in areas if _columns_of(where) not in known]


def _columns_of(where: Mapping[str, int]) -> tuple[int | None, int | None]:
    """The columns of an area; rows are not looked at, since Google may fill them in."""
    return where.get("startColumnIndex"), where.get("endColumnIndex")


def _drop_downs(layout: Layout, end: int) -> RequestGroup:
    """The words that people choose from."""
    rows = (layout.head_row + 1, max(end, layout.head_row + 2))
    return [
        requests.drop_down(requests.area(layout.sheet, rows, (at, at + 1)), column.choices)
        for at, column in zip(layout.columns, layout.worksheet.columns, strict=True)
        if column.choices
    ]


def _filter(layout: Layout, end: int) -> RequestGroup:
    """The filter over all rows; what people filter and sort by stays."""
    if not layout.worksheet.filtered:
        return []
    wanted = requests.area(
        layout.sheet,
        (layout.head_row, max(end, layout.head_row + 1)),
        (min(layout.columns), max(layout.columns) + 1),
    )
    before = layout.state.filter if layout.state else None
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


def _rules(layout: Layout, grid: int, state: Sequence[Mapping[str, Any]] = ()) -> RequestGroup:
    """The rules of a worksheet: one that is there, by its formula, is stretched and not doubled."""
    known = {_formula(found): index for index, found in reversed(list(enumerate(state)))}
    unit: RequestGroup = []
    count = len(state)
    for wanted in layout.worksheet.rules:
        formula = layout.moved(wanted.formula, layout.head_row)
        where = _rule_area(layout, wanted, grid)
        index = known.get(_plain(formula))
        if index is None:
            made = requests.rule(where, formula, wanted.fill)
            unit.append(requests.add_rule(count, made))
            count += 1
        elif [_with_id(found, layout.sheet) for found in state[index]["ranges"]] != [where]:
            # Its colour stays: people may like another one better.
            now = {**state[index], "ranges": [where]}
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


class BookPlan:
    """The way from a spreadsheet to one that holds a book.

    Carried out twice, or broken off anywhere between two units and planned again, it ends with
    the same cells. `starts`: by title, the row at which new rows begin; `ends`: that at which
    they end, once `units` has yielded them.

    Args:
        state: The spreadsheet as it is.
        tables: What was read of the worksheets that grow and are there, by the book's titles.

    Raises:
        InputError: a worksheet of a title that the book uses has something else in it.
    """

    def __init__(
        self, state: SpreadsheetState, tables: Mapping[str, TableState], book: Book
    ) -> None:
        find = cache(self._find)  # made only for worksheets that formulas speak of
        self._layouts = {
            worksheet.title: layout_of(worksheet, state, tables.get(worksheet.title), find)
            for worksheet in book.worksheets
        }
        self.starts = {
            title: layout.next_row if layout.worksheet.grows else int(layout.worksheet.header)
            for title, layout in self._layouts.items()
        }
        self.ends: dict[str, int] = {}

    def units(self) -> Iterator[RequestGroup]:
        """The requests, in their order; those of a unit have to go together."""
        # All worksheets first: a formula that names one that is not there yet stays broken.
        for layout in self._layouts.values():
            if ready := self._ready(layout):
                yield ready
        # From the last: rows that are put in between would move what formulas already name.
        for layout in reversed(self._layouts.values()):
            yield from self._grow(layout) if layout.worksheet.grows else self._anew(layout)

    def _find(self, title: str) -> Location | None:
        layout = self._layouts.get(title)
        if layout is None:
            return None
        if not layout.worksheet.grows:
            return layout.place(0)
        rows = targets(layout)
        return Location(layout.title, lambda row: rows.get(row, row), layout.column)

    @staticmethod
    def _ready(layout: Layout) -> RequestGroup:
        if layout.worksheet.grows:
            return _make_ready(layout)
        if layout.state is not None:
            return []
        return [requests.add_sheet(layout.sheet, layout.title, _new_grid(layout.worksheet))]

    def _grow(self, layout: Layout) -> Iterator[RequestGroup]:
        state = layout.state
        grid = state.rows if state else 0
        if not layout.has_heads:
            grid = max(grid, _new_grid(layout.worksheet)["rowCount"])
        if layout.worksheet.fills and (unit := _filled(layout)):
            yield unit
        rows = Rows(layout, grid, layout.next_row, inserted=True)
        yield from rows.units(new_rows(layout))
        self.ends[layout.worksheet.title] = rows.end
        unit = _drop_downs(layout, rows.end) + _filter(layout, rows.end)
        if unit := unit + _rules(layout, rows.grid, state.rules if state else ()):
            yield unit

    def _anew(self, layout: Layout) -> Iterator[RequestGroup]:
        """A worksheet that is written as a whole: its columns emptied, then filled.

        What people wrote in columns to the right of these stays.
        """
        worksheet = layout.worksheet
        first = 1 if worksheet.header else 0
        cells = list(worksheet.rows())
        end = first + len(cells)
        grid = _new_grid(worksheet, end)
        grid["rowCount"] = max(grid["rowCount"], layout.state.rows if layout.state else 0)
        theirs, ours = _parted(layout)
        unit = _emptied(layout, grid) + list(_widths(layout, layout.columns))
        unit += [requests.delete_rule(layout.sheet, at) for at in reversed(ours)]
        unit += _protection(layout)
        if worksheet.header:
            row = requests.area(layout.sheet, (0, 1), (0, len(worksheet.columns)))
            unit.append(requests.shape(row, _HEAD))
            heads = [_head(column) for column in worksheet.columns]
            unit.append(requests.write_cells(layout.sheet, 0, 0, [heads]))
        yield unit
        rows = Rows(layout, grid["rowCount"], first, inserted=False)
        numbered = [(n, n, row) for n, row in enumerate(cells, start=first)]
        yield from rows.units(numbered)
        self.ends[worksheet.title] = end
        written = requests.wrote(layout.sheet, trace_of(worksheet).lines())
        yield _rules(layout, grid["rowCount"], theirs) + written


def _filled(layout: Layout) -> RequestGroup:
    """What was kept from people until they judged, in the rows that are there."""
    unit = []
    for row, at, index, cell in empty_cells(layout):
        here = partial(layout.moved, shift=at - row)
        # Colours and notes of an empty cell may be somebody's.
        data = cell_data(_plainly(cell), layout.worksheet.columns[index], here)
        unit.append(requests.write_cells(layout.sheet, at, layout.columns[index], [[data]]))
    return unit


def _plainly(cell: CellValue | SheetCell) -> CellValue | SheetCell:
    return replace(cell, fill=None, note="") if isinstance(cell, SheetCell) else cell


def _parted(layout: Layout) -> tuple[list[Mapping[str, Any]], list[int]]:
    """The rules that stay, people's and those that are wanted; the places of the others."""
    there = layout.state.rules if layout.state else ()
    trace = Trace(layout.state.wrote if layout.state else ())
    wanted = {_plain(layout.moved(rule.formula, 0)) for rule in layout.worksheet.rules}
    ours = [
        at
        for at, rule in enumerate(there)
        if (formula := _formula(rule)) not in wanted
        and formula.startswith("=")
        and trace.knows(formula)
    ]
    return [rule for at, rule in enumerate(there) if at not in ours], ours


def trace_of(worksheet: Worksheet) -> Trace:
    """Which texts the program writes into a worksheet."""
    trace = Trace()
    for column in worksheet.columns if worksheet.header or worksheet.grows else ():
        trace.add(cell_text(column.head), worksheet.title)
        trace.add(cell_text(column.note), worksheet.title)
    for row in worksheet.rows():
        for cell in row:
            note = cell.note if isinstance(cell, SheetCell) else ""
            for text in (value_of(cell), note):
                if isinstance(text, str):
                    trace.add(cell_text(text), worksheet.title)
    for rule in worksheet.rules:
        trace.add(_plain(rule.formula), worksheet.title)
    return trace


def _emptied(layout: Layout, grid: Mapping[str, int]) -> RequestGroup:
    """The worksheet as large as it has to be, its columns without cells."""
    if layout.state is None:
        return [requests.set_grid(layout.sheet, **grid)]
    unit = list(_grown(layout.state, grid))
    columns = (0, len(layout.worksheet.columns))
    return [*unit, requests.clear(requests.area(layout.sheet, None, columns))]
