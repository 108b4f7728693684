"""The requests of a batchUpdate, and cells as Google has them (REST v4, spreadsheets.request)."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from simulator.worksheets.book import TEXT_FORMAT, CellValue, Colour, Column, SheetCell, fitting

CellData = dict[str, Any]
LONGEST_CELL = 50_000
"""UTF-16 units that a cell can hold (Google: files you can store in Drive, size limits)."""
WROTE = "mogi.wrote"
"""The key of a worksheet's metadata that tells which texts a program wrote there."""
_LONGEST_METADATA = 29_000  # characters: Google keeps 30,000 of a worksheet
_EXACT = 2**53  # whole numbers beyond it would be rounded


def cell_text(text: str) -> str:
    """The text as a cell can hold it: no lone surrogates, and cut with a mark if it is too long."""
    return fitting(text, LONGEST_CELL)


def cell_data(cell: CellValue | SheetCell, column: Column, moved: Callable[[str], str]) -> CellData:
    """What is written into a cell; texts stay texts, only a cell's own formula is one.

    `moved` gives a formula for the cells as they are.
    """
    if not isinstance(cell, SheetCell):
        content = _value(cell)
        return {"userEnteredValue": content} if content else {}
    value = {"formulaValue": moved(cell.formula)} if cell.formula else _value(cell.value)
    data: CellData = {"userEnteredValue": value} if value else {}
    shape: dict[str, Any] = {}
    if cell.fill:
        shape["backgroundColorStyle"] = {"rgbColor": colour(cell.fill)}
    if cell.bold:
        shape["textFormat"] = {"bold": True}
    if cell.form:
        shape["numberFormat"] = number_format(cell.form)
    elif column.form and (cell.fill or cell.bold):
        shape["numberFormat"] = number_format(column.form)
    if shape:
        data["userEnteredFormat"] = shape
    if cell.note:
        data["note"] = cell_text(cell.note)
    return data


def fields_of(rows: Iterable[Sequence[CellData]]) -> str:
    """The fields that these cells have, as a mask; what it names is cleared where it is absent."""
    names = {"userEnteredValue"}
    for row in rows:
        for data in row:
            names.update(f"userEnteredFormat.{name}" for name in data.get("userEnteredFormat", ()))
            if "note" in data:
                names.add("note")
    return ",".join(sorted(names))


def colour(shade: Colour) -> dict[str, float]:
    """A colour as Google has it: shares of 1."""
    parts = {"red": shade.red, "green": shade.green, "blue": shade.blue}
    return {name: part / 255 for name, part in parts.items()}


def number_format(pattern: str) -> dict[str, str]:
    """A number format by its pattern, such as `0.00`; that of texts is `@`."""
    return {"type": "TEXT" if pattern == TEXT_FORMAT else "NUMBER", "pattern": pattern}


def _value(value: CellValue) -> dict[str, Any] | None:
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and math.isfinite(value) and abs(value) <= _EXACT:
        return {"numberValue": value}
    return {"stringValue": cell_text(str(value))}


Dimension = Literal["ROWS", "COLUMNS"]
SheetRequest = dict[str, Any]
RequestGroup = list[SheetRequest]
"""Requests that go into one batch together, so that all of them happen or none does."""

PROTECTION_MARK = "mogi"
"""The description of the protected ranges that are ours."""
# Requests that come to the same when they are carried out twice.
_REPEATABLE = frozenset(
    (
        "updateCells",
        "updateSheetProperties",
        "updateDimensionProperties",
        "repeatCell",
        "setBasicFilter",
        "setDataValidation",
        "updateConditionalFormatRule",
        "deleteDeveloperMetadata",  # of a key, before it is created
        "createDeveloperMetadata",
    )
)


def is_repeatable(requests: Sequence[Mapping[str, Any]]) -> bool:
    """Whether sending these requests twice comes to the same as sending them once."""
    return all(_REPEATABLE.issuperset(request) for request in requests)


def size_of(unit: Sequence[SheetRequest]) -> int:
    """Bytes of the requests in a body, with the commas."""
    return len(json.dumps(unit, ensure_ascii=False, separators=(",", ":")).encode())


def area(
    sheet: int, rows: tuple[int, int] | None = None, columns: tuple[int, int] | None = None
) -> dict[str, int]:
    """A GridRange; the second of two is the first one beyond. None: all there are."""
    grid_range = {"sheetId": sheet}
    if rows is not None:
        grid_range |= {"startRowIndex": rows[0], "endRowIndex": rows[1]}
    if columns is not None:
        grid_range |= {"startColumnIndex": columns[0], "endColumnIndex": columns[1]}
    return grid_range


def add_sheet(sheet: int, title: str, grid: Mapping[str, int]) -> SheetRequest:
    """Make a worksheet with an id of our own."""
    properties = {"sheetId": sheet, "title": title, "gridProperties": dict(grid)}
    return {"addSheet": {"properties": properties}}


def set_grid(sheet: int, **grid: int) -> SheetRequest:
    """Set counts of rows or columns, or how many are frozen, to these very numbers."""
    properties = {"sheetId": sheet, "gridProperties": grid}
    fields = ",".join(f"gridProperties.{name}" for name in grid)
    return {"updateSheetProperties": {"properties": properties, "fields": fields}}


