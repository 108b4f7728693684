"""Between reading and writing somebody else is at work: nothing that they did is lost."""

from collections.abc import Callable

import gspread
import pytest

from simulator.core.errors import InputError
from simulator.worksheets.book import Book, Column, SheetCell, Worksheet
from simulator.worksheets.google.credentials import GoogleAccount
from simulator.worksheets.google.http import SheetsHttp
from simulator.worksheets.google.spreadsheet import Spreadsheet
from simulator.worksheets.google.writing import write_book
from tests.sheets_server.server import GoogleServer
from tests.worksheets.google.made import (
    CONFIG,
    KEY,
    LOG,
    REVIEW,
    SUMMARY,
    WEAK,
    Hours,
    book,
    config,
    log,
    opened,
    review,
    summary,
    values,
)


class Interrupted(Spreadsheet):
    """A spreadsheet that somebody changes after it was read, before the first change is sent."""

    def __init__(self, account: GoogleAccount, meanwhile: Callable[[], object]) -> None:
        super().__init__(KEY, account, Hours().clock)
        self._meanwhile: list[Callable[[], object]] = [meanwhile]

    def send(self, requests: object) -> None:
        while self._meanwhile:
            self._meanwhile.pop()()
        super().send(requests)  # type: ignore[arg-type]


@pytest.fixture
def people(account: GoogleAccount) -> gspread.Spreadsheet:
    """The spreadsheet as other programs and reviewers edit it."""
    return gspread.Client(account.credentials, http_client=SheetsHttp).open_by_key(KEY)


def keys(google: GoogleServer, title: str) -> list[str]:
    return [row[0] for row in values(google.books[KEY], title)[1:] if row[0]]


def texts(google: GoogleServer, title: str) -> set[object]:
    return {cell for row in values(google.books[KEY], title) for cell in row}


@pytest.mark.parametrize("there", [(), ("a",)])
def test_two_runs_at_once_leave_the_rows_of_both(
    google: GoogleServer, account: GoogleAccount, there: tuple[str, ...]
) -> None:
    if there:
        write_book(opened(account), book(log(there)))
    other = Interrupted(
        account, lambda: write_book(opened(account), book(log((*there, "b", "c", "d"))))
    )
    written = write_book(other, book(log((*there, "e", "f"), turns=3)))
    expected = sorted(f'{{"talk":"{talk}"}}' for talk in (*there, *"bcdef"))
    assert expected == sorted(keys(google, LOG))
    assert {LOG: 2} == written.rows or not there


def test_rows_that_somebody_inserts_move_and_are_not_written_over(
    google: GoogleServer, account: GoogleAccount, people: gspread.Spreadsheet
) -> None:
    write_book(opened(account), book())
    sheet = people.worksheet(REVIEW)
    sheet.update([["NG", "言い過ぎ"]], "E4")
    other = Interrupted(account, lambda: sheet.insert_rows([["x"], ["y"], ["z"], ["w"]], 2))
    write_book(other, book(log(), review(("t1", "t2", "t3", "t4")), summary(), config()))
    assert ["x", "y", "z", "w", "t1", "t2", "t3", "t4"] == sorted(
        keys(google, REVIEW), key=["x", "y", "z", "w", "t1", "t2", "t3", "t4"].index
    )
    assert {"NG", "言い過ぎ"} <= texts(google, REVIEW)


def test_rows_that_somebody_deletes_do_not_stop_the_others(
    google: GoogleServer, account: GoogleAccount, people: gspread.Spreadsheet
) -> None:
    write_book(opened(account), book())
    other = Interrupted(account, lambda: people.worksheet(LOG).delete_rows(3, 5))
    write_book(other, book(log("abcdefgh")))
    assert [f'{{"talk":"{talk}"}}' for talk in "abcdefgh"] == sorted(keys(google, LOG))


def test_a_note_below_the_log_stays_in_whatever_column(
    google: GoogleServer, account: GoogleAccount, people: gspread.Spreadsheet
) -> None:
    write_book(opened(account), book(log()))
    sheet = people.worksheet(LOG)
    sheet.add_rows(3)
    sheet.update([["ここまで確認済み"]], "E5")
    write_book(opened(account), book(log("abcdef")))
    assert "ここまで確認済み" in texts(google, LOG)
    assert 6 == len(keys(google, LOG))


