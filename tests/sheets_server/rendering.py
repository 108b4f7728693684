"""spreadsheets.get: a spreadsheet as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from . import a1
from .formulas import Evaluator
from .functions import FormulaError
from .masks import has, mask_of, masked
from .requests.worksheets import properties_of
from .state import Area, Book, Sheet, plain_range
from .values import formatted

Query = Mapping[str, Sequence[str]]
_WHITE: dict[str, Any] = {"red": 1, "green": 1, "blue": 1}
_FORMAT: dict[str, Any] = {
    "backgroundColor": _WHITE,
    "padding": {"top": 2, "right": 3, "bottom": 2, "left": 3},
    "verticalAlignment": "BOTTOM",
    "wrapStrategy": "OVERFLOW_CELL",
    "textFormat": {
        "foregroundColor": {},
        "fontFamily": "arial,sans,sans-serif",
        "fontSize": 10,
        "bold": False,
        "italic": False,
        "strikethrough": False,
        "underline": False,
        "foregroundColorStyle": {"rgbColor": {}},
    },
    "backgroundColorStyle": {"rgbColor": _WHITE},
}
_COLOURS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("TEXT", {}),
    ("BACKGROUND", _WHITE),
    ("ACCENT1", {"red": 0.25882354, "green": 0.52156866, "blue": 0.95686275}),
    ("ACCENT2", {"red": 0.91764706, "green": 0.2627451, "blue": 0.20784314}),
    ("ACCENT3", {"red": 0.9843137, "green": 0.7372549, "blue": 0.015686275}),
    ("ACCENT4", {"red": 0.20392157, "green": 0.65882355, "blue": 0.3254902}),
    ("ACCENT5", {"red": 1, "green": 0.42745098, "blue": 0.003921569}),
    ("ACCENT6", {"red": 0.27450982, "green": 0.7411765, "blue": 0.7764706}),
    ("LINK", {"red": 0.06666667, "green": 0.33333334, "blue": 0.8}),
)
_THEME = {
    "primaryFontFamily": "Arial",
    "themeColors": [{"colorType": n, "color": {"rgbColor": c}} for n, c in _COLOURS],
}


def get(book: Book, query: Query) -> dict[str, Any]:
    """A spreadsheet; cells only where they are asked for, by a mask or by includeGridData."""
    fields = ",".join(query.get("fields", ()))
    mask = mask_of(fields, "Spreadsheet") if fields else {}
    wants_cells = query.get("includeGridData", ["false"])[0].lower() == "true"
    if fields:
        wants_cells = has(mask, "sheets", "data")
    ranges = [a1.parse(book, text) for text in query.get("ranges", ())]
    shown = [
        _sheet(book, sheet, [r for r in ranges if r.sheet is sheet], cells=wants_cells)
        for sheet in book.sheets
        if not ranges or any(r.sheet is sheet for r in ranges)
    ]
    answer: dict[str, Any] = {
        "spreadsheetId": book.key,
        "properties": {
            "title": book.title,
            "locale": "en_US",
            "autoRecalc": "ON_CHANGE",
            "timeZone": "Etc/GMT",
            "defaultFormat": _FORMAT,
            "spreadsheetTheme": _THEME,
        },
        "sheets": shown,
        "spreadsheetUrl": f"https://docs.google.com/spreadsheets/d/{book.key}/edit",
    }
    if book.named:
        answer["namedRanges"] = list(book.named.values())
    found: dict[str, Any] = masked(answer, mask)
    return found


def _sheet(book: Book, sheet: Sheet, ranges: list[a1.Found], *, cells: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"properties": properties_of(book, sheet)}
    if cells:
        whole = [a1.Found(sheet, Area(0, 0, sheet.rows, sheet.columns))]
        found["data"] = [_data(book, part, whole=not ranges) for part in ranges or whole]
    if sheet.merges:
        found["merges"] = sheet.merges
    if sheet.rules:
        found["conditionalFormats"] = [_rule(rule) for rule in sheet.rules]
    if sheet.filter:
        found["basicFilter"] = {**sheet.filter, "range": plain_range(sheet.filter["range"])}
    laid = {"protectedRanges": sheet.protected, "developerMetadata": sheet.metadata}
    found |= {name: there for name, there in laid.items() if there}
    for dimension, name in (("ROWS", "rowGroups"), ("COLUMNS", "columnGroups")):
        if sheet.groups.get(dimension):
            found[name] = sheet.groups[dimension]
    return found


def _rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {**rule, "ranges": [plain_range(found) for found in rule["ranges"]]}


def _data(book: Book, found: a1.Found, *, whole: bool) -> dict[str, Any]:
    sheet, area = found.sheet, found.area
    inside = [
        (row, column)
        for row, column in sheet.cells
        if area.row <= row < area.end_row and area.column <= column < area.end_column
    ]
    end_row = max((row + 1 for row, _ in inside), default=area.row)
    evaluator = Evaluator(book)
    rows: list[dict[str, Any]] = []
    for row in range(area.row, end_row):
        columns = [column for r, column in inside if r == row]
        values = [
            cell_data(evaluator, sheet, row, column)
            for column in range(area.column, max(columns, default=area.column - 1) + 1)
        ]
        rows.append({"values": values} if values else {})
    data: dict[str, Any] = {"rowData": rows} if rows else {}
    starts = {"startRow": area.row, "startColumn": area.column}
    data |= {name: index for name, index in starts.items() if index}
    data["rowMetadata"] = _looks(sheet.row_properties, area.row, area.end_row, 21)
    data["columnMetadata"] = _looks(sheet.column_properties, area.column, area.end_column, 100)
    del whole
    return data


def _looks(
    known: Mapping[int, Mapping[str, Any]], start: int, end: int, size: int
) -> list[dict[str, Any]]:
    return [{"pixelSize": size, **known.get(index, {})} for index in range(start, end)]


def cell_data(evaluator: Evaluator, sheet: Sheet, row: int, column: int) -> dict[str, Any]:
    """CellData, with what is computed."""
    cell = dict(sheet.cells.get((row, column), {}))
    if "userEnteredValue" in cell:
        value = evaluator.value(sheet, row, column)
        cell["effectiveValue"] = _extended(value)
        cell["formattedValue"] = formatted(value, cell.get("userEnteredFormat", {}))
    if "userEnteredFormat" in cell:
        cell["effectiveFormat"] = {**_FORMAT, **cell["userEnteredFormat"]}
    return cell


def _extended(value: Any) -> dict[str, Any]:
    if isinstance(value, FormulaError):
        kind = {"#REF!": "REF", "#NAME?": "NAME", "#DIV/0!": "DIVIDE_BY_ZERO"}
        return {"errorValue": {"type": kind.get(str(value), "ERROR"), "message": str(value)}}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int | float):
        return {"numberValue": value}
    return {"stringValue": value or ""}
