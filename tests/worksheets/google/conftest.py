"""A spreadsheet on loopback, and an account that may write it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.worksheets.google.credentials import GoogleAccount, find_account
from simulator.worksheets.google.spreadsheet import Spreadsheet
from tests.sheets_server.server import GoogleServer, served
from tests.worksheets.google.made import KEY, opened
from tests.worksheets.google.signed_in import signed_in


@pytest.fixture
def google() -> Iterator[GoogleServer]:
    """The server, with one empty spreadsheet."""
    with served() as server:
        server.add(KEY)
        yield server


@pytest.fixture
def account(google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GoogleAccount:
    """A service account that the server knows."""
    signed_in(google, tmp_path, monkeypatch)
    return find_account()


@pytest.fixture
def spreadsheet(account: GoogleAccount) -> Spreadsheet:
    """That spreadsheet, by a clock that does not wait."""
    return opened(account)
