"""Rows and columns that are inserted, deleted, moved, and how they look."""

from collections.abc import Mapping
from typing import Any

from ..masks import mask_of, put
from ..references import Remap, remapped
from ..refusals import invalid
from ..state import Book, Sheet

Json = Mapping[str, Any]
_ROWS = "ROWS"


def insert(book: Book, said: Json, where: str) -> dict[str, Any]:
    """insertDimension: new rows or columns before the first index."""
    sheet, rows, start, end = _range(book, said["range"], where)
    _check_bounds(sheet, rows, start, start, where)
    count = end - start
    _resize(sheet, rows, count)
    book.check_size(where)
    move(book, sheet, lambda index: index + count if index >= start else index, rows=rows)
    return {}


def append(book: Book, said: Json, where: str) -> dict[str, Any]:
    """appendDimension: new rows or columns at the end."""
    sheet = book.sheet(said.get("sheetId"), where)
    _resize(sheet, said["dimension"] == _ROWS, int(said["length"]))
    book.check_size(where)
    return {}


def delete(book: Book, said: Json, where: str) -> dict[str, Any]:
    """deleteDimension."""
    sheet, rows, start, end = _range(book, said["range"], where)
    _check_bounds(sheet, rows, start, end, where)
    count = end - start
    if count >= (sheet.rows if rows else sheet.columns):
        kind = "rows" if rows else "columns"
        raise invalid(f"Invalid {where}: You can't delete all the {kind} on the sheet.")

    def remap(index: int) -> int | None:
        if index < start:
            return index
        return None if index < end else index - count

    move(book, sheet, remap, rows=rows)
    _resize(sheet, rows, -count)
    return {}


def move_range(book: Book, said: Json, where: str) -> dict[str, Any]:
    """moveDimension: rows or columns to before another index, which counts before the move."""
    sheet, rows, start, end = _range(book, said["source"], where)
    _check_bounds(sheet, rows, start, end, where)
    total = sheet.rows if rows else sheet.columns
    target = int(said["destinationIndex"])
    kept = [index for index in range(total) if not start <= index < end]
    before = [index for index in kept if index < target]
    order = [*before, *range(start, end), *kept[len(before) :]]
    places = {old: new for new, old in enumerate(order)}
    move(book, sheet, lambda index: places.get(index, index), rows=rows)
    return {}


def move(book: Book, sheet: Sheet, remap: Remap, *, rows: bool) -> None:
    """Move all cells of a worksheet, and all that speaks of them."""
    cells = {}
    for (row, column), cell in sheet.cells.items():
        new = remap(row if rows else column)
        if new is not None:
            cells[(new, column) if rows else (row, new)] = cell
    sheet.cells = cells
    name = "row_properties" if rows else "column_properties"
    looks: dict[int, dict[str, Any]] = getattr(sheet, name)
    placed = {new: found for old, found in looks.items() if (new := remap(old)) is not None}
    setattr(sheet, name, placed)
    ranges = [*sheet.merges, *(found["range"] for found in sheet.protected if "range" in found)]
    ranges += [found for rule in sheet.rules for found in rule["ranges"]]
    ranges += [sheet.filter["range"]] if sheet.filter else []
    for found in ranges:
        _move_range(found, remap, rows=rows)
    _move_formulas(book, sheet, remap, rows=rows)


def _move_range(found: dict[str, Any], remap: Remap, *, rows: bool) -> None:
    kind = "Row" if rows else "Column"
    start, end = found.get(f"start{kind}Index"), found.get(f"end{kind}Index")
    if start is not None and end is not None:
        kept = [new for index in range(start, end) if (new := remap(index)) is not None]
        if kept:
            found[f"start{kind}Index"], found[f"end{kind}Index"] = min(kept), max(kept) + 1


def _move_formulas(book: Book, moved: Sheet, remap: Remap, *, rows: bool) -> None:
    for sheet in book.sheets:

        def new(formula: str, sheet: Sheet = sheet) -> str:
            def speaks(title: str) -> bool:
                return _bare(title) == moved.title.casefold() if title else sheet is moved

            return remapped(formula, speaks, rows=rows, remap=remap)

        for at, cell in list(sheet.cells.items()):
            formula = cell.get("userEnteredValue", {}).get("formulaValue")
            if formula:
                sheet.cells[at] = {**cell, "userEnteredValue": {"formulaValue": new(formula)}}
        for value in _conditions(sheet) if sheet is moved else ():
            value["userEnteredValue"] = new(value["userEnteredValue"])


def _bare(title: str) -> str:
    title = title.removesuffix("!")
    return (title[1:-1].replace("''", "'") if title[0] == "'" else title).casefold()


def _conditions(sheet: Sheet) -> list[dict[str, str]]:
    """What the rules of a worksheet compare with."""
    rules = [rule.get("booleanRule", {}).get("condition", {}) for rule in sheet.rules]
    return [value for rule in rules for value in rule.get("values", ())]


def look(book: Book, said: Json, where: str) -> dict[str, Any]:
    """updateDimensionProperties: width, height, hidden."""
    sheet, rows, start, end = _range(book, said["range"], where)
    _check_bounds(sheet, rows, start, end, where)
    mask = mask_of(said["fields"], "DimensionProperties")
    of = sheet.row_properties if rows else sheet.column_properties
    for index in range(start, end):
        of[index] = put(of.get(index), said.get("properties", {}), mask)
    return {}


def group(book: Book, said: Json, where: str) -> dict[str, Any]:
    """addDimensionGroup: one level deep."""
    sheet, _, start, end = _range(book, said["range"], where)
    dimension = said["range"]["dimension"]
    where_found = {"dimension": dimension, "startIndex": start, "endIndex": end}
    if sheet.id:
        where_found = {"sheetId": sheet.id, **where_found}
    found = {"range": where_found, "depth": 1}
    sheet.groups.setdefault(dimension, []).append(found)
    return {"addDimensionGroup": {"dimensionGroups": sheet.groups[dimension]}}


def ungroup(book: Book, said: Json, where: str) -> dict[str, Any]:
    """deleteDimensionGroup."""
    sheet, _, start, end = _range(book, said["range"], where)
    dimension = said["range"]["dimension"]
    kept = [
        found
        for found in sheet.groups.get(dimension, [])
        if (found["range"]["startIndex"], found["range"]["endIndex"]) != (start, end)
    ]
    sheet.groups[dimension] = kept
    return {"deleteDimensionGroup": {"dimensionGroups": kept} if kept else {}}


def _range(book: Book, found: Json, where: str) -> tuple[Sheet, bool, int, int]:
    sheet = book.sheet(found.get("sheetId"), where)
    rows = found["dimension"] == _ROWS
    most = sheet.rows if rows else sheet.columns
    return sheet, rows, int(found.get("startIndex", 0)), int(found.get("endIndex", most))


def _check_bounds(sheet: Sheet, rows: bool, start: int, end: int, where: str) -> None:
    most = sheet.rows if rows else sheet.columns
    if not 0 <= start <= end <= most or start > most:
        raise invalid(
            f"Invalid {where}: the range {start} to {end} is not on the sheet, which has {most}"
        )


def _resize(sheet: Sheet, rows: bool, count: int) -> None:
    if rows:
        sheet.rows += count
    else:
        sheet.columns += count
