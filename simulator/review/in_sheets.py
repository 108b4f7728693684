"""The Review worksheet of a run in Google Sheets: read, and brought up to date."""

from collections.abc import Callable

from simulator.core.run import Run, RunHeader
from simulator.google_sheets.spreadsheet import open_spreadsheet
from simulator.google_sheets.writing import WriteReport, review_grid, review_title, write_book
from simulator.reports.sheets import book_for, sheets_of
from simulator.sheet.reading import ReviewTable, grid_of, read_review


def read_sheet(
    header: RunHeader, where: str | None, tell: Callable[[str], None]
) -> tuple[str, ReviewTable]:
    """What verdicts call the spreadsheet, and the table in it.

    `where`: a key or URL; None: the client's. `tell` gets what is odd about the spreadsheet.

    Raises:
        InputError: no spreadsheet is named, it cannot be read, or has no Review of this run.
    """
    spreadsheet = open_spreadsheet(sheets_of(header, where).spreadsheet)
    rows = review_grid(spreadsheet, header.id, tell)
    title = review_title(header.id)
    table = read_review([grid_of(title, rows)], f"{spreadsheet.url} ({title})", header.language)
    return f"sheets:{spreadsheet.key}", table


def push(run: Run, where: str | None) -> WriteReport:
    """Put what is missing into the spreadsheet, and the figures anew.

    Rows that are there stay as they are, whatever people wrote, and wherever they stand.

    Raises:
        InputError: no spreadsheet is named, or it cannot be written.
    """
    found = sheets_of(run.header, where)
    return write_book(open_spreadsheet(found.spreadsheet), book_for(run, found))
