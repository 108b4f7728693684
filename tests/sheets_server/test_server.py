"""The emulator keeps Google's rules: schema, limits, all or nothing, sign-in, quota."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gspread
import pytest
from gspread.exceptions import APIError

from simulator.google_sheets.credentials import find_account
from simulator.google_sheets.http import SheetsHttp
from tests.google_sheets.made import Hours
from tests.sheets_server.accounts import signed_in
from tests.sheets_server.references import shifted
from tests.sheets_server.server import GoogleServer, served

KEY = "spreadsheet-key"


@pytest.fixture
def google() -> Iterator[GoogleServer]:
    with served() as server:
        server.add(KEY)
        yield server


@pytest.fixture
def http(google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SheetsHttp:
    signed_in(google, tmp_path, monkeypatch)
    return SheetsHttp(find_account().credentials, clock=Hours().clock)


@pytest.fixture
def people(http: SheetsHttp) -> gspread.Spreadsheet:
    return gspread.Spreadsheet(http, {"id": KEY})


def send(http: SheetsHttp, *requests: dict[str, Any]) -> Any:
    return http.batch_update(KEY, {"requests": list(requests)})


def cells(row: int, column: int, **value: Any) -> dict[str, Any]:
    """One cell's value."""
    start = {"sheetId": 0, "rowIndex": row, "columnIndex": column}
    rows = [{"values": [{"userEnteredValue": value}]}]
    return {"updateCells": {"start": start, "rows": rows, "fields": "userEnteredValue"}}


def sheet(title: str, **more: Any) -> dict[str, Any]:
    return {"addSheet": {"properties": {"title": title, **more}}}


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
    google: GoogleServer, http: SheetsHttp, request_: dict[str, Any], message: str
) -> None:
    with pytest.raises(APIError, match=message) as caught:
        send(http, request_, cells(0, 0, stringValue="x"))
    assert 400 == caught.value.code
    with pytest.raises(APIError):
        send(http, cells(0, 0, stringValue="x"), request_)
    assert {} == google.books[KEY].sheets[0].cells


def test_an_empty_batch_is_refused(http: SheetsHttp) -> None:
    with pytest.raises(APIError, match="Must specify at least one request"):
        send(http)


def test_what_a_mask_names_is_cleared_where_it_is_not_given(
    google: GoogleServer, http: SheetsHttp
) -> None:
    send(http, cells(0, 0, stringValue="x"))
    note = {"updateCells": {"range": {"endRowIndex": 1, "endColumnIndex": 1}, "fields": "note"}}
    send(http, {"updateCells": {**note["updateCells"], "rows": [{"values": [{"note": "n"}]}]}})
    assert "n" == google.books[KEY].sheets[0].cells[0, 0]["note"]
    send(http, note)
    assert {"userEnteredValue": {"stringValue": "x"}} == google.books[KEY].sheets[0].cells[0, 0]


def test_formulas_follow_cells_that_are_inserted_moved_and_sorted(
    people: gspread.Spreadsheet,
) -> None:
    sheet1 = people.sheet1
    sheet1.update([[3, "=$A1*2"], [1, "=$A2*2"]], "A1", raw=False)
    other = people.add_worksheet("Other one", 3, 3)
    other.update([["='Sheet1'!$A$2"]], "A1", raw=False)
    sheet1.insert_row([], 1)
    assert [["='Sheet1'!$A$3"]] == other.get("A1", value_render_option=_FORMULA)
    sheet1.insert_cols([[]], 1)
    assert ["=$B2*2", "=$B3*2"] == [
        row[0] for row in sheet1.get("C2:C3", value_render_option=_FORMULA)
    ]
    sheet1.sort((2, "asc"), range="A2:C3")
    assert [["1", "2"], ["3", "6"]] == sheet1.get("B2:C3")
    assert "3" == other.acell("A1").value  # sorting moves values, not what speaks of a place


