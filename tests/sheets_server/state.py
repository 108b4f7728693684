"""A spreadsheet as it is: worksheets, cells, and what lies over them."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .refusals import invalid

CellJson = Mapping[str, Any]
"""CellData without what is computed. Never changed, only replaced: copies share cells."""
MOST_CELLS = 10_000_000


@dataclass
class Sheet:
    """One worksheet. Rows and columns count from 0."""

    id: int
    title: str
    rows: int = 1000
    columns: int = 26
    properties: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, Any] = field(default_factory=dict)
    cells: dict[tuple[int, int], CellJson] = field(default_factory=dict)
    row_properties: dict[int, dict[str, Any]] = field(default_factory=dict)
    column_properties: dict[int, dict[str, Any]] = field(default_factory=dict)
    rules: list[dict[str, Any]] = field(default_factory=list)
    filter: dict[str, Any] | None = None
    protected: list[dict[str, Any]] = field(default_factory=list)
    metadata: list[dict[str, Any]] = field(default_factory=list)
    merges: list[dict[str, Any]] = field(default_factory=list)
    groups: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def used(self) -> tuple[int, int]:
        """The first row and column beyond all cells with a value."""
        places = [at for at, cell in self.cells.items() if "userEnteredValue" in cell]
        rows = max((row + 1 for row, _ in places), default=0)
        return rows, max((column + 1 for _, column in places), default=0)

    def set(self, row: int, column: int, cell: CellJson) -> None:
        """Put a cell; one with nothing in it is none."""
        if cell:
            self.cells[row, column] = cell
        else:
            self.cells.pop((row, column), None)

    def set_value(self, row: int, column: int, value: Mapping[str, Any] | None) -> None:
        """Put a value only; None empties the cell but leaves its looks."""
        rest = {k: v for k, v in self.cells.get((row, column), {}).items() if k[:4] != "user"}
        old = self.cells.get((row, column), {})
        if "userEnteredFormat" in old:
            rest["userEnteredFormat"] = old["userEnteredFormat"]
        self.set(row, column, {"userEnteredValue": value, **rest} if value else rest)

    def clone(self) -> "Sheet":
        """A copy that may be changed."""
        other = copy.copy(self)
        other.cells = dict(self.cells)
        for name in (
            "properties",
            "grid",
            "row_properties",
            "column_properties",
            "rules",
            "filter",
            "protected",
            "metadata",
            "merges",
            "groups",
        ):
            setattr(other, name, copy.deepcopy(getattr(self, name)))
        return other


@dataclass
class Book:
    """One spreadsheet. `roles`: e-mail -> writer or reader; "" stands for everybody else."""

    key: str
    title: str
    sheets: list[Sheet]
    roles: dict[str, str] = field(default_factory=lambda: {"": "writer"})
    named: dict[str, dict[str, Any]] = field(default_factory=dict)
    next_id: int = 1_000_000_007
    revision: int = 0

    def sheet(self, sheet_id: int | None, where: str) -> Sheet:
        """A worksheet by its id."""
        for sheet in self.sheets:
            if sheet.id == int(sheet_id or 0):
                return sheet
        raise invalid(f"Invalid {where}: No grid with id: {int(sheet_id or 0)}")

    def titled(self, title: str) -> Sheet | None:
        """A worksheet by its title, in any case."""
        wanted = title.casefold()
        return next((s for s in self.sheets if s.title.casefold() == wanted), None)

    def new_id(self) -> int:
        """A number that nothing has yet."""
        self.next_id = (self.next_id * 48_271) % 0x7FFF_FFFF
        return self.next_id

    def clone(self) -> "Book":
        """A copy that may be changed."""
        other = copy.copy(self)
        other.sheets = [sheet.clone() for sheet in self.sheets]
        other.named = copy.deepcopy(self.named)
        return other

    def check_size(self, where: str) -> None:
        """Refuse more cells than a spreadsheet holds."""
        if sum(sheet.rows * sheet.columns for sheet in self.sheets) > MOST_CELLS:
            raise invalid(
                f"Invalid {where}: This action would increase the number of cells in the workbook "
                f"above the limit of {MOST_CELLS} cells."
            )


@dataclass(frozen=True)
class Area:
    """A rectangle of a worksheet; `end_…` is the first one beyond."""

    row: int
    column: int
    end_row: int
    end_column: int

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for row in range(self.row, self.end_row):
            for column in range(self.column, self.end_column):
                yield row, column


def area_of(sheet: Sheet, found: Mapping[str, Any], where: str) -> Area:
    """A GridRange within its worksheet."""
    end_row = int(found.get("endRowIndex", sheet.rows))
    end_column = int(found.get("endColumnIndex", sheet.columns))
    row, column = int(found.get("startRowIndex", 0)), int(found.get("startColumnIndex", 0))
    for name, index, most in (("row", end_row, sheet.rows), ("column", end_column, sheet.columns)):
        if index > most:
            raise invalid(
                f"Invalid {where}: range exceeds grid limits. Max rows: {sheet.rows}, "
                f"max columns: {sheet.columns} ({name} {index} of {most})"
            )
    if row >= end_row or column >= end_column or row < 0 or column < 0:
        raise invalid(f"Invalid {where}: the range is empty or negative")
    return Area(row, column, end_row, end_column)


def plain_range(found: Mapping[str, Any]) -> dict[str, Any]:
    """A GridRange as Google gives it back: a sheetId of 0 is not shown."""
    return {k: v for k, v in found.items() if not (k == "sheetId" and int(v or 0) == 0)}
