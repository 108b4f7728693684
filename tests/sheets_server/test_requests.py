"""batchUpdate keeps Google's rules: schema, limits, all or nothing."""

from typing import Any

import pytest
from gspread.exceptions import APIError
from gspread.http_client import HTTPClient

from .client import KEY, cells, send, sheet
from .server import GoogleServer

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown field": (
        {"addSheet": {"propertis": {}}},
        r'Unknown name "propertis" at \'requests\[0\].add_sheet\': Cannot find field.',
    ),
    "wrong type": (sheet("x", sheetId="one"), r"Invalid value at .*sheet_id"),
    "wrong word": (
        {"deleteDimension": {"range": {"dimension": "LINES"}}},
        r"Invalid value at .*dimension",
    ),
    "wrong mask": (
        {"repeatCell": {"range": {}, "cell": {}, "fields": "userEnteredColour"}},
        "Invalid field: userEnteredColour",
    ),
    "title taken": (sheet("SHEET1"), "already exists. Please enter another name"),
    "id taken": (sheet("x", sheetId=0), "already exists. Please enter another id"),
    "title too long": (sheet("x" * 101), "1 to 100 characters"),
    "all rows frozen": (
        sheet("x", gridProperties={"rowCount": 1, "frozenRowCount": 1}),
        "can't freeze all visible rows",
    ),
    "too many cells": (
        sheet("x", gridProperties={"rowCount": 1_000_000, "columnCount": 10}),
        "above the limit of 10000000 cells",
    ),
    "no such worksheet": ({"deleteSheet": {"sheetId": 7}}, "No grid with id: 7"),
    "the last worksheet": ({"deleteSheet": {"sheetId": 0}}, "can't remove all the sheets"),
    "beyond the rows": (cells(1000, 0, stringValue="x"), r"after last row in grid\[1000\]"),
    "cell too long": (cells(0, 0, stringValue="あ" * 50_001), "maximum of 50000 characters"),
    "two values": (cells(0, 0, stringValue="x", numberValue=1), "more than one value"),
    "no formula": (cells(0, 0, formulaValue="1+1"), "begins with ="),
    "no such rule": (
        {"deleteConditionalFormatRule": {"sheetId": 0, "index": 0}},
        "No conditional format on sheet 0 at 0",
    ),
}


@pytest.mark.parametrize(("request_", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_google_refuses_is_refused_and_nothing_else_of_the_batch_is_done(
    google: GoogleServer, http: HTTPClient, request_: dict[str, Any], message: str
) -> None:
    with pytest.raises(APIError, match=message) as caught:
        send(http, request_, cells(0, 0, stringValue="x"))
    assert 400 == caught.value.code
    with pytest.raises(APIError):
        send(http, cells(0, 0, stringValue="x"), request_)
    assert {} == google.books[KEY].sheets[0].cells


def test_an_empty_batch_is_refused(http: HTTPClient) -> None:
    with pytest.raises(APIError, match="Must specify at least one request"):
        send(http)


def test_what_a_mask_names_is_cleared_where_it_is_not_given(
    google: GoogleServer, http: HTTPClient
) -> None:
    send(http, cells(0, 0, stringValue="x"))
    note = {"updateCells": {"range": {"endRowIndex": 1, "endColumnIndex": 1}, "fields": "note"}}
    send(http, {"updateCells": {**note["updateCells"], "rows": [{"values": [{"note": "n"}]}]}})
    assert "n" == google.books[KEY].sheets[0].cells[0, 0]["note"]
    send(http, note)
    assert {"userEnteredValue": {"stringValue": "x"}} == google.books[KEY].sheets[0].cells[0, 0]
