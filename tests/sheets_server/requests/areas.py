"""Requests about areas: copied, cut, sorted, merged."""

from collections.abc import Mapping
from typing import Any

from ..formulas import Evaluator
from ..functions import FormulaError
from ..references import shifted
from ..state import Area, Book, CellJson, area_of, plain_range

Json = Mapping[str, Any]


def copy_paste(book: Book, said: Json, where: str) -> dict[str, Any]:
    """copyPaste, everything of a cell; the source is repeated where the destination is larger."""
    sheet = book.sheet(said["source"].get("sheetId"), where)
    target = book.sheet(said["destination"].get("sheetId"), where)
    source = area_of(sheet, said["source"], where)
    height, width = source.end_row - source.row, source.end_column - source.column
    wanted = area_of(target, said["destination"], where)
    taken = {at: sheet.cells.get(at, {}) for at in source}
    rows = max(height, wanted.end_row - wanted.row)
    columns = max(width, wanted.end_column - wanted.column)
    for row in range(rows):
        for column in range(columns):
            at = (source.row + row % height, source.column + column % width)
            to = (wanted.row + row, wanted.column + column)
            target.set(*to, moved(taken[at], to[0] - at[0], to[1] - at[1]))
    return {}


def cut_paste(book: Book, said: Json, where: str) -> dict[str, Any]:
    """cutPaste."""
    sheet = book.sheet(said["source"].get("sheetId"), where)
    to = said["destination"]
    target = book.sheet(to.get("sheetId"), where)
    source = area_of(sheet, said["source"], where)
    taken = {at: sheet.cells.pop(at, {}) for at in source}
    for (row, column), cell in taken.items():
        down = int(to.get("rowIndex", 0)) - source.row
        target.set(row + down, column + int(to.get("columnIndex", 0)) - source.column, cell)
    return {}


def moved(cell: CellJson, rows: int, columns: int) -> CellJson:
    """A cell as a copy elsewhere has it."""
    formula = cell.get("userEnteredValue", {}).get("formulaValue")
    if not formula:
        return cell
    return {**cell, "userEnteredValue": {"formulaValue": shifted(formula, rows, columns)}}


def sort(book: Book, said: Json, where: str) -> dict[str, Any]:
    """sortRange: numbers, texts, truth values, empty ones last; equal rows keep their order."""
    sheet = book.sheet(said["range"].get("sheetId"), where)
    area = area_of(sheet, said["range"], where)
    values = Evaluator(book)
    order = list(range(area.row, area.end_row))
    for spec in reversed(said["sortSpecs"]):
        column = int(spec.get("dimensionIndex", 0))
        descending = spec.get("sortOrder") == "DESCENDING"
        keys = {row: _rank(values.value(sheet, row, column)) for row in order}
        filled = [row for row in order if keys[row] is not None]
        empty = [row for row in order if keys[row] is None]
        order = sorted(filled, key=lambda row: keys[row] or (0, 0), reverse=descending) + empty
    columns = range(area.column, area.end_column)
    taken = {(row, column): sheet.cells.get((row, column), {}) for row, column in area}
    for new, old in enumerate(order, start=area.row):
        for column in columns:
            sheet.set(new, column, moved(taken[old, column], new - old, 0))
    return {}


def _rank(value: Any) -> tuple[int, Any] | None:
    if value is None or value == "" or isinstance(value, FormulaError):
        return None
    if isinstance(value, bool):
        return 2, value
    return (1, value.casefold()) if isinstance(value, str) else (0, value)


def merge(book: Book, said: Json, where: str) -> dict[str, Any]:
    """mergeCells: everything, by rows or by columns; only the first cell keeps its value."""
    sheet = book.sheet(said["range"].get("sheetId"), where)
    area = area_of(sheet, said["range"], where)
    kind = said.get("mergeType", "MERGE_ALL")
    parts = [area]
    if kind == "MERGE_ROWS":
        parts = [
            Area(r, area.column, r + 1, area.end_column) for r in range(area.row, area.end_row)
        ]
    elif kind == "MERGE_COLUMNS":
        columns = range(area.column, area.end_column)
        parts = [Area(area.row, c, area.end_row, c + 1) for c in columns]
    for part in parts:
        found = {
            "startRowIndex": part.row,
            "endRowIndex": part.end_row,
            "startColumnIndex": part.column,
            "endColumnIndex": part.end_column,
        }
        sheet.merges.append(plain_range({"sheetId": sheet.id, **found}))
        for at in list(part)[1:]:
            sheet.set_value(*at, None)
    return {}


def unmerge(book: Book, said: Json, where: str) -> dict[str, Any]:
    """unmergeCells: what lies in the range."""
    sheet = book.sheet(said["range"].get("sheetId"), where)
    area = area_of(sheet, said["range"], where)
    sheet.merges = [
        found
        for found in sheet.merges
        if found["endRowIndex"] <= area.row
        or found["startRowIndex"] >= area.end_row
        or found["endColumnIndex"] <= area.column
        or found["startColumnIndex"] >= area.end_column
    ]
    return {}
