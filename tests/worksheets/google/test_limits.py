"""What a cell and a request hold, and how few requests there are."""

import json
from typing import Any

import pytest

from simulator.worksheets.book import Column, SheetCell, Worksheet
from simulator.worksheets.google.spreadsheet import Spreadsheet
from simulator.worksheets.google.writing import batches, write_book
from tests.sheets_server.server import GoogleServer
from tests.worksheets.google.made import KEY, book, log, review, values

pytestmark = pytest.mark.usefixtures("account")


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_what_a_cell_cannot_hold_is_cut_and_cleaned(
    google: GoogleServer, spreadsheet: Spreadsheet
) -> None:
    long: list[Any] = [
        "\ud800" + "長" * 60_000,
        "😀" * 30_000,
        SheetCell("x", note="n" * 60_000),
        float("inf"),
    ]
    worksheet = Worksheet("Texts", tuple(map(Column, "ABCD")), lambda: [long])
    write_book(spreadsheet, book(worksheet))
    found = values(google.books[KEY], "Texts")[1]
    assert ("\ufffd長", "… (cut)") == (found[0][:2], found[0][-7:])
    assert all(49_990 <= units <= 50_000 for units in map(_units, found[:2]))
    assert "inf" == found[3]


def test_rows_are_taken_one_after_the_other_and_not_kept() -> None:
    made = []

    def units() -> Any:
        for number in range(1000):
            made.append(number)
            yield [
                {"updateCells": {"fields": "note", "rows": [{"values": [{"note": "x" * 9_000}]}]}}
            ]

    first = next(batches(units(), 100_000))
    assert len(first) == len(made) - 1
    assert len(json.dumps({"requests": first})) < 101_000


def test_requests_keep_to_their_bound(google: GoogleServer, spreadsheet: Spreadsheet) -> None:
    talks = [f"talk-{n}" for n in range(400)]
    write_book(spreadsheet, book(log(talks, turns=5, text="回答" * 300), review(talks)))
    assert google.writes <= sum(asked.size for asked in google.requests) / 1_900_000 + 3
    assert google.reads <= 2
    assert max(asked.size for asked in google.requests) <= 1_970_100