def insert_rows(sheet: int, first: int, end: int) -> SheetRequest:
    """Put new rows there; what stands there, and all below it, moves down."""
    where = _dimension(sheet, "ROWS", first, end)
    return {"insertDimension": {"range": where, "inheritFromBefore": False}}


def _dimension(sheet: int, dimension: Dimension, first: int, end: int) -> dict[str, Any]:
    return {"sheetId": sheet, "dimension": dimension, "startIndex": first, "endIndex": end}


def append(sheet: int, dimension: Dimension, count: int) -> SheetRequest:
    """Make the grid larger by so many rows or columns, however large it is by now."""
    return {"appendDimension": {"sheetId": sheet, "dimension": dimension, "length": count}}


def write_cells(
    sheet: int, row: int, column: int, rows: Sequence[Sequence[CellData]]
) -> SheetRequest:
    """Write cells, the first of them at this place."""
    start = {"sheetId": sheet, "rowIndex": row, "columnIndex": column}
    made = [{"values": list(cells)} for cells in rows]
    return {"updateCells": {"start": start, "rows": made, "fields": fields_of(rows)}}


def clear(where: Mapping[str, int]) -> SheetRequest:
    """Empty every cell of an area: values, formats, notes and drop-downs."""
    fields = "userEnteredValue,userEnteredFormat,note,dataValidation"
    return {"updateCells": {"range": dict(where), "fields": fields}}


def shape(where: Mapping[str, int], looks: Mapping[str, Any]) -> SheetRequest:
    """Give all cells of an area these parts of a format; the other parts stay."""
    fields = ",".join(f"userEnteredFormat.{name}" for name in looks)
    cell = {"userEnteredFormat": dict(looks)}
    return {"repeatCell": {"range": dict(where), "cell": cell, "fields": fields}}


def column_width(sheet: int, column: int, pixels: int, *, hidden: bool) -> SheetRequest:
    """Set how wide a column is, and whether it is hidden."""
    properties = {"pixelSize": pixels, "hiddenByUser": hidden}
    return {
        "updateDimensionProperties": {
            "range": _dimension(sheet, "COLUMNS", column, column + 1),
            "properties": properties,
            "fields": ",".join(properties),
        }
    }


def protect(where: Mapping[str, int]) -> SheetRequest:
    """Ask "are you sure?" of whoever edits this area; nobody is kept out."""
    protected = {"range": dict(where), "description": PROTECTION_MARK, "warningOnly": True}
    return {"addProtectedRange": {"protectedRange": protected}}


def wrote(sheet: int, lines: Iterable[str]) -> list[SheetRequest]:
    """Note which texts were written into a worksheet, in place of what was noted before."""
    place = {"sheetId": sheet}
    lookup = {"metadataKey": WROTE, "metadataLocation": place}
    made = {"metadataKey": WROTE, "location": place, "visibility": "DOCUMENT"}
    made["metadataValue"] = "\n".join(lines)
    gone = {"deleteDeveloperMetadata": {"dataFilter": {"developerMetadataLookup": lookup}}}
    if len(str(made["metadataValue"])) > _LONGEST_METADATA:
        return [gone]
    return [gone, {"createDeveloperMetadata": {"developerMetadata": made}}]


def drop_down(where: Mapping[str, int], choices: Sequence[str]) -> SheetRequest:
    """Offer these words in an area; others are accepted with a warning."""
    values = [{"userEnteredValue": choice} for choice in choices]
    condition = {"type": "ONE_OF_LIST", "values": values}
    rule = {"condition": condition, "strict": False, "showCustomUi": True}
    return {"setDataValidation": {"range": dict(where), "rule": rule}}


def set_filter(basic_filter: Mapping[str, Any]) -> SheetRequest:
    """Put a filter on a worksheet, instead of the one that is there."""
    return {"setBasicFilter": {"filter": dict(basic_filter)}}


def rule(where: Mapping[str, int], formula: str, fill: Colour) -> dict[str, Any]:
    """A rule of conditional formatting."""
    condition = {"type": "CUSTOM_FORMULA", "values": [{"userEnteredValue": formula}]}
    style = {"backgroundColorStyle": {"rgbColor": colour(fill)}}
    return {"ranges": [dict(where)], "booleanRule": {"condition": condition, "format": style}}


def add_rule(index: int, made: Mapping[str, Any]) -> SheetRequest:
    """Put a rule at this place, from 0: the first that holds has its way."""
    return {"addConditionalFormatRule": {"index": index, "rule": dict(made)}}


def set_rule(sheet: int, index: int, made: Mapping[str, Any]) -> SheetRequest:
    """Put a rule in the stead of the one at this place."""
    return {"updateConditionalFormatRule": {"sheetId": sheet, "index": index, "rule": dict(made)}}


def delete_rule(sheet: int, index: int) -> SheetRequest:
    """Take the rule at this place away."""
    return {"deleteConditionalFormatRule": {"sheetId": sheet, "index": index}}
