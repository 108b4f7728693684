"""A spreadsheet that is open: what is asked of it and sent to it, and what that cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simulator.core.errors import InputError
from simulator.core.plan import SheetsSpec
from simulator.formats.fields import spreadsheet_key
from simulator.google_sheets.credentials import Account, find_account
from simulator.google_sheets.state import (
    FIELDS,
    Grid,
    SheetThere,
    SpreadsheetThere,
    read_spreadsheet,
)
from simulator.retries import Clock

_NO_SHEET = 2**31 - 1  # an id that worksheets hardly have


class Spreadsheet:
    """One spreadsheet of Google's, by its key. Nothing is asked before the first call.

    Raises:
        InputError: MOGI_SHEETS_URL names another machine.
    """

    def __init__(self, key: str, account: Account, clock: Clock | None = None) -> None:
        from simulator.google_sheets.http import SheetsHttp

        self.key = key
        self.account = account
        self.clock = clock or Clock()
        self._http = SheetsHttp(account.credentials, clock=self.clock)

    @property
    def url(self) -> str:
        """Where people see it."""
        return f"https://docs.google.com/spreadsheets/d/{self.key}/edit"

    @property
    def reads(self) -> int:
        """How often something was asked, with all attempts."""
        return self._http.reads

    @property
    def writes(self) -> int:
        """How often something was sent, with all attempts."""
        return self._http.writes

    @property
    def sent(self) -> int:
        """Bytes of all that was sent."""
        return self._http.sent

    def describe(self) -> SpreadsheetThere:
        """All but its cells, in one read.

        Raises:
            InputError: it cannot be read, in words that say why.
        """
        from simulator.google_sheets.troubles import told

        with told(self.account, self.key):
            answer = self._http.fetch_sheet_metadata(self.key, {"fields": FIELDS})
            return read_spreadsheet(answer)

    def values(self, ranges: Sequence[str]) -> list[Grid]:
        """The values of these areas (in A1 notation), unformatted but for dates, in one read.

        Raises:
            InputError: they cannot be read, in words that say why.
        """
        from simulator.google_sheets.troubles import told

        if not ranges:
            return []
        with told(self.account, self.key):
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

    def send(self, requests: Sequence[dict[str, Any]]) -> None:
        """Carry out these requests: all of them or none.

        Raises:
            LostReplyError: it may or may not have been done, and must not be done twice.
            MeanwhileError: it was not done, since somebody changed worksheets, rows or columns.
            InputError: it cannot be done, in words that say why.
        """
        from gspread.exceptions import APIError

        from simulator.google_sheets.http import LostReplyError, MeanwhileError
        from simulator.google_sheets.troubles import is_of_meanwhile, told

        stopped: LostReplyError | MeanwhileError | None = None
        with told(self.account, self.key):
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

    def may_be_written(self, there: SpreadsheetThere) -> bool | None:
        """Whether a change would be allowed, by asking for one that cannot be made.

        It names a worksheet that is not there, so that nothing changes whatever the answer is:
        Google looks first whether one may write. None: the answer does not tell.

        Raises:
            InputError: it cannot be asked, in words that say why.
        """
        from gspread.exceptions import APIError

        from simulator.google_sheets.troubles import told

        taken = {sheet.id for sheet in there.sheets}
        nobody = next(number for number in range(_NO_SHEET, 0, -1) if number not in taken)
        request = {"updateSheetProperties": {"properties": {"sheetId": nobody}, "fields": "title"}}
        with told(self.account, self.key):
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
    gspread_is_there()
    return Spreadsheet(key, find_account(), clock)


def gspread_is_there() -> None:
    """Complain where the extra is missing.

    Raises:
        InputError: gspread is not installed.
    """
    try:
        import gspread  # noqa: F401
    except ImportError as error:
        raise InputError("Google Sheets needs gspread: pip install 'mogi[sheets]'") from error


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found; None: not known. `problems` say what to do, and are empty if all is well."""

    account: Account | None = None
    spreadsheet: str | None = None
    url: str = ""
    title: str = ""
    readable: bool | None = None
    writable: bool | None = None
    log: str = "Log"
    worksheets: tuple[SheetThere, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def has_log(self) -> bool:
        """Whether the worksheet that collects conversations is there."""
        return any(sheet.title == self.log for sheet in self.worksheets)


def checked(sheets: SheetsSpec | None) -> Checked:
    """What a report would meet; two requests at most, and no cell is asked for or changed.

    Raises:
        InputError: gspread is not installed.
    """
    gspread_is_there()
    account, problems = None, []
    try:
        account = find_account()
    except InputError as error:
        problems.append(str(error))
    if sheets is None:
        problems.append(
            "no spreadsheet is named; write it into client.yaml "
            "(sheets: {spreadsheet: KEY_OR_URL}), or say --spreadsheet KEY_OR_URL"
        )
        return Checked(account, problems=tuple(problems))
    if account is None:
        return Checked(None, sheets.spreadsheet, log=sheets.worksheet, problems=tuple(problems))
    return _asked(account, sheets)


def _asked(account: Account, sheets: SheetsSpec) -> Checked:
    key = sheets.spreadsheet
    try:
        spreadsheet = Spreadsheet(key, account)
        there = spreadsheet.describe()
    except InputError as error:
        return Checked(account, key, readable=False, log=sheets.worksheet, problems=(str(error),))
    problems: tuple[str, ...] = ()
    try:
        writable = spreadsheet.may_be_written(there)
    except InputError as error:
        writable, problems = None, (str(error),)
    if writable is False:
        who = account.email or "the account that you signed in with"
        problems = (f"{who} may only read the spreadsheet; share it with that account as editor",)
    return Checked(
        account,
        key,
        spreadsheet.url,
        there.title,
        readable=True,
        writable=writable,
        log=sheets.worksheet,
        worksheets=there.sheets,
        problems=problems,
    )
