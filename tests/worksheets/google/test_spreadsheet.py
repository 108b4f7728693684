"""Opening a spreadsheet, with and without what it needs."""

import subprocess
import sys

import pytest

from simulator.core.errors import InputError
from simulator.worksheets.google.credentials import GoogleAccount
from simulator.worksheets.google.spreadsheet import Spreadsheet, open_spreadsheet
from tests.sheets_server.server import GoogleServer
from tests.worksheets.google.made import KEY

MODULES = "reports.sheets worksheets.google.writing worksheets.google.spreadsheet"


def test_without_gspread_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gspread", None)
    with pytest.raises(InputError, match=r"pip install 'mogi\[sheets\]'"):
        open_spreadsheet(KEY)


def test_nothing_of_google_s_is_loaded_before_it_is_used() -> None:
    lines = [f"import simulator.{name}" for name in MODULES.split()]
    code = "\n".join(["import sys", *lines, "print({'gspread', 'google.auth'} & set(sys.modules))"])
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
