"""Formulas come to their values, and follow the cells that they speak of."""

from typing import Any

import gspread
import pytest
from gspread.http_client import HTTPClient

from .client import KEY, cells, send, sheet
from .references import shifted
from .server import GoogleServer


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
    google: GoogleServer, http: HTTPClient, formula: str, expected: Any
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
