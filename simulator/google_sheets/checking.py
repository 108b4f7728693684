"""Whether a spreadsheet can be read and written, found out without writing anything."""

from dataclasses import dataclass

from simulator.core.errors import InputError
from simulator.core.plan import SheetsSpec
from simulator.google_sheets.credentials import Account, find_account
from simulator.google_sheets.spreadsheet import Spreadsheet, gspread_is_there
from simulator.google_sheets.there import SheetThere


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