_FORMULA: Any = "FORMULA"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=1+2*3-4/2", 5),
        ('="a"&1&TRUE', "a1TRUE"),
        ('=IF(AND(ISNUMBER(A1),A1<0.5-0.000000001),"flag","")', "flag"),
        ('=IF(ISNUMBER(B1),"x","")', ""),
        ("='Other one'!$A$1", 0.25),
        ("=SUM(A1:A2)", 0.75),
        ("=IFERROR(1/0,7)", 7),
        ("=VLOOKUP(1,A1:B2,2)", "#NAME?"),
        ("='None'!A1", "#REF!"),
        ("=1/0", "#DIV/0!"),
    ],
)
def test_formulas_come_to_their_values(
    google: GoogleServer, http: SheetsHttp, formula: str, expected: Any
) -> None:
    send(
        http,
        sheet("Other one", sheetId=5),
        cells(0, 0, numberValue=0.25),
        cells(1, 0, numberValue=0.5),
        cells(0, 1, stringValue="0.25"),
        cells(0, 3, formulaValue=formula),
    )
    start = {"sheetId": 5, "rowIndex": 0, "columnIndex": 0}
    rows = [{"values": [{"userEnteredValue": {"numberValue": 0.25}}]}]
    send(http, {"updateCells": {"start": start, "rows": rows, "fields": "userEnteredValue"}})
    answer = http.values_get(KEY, "Sheet1!D1", {"valueRenderOption": "UNFORMATTED_VALUE"})
    found = answer.get("values", [[]])[0]  # an empty text at the end is left out
    assert expected == (found[0] if found else "")
    assert google.reads


def test_a_copied_formula_keeps_what_is_fixed() -> None:
    assert '=$A4+C$1&"A1"' == shifted('=$A2+B$1&"A1"', 2, 1)


def test_an_append_shifts_columns_as_google_does(people: gspread.Spreadsheet) -> None:
    people.sheet1.update([["a", "b"], ["", "c"]], "B2")
    people.sheet1.append_row(["d"])
    assert [["", ""], ["a", "b"], ["", "c"], ["d", ""]] == people.sheet1.get(
        "B1:C4", pad_values=True
    )


def test_only_what_is_asked_for_is_shown(google: GoogleServer, http: SheetsHttp) -> None:
    send(http, cells(0, 0, stringValue="x"))
    found = http.fetch_sheet_metadata(KEY, {"fields": "sheets(properties.title,data.startRow)"})
    assert {"sheets": [{"properties": {"title": "Sheet1"}, "data": [{}]}]} == found
    assert "data" not in http.fetch_sheet_metadata(KEY)["sheets"][0]
    assert google.reads


def test_the_quota_of_a_minute_is_kept(google: GoogleServer, http: SheetsHttp) -> None:
    google.per_minute = 0
    with pytest.raises(APIError, match="Read requests per minute per user") as caught:
        http.fetch_sheet_metadata(KEY)
    assert 429 == caught.value.code


def test_nobody_without_a_token_gets_in(google: GoogleServer) -> None:
    import requests

    answer = requests.get(f"{google.url}/v4/spreadsheets/{KEY}", timeout=5)
    assert (401, "UNAUTHENTICATED") == (answer.status_code, answer.json()["error"]["status"])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"aud": "https://elsewhere.example"}, "Failed audience check"),
        ({"scope": "https://www.googleapis.com/auth/gmail.send"}, "Invalid OAuth scope"),
        ({"iat": 1, "exp": 3601}, "reasonable timeframe"),
        ({"iss": "nobody@example.com"}, "account not found"),
    ],
)
def test_a_sign_in_is_looked_at_closely(
    google: GoogleServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, Any],
    told: str,
) -> None:
    import time

    import requests
    from google.auth import crypt, jwt

    info = json.loads(signed_in(google, tmp_path, monkeypatch).read_text("utf-8"))
    now = int(time.time())
    claims = {
        "iss": info["client_email"],
        "aud": "https://oauth2.googleapis.com/token",
        "iat": now,
        "exp": now + 3600,
        "scope": "https://www.googleapis.com/auth/spreadsheets",
    }
    signer = crypt.RSASigner.from_service_account_info(info)  # type: ignore[no-untyped-call]
    for wanted in ({}, change):
        token = jwt.encode(signer, {**claims, **wanted})  # type: ignore[no-untyped-call]
        grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        form = {"grant_type": grant, "assertion": token.decode()}
        answer = requests.post(google.token_url, form, timeout=5)
        if not wanted:
            assert 200 == answer.status_code
    assert told in answer.json()["error_description"]
    forged = form["assertion"][:-8] + "AAAAAAAA"
    answer = requests.post(google.token_url, {**form, "assertion": forged}, timeout=5)
    assert 400 == answer.status_code
