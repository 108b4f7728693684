"""spreadsheets.values: reading and writing by A1 notation."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from . import a1
from .formulas import Evaluator
from .functions import FormulaError, shown
from .refusals import invalid
from .requests.cells import check_value
from .state import Area, Book

Query = Mapping[str, Sequence[str]]
_PERCENT_OR_GROUPED = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?|-?\d+(\.\d+)?")


def get(book: Book, text: str, query: Query) -> dict[str, Any]:
    """values.get: without what is empty at the end of rows and of all."""
    found = a1.parse(book, text)
    how = _first(query, "valueRenderOption", "FORMATTED_VALUE")
    evaluator, area = Evaluator(book), found.area
    last_row = last_column = -1
    for (row, column), cell in found.sheet.cells.items():
        inside = area.row <= row < area.end_row and area.column <= column < area.end_column
        if inside and "userEnteredValue" in cell:
            last_row, last_column = max(last_row, row), max(last_column, column)
    rows: list[list[Any]] = []
    for row in range(area.row, last_row + 1):
        line = [
            _shown(evaluator, found, row, column, how)
            for column in range(area.column, last_column + 1)
        ]
        rows.append(line)
    dimension = _first(query, "majorDimension", "ROWS")
    if dimension == "COLUMNS":
        rows = [list(column) for column in zip(*rows, strict=True)]
    rows = [_trimmed(row) for row in rows]
    answer: dict[str, Any] = {"range": found.name(), "majorDimension": dimension}
    return {**answer, "values": rows} if rows else answer


def _trimmed(row: list[Any]) -> list[Any]:
    while row and row[-1] == "":
        row = row[:-1]
    return row


def _shown(evaluator: Evaluator, found: a1.Found, row: int, column: int, how: str) -> Any:
    cell = found.sheet.cells.get((row, column), {})
    entered = cell.get("userEnteredValue", {})
    if how == "FORMULA" and "formulaValue" in entered:
        return entered["formulaValue"]
    value = evaluator.value(found.sheet, row, column)
    if how == "FORMATTED_VALUE":
        return formatted(value, cell.get("userEnteredFormat", {}))
    if isinstance(value, FormulaError):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return "" if value is None else value


def formatted(value: Any, shape: Mapping[str, Any]) -> str:
    """A value as people see it; of number formats those like 0.00 and #,##0.00."""
    pattern = shape.get("numberFormat", {}).get("pattern", "")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and re.fullmatch(r"(#,##)?0(\.0+)?", pattern):
        decimals = len(pattern.partition(".")[2])
        grouped = "," if "," in pattern else ""
        return f"{value:{grouped}.{decimals}f}"
    return shown(value)


def batch_get(book: Book, query: Query) -> dict[str, Any]:
    """values.batchGet."""
    found = [get(book, text, query) for text in query.get("ranges", ())]
    return {"spreadsheetId": book.key, "valueRanges": found}


def update(book: Book, text: str, query: Query, body: Mapping[str, Any]) -> dict[str, Any]:
    """values.update: None leaves a cell as it is."""
    option = _first(query, "valueInputOption", "")
    return _write(book, a1.parse(book, text), body, option)


def _write(book: Book, found: a1.Found, body: Mapping[str, Any], option: str) -> dict[str, Any]:
    if option not in {"RAW", "USER_ENTERED"}:
        raise invalid("'valueInputOption' is required but not specified")
    rows = body.get("values") or []
    if body.get("majorDimension") == "COLUMNS":
        rows = [list(column) for column in zip(*rows, strict=True)]
    sheet, area = found.sheet, found.area
    height, width = len(rows), max(map(len, rows), default=0)
    single = area.end_row - area.row == 1 and area.end_column - area.column == 1
    end_row = sheet.rows if single else area.end_row
    end_column = sheet.columns if single else area.end_column
    if area.row + height > end_row:
        raise invalid(_beyond("row", found, area.row + height, end_row))
    if area.column + width > end_column:
        raise invalid(_beyond("column", found, area.column + width, end_column))
    written = set()  # what is null stays as it is, and does not count
    for row, line in enumerate(rows, start=area.row):
        for column, value in enumerate(line, start=area.column):
            if value is not None:
                _enter(found, row, column, value, option)
                written.add((row, column))
    done = Area(
        area.row,
        area.column,
        area.row + max(height, 1),
        area.column + max(width, 1),
    )
    return {
        "spreadsheetId": book.key,
        "updatedRange": a1.Found(sheet, done).name(),
        "updatedRows": len({row for row, _ in written}),
        "updatedColumns": len({column for _, column in written}),
        "updatedCells": len(written),
    }


def _beyond(kind: str, found: a1.Found, wanted: int, most: int) -> str:
    return (
        f"Requested writing within range [{found.name()}], but tried writing to {kind} "
        f"[{wanted if kind == 'row' else a1.letters(wanted - 1)}] ({most})"
    )