def test_summary_is_written_anew_and_what_was_beyond_is_gone(
    google: GoogleServer, account: GoogleAccount
) -> None:
    write_book(opened(account), book(summary((0.1, 0.2, 0.3, 0.4)), config()))
    write_book(opened(account), book(summary((0.9,)), config()))
    found = google.books[KEY].titled(SUMMARY)
    assert found is not None
    assert 1 == len(found.rules)
    assert [["点数", None], ["figure 0.9", 0.9]] == values(google.books[KEY], SUMMARY)


def test_a_note_beside_the_summary_stays(
    google: GoogleServer, account: GoogleAccount, people: gspread.Spreadsheet
) -> None:
    write_book(opened(account), book())
    sheet = people.worksheet(SUMMARY)
    sheet.add_cols(2)
    sheet.update([["先週より良い"]], "D2")
    write_book(opened(account), book(log(), review(), summary((0.9,)), config()))
    assert ["figure 0.9", 0.9, None, "先週より良い"] == values(google.books[KEY], SUMMARY)[1]


@pytest.mark.parametrize("text", ["先週より良い", "OK", "✕"])
def test_what_people_wrote_over_the_summary_is_not_written_over(
    google: GoogleServer, account: GoogleAccount, people: gspread.Spreadsheet, text: str
) -> None:
    write_book(opened(account), book())
    people.worksheet(SUMMARY).update([[text]], "B1")
    later = book(log(("a", "b", "c", "d")), review(), summary((0.9,)), config())
    with pytest.raises(InputError, match=f"people added.*{SUMMARY}, B1: {text}.; move"):
        write_book(opened(account), later)
    assert 3 == len(keys(google, LOG))
    people.worksheet(SUMMARY).update([[""]], "B1")
    write_book(opened(account), later)
    assert ["figure 0.9", 0.9] == values(google.books[KEY], SUMMARY)[1][:2]
    assert 4 == len(keys(google, LOG))


def test_a_note_on_a_cell_of_the_summary_is_not_written_over(
    account: GoogleAccount, people: gspread.Spreadsheet
) -> None:
    write_book(opened(account), book())
    people.worksheet(SUMMARY).insert_note("B2", "なぜ下がった？")
    with pytest.raises(InputError, match=f"{SUMMARY}, B2: なぜ下がった？.; move"):
        write_book(opened(account), book())


def test_a_worksheet_of_the_same_name_in_another_case_is_the_same(
    google: GoogleServer, account: GoogleAccount, people: gspread.Spreadsheet
) -> None:
    people.add_worksheet("LOG", 3, 3)
    write_book(opened(account), book(log()))
    assert ["Sheet1", "LOG"] == [sheet.title for sheet in google.books[KEY].sheets]
    assert 3 == len(keys(google, "LOG"))


def test_formulas_name_the_row_in_which_the_threshold_is(
    google: GoogleServer, account: GoogleAccount
) -> None:
    write_book(opened(account), book())
    limit = next(n for n, row in enumerate(values(google.books[KEY], CONFIG), 1) if row[1] == 0.5)
    found = values(google.books[KEY], REVIEW)
    assert {f"='Config r1'!$B${limit}"} == {row[2] for row in found[1:]}


def test_where_somebody_changes_it_all_the_time_it_gives_up_with_a_sentence(
    google: GoogleServer, account: GoogleAccount
) -> None:
    class Never(Spreadsheet):
        def send(self, requests: object) -> None:
            wrong = {"deleteSheet": {"sheetId": 7}}
            super().send([wrong, *requests])  # type: ignore[misc]

    never: Book = book(log())
    with pytest.raises(InputError, match="the spreadsheet keeps changing"):
        write_book(Never(KEY, account, Hours().clock), never)
    assert ["Sheet1"] == [sheet.title for sheet in google.books[KEY].sheets]


