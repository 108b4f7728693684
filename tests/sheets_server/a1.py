"""Areas in A1 notation."""

import re
from dataclasses import dataclass

from .refusals import invalid
from .state import Area, Book, Sheet

_PART = re.compile(r"\$?([A-Za-z]{0,3})\$?(\d*)")


@dataclass(frozen=True)
class Found:
    """An area of a worksheet."""

    sheet: Sheet
    area: Area

    def name(self) -> str:
        """The area as Google writes it."""
        area = self.area
        first = f"{letters(area.column)}{area.row + 1}"
        last = f"{letters(area.end_column - 1)}{area.end_row}"
        return f"{quoted(self.sheet.title)}!{first}" + ("" if first == last else f":{last}")


def letters(index: int) -> str:
    """The name of a column."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


def number(name: str) -> int:
    """The index of a column."""
    total = 0
    for letter in name.upper():
        total = total * 26 + ord(letter) - 64
    return total - 1


def quoted(title: str) -> str:
    """A title as Google writes it: in quotes only where it must be."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", title):
        return title
    return "'" + title.replace("'", "''") + "'"


def parse(book: Book, text: str) -> Found:
    """An area such as `'Log x'!A1:B`, `Log`, `A1` or a named range."""
    title, _, cells = text.rpartition("!")
    if not title:
        sheet = book.titled(_bare(cells))
        if sheet is not None:
            return Found(sheet, Area(0, 0, sheet.rows, sheet.columns))
        for found in book.named.values():
            if found["name"] == cells:
                where = found["range"]
                of = book.sheet(where.get("sheetId"), "range")
                ends = (where["endRowIndex"], where["endColumnIndex"])
                return Found(
                    of, Area(where.get("startRowIndex", 0), where.get("startColumnIndex", 0), *ends)
                )
        return Found(book.sheets[0], _area(book.sheets[0], cells, text))
    sheet = book.titled(_bare(title))
    if sheet is None:
        raise invalid(f"Unable to parse range: {text}")
    return Found(sheet, _area(sheet, cells, text))


def _bare(title: str) -> str:
    return title[1:-1].replace("''", "'") if title[:1] == "'" == title[-1:] else title


def _area(sheet: Sheet, cells: str, text: str) -> Area:
    first, _, last = cells.partition(":")
    parts = [_PART.fullmatch(part) for part in (first, last or first)]
    if not all(parts) or not cells:
        raise invalid(f"Unable to parse range: {text}")
    (column, row), (end_column, end_row) = [(p[1], p[2]) for p in parts if p]
    if not last and not (column and row):
        raise invalid(f"Unable to parse range: {text}")
    if row and end_row and int(row) > int(end_row):  # D4:A1 is A1:D4
        row, end_row = end_row, row
    if column and end_column and number(column) > number(end_column):
        column, end_column = end_column, column
    area = Area(
        int(row) - 1 if row else 0,
        number(column) if column else 0,
        int(end_row) if end_row else sheet.rows,
        number(end_column) + 1 if end_column else sheet.columns,
    )
    if area.row >= sheet.rows or area.column >= sheet.columns:
        raise invalid(
            f"Range ({quoted(sheet.title)}!{cells}) exceeds grid limits. "
            f"Max rows: {sheet.rows}, max columns: {sheet.columns}"
        )
    return Area(
        area.row, area.column, min(area.end_row, sheet.rows), min(area.end_column, sheet.columns)
    )
