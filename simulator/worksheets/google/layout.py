"""Where each worksheet of a book is, or will be; its formulas moved to where cells really are."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from simulator.core.errors import InputError
from simulator.worksheets.book import (
    CellValue,
    SheetCell,
    SheetRow,
    Worksheet,
    column_name,
    quoted_title,
)
from simulator.worksheets.google.state import (
    SheetState,
    SpreadsheetState,
    TableState,
    Values,
    head_key,
    row_key,
    sheet_id,
)

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

    def replaced(found: re.Match[str]) -> str:
        area = found["area"]
        if area is None:
            return found[0]
        if found["title"] is None:
            return _area(area, here)
        title = (found["quoted"] or found["plain"]).replace("''", "'")
        place = find(title)
        return found[0] if place is None else f"{quoted_title(place.title)}!{_area(area, place)}"

    return _REFERENCE.sub(replaced, formula)


def _area(area: str, place: Location) -> str:
    def moved(part: re.Match[str]) -> str:
        column = column_name(place.column(_index(part[2])))
        row = place.row(int(part[4]) - 1) + 1 if part[4] else ""
        return f"{part[1]}{column}{part[3] or ''}{row}"

    return _PART.sub(moved, area)


def _index(letters: str) -> int:
    return reduce(lambda number, letter: number * 26 + ord(letter) - ord("A") + 1, letters, 0) - 1


@dataclass(frozen=True, slots=True)
class Layout:
    """One worksheet's place. Rows and columns count from 0.

    `state` None: it has to be made. `columns`: for each column of the book the one in the sheet;
    those from `added` on are not there yet. `keys`: the rows that are there already; `there` is
    what was read of all. New rows begin at `next_row`. `has_heads`: the heads are there, if not all
    of them. `find` gives the places of the book's other worksheets, by the titles formulas name.
    """

    worksheet: Worksheet
    sheet: int
    title: str
    find: Callable[[str], Location | None]
    state: SheetState | None = None
    head_row: int = 0
    columns: tuple[int, ...] = ()
    has_heads: bool = False
    missing: tuple[int, ...] = ()
    keys: Mapping[str, Sequence[int]] = field(default_factory=dict)
    next_row: int = 0
    there: Values = ()

    def column(self, index: int) -> int:
        """Where a column of the book is."""
        return self.columns[index] if index < len(self.columns) else index

    def place(self, shift: int) -> Location:
        """The worksheet seen from rows that are `shift` rows below where the book has them."""
        return Location(self.title, lambda row: row + shift, self.column)

    def moved(self, formula: str, shift: int) -> str:
        """A formula of the worksheet, `shift` rows below where the book has it."""
        return relocated(formula, self.place(shift), self.find)


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
    number, title = (
        (sheet.id, sheet.title) if sheet else (sheet_id(worksheet.title), worksheet.title)
    )
    own = tuple(range(len(worksheet.columns)))
    first = 1 if worksheet.header else 0
    layout = Layout(worksheet, number, title, find, sheet, 0, own, missing=own, next_row=first)
    if sheet is None or table is None or table.end_row == 0:
        return layout
    if table.head_row is None:
        head = worksheet.columns[0].head
        raise InputError(
            f"the worksheet {sheet.title!r} is not one of mogi's: its first rows have no column "
            f"{head!r}; put the heads back, rename it, or name another in client.yaml "
            "(sheets: {worksheet: NAME})"
        )
    columns, missing = _columns(worksheet, table)
    return replace(
        layout,
        head_row=table.head_row,
        columns=columns,
        has_heads=True,
        missing=missing,
        keys=table.keys,
        next_row=max(table.end_row, table.head_row + 1),
        there=table.rows,
    )


def _columns(worksheet: Worksheet, table: TableState) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where each column is, and which of them are new: those go to the right of all there are."""
    found, missing, free = [], [], table.end_column
    for index, column in enumerate(worksheet.columns):
        at = table.columns.get(head_key(column.head))
        if at is None:
            at, free = free, free + 1
            missing.append(index)
        found.append(at)
    return tuple(found), tuple(missing)


def new_rows(layout: Layout) -> Iterator[tuple[int, int, SheetRow]]:
    """(row in the book, row in the sheet, cells) of each row that is not there yet."""
    # Those that are there all stand above.
    return ((row, at, cells) for row, at, cells in _all_rows(layout) if at >= layout.next_row)


def empty_cells(layout: Layout) -> Iterator[tuple[int, int, int, CellValue | SheetCell]]:
    """(row in the book, row in the sheet, column in the book, cell) of what is to be filled in.

    Where a cell that was empty is filled, the row's last one, its hash, goes with it.
    """
    machine = [at for at, column in enumerate(layout.worksheet.columns) if not column.people]
    for row, at, cells in _all_rows(layout):
        there = layout.there[at] if at < layout.next_row else None
        if there is None:
            continue
        held = {place for place, value in enumerate(there) if value not in (None, "")}
        wanted = [index for index in machine if value_of(cells[index]) not in (None, "")]
        if lacking := [index for index in wanted if layout.columns[index] not in held]:
            for index in dict.fromkeys((*lacking, machine[-1])):
                yield row, at, index, cells[index]


def _all_rows(layout: Layout) -> Iterator[tuple[int, int, SheetRow]]:
    """The same of every row.

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
        rows = layout.keys.get(key, ())
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
