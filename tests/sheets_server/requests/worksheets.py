"""Requests about whole worksheets: made, deleted, copied, renamed, resized."""

from collections.abc import Mapping
from typing import Any

from ..masks import has, mask_of, put
from ..refusals import invalid
from ..state import Book, Sheet

Json = Mapping[str, Any]
_LONGEST_TITLE = 100
_FROZEN = ("frozenRowCount", "frozenColumnCount")


def add(book: Book, said: Json, where: str) -> dict[str, Any]:
    """addSheet."""
    properties = said.get("properties", {})
    grid = properties.get("gridProperties", {})
    title = properties.get("title") or _free_title(book)
    _check_title(book, title, where, None)
    wanted = properties.get("sheetId")
    if wanted is not None and any(sheet.id == int(wanted) for sheet in book.sheets):
        raise invalid(
            f"Invalid {where}: A sheet with id {wanted} already exists. Please enter another id."
        )
    new = int(wanted) if wanted is not None else book.new_id()
    if new < 0:
        raise invalid(f"Invalid {where}: sheetId {new} is negative")
    rows, columns = int(grid.get("rowCount", 1000)), int(grid.get("columnCount", 26))
    kept = {k: v for k, v in grid.items() if k not in {"rowCount", "columnCount"} and v}
    rest = {k: v for k, v in properties.items() if k in {"hidden", "tabColor", "tabColorStyle"}}
    sheet = Sheet(new, title, rows, columns, rest, kept)
    _check_grid(sheet, where)
    index = properties.get("index")
    book.sheets.insert(len(book.sheets) if index is None else int(index), sheet)
    book.check_size(where)
    return {"addSheet": {"properties": properties_of(book, sheet)}}


def delete(book: Book, said: Json, where: str) -> dict[str, Any]:
    """deleteSheet."""
    sheet = book.sheet(said.get("sheetId"), where)
    if len(book.sheets) == 1:
        raise invalid(f"Invalid {where}: You can't remove all the sheets in a document.")
    book.sheets.remove(sheet)
    return {}


def duplicate(book: Book, said: Json, where: str) -> dict[str, Any]:
    """duplicateSheet."""
    source = book.sheet(said.get("sourceSheetId"), where)
    copied = source.clone()
    copied.id = int(said["newSheetId"]) if "newSheetId" in said else book.new_id()
    copied.title = said.get("newSheetName") or f"Copy of {source.title}"
    _check_title(book, copied.title, where, None)
    for found in copied.protected:
        found["protectedRangeId"] = book.new_id()
    for found in [*(p.get("range", {}) for p in copied.protected), *_ranges(copied)]:
        found["sheetId"] = copied.id
    book.sheets.insert(int(said.get("insertSheetIndex", 0)), copied)
    book.check_size(where)
    return {"duplicateSheet": {"properties": properties_of(book, copied)}}


def _ranges(sheet: Sheet) -> list[dict[str, Any]]:
    found = [where for rule in sheet.rules for where in rule["ranges"]]
    return found + ([sheet.filter["range"]] if sheet.filter else [])


def update(book: Book, said: Json, where: str) -> dict[str, Any]:
    """updateSheetProperties."""
    properties = said.get("properties", {})
    sheet = book.sheet(properties.get("sheetId"), where)
    mask = mask_of(said["fields"], "SheetProperties")
    if has(mask, "title"):
        _check_title(book, properties.get("title", ""), where, sheet)
        sheet.title = properties["title"]
    if has(mask, "index"):
        book.sheets.remove(sheet)
        # Google counts the place before the sheet is taken out.
        book.sheets.insert(int(properties.get("index", 0)), sheet)
    if "gridProperties" in mask or "*" in mask:
        _update_grid(sheet, properties.get("gridProperties", {}), mask.get("gridProperties", {}))
    rest = {k: v for k, v in mask.items() if k in {"hidden", "tabColor", "tabColorStyle"}}
    if rest:
        sheet.properties = put(sheet.properties, properties, rest)
    if all(other.properties.get("hidden") for other in book.sheets):
        raise invalid(f"Invalid {where}: You can't hide all the sheets in a document.")
    _check_grid(sheet, where)
    book.check_size(where)
    return {}


def _update_grid(sheet: Sheet, grid: Json, mask: Any) -> None:
    before = {**sheet.grid, "rowCount": sheet.rows, "columnCount": sheet.columns}
    after = put(before, grid, mask)
    sheet.rows, sheet.columns = int(after.pop("rowCount", 0)), int(after.pop("columnCount", 0))
    sheet.grid = {name: value for name, value in after.items() if value}
    sheet.cells = {
        (row, column): cell
        for (row, column), cell in sheet.cells.items()
        if row < sheet.rows and column < sheet.columns
    }
    for kind, most in (("Row", sheet.rows), ("Column", sheet.columns)):
        for found in [*_ranges(sheet), *(p.get("range", {}) for p in sheet.protected)]:
            if found.get(f"end{kind}Index", 0) > most:
                found[f"end{kind}Index"] = most


def _check_grid(sheet: Sheet, where: str) -> None:
    if sheet.rows < 1 or sheet.columns < 1:
        raise invalid(f"Invalid {where}: gridProperties: a sheet has at least one row and column")
    for name, most, kind in zip(
        _FROZEN, (sheet.rows, sheet.columns), ("rows", "columns"), strict=True
    ):
        if int(sheet.grid.get(name, 0)) >= most:
            raise invalid(f"Invalid {where}: You can't freeze all visible {kind} on the sheet.")


def _check_title(book: Book, title: str, where: str, own: Sheet | None) -> None:
    if not title or len(title) > _LONGEST_TITLE:
        raise invalid(f"Invalid {where}: a sheet's name has 1 to {_LONGEST_TITLE} characters")
    other = book.titled(title)
    if other is not None and other is not own:
        raise invalid(
            f'Invalid {where}: A sheet with the name "{title}" already exists. '
            "Please enter another name."
        )


def _free_title(book: Book) -> str:
    return next(f"Sheet{n}" for n in range(1, 10_000) if book.titled(f"Sheet{n}") is None)


def properties_of(book: Book, sheet: Sheet) -> dict[str, Any]:
    """A worksheet's SheetProperties."""
    grid = {"rowCount": sheet.rows, "columnCount": sheet.columns, **sheet.grid}
    return {
        "sheetId": sheet.id,
        "title": sheet.title,
        "index": book.sheets.index(sheet),
        "sheetType": "GRID",
        "gridProperties": grid,
        **{name: value for name, value in sheet.properties.items() if value},
    }


def rename(book: Book, said: Json, where: str) -> dict[str, Any]:
    """updateSpreadsheetProperties: its title."""
    del where
    if has(mask_of(said["fields"], "SpreadsheetProperties"), "title"):
        book.title = said["properties"]["title"]
    return {}
