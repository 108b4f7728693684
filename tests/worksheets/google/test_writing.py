"""A book in a spreadsheet: what stands there, what stays, and what it costs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gspread
import pytest

from simulator.core.errors import InputError
from simulator.worksheets.book import Column, SheetCell, SheetRow, Worksheet
from simulator.worksheets.google.credentials import GoogleAccount
from simulator.worksheets.google.http import SheetsHttp
from simulator.worksheets.google.spreadsheet import Spreadsheet, sheet_id
from simulator.worksheets.google.writing import write_book
from tests.sheets_server.formulas import Evaluator
from tests.sheets_server.server import GoogleServer
from tests.sheets_server.state import Sheet
from tests.worksheets.google.made import (
    CONFIG,
    KEY,
    LOG,
    REVIEW,
    SUMMARY,
    book,
    config,
    held,
    log,
    review,
    summary,
    values,
)

pytestmark = pytest.mark.usefixtures("account")


def sheet_of(google: GoogleServer, title: str) -> Sheet:
    found = google.books[KEY].titled(title)
    assert found is not None
    return found


def shown(google: GoogleServer, title: str, row: int, column: int) -> Any:
    """What a cell comes to."""
    return Evaluator(google.books[KEY]).value(sheet_of(google, title), row, column)


def people(account: GoogleAccount) -> gspread.Spreadsheet:
    """The spreadsheet as other programs and reviewers edit it."""
    return gspread.Client(account.credentials, http_client=SheetsHttp).open_by_key(KEY)


def test_all_worksheets_are_made_below_what_is_there(
    google: GoogleServer, spreadsheet: Spreadsheet
) -> None:
    written = write_book(spreadsheet, book())
    assert ["Sheet1", LOG, REVIEW, SUMMARY, CONFIG] == [s.title for s in google.books[KEY].sheets]
    assert {LOG: 3, REVIEW: 3, SUMMARY: 3, CONFIG: 2} == written.rows
    gid = sheet_id(REVIEW)
    assert f"https://docs.google.com/spreadsheets/d/{KEY}/edit#gid={gid}" == written.url
    assert (1, 1) == (google.reads, google.writes)


def test_texts_are_texts_and_only_a_cell_s_own_formula_is_one(
    google: GoogleServer, spreadsheet: Spreadsheet
) -> None:
    write_book(spreadsheet, book())
    entered = sheet_of(google, LOG).cells[1, 1]["userEnteredValue"]
    assert {"stringValue": "=質問 a0"} == entered
    assert "要確認" == shown(google, REVIEW, 1, 3)
    assert 0.5 == shown(google, REVIEW, 1, 2)


def test_a_clipped_text_does_not_make_its_row_high(
    google: GoogleServer, spreadsheet: Spreadsheet
) -> None:
    columns = (Column("key"), Column("before", wrap=True, clip=True))
    rows: list[SheetRow] = [["a", "long " * 100]]
    write_book(spreadsheet, book(Worksheet(REVIEW, columns, lambda: rows, grows=True)))
    looks = sheet_of(google, REVIEW).cells[1, 1]["userEnteredFormat"]
    assert "CLIP" == looks["wrapStrategy"]


def test_colours_notes_widths_and_what_lies_over_the_cells_are_written(
    google: GoogleServer, spreadsheet: Spreadsheet
) -> None:
    write_book(spreadsheet, book())
    weak = sheet_of(google, LOG).cells[1, 2]
    assert "低い" == weak["note"]
    red = weak["userEnteredFormat"]["backgroundColor"]["red"]
    assert (250 / 255, "WRAP") == (red, weak["userEnteredFormat"]["wrapStrategy"])
    found = sheet_of(google, REVIEW)
    assert {"frozenRowCount": 1} == found.grid
    assert [0, 2, 6] == [
        c for c, p in sorted(found.column_properties.items()) if p.get("hiddenByUser")
    ]
    assert "OK" == found.cells[3, 4]["dataValidation"]["condition"]["values"][0]["userEnteredValue"]
    assert found.filter is not None
    assert (0, 4) == (found.filter["range"]["startRowIndex"], found.filter["range"]["endRowIndex"])
    machine = [
        (p["range"]["startColumnIndex"], p["range"]["endColumnIndex"]) for p in found.protected
    ]
    assert [(0, 4), (6, 7)] == machine
    assert all(p["warningOnly"] for p in found.protected)
    assert "=AND(ISNUMBER($B2),$B2<$C2-0.000000001)" == _formula(found.rules[0])


def _formula(rule: Any) -> str:
    return str(rule["booleanRule"]["condition"]["values"][0]["userEnteredValue"])


def test_japanese_is_sent_as_it_is(google: GoogleServer, spreadsheet: Spreadsheet) -> None:
    write_book(spreadsheet, book())
    assert "こんにちは".encode() in google.requests[-1].raw


def test_writing_twice_changes_no_cell_and_doubles_nothing(
    google: GoogleServer, spreadsheet: Spreadsheet
) -> None:
    write_book(spreadsheet, book())
    once = held(google.books[KEY])
    google.requests.clear()
    written = write_book(spreadsheet, book())
    assert (3, 1) == (google.reads, google.writes)
    assert once == held(google.books[KEY])
    assert {LOG: 0, REVIEW: 0, SUMMARY: 3, CONFIG: 0} == written.rows


def test_rows_that_are_there_stay_wherever_people_put_them(
    google: GoogleServer, spreadsheet: Spreadsheet, account: GoogleAccount
) -> None:
    write_book(spreadsheet, book())
    sheet = people(account).worksheet(REVIEW)
    sheet.update([["NG", "ひどい"]], "E2")
    sheet.sort((1, "des"), range="A2:G4")
    sheet.insert_row(["", "", "", "", "メモ"], 3)
    sheet.insert_cols([["判定会議"]], 2)
    before = values(google.books[KEY], REVIEW)
    write_book(spreadsheet, book(log(), review(("t1", "t2", "t3", "t4")), summary(), config()))
    after = values(google.books[KEY], REVIEW)
    assert before == after[: len(before)]
    assert ["t4", None, 0.5] == after[len(before)][:3]
    assert "='Config r1'!$B$2" == after[5][3]
    assert '=IF($C6<$D6-0.000000001,"要確認","")' == after[5][4]
    assert ["t3", None, "t2", "t1", "t4"] == [row[0] or None for row in after[1:]]
    assert "ひどい" == after[4][6]


def test_a_rule_that_people_moved_is_stretched_and_not_doubled(
    google: GoogleServer, spreadsheet: Spreadsheet, account: GoogleAccount
) -> None:
    write_book(spreadsheet, book())
    people(account).worksheet(REVIEW).insert_cols([["x"]], 2)
    write_book(spreadsheet, book(log(), review(("t1", "t2", "t3", "t4")), summary(), config()))
    found = sheet_of(google, REVIEW)
    assert ["=AND(ISNUMBER($C2),$C2<$D2-0.000000001)"] == [_formula(rule) for rule in found.rules]
    assert found.rows == found.rules[0]["ranges"][0]["endRowIndex"]
    assert 2 == len(found.protected)


def test_what_people_filter_by_stays_when_the_filter_grows(
    google: GoogleServer, spreadsheet: Spreadsheet
) -> None:
    write_book(spreadsheet, book())
    kept = {"columnIndex": 4, "filterCriteria": {"hiddenValues": ["OK"]}}
    found = sheet_of(google, REVIEW)
    assert found.filter is not None
    found.filter["filterSpecs"] = [kept]
    write_book(spreadsheet, book(log(), review(("t1", "t2", "t3", "t4")), summary(), config()))
    found = sheet_of(google, REVIEW)
    assert found.filter is not None
    assert ([kept], 5) == (found.filter["filterSpecs"], found.filter["range"]["endRowIndex"])


def test_a_column_that_is_new_is_put_behind_the_others_and_formulas_follow(
    google: GoogleServer, spreadsheet: Spreadsheet
) -> None:
    write_book(spreadsheet, book(config(), review(("t1",))))
    old = review(("t1", "t2"))

    def rows() -> Iterator[SheetRow]:
        for row, (key, *rest) in enumerate(old.rows(), start=2):
            moved = [
                replace(cell, formula=f'=IF($C{row}<$D{row},"要確認","")')
                if isinstance(cell, SheetCell)
                and "$B" in cell.formula
                and "Config" not in cell.formula
                else cell
                for cell in rest
            ]
            yield [key, "User: Hello", *moved]

    columns = (old.columns[0], Column("said before", wrap=True, clip=True), *old.columns[1:])
    write_book(spreadsheet, book(config(), replace(old, columns=columns, rows=rows, rules=())))
    assert ["key", "score", "threshold", "flag", "verdict", "comment", "hash", "said before"] == (
        values(google.books[KEY], REVIEW)[0]
    )
    assert [None, "User: Hello"] == [line[7] for line in values(google.books[KEY], REVIEW)[1:]]
    assert "要確認" == shown(google, REVIEW, 2, 3)


def test_a_longer_run_widens_the_heads(google: GoogleServer, spreadsheet: Spreadsheet) -> None:
    write_book(spreadsheet, book(log(turns=1)))
    write_book(spreadsheet, book(log(("a", "d"), turns=12)))
    found = values(google.books[KEY], LOG)
    assert ["config", "user1", "assistant1", "check1", "user2"] == found[0][:5]
    assert "check12" == found[0][36]  # beyond Z
    assert ['{"talk":"a"}', '{"talk":"b"}', '{"talk":"c"}', '{"talk":"d"}'] == [
        r[0] for r in found[1:]
    ]
    assert [None] * 33 == found[1][4:]
    assert "{}" == found[4][36]


def test_renamed_worksheets_are_found_and_named_so_in_formulas(
    google: GoogleServer, spreadsheet: Spreadsheet, account: GoogleAccount
) -> None:
    write_book(spreadsheet, book())
    people(account).worksheet(REVIEW).update_title("見直し")
    people(account).worksheet(CONFIG).update_title("しきい値")
    write_book(spreadsheet, book(log(), review(("t1", "t9")), summary(), config()))
    assert 5 == len(google.books[KEY].sheets)
    assert "='しきい値'!$B$2" == values(google.books[KEY], "見直し")[4][2]


def test_a_formula_follows_the_row_in_which_a_threshold_is(
    google: GoogleServer, spreadsheet: Spreadsheet, account: GoogleAccount
) -> None:
    write_book(spreadsheet, book())
    people(account).worksheet(CONFIG).insert_row(["# ここで変更"], 2)
    write_book(spreadsheet, book(log(), review(("t1", "t9")), summary(), config()))
    assert "='Config r1'!$B$3" == values(google.books[KEY], REVIEW)[4][2]
    assert 0.5 == shown(google, REVIEW, 4, 2)


def test_a_threshold_that_people_edited_stays(
    google: GoogleServer, spreadsheet: Spreadsheet, account: GoogleAccount
) -> None:
    write_book(spreadsheet, book())
    people(account).worksheet(CONFIG).update([[0.05]], "B2")
    write_book(spreadsheet, book())
    assert 0.05 == values(google.books[KEY], CONFIG)[1][1]
    assert "" == shown(google, REVIEW, 1, 3)


def test_a_moved_column_of_keys_costs_one_more_read(
    google: GoogleServer, spreadsheet: Spreadsheet, account: GoogleAccount
) -> None:
    write_book(spreadsheet, book(log()))
    people(account).worksheet(LOG).insert_cols([["x"], ["y"], ["z"]], 1)
    google.requests.clear()
    written = write_book(spreadsheet, book(log(("a", "d"))))
    assert (3, {LOG: 1}) == (google.reads, written.rows)
    assert '{"talk":"d"}' == values(google.books[KEY], LOG)[4][3]


def test_an_empty_worksheet_of_the_right_name_is_used(
    google: GoogleServer, spreadsheet: Spreadsheet, account: GoogleAccount
) -> None:
    people(account).add_worksheet(LOG, 3, 3)
    write_book(spreadsheet, book(log()))
    assert 2 == len(google.books[KEY].sheets)
    assert ["config", "user1"] == values(google.books[KEY], LOG)[0][:2]
    assert [{}] == [p["range"].get("startRowIndex", {}) for p in sheet_of(google, LOG).protected]


def test_a_worksheet_with_something_else_in_it_is_refused(
    google: GoogleServer, spreadsheet: Spreadsheet, account: GoogleAccount
) -> None:
    people(account).add_worksheet(LOG, 3, 3).update([["家計簿", "食費"]])
    why = r"mogi didn't create the worksheet 'Log'.*'config'.*worksheet: NAME"
    with pytest.raises(InputError, match=why):
        write_book(spreadsheet, book())
    assert [["家計簿", "食費"]] == values(google.books[KEY], LOG)
    assert 2 == len(google.books[KEY].sheets)


def test_what_people_wrote_below_the_table_is_not_overwritten(
    google: GoogleServer, spreadsheet: Spreadsheet, account: GoogleAccount
) -> None:
    write_book(spreadsheet, book(review()))
    people(account).worksheet(REVIEW).append_row(["", "", "", "", "", "続きは来週"])
    before = values(google.books[KEY], REVIEW)
    write_book(spreadsheet, book(review(("t1", "t9"))))
    after = values(google.books[KEY], REVIEW)
    assert (before, "t9") == (after[:-1], after[-1][0])


def test_several_rows_of_one_key_are_each_written_once(
    google: GoogleServer, spreadsheet: Spreadsheet
) -> None:
    write_book(spreadsheet, book(review(("t1", "t2"))))
    write_book(spreadsheet, book(review(("t1", "t1", "t2", "t2"))))
    write_book(spreadsheet, book(review(("t1", "t1", "t2", "t2"))))
    keys = [row[0] for row in values(google.books[KEY], REVIEW)[1:]]
    assert ["t1", "t2", "t1", "t2"] == keys
