"""What a spreadsheet holds: its worksheets, heads and keys, known again whatever people moved."""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.worksheets.guard import fitting

LONGEST_CELL = 50_000
"""UTF-16 units that a cell holds (Google: files you can store in Drive, size limits)."""


def sheet_id(title: str) -> int:
    """The id that a worksheet gets when it is made: the same for the same title, in 1 … 2³¹-1.

    A worksheet keeps it when people rename it; a request that comes twice cannot make two.
    """
    number = int.from_bytes(hashlib.sha256(title.encode("utf-8")).digest()[:4], "big")
    return (number & 0x7FFF_FFFF) or 1


def head_key(head: object) -> str:
    """A head as it is compared: width, case and white space make no difference."""
    return "".join(unicodedata.normalize("NFKC", str(head or "")).casefold().split())


def row_key(value: object) -> str:
    """The text of a row's first cell as it is compared, after what a cell does to it."""
    return "" if value is None else cell_text(str(value)).strip()


def cell_text(text: str) -> str:
    """The text as a cell can hold it: no lone surrogates, and cut with a mark if it is too long."""
    return fitting(text, LONGEST_CELL)


Values = Sequence[Sequence[object]]
"""Rows of unformatted values; what is empty at the end of a row or of all is left out."""

FIELDS = (
    "spreadsheetId,properties.title,sheets(properties(sheetId,title,index,sheetType,"
    "gridProperties(rowCount,columnCount)),conditionalFormats,basicFilter,"
    "developerMetadata(metadataKey,metadataValue),"
    "protectedRanges(protectedRangeId,range,description,warningOnly))"
)
"""What is asked of a spreadsheet: all but its cells."""
WROTE = "mogi.wrote"
"""The key of a worksheet's metadata that tells which texts a program wrote there."""
HEAD_ROWS = 5  # within so many first rows the heads are looked for


@dataclass(frozen=True, slots=True)
class SheetState:
    """One worksheet. `index`: its place among the tabs, from 0.

    `wrote`: what a `Trace` kept of it when it was written as a whole; none: not known.
    """

    id: int
    title: str
    index: int
    rows: int
    columns: int
    rules: tuple[Mapping[str, Any], ...] = ()
    filter: Mapping[str, Any] | None = None
    protected: tuple[Mapping[str, Any], ...] = ()
    wrote: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpreadsheetState:
    """A spreadsheet without its cells."""

    id: str
    title: str
    sheets: tuple[SheetState, ...]

    def find(self, title: str) -> SheetState | None:
        """The worksheet that was made under this title, or else the one that bears it now.

        Case makes no difference: Google has no two titles that differ in nothing else.
        """
        wanted, said = sheet_id(title), title.casefold()
        by_id = (sheet for sheet in self.sheets if sheet.id == wanted)
        by_title = (sheet for sheet in self.sheets if sheet.title.casefold() == said)
        return next(by_id, None) or next(by_title, None)


@dataclass(frozen=True, slots=True)
class TableState:
    """The table in a worksheet, by what was read of it. Rows and columns count from 0.

    `head_row` None: there is no row of heads. `columns`: head (as compared) -> column. `keys`: the
    rows of each key, from the top. `end_row`, `end_column`: the first beyond all that was read,
    which is `rows`.
    """

    head_row: int | None = None
    columns: Mapping[str, int] = field(default_factory=dict)
    keys: Mapping[str, Sequence[int]] = field(default_factory=dict)
    end_row: int = 0
    end_column: int = 0
    rows: Values = ()


def spreadsheet_state(answer: Mapping[str, Any]) -> SpreadsheetState:
    """What Google answered about `FIELDS`; worksheets without cells (charts) are left out."""
    sheets = [_sheet(s) for s in answer.get("sheets", ()) if "gridProperties" in s["properties"]]
    title = str(answer.get("properties", {}).get("title", ""))
    return SpreadsheetState(str(answer["spreadsheetId"]), title, tuple(sheets))


def _sheet(answer: Mapping[str, Any]) -> SheetState:
    properties = answer["properties"]
    grid = properties["gridProperties"]
    return SheetState(
        id=int(properties.get("sheetId", 0)),
        title=str(properties["title"]),
        index=int(properties.get("index", 0)),
        rows=int(grid.get("rowCount", 0)),
        columns=int(grid.get("columnCount", 0)),
        rules=tuple(answer.get("conditionalFormats", ())),
        filter=answer.get("basicFilter"),
        protected=tuple(answer.get("protectedRanges", ())),
        wrote=tuple(
            line
            for found in answer.get("developerMetadata", ())
            if found.get("metadataKey") == WROTE
            for line in found.get("metadataValue", "").split()
        ),
    )


def table_state(key_head: str, top: Values, rows: Values) -> TableState:
    """The table whose keys stand under `key_head`.

    `top` are the first rows in full width, `rows` all rows, perhaps only their first columns.
    """
    wanted = head_key(key_head)
    heads = [[head_key(cell) for cell in row] for row in top]
    head_row = next((n for n, row in enumerate(heads) if wanted in row), None)
    # Not by the whole of `top`: a row that was begun, but not up to its key, is written again.
    end_row = _end(rows)
    end_column = max((len(row) for row in (*top, *rows)), default=0)
    if head_row is None:
        return TableState(None, {}, {}, max(end_row, _end(top)), end_column)
    columns: dict[str, int] = {}
    for column, head in enumerate(heads[head_row]):
        if head:
            columns.setdefault(head, column)
    keys: dict[str, list[int]] = {}
    at = columns[wanted]
    for number, row in enumerate(rows[head_row + 1 :], start=head_row + 1):
        key = row_key(row[at]) if at < len(row) else ""
        if key:
            keys.setdefault(key, []).append(number)
    return TableState(head_row, columns, keys, end_row, end_column, rows)


def _end(rows: Values) -> int:
    """The first row beyond all that hold something."""
    used = (n + 1 for n, row in enumerate(rows) if any(cell not in (None, "") for cell in row))
    return max(used, default=0)
