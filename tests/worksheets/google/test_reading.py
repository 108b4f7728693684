"""The Review worksheet, read back."""

import gspread
import pytest

from simulator.core.errors import InputError
from simulator.worksheets.google.credentials import GoogleAccount
from simulator.worksheets.google.http import SheetsHttp
from simulator.worksheets.google.spreadsheet import Spreadsheet
from simulator.worksheets.google.writing import review_grid, write_book
from tests.sheets_server.server import GoogleServer
from tests.worksheets.google.made import CONFIG, KEY, REVIEW, book


@pytest.fixture
def people(spreadsheet: Spreadsheet, account: GoogleAccount) -> gspread.Spreadsheet:
    """A spreadsheet with a run in it, as people edit it."""
    write_book(spreadsheet, book())
    return gspread.Client(account.credentials, http_client=SheetsHttp).open_by_key(KEY)


def test_rows_come_in_one_read_with_what_formulas_come_to(
    google: GoogleServer, spreadsheet: Spreadsheet, people: gspread.Spreadsheet
) -> None:
    people.worksheet(CONFIG).update([[0.3]], "B2")
    people.worksheet(REVIEW).update([["NG", "違う"]], "E3")
    google.requests.clear()
    grid = review_grid(spreadsheet, spreadsheet.describe(), "r1", print)
    assert ["key", "score", "threshold", "flag", "verdict", "comment", "hash"] == grid[0]
    assert ["t1", 0.2, 0.3, "要確認", "", "", "hash-t1"] == grid[1]
    assert ["t2", 0.3, 0.3, "", "NG", "違う", "hash-t2"] == grid[2]
    assert 2 == len(google.requests)


def test_a_renamed_worksheet_is_found_and_copies_are_told(
    spreadsheet: Spreadsheet, people: gspread.Spreadsheet
) -> None:
    people.worksheet(REVIEW).duplicate()
    people.worksheet(REVIEW).update_title("見直し")
    people.worksheet("Copy of Review r1").update([["OK"]], "E2")
    told: list[str] = []
    grid = review_grid(spreadsheet, spreadsheet.describe(), "r1", told.append)
    assert "" == grid[1][4]
    renamed, copied = told
    assert "'Review r1' is called '見直し' now" in renamed
    assert "'Copy of Review r1' looks like a copy of '見直し'" in copied


def test_a_run_without_review_is_told(spreadsheet: Spreadsheet) -> None:
    with pytest.raises(InputError, match=r"no worksheet 'Review r9'.*mogi report r9 --report"):
        review_grid(spreadsheet, spreadsheet.describe(), "r9", print)
