"""What happens to formulas when cells move."""

import re
from collections.abc import Callable

from .a1 import letters, number

Remap = Callable[[int], int | None]
"""From an index before to the index after; None: it is gone."""
_REF = re.compile(
    r'"(?:[^"]|"")*"|'
    r"(?P<title>(?:'(?:[^']|'')+'|[A-Za-z_]\w*)!)?(?<![\w$.])"
    r"(?P<fixed_column>\$?)(?P<column>[A-Z]{1,3})(?P<fixed_row>\$?)(?P<row>\d+)(?![\w(])"
)


def remapped(formula: str, of_sheet: Callable[[str], bool], *, rows: bool, remap: Remap) -> str:
    """The formula after rows or columns of a worksheet moved.

    `of_sheet` says of the title before a reference (empty: none) whether that is the worksheet.
    """

    def replaced(found: re.Match[str]) -> str:
        if found["column"] is None or not of_sheet(found["title"] or ""):
            return found[0]
        old = int(found["row"]) - 1 if rows else number(found["column"])
        new = remap(old)
        if new is None:
            return "#REF!"
        column = found["column"] if rows else letters(new)
        row = new + 1 if rows else int(found["row"])
        title = found["title"] or ""
        return f"{title}{found['fixed_column']}{column}{found['fixed_row']}{row}"

    return _REF.sub(replaced, formula)


def shifted(formula: str, rows: int, columns: int) -> str:
    """The formula as a copy has it that stands so many cells further down and right."""

    def replaced(found: re.Match[str]) -> str:
        if found["column"] is None:
            return found[0]
        column, row = number(found["column"]), int(found["row"])
        column += 0 if found["fixed_column"] else columns
        row += 0 if found["fixed_row"] else rows
        title = found["title"] or ""
        return f"{title}{found['fixed_column']}{letters(column)}{found['fixed_row']}{row}"

    return _REF.sub(replaced, formula)
