"""Quota, faults on demand, and a package that stands alone."""

import re
from pathlib import Path

import pytest
from gspread.exceptions import APIError
from gspread.http_client import HTTPClient
from requests.exceptions import ConnectionError as BrokenError

from .client import KEY, cells, send
from .server import Fault, GoogleServer


def test_the_quota_of_a_minute_is_kept(google: GoogleServer, http: HTTPClient) -> None:
    google.per_minute = 0
    with pytest.raises(APIError, match="Read requests per minute per user") as caught:
        http.fetch_sheet_metadata(KEY)
    assert 429 == caught.value.code


def test_a_fault_comes_once_before_or_after_the_work(
    google: GoogleServer, http: HTTPClient
) -> None:
    google.faults += [Fault(), Fault(cut="before"), Fault(cut="after")]
    with pytest.raises(APIError, match="currently unavailable"):
        send(http, cells(0, 0, stringValue="a"))
    with pytest.raises(BrokenError):
        send(http, cells(0, 0, stringValue="b"))
    assert {} == google.books[KEY].sheets[0].cells
    with pytest.raises(BrokenError):
        send(http, cells(0, 0, stringValue="c"))
    assert {"userEnteredValue": {"stringValue": "c"}} == google.books[KEY].sheets[0].cells[0, 0]
    assert (0, 3) == (google.reads, google.writes)


def test_it_imports_nothing_of_the_program_that_it_is_for() -> None:
    pattern = re.compile(r"^\s*(?:from|import) (?:simulator|tests)\b", re.MULTILINE)
    folder = Path(__file__).parent
    assert [] == [f.name for f in folder.rglob("*.py") if pattern.search(f.read_text("utf-8"))]
