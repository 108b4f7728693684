"""The Review worksheet of a run, read back as rows of values."""

import re
from collections.abc import Callable

from simulator.core.errors import InputError
from simulator.google_sheets.spreadsheet import Spreadsheet
from simulator.google_sheets.state import SheetThere, SpreadsheetThere
from simulator.sheet.book import quoted_title

_TITLE = "Review"


def review_title(run_id: str) -> str:
    """The title under which the Review worksheet of a run is made."""
    return f"{_TITLE} {run_id}"


def _silent(told: str) -> None:
    del told


def review_grid(
    spreadsheet: Spreadsheet, run_id: str, tell: Callable[[str], None] = _silent
) -> list[list[object]]:
    """All rows of a run's Review, unformatted: numbers, texts, truth values; formulas' results.

    Takes one read for what worksheets there are and one for the rows. Empty cells are "" or left
    out at the end of a row. Found by the id with which it was made, though people renamed it, or
    else by its title; `tell` gets a sentence for what looks odd, such as copies of it.

    Raises:
        InputError: there is no Review of this run, or it cannot be read.
    """
    title = review_title(run_id)
    there = spreadsheet.describe()
    sheet = there.find(title)
    if sheet is None:
        raise InputError(
            f"the spreadsheet {there.title or spreadsheet.key!r} has no worksheet {title!r}; "
            f"write it first: mogi report {run_id} --report sheets={spreadsheet.key}"
        )
    for odd in _odd(there, sheet, title):
        tell(odd)
    grid = spreadsheet.values([quoted_title(sheet.title)])[0]
    return [list(row) for row in grid]


def _odd(there: SpreadsheetThere, sheet: SheetThere, title: str) -> list[str]:
    found = []
    if sheet.title != title:
        found.append(f"the worksheet {title!r} is called {sheet.title!r} now; that is read")
    names = {re.escape(title), re.escape(sheet.title)}
    copy = re.compile("|".join(rf"\bCopy of {n}\b|{n} ?のコピー" for n in sorted(names)))
    others = [other.title for other in there.sheets if other.id != sheet.id]
    found += [
        f"the worksheet {other!r} looks like a copy of {sheet.title!r}; what was written there is "
        "not read"
        for other in others
        if copy.search(other) or other == title
    ]
    return found
