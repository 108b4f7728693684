"""Values are read and written as Google does."""

import gspread
from gspread.http_client import HTTPClient

from .client import KEY, cells, send
from .server import GoogleServer


def test_an_append_shifts_columns_as_google_does(people: gspread.Spreadsheet) -> None:
    people.sheet1.update([["a", "b"], ["", "c"]], "B2")
    people.sheet1.append_row(["d"])
    assert [["", ""], ["a", "b"], ["", "c"], ["d", ""]] == people.sheet1.get(
        "B1:C4", pad_values=True
    )


def test_only_what_is_asked_for_is_shown(google: GoogleServer, http: HTTPClient) -> None:
    send(http, cells(0, 0, stringValue="x"))
    found = http.fetch_sheet_metadata(KEY, {"fields": "sheets(properties.title,data.startRow)"})
    assert {"sheets": [{"properties": {"title": "Sheet1"}, "data": [{}]}]} == found
    assert "data" not in http.fetch_sheet_metadata(KEY)["sheets"][0]
    assert google.reads
