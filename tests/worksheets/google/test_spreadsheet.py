"""Opening a spreadsheet, with and without what it needs."""

import subprocess
import sys

from simulator.worksheets.google.credentials import GoogleAccount
from simulator.worksheets.google.spreadsheet import Spreadsheet
from tests.sheets_server.server import GoogleServer
from tests.worksheets.google.made import KEY


def test_without_gspread_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['gspread'] = None; import simulator.worksheets.google.writing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "InputError: Google Sheets needs gspread: pip install 'mogi[sheets]'" in done.stderr


def test_nothing_of_google_s_is_loaded_before_it_is_used() -> None:
    code = (
        "import sys, simulator.reports.sheets, simulator.cli.sheets_check; "
        "print({'gspread', 'google.auth'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "set()" == done.stdout.strip()


def test_whether_it_may_be_written_is_asked_without_a_change(
    google: GoogleServer, account: GoogleAccount
) -> None:
    spreadsheet = Spreadsheet(KEY, account)
    there = spreadsheet.describe()
    assert spreadsheet.may_be_written(there) is True
    google.books[KEY].roles = {"": "reader"}
    assert spreadsheet.may_be_written(there) is False
    assert 0 == google.books[KEY].revision
