"""A run in Google Sheets: its conversations, what people review, figures and thresholds."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from simulator import plugins
from simulator.core.errors import InputError
from simulator.core.plan import SheetsSpec
from simulator.core.run import Run, RunHeader
from simulator.files.catalog import CLIENT_FILE
from simulator.files.client.client_yaml import read_client_file
from simulator.formats.fields import spreadsheet_key
from simulator.formats.sources import Source, inside
from simulator.reports._workbook import book_of
from simulator.reports._workbook.config_worksheet import CONFIG
from simulator.view.results import as_it_ended
from simulator.worksheets.book import Book, quoted_title

if TYPE_CHECKING:
    from simulator.worksheets.google.spreadsheet import Spreadsheet, SpreadsheetState
    from simulator.worksheets.google.writing import Stray, WriteReport
    from simulator.worksheets.reading import Oddity, ReviewTable


class Sheets:
    """Google Sheets: the log, the turns to review, results and editable thresholds."""

    NEEDS_PATH = False
    TAKES = "KEY_OR_URL"

    def write(self, run: Run, path: str | None) -> str:
        """Write into the spreadsheet of this key or URL, or else the client's; its address.

        What is there stays: rows of other runs, and all that people wrote.

        Raises:
            InputError: no spreadsheet is named, or it cannot be written.
        """
        return push(run, path).url

    @staticmethod
    def complaint(path: str) -> str | None:
        """What would keep it from being written, as far as that can be seen before a run."""
        if find_spec("gspread") is None:
            return "needs gspread: pip install 'mogi[sheets]'"
        try:
            if path:
                spreadsheet_key(path)
        except InputError as error:
            return str(error)
        return None


def book_for(run: Run, sheets: SheetsSpec) -> Book:
    """The worksheets of a run as they stand in a spreadsheet that runs share."""
    return book_of(run, suffix=f" {run.header.id}", log_title=sheets.worksheet)


def sheets_of(header: RunHeader, where: str | None) -> SheetsSpec:
    """Which spreadsheet, and which worksheet of it: as said, or as client.yaml says today.

    Raises:
        InputError: neither says.
    """
    path = Path(header.folder) / CLIENT_FILE
    written = None  # in client.yaml, which may say nothing or be gone
    if path.is_file():
        with plugins.unimported():  # no code of it is asked for
            read = read_client_file(Source.of(path, within=inside(path.parent)))
        entry = read.entry
        written = entry.sheets.spec() if entry.sheets else None
    if where is not None:
        key = spreadsheet_key(where)
        return SheetsSpec(key, written.worksheet) if written else SheetsSpec(key)
    if written is None:
        raise InputError(
            f"no spreadsheet is set for {header.client}; add it to its client.yaml "
            "(sheets: {spreadsheet: KEY_OR_URL}), or use --report sheets=KEY_OR_URL"
        )
    return written


def read_sheet(
    run: Run, where: str | None, tell: Callable[[str], None]
) -> "tuple[str, ReviewTable, list[Oddity]]":
    """What verdicts call the spreadsheet, the table in it, and what people left beside that.

    `where`: a key or URL; None: the client's. `tell` gets what is odd about the spreadsheet.

    Raises:
        InputError: no spreadsheet is named, it cannot be read, or has no Review of this run.
    """
    from simulator.worksheets.google.spreadsheet import open_spreadsheet
    from simulator.worksheets.google.writing import review_grid, review_title, strays
    from simulator.worksheets.reading import grid_of, read_review

    header, sheets = run.header, sheets_of(run.header, where)
    spreadsheet = open_spreadsheet(sheets.spreadsheet)
    state = spreadsheet.describe()
    rows = review_grid(spreadsheet, state, header.id, tell)
    title = review_title(header.id)
    table = read_review([grid_of(title, rows)], f"{spreadsheet.url} ({title})", header.language)
    book, before = (book_for(each, sheets) for each in (run, as_it_ended(run)))
    added = strays(spreadsheet, state, book, everywhere=True, before=before)
    beside = [*map(_oddity, added), *_limits(spreadsheet, state, header)]
    return f"sheets:{spreadsheet.key}", table, beside


def _limits(
    spreadsheet: "Spreadsheet", state: "SpreadsheetState", header: RunHeader
) -> "Iterator[Oddity]":
    """The thresholds that somebody tried."""
    from simulator.reports._people import limits
    from simulator.worksheets.reading import grid_of

    if sheet := state.find(f"{CONFIG} {header.id}"):
        rows = spreadsheet.values([quoted_title(sheet.title)])[0]
        yield from limits(sheet.title, grid_of(sheet.title, rows).records)


def _oddity(added: "Stray") -> "Oddity":
    from simulator.reports._people import painted, stray
    from simulator.worksheets.reading import Odd

    if added.n:
        return painted(added.title, added.cell, added.n)
    kind = Odd.NOTE if added.is_note else Odd.ELSEWHERE
    return stray(added.title, added.cell, added.text, kind)


def push(run: Run, where: str | None) -> "WriteReport":
    """Put what is missing into the spreadsheet, and the figures anew.

    Rows that are there stay as they are, whatever people wrote, and wherever they stand.

    Raises:
        InputError: no spreadsheet is named, or it cannot be written.
    """
    from simulator.worksheets.google.spreadsheet import open_spreadsheet
    from simulator.worksheets.google.writing import write_book

    sheets = sheets_of(run.header, where)
    return write_book(open_spreadsheet(sheets.spreadsheet), book_for(run, sheets))