def _enter(found: a1.Found, row: int, column: int, value: Any, option: str) -> None:
    sheet = found.sheet
    looks = sheet.cells.get((row, column), {}).get("userEnteredFormat", {})
    is_text = looks.get("numberFormat", {}).get("type") == "TEXT"
    entered = typed(value) if option == "USER_ENTERED" and not is_text else raw(value)
    if entered:
        check_value(entered, "data")
    sheet.set_value(row, column, entered)
    grouped = option == "USER_ENTERED" and not is_text and re.search(r"\d,\d", str(value))
    if grouped and entered and "numberValue" in entered:
        shape = {"numberFormat": {"type": "NUMBER", "pattern": "#,##0.00"}}
        sheet.set(row, column, {**sheet.cells[row, column], "userEnteredFormat": shape})


def raw(value: Any) -> dict[str, Any] | None:
    """A value as it is."""
    if value == "":
        return None
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int | float):
        return {"numberValue": value}
    return {"stringValue": str(value)}


def typed(value: Any) -> dict[str, Any] | None:
    """A value as if somebody typed it; dates are not known here."""
    if not isinstance(value, str) or value == "":
        return raw(value)
    text = value.strip()
    if text.startswith("=") and len(text) > 1:
        return {"formulaValue": text}
    if text.upper() in {"TRUE", "FALSE"}:
        return {"boolValue": text.upper() == "TRUE"}
    if _PERCENT_OR_GROUPED.fullmatch(text):
        return {"numberValue": float(text.replace(",", ""))}
    return {"stringValue": value.removeprefix("'")}


def batch_update(book: Book, body: Mapping[str, Any]) -> dict[str, Any]:
    """values.batchUpdate."""
    option = body.get("valueInputOption", "")
    data = body.get("data", [])
    found = [_write(book, a1.parse(book, part["range"]), part, option) for part in data]
    return {
        "spreadsheetId": book.key,
        "totalUpdatedRows": sum(part["updatedRows"] for part in found),
        "totalUpdatedColumns": max((part["updatedColumns"] for part in found), default=0),
        "totalUpdatedCells": sum(part["updatedCells"] for part in found),
        "totalUpdatedSheets": len({part["range"].rpartition("!")[0] for part in data}),
        "responses": found,
    }


def append(book: Book, text: str, query: Query, body: Mapping[str, Any]) -> dict[str, Any]:
    """values.append: below the table that the range touches, beginning in its first column."""
    found = a1.parse(book, text)
    table = _table(found)
    rows = body.get("values") or []
    top = table.end_row if table else found.area.row
    left = table.column if table else found.area.column
    sheet = found.sheet
    sheet.rows = max(sheet.rows, top + len(rows))
    width = max(map(len, rows), default=1)
    sheet.columns = max(sheet.columns, left + width)
    place = a1.Found(sheet, Area(top, left, sheet.rows, sheet.columns))
    updates = _write(book, place, body, _first(query, "valueInputOption", ""))
    answer: dict[str, Any] = {"spreadsheetId": book.key}
    if table:
        answer["tableRange"] = a1.Found(sheet, table).name()
    return {**answer, "updates": updates}


def _table(found: a1.Found) -> Area | None:
    """The last block of cells, parted from others by empty rows or columns, in the range."""
    filled = {at for at, cell in found.sheet.cells.items() if "userEnteredValue" in cell}
    area = found.area
    # A range of one cell means the table that this cell lies in or beside.
    inside = [
        (r, c)
        for r, c in filled
        if area.row <= r < area.end_row and area.column <= c < area.end_column
    ]
    if not inside:
        return None
    start = max(inside, key=lambda at: (at[0], -at[1]))
    block, edge = {start}, [start]
    while edge:
        row, column = edge.pop()
        beside = [(row + r, column + c) for r in (-1, 0, 1) for c in (-1, 0, 1)]
        new = [at for at in beside if at in filled and at not in block]
        block.update(new)
        edge.extend(new)
    rows, columns = {r for r, _ in block}, {c for _, c in block}
    return Area(min(rows), min(columns), max(rows) + 1, max(columns) + 1)


def clear(book: Book, text: str) -> dict[str, Any]:
    """values.clear: looks stay."""
    found = a1.parse(book, text)
    for at in list(found.area):
        if at in found.sheet.cells:
            found.sheet.set_value(*at, None)
    return {"spreadsheetId": book.key, "clearedRange": found.name()}


def batch_clear(book: Book, body: Mapping[str, Any]) -> dict[str, Any]:
    """values.batchClear."""
    cleared = [clear(book, text)["clearedRange"] for text in body.get("ranges", [])]
    return {"spreadsheetId": book.key, "clearedRanges": cleared}


def _first(query: Query, name: str, default: str) -> str:
    found = query.get(name)
    return found[0] if found else default
