"""A spreadsheet that is open: what it holds, what is asked of it and what is sent to it.

Worksheets, heads and keys are known again, whatever people renamed, moved or sorted.
"""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gspread.exceptions import APIError

from simulator.core.errors import InputError
from simulator.core.plan import SheetsSpec
from simulator.formats.fields import spreadsheet_key
from simulator.retries import Clock
from simulator.worksheets.book import Colour, quoted_title
from simulator.worksheets.google.credentials import GoogleAccount, find_account
from simulator.worksheets.google.http import (
    MeanwhileError,
    SheetsHttp,
    in_words,
    is_of_meanwhile,
    message_of,
)
from simulator.worksheets.google.requests import WROTE, cell_text

_NO_SHEET = 2**31 - 1  # an id that worksheets hardly have
_SEEN = (
    "sheets(properties(sheetId),data(rowData(values(effectiveValue,note,"
    "userEnteredFormat(backgroundColor,textFormat(foregroundColor))))))"
)


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


Values = Sequence[Sequence[object]]
"""Rows of unformatted values; what is empty at the end of a row or of all is left out."""

FIELDS = (
    "properties.title,sheets(properties(sheetId,title,sheetType,"
    "gridProperties(rowCount,columnCount)),conditionalFormats,basicFilter,"
    "developerMetadata(metadataKey,metadataValue),"
    "protectedRanges(protectedRangeId,range,description,warningOnly))"
)
"""What is asked of a spreadsheet: all but its cells."""
HEAD_ROWS = 5  # within so many first rows the heads are looked for


@dataclass(frozen=True, slots=True)
class SheetState:
    """One worksheet.

    `wrote`: what a `Trace` kept of it when it was written as a whole; none: not known.
    """

    id: int
    title: str
    rows: int
    columns: int
    rules: tuple[Mapping[str, Any], ...] = ()
    filter: Mapping[str, Any] | None = None
    protected: tuple[Mapping[str, Any], ...] = ()
    wrote: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpreadsheetState:
    """A spreadsheet without its cells."""

    title: str
    sheets: tuple[SheetState, ...]

    def find(self, title: str) -> SheetState | None:
        """The worksheet that was made under this title, or else the one that bears it now.

        Case makes no difference: Google has no two titles that differ in nothing else.
        """
        wanted, folded = sheet_id(title), title.casefold()
        by_id = (sheet for sheet in self.sheets if sheet.id == wanted)
        by_title = (sheet for sheet in self.sheets if sheet.title.casefold() == folded)
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
    return SpreadsheetState(title, tuple(sheets))


