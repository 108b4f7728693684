"""A cell of a book as Google's CellData, and which of its fields are written."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from simulator.google_sheets.identity import fitting
from simulator.sheet.book import TEXT, Cell, Colour, Column, Value

CellData = dict[str, Any]
_EXACT = 2**53  # whole numbers beyond it would be rounded


def cell_data(cell: Value | Cell, column: Column, moved: Callable[[str], str]) -> CellData:
    """What is written into a cell; texts stay texts, only a cell's own formula is one.

    `moved` gives a formula for the cells as they are.
    """
    if not isinstance(cell, Cell):
        found = _value(cell)
        return {"userEnteredValue": found} if found else {}
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
        data["note"] = fitting(cell.note)
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


def colour(found: Colour) -> dict[str, float]:
    """A colour as Google has it: shares of 1."""
    parts = {"red": found.red, "green": found.green, "blue": found.blue}
    return {name: part / 255 for name, part in parts.items()}


def number_format(pattern: str) -> dict[str, str]:
    """A number format by its pattern, such as `0.00`; that of texts is `@`."""
    return {"type": "TEXT" if pattern == TEXT else "NUMBER", "pattern": pattern}


def _value(value: Value) -> dict[str, Any] | None:
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and math.isfinite(value) and abs(value) <= _EXACT:
        return {"numberValue": value}
    return {"stringValue": fitting(str(value))}
