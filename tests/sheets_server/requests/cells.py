"""Requests about cells: written, repeated, copied, sorted, merged."""

from collections.abc import Mapping
from typing import Any

from ..masks import Mask, mask_of, put
from ..refusals import invalid
from ..state import Area, Book, Sheet, area_of

Json = Mapping[str, Any]
_LONGEST = 50_000
_TWINS = (("backgroundColor", "backgroundColorStyle"),)


def update(book: Book, said: Json, where: str) -> dict[str, Any]:
    """updateCells: by a range, which is emptied where no cell is given, or from a start."""
    mask = mask_of(said["fields"], "CellData")
    rows = said.get("rows", [])
    if "range" in said:
        sheet = book.sheet(said["range"].get("sheetId"), where)
        area = area_of(sheet, said["range"], where)
        _check_fit(rows, area, where)
        for row, column in area:
            _put(
                sheet, row, column, _given(rows, row - area.row, column - area.column), mask, where
            )
        return {}
    start = said.get("start", {})
    sheet = book.sheet(start.get("sheetId"), where)
    top, left = int(start.get("rowIndex", 0)), int(start.get("columnIndex", 0))
    for name, index, most in (("rowIndex", top, sheet.rows), ("columnIndex", left, sheet.columns)):
        if index >= most:
            raise invalid(
                f"Invalid {where}: GridCoordinate.{name}[{index}] is after last "
                f"{name[:-5]} in grid[{most}]"
            )
    _check_fit(rows, Area(top, left, sheet.rows, sheet.columns), where)
    for row, made in enumerate(rows, start=top):
        for column, cell in enumerate(made.get("values", []), start=left):
            _put(sheet, row, column, cell or {}, mask, where)
    return {}


def _given(rows: list[Json], row: int, column: int) -> Json:
    if row >= len(rows):
        return {}
    values = rows[row].get("values", [])
    found: Json = values[column] if column < len(values) else {}
    return found


def _check_fit(rows: list[Json], area: Area, where: str) -> None:
    if len(rows) > area.end_row - area.row:
        raise invalid(
            f"Invalid {where}: Attempting to write row: {area.row + len(rows) - 1}, beyond the "
            f"last requested row of: {area.end_row - 1}"
        )
    for row in rows:
        count = len(row.get("values", []))
        if count > area.end_column - area.column:
            raise invalid(
                f"Invalid {where}: Attempting to write column: {area.column + count - 1}, beyond "
                f"the last requested column of: {area.end_column - 1}"
            )


def _put(sheet: Sheet, row: int, column: int, cell: Json, mask: Mask, where: str) -> None:
    check_value(cell.get("userEnteredValue") or {}, where)
    old = sheet.cells.get((row, column), {})
    new = put(old, _twinned(cell), _twinned_mask(mask))
    sheet.set(row, column, {name: value for name, value in new.items() if value not in ({}, "")})


def check_value(value: Json, where: str) -> None:
    """Refuse what a cell cannot hold."""
    if len(value) > 1:
        raise invalid(f"Invalid value at '{where}' (oneof), more than one value of a cell")
    formula = value.get("formulaValue")
    if formula is not None and not formula.startswith("="):
        raise invalid(f"Invalid {where}: a formula begins with =")
    text = value.get("stringValue") or formula or ""
    if len(text.encode("utf-16-le", "surrogatepass")) // 2 > _LONGEST:
        raise invalid(
            f"Invalid {where}: Your input contains more than the maximum of {_LONGEST} characters "
            "in a single cell."
        )


def _twinned(cell: Json) -> dict[str, Any]:
    """A colour is kept as Google gives it back: plain, and as a style."""
    found = {**cell}
    shape = found.get("userEnteredFormat")
    if shape:
        shape = dict(shape)
        if "backgroundColorStyle" in shape:
            shape["backgroundColor"] = shape["backgroundColorStyle"].get("rgbColor", {})
        elif "backgroundColor" in shape:
            shape["backgroundColorStyle"] = {"rgbColor": shape["backgroundColor"]}
        text = shape.get("textFormat", {})
        if "foregroundColor" in text and "foregroundColorStyle" not in text:
            style = {"rgbColor": text["foregroundColor"]}
            shape["textFormat"] = {**text, "foregroundColorStyle": style}
        found["userEnteredFormat"] = shape
    return found


def _twinned_mask(mask: Mask) -> Mask:
    below = mask.get("userEnteredFormat", {})
    more: Mask = {}
    for plain, style in _TWINS:
        if plain in below or style in below:
            more = {plain: {}, style: {}}
    return {**mask, "userEnteredFormat": {**below, **more}} if more else mask


def repeat(book: Book, said: Json, where: str) -> dict[str, Any]:
    """repeatCell: the same into every cell of a range."""
    sheet = book.sheet(said["range"].get("sheetId"), where)
    area = area_of(sheet, said["range"], where)
    mask = mask_of(said["fields"], "CellData")
    for row, column in area:
        _put(sheet, row, column, said.get("cell", {}), mask, where)
    return {}


def validate(book: Book, said: Json, where: str) -> dict[str, Any]:
    """setDataValidation; without a rule there is none any more."""
    sheet = book.sheet(said["range"].get("sheetId"), where)
    for row, column in area_of(sheet, said["range"], where):
        rest = {k: v for k, v in sheet.cells.get((row, column), {}).items() if k[:4] != "data"}
        rule = said.get("rule")
        sheet.set(row, column, {**rest, "dataValidation": rule} if rule else rest)
    return {}