def _sheet(answer: Mapping[str, Any]) -> SheetState:
    properties = answer["properties"]
    grid = properties["gridProperties"]
    return SheetState(
        id=int(properties.get("sheetId", 0)),
        title=str(properties["title"]),
        rows=int(grid.get("rowCount", 0)),
        columns=int(grid.get("columnCount", 0)),
        rules=tuple(answer.get("conditionalFormats", ())),
        filter=answer.get("basicFilter"),
        protected=tuple(answer.get("protectedRanges", ())),
        wrote=tuple(
            line
            for entry in answer.get("developerMetadata", ())
            if entry.get("metadataKey") == WROTE
            for line in entry.get("metadataValue", "").split()
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


class Seen(NamedTuple):
    """What people see in a cell: its text ("" where it isn't text), note, fill, colour of text."""

    text: str = ""
    note: str = ""
    fill: Colour | None = None
    ink: Colour | None = None


def _seen(cell: Mapping[str, Any]) -> Seen:
    look = cell.get("userEnteredFormat", {})
    text = cell.get("effectiveValue", {}).get("stringValue", "")
    fill, ink = look.get("backgroundColor"), look.get("textFormat", {}).get("foregroundColor")
    return Seen(text, cell.get("note", ""), _colour(fill), _colour(ink))


def _colour(shares: Mapping[str, float] | None) -> Colour | None:
    """Google leaves out shares that are 0."""
    if shares is None:
        return None
    red, green, blue = (round(255 * shares.get(part, 0)) for part in ("red", "green", "blue"))
    return Colour(red, green, blue)


class Spreadsheet:
    """One spreadsheet of Google's, by its key. Nothing is asked before the first call.

    Raises:
        InputError: MOGI_SHEETS_URL names another machine.
    """

    def __init__(self, key: str, account: GoogleAccount, clock: Clock | None = None) -> None:
        self.key = key
        self.account = account
        self.clock = clock or Clock()
        self._http = SheetsHttp(account.credentials, clock=self.clock)

    @property
    def url(self) -> str:
        """Where people see it."""
        return f"https://docs.google.com/spreadsheets/d/{self.key}/edit"

    def describe(self) -> SpreadsheetState:
        """All but its cells, in one read.

        Raises:
            InputError: it cannot be read, in words that say why.
        """
        with in_words(self.account, self.key):
            answer = self._http.fetch_sheet_metadata(self.key, {"fields": FIELDS})
            return spreadsheet_state(answer)

    def values(self, ranges: Sequence[str]) -> list[Values]:
        """The values of these areas (in A1 notation), unformatted but for dates, in one read.

        Raises:
            InputError: they cannot be read, in words that say why.
        """
        if not ranges:
            return []
        with in_words(self.account, self.key):
            answer = self._http.values_batch_get(
                self.key,
                list(ranges),
                {
                    "valueRenderOption": "UNFORMATTED_VALUE",
                    "dateTimeRenderOption": "FORMATTED_STRING",  # not the number of a day
                    "fields": "valueRanges.values",
                },
            )
        return [grid.get("values", []) for grid in answer["valueRanges"]]

    def cells(self, titles: Sequence[str]) -> dict[int, list[list[Seen]]]:
        """Of these worksheets, by their ids, what people see in each cell, in one read.

        Raises:
            InputError: they cannot be read, in words that say why.
        """
        if not titles:
            return {}
        with in_words(self.account, self.key):
            answer = self._http.fetch_sheet_metadata(
                self.key, {"fields": _SEEN, "ranges": [quoted_title(title) for title in titles]}
            )
        return {
            int(sheet["properties"].get("sheetId", 0)): [
                [_seen(cell) for cell in row.get("values", ())]
                for part in sheet.get("data", ())
                for row in part.get("rowData", ())
            ]
            for sheet in answer.get("sheets", ())
        }

    def send(self, requests: Sequence[dict[str, Any]]) -> None:
        """Carry out these requests: all of them or none.

        Raises:
            LostReplyError: it may or may not have been done, and must not be done twice.
            MeanwhileError: it was not done, since somebody changed worksheets, rows or columns.
            InputError: it cannot be done, in words that say why.
        """
        with in_words(self.account, self.key):
            try:
                self._http.batch_update(self.key, {"requests": list(requests)})
            except APIError as error:
                if is_of_meanwhile(error):
                    raise MeanwhileError(message_of(error)) from error
                raise

    def may_be_written(self, state: SpreadsheetState) -> bool | None:
        """Whether a change would be allowed, by asking for one that cannot be made.

        It names a worksheet that is not there, so that nothing changes whatever the answer is:
        Google looks first whether one may write. None: the answer does not tell.

        Raises:
            InputError: it cannot be asked, in words that say why.
        """
        taken = {sheet.id for sheet in state.sheets}
        nobody = next(number for number in range(_NO_SHEET, 0, -1) if number not in taken)
        request = {"updateSheetProperties": {"properties": {"sheetId": nobody}, "fields": "title"}}
        with in_words(self.account, self.key):
            try:
                self._http.batch_update(self.key, {"requests": [request]})
            except APIError as error:
                if error.response.status_code == 400:
                    return True if "No grid with id" in str(error) else None
                if error.response.status_code == 403:
                    return False
                raise
        return None


def open_spreadsheet(where: str) -> Spreadsheet:
    """The spreadsheet of a key or URL, with the credentials that there are.

    Raises:
        InputError: `where` is neither, or there are no credentials.
    """
    return Spreadsheet(spreadsheet_key(where), find_account())


@dataclass(frozen=True, slots=True)
class Access:
    """What was found; None: not known. `problems` say what to do, and are empty if all is well."""

    account: GoogleAccount | None = None
    spreadsheet: str | None = None
    url: str = ""
    title: str = ""
    readable: bool | None = None
    writable: bool | None = None
    log: str = "Log"
    worksheets: tuple[SheetState, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def has_log(self) -> bool:
        """Whether the worksheet that collects conversations is there."""
        return any(sheet.title == self.log for sheet in self.worksheets)


def check_access(sheets: SheetsSpec | None) -> Access:
    """What a report would meet; two requests at most, and no cell is asked for or changed."""
    problems: list[str] = []
    access = Access() if sheets is None else Access(None, sheets.spreadsheet, log=sheets.worksheet)
    try:
        access = replace(access, account=find_account())
    except InputError as error:
        problems.append(str(error))
    if sheets is None:
        problems.append(
            "no spreadsheet is set; add it to client.yaml "
            "(sheets: {spreadsheet: KEY_OR_URL}), or use --spreadsheet KEY_OR_URL"
        )
    elif access.account is not None:
        return _access_of(access, access.account, sheets.spreadsheet)
    return replace(access, problems=tuple(problems))


def _access_of(access: Access, account: GoogleAccount, key: str) -> Access:
    try:
        spreadsheet = Spreadsheet(key, account)
        state = spreadsheet.describe()
    except InputError as error:
        return replace(access, readable=False, problems=(str(error),))
    access = replace(
        access, url=spreadsheet.url, title=state.title, readable=True, worksheets=state.sheets
    )
    try:
        writable = spreadsheet.may_be_written(state)
    except InputError as error:
        return replace(access, problems=(str(error),))
    who = account.email or "the account that you signed in with"
    trouble = f"{who} can only read the spreadsheet; share it with that account as an editor"
    return replace(access, writable=writable, problems=(trouble,) if writable is False else ())
