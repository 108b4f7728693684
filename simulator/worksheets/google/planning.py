"""From what is there and a book to the requests that make one into the other; nothing is sent.

A `Layout` says where each worksheet of the book is, or will be; formulas are moved to where cells
really are. Rows go in groups that are written whole or not at all. Those that are added to a table
are put in between, not over what stands there: between reading and writing somebody may have
inserted rows, written a note below, or another run may have been added.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from typing import Any

from gspread.utils import column_letter_to_index

from simulator.core.errors import InputError
from simulator.worksheets.book import (
    Book,
    CellValue,
    Colour,
    Column,
    Rule,
    SheetCell,
    SheetRow,
    Trace,
    Worksheet,
    column_name,
    quoted_title,
)
from simulator.worksheets.columns import without_filled
from simulator.worksheets.google import requests
from simulator.worksheets.google.requests import (
    CellData,
    RequestGroup,
    SheetRequest,
    cell_data,
    cell_text,
    size_of,
)
from simulator.worksheets.google.spreadsheet import (
    SheetState,
    SpreadsheetState,
    TableState,
    head_key,
    row_key,
    sheet_id,
)

_PIXELS = 8  # of a character
_PADDING = 12  # pixels of a column, beside its text
HEAD_FILL = Colour(237, 237, 237)
_HEAD = {
    "textFormat": {"bold": True},
    "backgroundColorStyle": {"rgbColor": requests.colour(HEAD_FILL)},
    "wrapStrategy": "WRAP",
    "verticalAlignment": "MIDDLE",
}
_TITLE = r"(?:'(?P<quoted>(?:[^']|'')+)'|(?P<plain>[^\W\d][\w.]*))!"
_CELL = r"\$?[A-Z]{1,3}\$?[0-9]{1,7}"
_COLUMN = r"\$?[A-Z]{1,3}"
_REFERENCE = re.compile(
    r'"(?:[^"]|"")*"'  # texts are passed over
    rf"|(?P<title>{_TITLE})?(?<![\w.$])"
    rf"(?P<area>{_CELL}(?::{_CELL})?|{_COLUMN}:{_COLUMN})(?![\w(.!])"
)
_PART = re.compile(r"(\$?)([A-Z]{1,3})(?:(\$?)([0-9]+))?")


@dataclass(frozen=True, slots=True)
class Location:
    """Where a worksheet's cells really are: its title, and its rows and columns, from 0."""

    title: str
    row: Callable[[int], int]
    column: Callable[[int], int]


def relocated(formula: str, here: Location, find: Callable[[str], Location | None]) -> str:
    """The formula for the cells as they are.

    `here` is the place of the worksheet that the formula stands in, seen from its own row; `find`
    gives that of another one by the title that the formula names, None to leave it.
    """

    def replaced(match: re.Match[str]) -> str:
        area = match["area"]
        if area is None:
            return match[0]
        if match["title"] is None:
            return _area(area, here)
        title = (match["quoted"] or match["plain"]).replace("''", "'")
        place = find(title)
        return match[0] if place is None else f"{quoted_title(place.title)}!{_area(area, place)}"

    return _REFERENCE.sub(replaced, formula)


def _area(area: str, place: Location) -> str:
    def moved(part: re.Match[str]) -> str:
        column = column_name(place.column(column_letter_to_index(part[2]) - 1))
        row = place.row(int(part[4]) - 1) + 1 if part[4] else ""
        return f"{part[1]}{column}{part[3] or ''}{row}"

    return _PART.sub(moved, area)


@dataclass(frozen=True, slots=True)
class Layout:
    """One worksheet's place. Rows and columns count from 0.

    `sheet` is its id; `state` None: it has to be made. `columns`: for each column of the book the
    one in the sheet; those in `missing` are not there yet. `table` is what was read of it. `find`
    gives the places of the book's other worksheets, by the titles formulas name.
    """

    worksheet: Worksheet
    sheet: int
    title: str
    find: Callable[[str], Location | None]
    state: SheetState | None
    table: TableState
    columns: tuple[int, ...]
    missing: tuple[int, ...]

    @property
    def has_heads(self) -> bool:
        """True if the heads are there, if not all of them."""
        return self.table.head_row is not None

    @property
    def head_row(self) -> int:
        """The row of the heads."""
        return self.table.head_row or 0

    @property
    def next_row(self) -> int:
        """Where new rows begin."""
        if not self.has_heads:
            return int(self.worksheet.header)
        return max(self.table.end_row, self.head_row + 1)

    def column(self, index: int) -> int:
        """Where a column of the book is."""
        return self.columns[index] if index < len(self.columns) else index

    def place(self, shift: int) -> Location:
        """The worksheet seen from rows that are `shift` rows below where the book has them."""
        return Location(self.title, lambda row: row + shift, self.column)

    def moved(self, formula: str, shift: int) -> str:
        """A formula of the worksheet, `shift` rows below where the book has it."""
        return relocated(formula, self.place(shift), self.find)

    def cell_data(self, cell: CellValue | SheetCell, column: Column, shift: int) -> CellData:
        """What is written into a cell, `shift` rows below where the book has it."""
        return cell_data(cell, column, lambda formula: self.moved(formula, shift))


