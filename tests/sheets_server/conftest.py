"""The server with one empty spreadsheet, and gspread asking it."""

from collections.abc import Iterator

import gspread
import pytest
from gspread.http_client import HTTPClient

from .client import KEY, client
from .server import GoogleServer, served


@pytest.fixture
def google() -> Iterator[GoogleServer]:
    with served() as server:
        server.add(KEY)
        yield server


@pytest.fixture
def http(google: GoogleServer) -> HTTPClient:
    return client(google)


@pytest.fixture
def people(http: HTTPClient) -> gspread.Spreadsheet:
    return gspread.Spreadsheet(http, {"id": KEY})
