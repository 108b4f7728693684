"""A spreadsheet that is open: what is asked of it and sent to it, and what that cost."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from simulator.core.errors import InputError
from simulator.core.plan import SheetsSpec
from simulator.formats.fields import spreadsheet_key
from simulator.retries import Clock
from simulator.worksheets.book import Colour, quoted_title
from simulator.worksheets.google.credentials import GoogleAccount, find_account
from simulator.worksheets.google.state import (
    FIELDS,
    SheetState,
    SpreadsheetState,
    Values,
    spreadsheet_state,
)

_NO_SHEET = 2**31 - 1  # an id that worksheets hardly have
_SEEN = (
    "sheets(properties(sheetId),data(rowData(values(effectiveValue,note,"
    "userEnteredFormat(backgroundColor,textFormat(foregroundColor))))))"
)


class Seen(NamedTuple):
    """What people see in a cell: its text ("" where it is no text), note, fill, colour of text."""

    text: str = ""
    note: str = ""
    fill: Colour | None = None
    ink: Colour | None = None


def _seen(cell: Mapping[str, Any]) -> Seen:
    look = cell.get("userEnteredFormat", {})
    text = cell.get("effectiveValue", {}).get("stringValue", "")
    fill, ink = look.get("backgroundColor"), look.get("textFormat", {}).get("foregroundColor")
    return Seen(text, cell.get("note", ""), _colour(fill), _colour(ink))


def _colour(found: Mapping[str, float] | None) -> Colour | None:
    """Google leaves out shares that are 0."""
    if found is None:
        return None
    red, green, blue = (round(255 * found.get(part, 0)) for part in ("red", "green", "blue"))
    return Colour(red, green, blue)


class Spreadsheet:
    """One spreadsheet of Google's, by its key. Nothing is asked before the first call.

    Raises:
        InputError: MOGI_SHEETS_URL names another machine.
    """

    def __init__(self, key: str, account: GoogleAccount, clock: Clock | None = None) -> None:
        from simulator.worksheets.google.http import SheetsHttp

        self.key = key
        self.account = account
        self.clock = clock or Clock()
        self._http = SheetsHttp(account.credentials, clock=self.clock)

    @property
    def url(self) -> str:
        """Where people see it."""
        return f"https://docs.google.com/spreadsheets/d/{self.key}/edit"

    @property
    def traffic(self) -> tuple[int, int, int]:
        """Reads, writes, and the bytes that were sent: all attempts counted."""
        return self._http.reads, self._http.writes, self._http.sent

    def _asking(self) -> AbstractContextManager[None]:
        from simulator.worksheets.google.errors import in_words

        return in_words(self.account, self.key)

    def describe(self) -> SpreadsheetState:
        """All but its cells, in one read.

        Raises:
            InputError: it cannot be read, in words that say why.
        """
        with self._asking():
            answer = self._http.fetch_sheet_metadata(self.key, {"fields": FIELDS})
            return spreadsheet_state(answer)

    def values(self, ranges: Sequence[str]) -> list[Values]:
        """The values of these areas (in A1 notation), unformatted but for dates, in one read.

        Raises:
            InputError: they cannot be read, in words that say why.
        """
        if not ranges:
            return []
        with self._asking():
            answer = self._http.values_batch_get(
                self.key,
                list(ranges),
                {
                    "valueRenderOption": "UNFORMATTED_VALUE",
                    "dateTimeRenderOption": "FORMATTED_STRING",  # not the number of a day
                    "fields": "valueRanges.values",
                },
            )
        return [found.get("values", []) for found in answer["valueRanges"]]

    def cells(self, titles: Sequence[str]) -> dict[int, list[list[Seen]]]:
        """Of these worksheets, by their ids, what people see in each cell, in one read.

        Raises:
            InputError: they cannot be read, in words that say why.
        """
        if not titles:
            return {}
        with self._asking():
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
        from gspread.exceptions import APIError

        from simulator.worksheets.google.errors import is_of_meanwhile
        from simulator.worksheets.google.http import LostReplyError, MeanwhileError

        stopped: LostReplyError | MeanwhileError | None = None
        with self._asking():
            try:
                self._http.batch_update(self.key, {"requests": list(requests)})
            except LostReplyError as error:
                stopped = error
            except APIError as error:
                if not is_of_meanwhile(error):
                    raise
                stopped = MeanwhileError(str(error.error.get("message", "")))
        if stopped is not None:
            raise stopped

    def may_be_written(self, state: SpreadsheetState) -> bool | None:
        """Whether a change would be allowed, by asking for one that cannot be made.

        It names a worksheet that is not there, so that nothing changes whatever the answer is:
        Google looks first whether one may write. None: the answer does not tell.

        Raises:
            InputError: it cannot be asked, in words that say why.
        """
        from gspread.exceptions import APIError

        taken = {sheet.id for sheet in state.sheets}
        nobody = next(number for number in range(_NO_SHEET, 0, -1) if number not in taken)
        request = {"updateSheetProperties": {"properties": {"sheetId": nobody}, "fields": "title"}}
        with self._asking():
            try:
                self._http.batch_update(self.key, {"requests": [request]})
            except APIError as error:
                if error.response.status_code == 400:
                    return True if "No grid with id" in str(error) else None
                if error.response.status_code == 403:
                    return False
                raise
        return None


def open_spreadsheet(where: str, clock: Clock | None = None) -> Spreadsheet:
    """The spreadsheet of a key or URL, with the credentials that there are.

    Raises:
        InputError: `where` is neither, or there are no credentials, or gspread is not installed.
    """
    key = spreadsheet_key(where)
    require_gspread()
    return Spreadsheet(key, find_account(), clock)


def require_gspread() -> None:
    """Complain where the extra is missing.

    Raises:
        InputError: gspread is not installed.
    """
    try:
        import gspread  # noqa: F401
    except ImportError as error:
        raise InputError("Google Sheets needs gspread: pip install 'mogi[sheets]'") from error


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
    """What a report would meet; two requests at most, and no cell is asked for or changed.

    Raises:
        InputError: gspread is not installed.
    """
    require_gspread()
    problems: list[str] = []
    access = Access() if sheets is None else Access(None, sheets.spreadsheet, log=sheets.worksheet)
    try:
        access = replace(access, account=find_account())
    except InputError as error:
        problems.append(str(error))
    if sheets is None:
        problems.append(
            "no spreadsheet is named; write it into client.yaml "
            "(sheets: {spreadsheet: KEY_OR_URL}), or say --spreadsheet KEY_OR_URL"
        )
    elif access.account is not None:
        return _asked(access, access.account, sheets.spreadsheet)
    return replace(access, problems=tuple(problems))


def _asked(access: Access, account: GoogleAccount, key: str) -> Access:
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
    trouble = f"{who} may only read the spreadsheet; share it with that account as editor"
    return replace(access, writable=writable, problems=(trouble,) if writable is False else ())