def layout_of(
    worksheet: Worksheet,
    state: SpreadsheetState,
    table: TableState | None,
    find: Callable[[str], Location | None],
) -> Layout:
    """The place of a worksheet; `table` is what was read of it, if it grows and is there.

    Raises:
        InputError: a worksheet of this title has something else in it.
    """
    sheet = state.find(worksheet.title)
    if sheet is None or table is None or table.end_row == 0:
        table = TableState()
    elif table.head_row is None:
        head = worksheet.columns[0].head
        raise InputError(
            f"mogi didn't create the worksheet {sheet.title!r}: its first rows have no column "
            f"{head!r}; restore the headers, rename it, or choose another in client.yaml "
            "(sheets: {worksheet: NAME})"
        )
    number = sheet.id if sheet else sheet_id(worksheet.title)
    title = sheet.title if sheet else worksheet.title
    columns, missing = _columns(worksheet, table)
    return Layout(worksheet, number, title, find, sheet, table, columns, missing)


def _columns(worksheet: Worksheet, table: TableState) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where each column is, and which of them are new: those go to the right of all there are."""
    places, missing, free = [], [], table.end_column
    for index, column in enumerate(worksheet.columns):
        at = table.columns.get(head_key(column.head))
        if at is None:
            at, free = free, free + 1
            missing.append(index)
        places.append(at)
    return tuple(places), tuple(missing)


def _all_rows(layout: Layout) -> Iterator[tuple[int, int, SheetRow]]:
    """(row in the book, row in the sheet, cells) of each row; those that are new come last.

    Of several rows with one key the first is the first that is there, and so on.

    Raises:
        ValueError: a row without a key, which nobody would know again.
    """
    seen: dict[str, int] = {}
    at = layout.next_row
    first = 1 if layout.worksheet.header else 0
    for row, cells in enumerate(layout.worksheet.rows(), start=first):
        key = row_key(key_of(cells))
        if not key:
            raise ValueError(f"row {row} of {layout.worksheet.title} has no key")
        rows = layout.table.keys.get(key, ())
        number = seen[key] = seen.get(key, -1) + 1 if rows else 0
        is_there = number < len(rows)
        yield row, rows[number] if is_there else at, cells
        at += not is_there


def key_of(cells: SheetRow) -> CellValue:
    """What stands in the first cell of a row, by which it is known again."""
    return value_of(cells[0]) if cells else None


def value_of(cell: CellValue | SheetCell) -> CellValue:
    """What a cell holds."""
    return cell.value if isinstance(cell, SheetCell) else cell


def targets(layout: Layout) -> Mapping[int, int]:
    """Row in the book -> row in the sheet."""
    return {0: layout.head_row, **{row: at for row, at, _ in _all_rows(layout)}}


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
            pairs = zip(cells, self.layout.worksheet.columns, strict=False)
            data = [self.layout.cell_data(cell, column, target - row) for cell, column in pairs]
            size = size_of(data)
            if size > _LONGEST:
                yield from self._flush()
                yield from self._in_pieces(target, data)
            elif self._size + size > _GROUP:
                yield from self._flush()
            if size <= _LONGEST:
                self._waiting.append(data)
                self._size += size
            self.end = target + 1
        yield from self._flush()

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
    return {**look, "numberFormat": requests.number_format(column.form)} if column.form else look


def runs(columns: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Columns that are beside each other in book and sheet: (in the book, in the sheet, count)."""
    for _, group in groupby(enumerate(columns), key=lambda pair: pair[1] - pair[0]):
        pairs = list(group)
        yield pairs[0][0], pairs[0][1], len(pairs)


def _trimmed(cells: Sequence[CellData]) -> list[CellData]:
    """Without the empty cells at the end."""
    last = next((n for n in range(len(cells), 0, -1) if cells[n - 1]), 0)
    return list(cells[:last])