_YELLOW = {"red": 1, "green": 1}
_FILL, _INK = {"backgroundColor": _YELLOW}, {"textFormat": {"foregroundColor": {"red": 1}}}


@pytest.mark.parametrize("look", [_FILL, _INK])
def test_a_colour_on_a_cell_of_the_summary_is_not_written_over(
    google: GoogleServer,
    account: GoogleAccount,
    people: gspread.Spreadsheet,
    look: dict[str, object],
) -> None:
    write_book(opened(account), book())
    people.worksheet(SUMMARY).format("A2:B3", look)
    with pytest.raises(InputError, match=rf"{SUMMARY}, A2 B2 A3 … \(4\): coloured.; move"):
        write_book(opened(account), book(log("abcd"), review(), summary((0.9,)), config()))
    assert 3 == len(keys(google, LOG))
    people.worksheet(SUMMARY).format(
        "A2:B3", {"backgroundColor": {"red": 1, "green": 1, "blue": 1}}
    )
    people.worksheet(SUMMARY).format("A2:B3", {"textFormat": {"foregroundColor": {}}})
    write_book(opened(account), book(log("abcd"), review(), summary((0.9,)), config()))
    assert 4 == len(keys(google, LOG))


def test_a_rule_that_people_gave_the_summary_stays(
    google: GoogleServer, account: GoogleAccount, people: gspread.Spreadsheet
) -> None:
    write_book(opened(account), book())
    sheet = people.worksheet(SUMMARY)
    theirs = {
        "ranges": [{"sheetId": sheet.id, "startColumnIndex": 1, "endColumnIndex": 2}],
        "booleanRule": {
            "condition": {"type": "NUMBER_LESS", "values": [{"userEnteredValue": "0.5"}]},
            "format": {"backgroundColor": _YELLOW},
        },
    }
    people.batch_update({"requests": [{"addConditionalFormatRule": {"rule": theirs}}]})
    for _ in range(2):
        write_book(opened(account), book(log(), review(), summary((0.9,)), config()))
        found = google.books[KEY].titled(SUMMARY)
        assert found is not None
        kinds = [rule["booleanRule"]["condition"]["type"] for rule in found.rules]
        assert ["CUSTOM_FORMULA", "NUMBER_LESS"] == sorted(kinds)


def test_colours_and_notes_in_worksheets_that_grow_stay(
    google: GoogleServer, account: GoogleAccount, people: gspread.Spreadsheet
) -> None:
    write_book(opened(account), book())
    for title in (LOG, REVIEW, CONFIG):
        people.worksheet(title).format("A2:C3", _FILL)
        people.worksheet(title).insert_note("B3", f"見ました {title}")
    write_book(
        opened(account), book(log("abcd"), review(("t1", "t2", "t3", "t4")), summary(), config())
    )
    for title in (LOG, REVIEW, CONFIG):
        found = google.books[KEY].titled(title)
        assert found is not None
        for at in ((1, 0), (2, 2)):
            assert _YELLOW == found.cells[at]["userEnteredFormat"]["backgroundColor"]
        assert f"見ました {title}" == found.cells[2, 1]["note"]


def test_what_is_filled_in_leaves_colours_and_notes(
    google: GoogleServer, account: GoogleAccount, people: gspread.Spreadsheet
) -> None:
    def kept(score: SheetCell | None) -> Worksheet:
        columns = (Column("key"), Column("score"), Column("verdict", people=True), Column("hash"))
        return Worksheet(
            REVIEW, columns, lambda: [["t1", score, None, "h"]], grows=True, fills=True
        )

    write_book(opened(account), book(kept(None)))
    sheet = people.worksheet(REVIEW)
    sheet.format("B2", _FILL)
    sheet.insert_note("B2", "なぜ空？")
    write_book(opened(account), book(kept(SheetCell("低い", fill=WEAK, note="点数が低い"))))
    found = google.books[KEY].titled(REVIEW)
    assert found is not None
    cell = found.cells[1, 1]
    assert {"stringValue": "低い"} == cell["userEnteredValue"]
    assert (_YELLOW, "なぜ空？") == (cell["userEnteredFormat"]["backgroundColor"], cell["note"])