def _make_ready(layout: Layout) -> RequestGroup:
    """Make the worksheet if it is not there, and the columns that are missing where it grows.

    All in one unit: where the heads are, the rest was done as well.
    """
    worksheet = layout.worksheet
    unit: RequestGroup = []
    if layout.state is None:
        unit.append(requests.add_sheet(layout.sheet, layout.title, _new_grid(worksheet)))
    if not worksheet.grows:
        return unit
    if layout.missing:
        unit += _widened(layout, layout.state) if layout.state else ()
        unit += (*_widths(layout, layout.missing), *_heads(layout))
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
        _columns_of(protected["range"])
        for protected in (layout.state.protected if layout.state else ())
        if protected.get("description") == requests.PROTECTION_MARK and "range" in protected
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
    area = {"sheetId": wanted["sheetId"]}
    for name in ("startRowIndex", "startColumnIndex"):
        area[name] = min(before.get(name, 0), wanted[name])
    for name in ("endRowIndex", "endColumnIndex"):
        if name in before:
            area[name] = max(before[name], wanted[name])
    return area


def _with_id(where: Mapping[str, int], sheet: int) -> dict[str, int]:
    start = {"sheetId": sheet, "startRowIndex": 0, "startColumnIndex": 0}
    return start | dict(where)


def _rules(layout: Layout, grid: int, state: Sequence[Mapping[str, Any]] = ()) -> RequestGroup:
    """The rules of a worksheet: one that is there, by its formula, is stretched and not doubled."""
    known = {_formula(rule): index for index, rule in reversed(list(enumerate(state)))}
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
        elif [_with_id(rule, layout.sheet) for rule in state[index]["ranges"]] != [where]:
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
        self.starts = {title: layout.next_row for title, layout in self._layouts.items()}
        self.ends: dict[str, int] = {}

    def units(self) -> Iterator[RequestGroup]:
        """The requests, in their order; those of a unit have to go together."""
        # All worksheets first: a formula that names one that is not there yet stays broken.
        for layout in self._layouts.values():
            if ready := _make_ready(layout):
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

    def _grow(self, layout: Layout) -> Iterator[RequestGroup]:
        state = layout.state
        grid = state.rows if state else 0
        if not layout.has_heads:
            grid = max(grid, _new_grid(layout.worksheet)["rowCount"])
        if layout.worksheet.fills and (unit := _filled(layout)):
            yield unit
        rows = Rows(layout, grid, layout.next_row, inserted=True)
        # Those that are there all stand above.
        yield from rows.units(row for row in _all_rows(layout) if row[1] >= layout.next_row)
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
    """What was kept from people until they judged, in the rows that are there.

    Where a cell that was empty is filled, the row's last one, its hash, goes with it; it does not
    speak of people's cells, which stay as they are.
    """
    columns = layout.worksheet.columns
    machine = [index for index, column in enumerate(columns) if not column.people]
    unit = []
    for row, at, cells in _all_rows(layout):
        if at >= layout.next_row:
            continue
        full = {place for place, value in enumerate(layout.table.rows[at]) if not _is_empty(value)}
        lacking = [
            index
            for index in machine
            if not _is_empty(value_of(cells[index])) and layout.columns[index] not in full
        ]
        for index in dict.fromkeys((*lacking, *machine[-1:])) if lacking else ():
            cell = cells[index]
            if index == machine[-1]:
                cell = without_filled(str(value_of(cell)))
            if isinstance(cell, SheetCell):  # colours and notes of an empty cell may be somebody's
                cell = replace(cell, fill=None, note="")
            data = layout.cell_data(cell, columns[index], at - row)
            unit.append(requests.write_cells(layout.sheet, at, layout.columns[index], [[data]]))
    return unit


def _is_empty(value: object) -> bool:
    return value is None or value == ""


def _parted(layout: Layout) -> tuple[list[Mapping[str, Any]], list[int]]:
    """The rules that stay, people's and those that are wanted; the places of the others."""
    existing = layout.state.rules if layout.state else ()
    trace = Trace(layout.state.wrote if layout.state else ())
    wanted = {_plain(layout.moved(rule.formula, 0)) for rule in layout.worksheet.rules}
    ours = [
        at
        for at, rule in enumerate(existing)
        if (formula := _formula(rule)) not in wanted
        and formula.startswith("=")
        and trace.knows(formula)
    ]
    return [rule for at, rule in enumerate(existing) if at not in ours], ours


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
