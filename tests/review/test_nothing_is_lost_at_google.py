"""A thousand edits of a spreadsheet at Google: a push loses none of them, and a pull tells of them.

Every edit leaves a word that is nowhere else, or yellow cells. They stand there after a push,
which may refuse; and a word in a worksheet of ours is in a verdict (on an answer or on a claim), or
told. What was read once and stands there is nothing new.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import gspread
import pytest

from simulator.core.errors import InputError
from simulator.core.plan import SheetsSpec
from simulator.core.run import Run
from simulator.reports.sheets import book_for, read_sheet
from simulator.review.pull import Pulled, PullSource, oddity_text, reconcile
from simulator.worksheets.columns import COLUMNS, HEADS
from simulator.worksheets.google.credentials import find_account
from simulator.worksheets.google.http import SheetsHttp
from simulator.worksheets.google.spreadsheet import open_spreadsheet
from simulator.worksheets.google.writing import write_book
from tests.review.test_nothing_is_lost import MARKS, MISTYPED, a_run, known, with_verdicts
from tests.sheets_server.server import GoogleServer, served
from tests.worksheets.google.signed_in import PAGES_KEY as KEY
from tests.worksheets.google.signed_in import signed_in

_EDITS, _BOOKS = 25, 40
_MACHINE = [column.id for column in COLUMNS if not column.people and not column.hidden]
_YELLOW = {"red": 1, "green": 1}


@pytest.fixture
def google(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleServer]:
    # Nobody counts requests here.
    monkeypatch.setattr("simulator.worksheets.google.http.Quota.admit", lambda _: None)
    with served() as server:
        signed_in(server, tmp_path, monkeypatch)
        yield server


@dataclass
class Desk:
    """A spreadsheet and somebody who works on it. `words`: what was written there."""

    book: gspread.Spreadsheet
    run: Run
    draw: random.Random
    words: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)  # of the words those in worksheets of people's own

    @property
    def sheet(self) -> gspread.Worksheet:
        return self.book.worksheet(f"Review {self.run.header.id}")

    def word(self) -> str:
        word = f"word{len(self.words):03}x"
        self.words.add(word)
        return word

    def any_sheet(self) -> gspread.Worksheet:
        return self.draw.choice(self.book.worksheets())

    def row(self, grid: list[list[str]]) -> int:
        at = grid[0].index(HEADS["key"]["en"])
        return self.draw.choice([n for n, row in enumerate(grid[1:], 2) if row[at]])

    def put(self, row: int, **cells: str) -> None:
        head = self.sheet.row_values(1)
        for name, text in cells.items():
            self.sheet.update_cell(row, head.index(HEADS[name]["en"]) + 1, text)

    def judge(self) -> None:
        grid = self.sheet.get_all_values()
        row = self.row(grid)
        if not grid[row - 1][grid[0].index(HEADS["verdict"]["en"])]:
            word = self.draw.choice(("OK", "NG", "unsure"))
            self.put(row, verdict=word, comment=self.word(), reviewer="Sato")

    def mark(self) -> None:
        grid = self.sheet.get_all_values()
        row = self.row(grid)
        if not grid[row - 1][grid[0].index(HEADS["claims"]["en"])]:
            self.put(row, claims=self.draw.choice(MARKS).format(self.word()), reviewer="Sato")

    def mistype_a_mark(self) -> None:
        grid = self.sheet.get_all_values()
        row = self.row(grid)
        if not grid[row - 1][grid[0].index(HEADS["claims"]["en"])]:
            self.put(row, claims=self.draw.choice(MISTYPED).format(self.word()))

    def empty_a_mark(self) -> None:
        self.put(self.row(self.sheet.get_all_values()), claims="")

    def write_over(self) -> None:
        grid, name = self.sheet.get_all_values(), self.draw.choice(_MACHINE)
        row = self.row(grid)
        if not grid[row - 1][grid[0].index(HEADS[name]["en"])].startswith("word"):
            self.put(row, **{name: self.word()})

    def note(self) -> None:
        sheet = self.any_sheet()
        cell = self.cell(sheet)
        if not sheet.get_note(cell):
            word = self.word()
            sheet.insert_note(cell, word)
            self.own |= {word} if self.is_own(sheet) else set()

    def cell(self, sheet: gspread.Worksheet) -> str:
        row, column = min(6, sheet.row_count), min(5, sheet.col_count)
        return gspread.utils.rowcol_to_a1(self.draw.randint(1, row), self.draw.randint(1, column))

    def paint(self) -> None:
        sheet = self.any_sheet()
        cell = self.cell(sheet)
        sheet.format(cell, {"backgroundColor": _YELLOW})

    def write_elsewhere(self) -> None:
        sheet = self.any_sheet()
        row = self.draw.randint(2, min(4, sheet.row_count))
        column = self.draw.randint(1, min(4, sheet.col_count))
        there = sheet.cell(row, column).value or ""
        if sheet.id != self.sheet.id and "word" not in there:
            word = self.word()
            sheet.update_cell(row, column, word)
            # A row of the Log whose key was written over is another run's, for all one knows.
            is_key = column == 1 and sheet.title == "Log"
            self.own |= {word} if is_key or self.is_own(sheet) else set()

    def is_own(self, sheet: gspread.Worksheet) -> bool:
        ours = ("Log", "Config", "Summary", "How to judge", "Review")
        return not sheet.title.startswith(ours)

    def add_a_worksheet(self) -> None:
        word = self.word()
        self.own.add(word)
        self.book.add_worksheet(f"Minutes {len(self.words)}", 6, 6).update_cell(2, 2, word)

    def insert_a_column(self) -> None:
        at = self.draw.randint(2, self.sheet.col_count)
        self.sheet.insert_cols([[f"memo {at}", self.word()]], at)

    def insert_a_row(self) -> None:
        self.sheet.insert_rows([["", self.word()]], self.draw.randint(2, self.sheet.row_count))

    def copy_a_row(self) -> None:
        grid = self.sheet.get_all_values()
        row = self.row(grid)
        self.sheet.insert_rows([grid[row - 1]], row + 1)
        self.put(row + 1, verdict="NG", comment=self.word(), reviewer=f"Ito {len(self.words)}")

    def sort(self) -> None:
        ways: tuple[Literal["asc"], Literal["des"]] = ("asc", "des")
        by = (self.draw.randint(1, 5), self.draw.choice(ways))
        last = gspread.utils.rowcol_to_a1(self.sheet.row_count, self.sheet.col_count)
        self.sheet.sort(by, range=f"A2:{last}")

    def merge(self) -> None:
        row = self.draw.randint(2, 6)
        empty = self.sheet.col_count
        self.sheet.add_cols(2)
        self.sheet.merge_cells(
            f"{gspread.utils.rowcol_to_a1(row, empty + 1)}:"
            f"{gspread.utils.rowcol_to_a1(row, empty + 2)}"
        )
        self.sheet.update_cell(row, empty + 1, self.word())


_ALL: tuple[Callable[[Desk], None], ...] = (
    Desk.judge, Desk.judge, Desk.judge, Desk.write_over, Desk.note, Desk.note, Desk.paint,
    Desk.paint, Desk.write_elsewhere, Desk.write_elsewhere, Desk.add_a_worksheet,
    Desk.insert_a_column, Desk.insert_a_row, Desk.copy_a_row, Desk.sort, Desk.merge, Desk.mark,
    Desk.mark, Desk.mistype_a_mark, Desk.empty_a_mark,
)  # fmt: skip


def seen(google: GoogleServer) -> tuple[str, int]:
    """All texts and notes of a spreadsheet, and how many cells are yellow."""
    cells: list[Mapping[str, Any]] = [c for s in google.books[KEY].sheets for c in s.cells.values()]
    texts = (f"{c.get('userEnteredValue', {}).get('stringValue')} {c.get('note')}" for c in cells)
    looks = (c.get("userEnteredFormat", {}).get("backgroundColor") for c in cells)
    return " ".join(texts), sum(look == _YELLOW for look in looks)


def pulled(made: Run, at: str = "2026-11-22T00:00:00+00:00") -> Pulled:
    source, table, beside = read_sheet(made, KEY, lambda _: None)
    found = reconcile(table, known(made), PullSource(made.header.id, source, at, "en"))
    found.oddities += beside
    return found


def nothing_is_lost(google: GoogleServer, seed: int) -> None:
    google.add(KEY)
    made = a_run()
    write_book(open_spreadsheet(KEY), book_for(made, SheetsSpec(KEY)))
    people = gspread.Client(find_account().credentials, http_client=SheetsHttp).open_by_key(KEY)
    desk = Desk(people, made, random.Random(seed))
    for _ in range(_EDITS):
        desk.draw.choice(_ALL)(desk)
    texts, yellow = seen(google)
    words = {word for word in desk.words if word in texts}
    assert len(words) > _EDITS // 4
    found = pulled(made)
    told = " ".join(oddity_text(odd, "en") for odd in found.oddities)
    said = " ".join(verdict.comment for verdict in found.verdicts)
    assert [] == sorted(w for w in words - desk.own if w not in told and w not in said), seed
    after = with_verdicts(made, found.verdicts)
    assert [] == pulled(after, "2026-11-23T00:00:00+00:00").verdicts, seed
    with suppress(InputError):  # where people added something to Summary
        write_book(open_spreadsheet(KEY), book_for(after, SheetsSpec(KEY)))
    texts, now = seen(google)
    assert [] == sorted(word for word in words if word not in texts), seed
    assert yellow <= now, seed


@pytest.mark.parametrize("seed", range(2))
def test_whatever_people_do_at_google_nothing_is_lost(google: GoogleServer, seed: int) -> None:
    nothing_is_lost(google, seed)


@pytest.mark.slow
def test_over_a_thousand_edits_at_google_nothing_is_lost(google: GoogleServer) -> None:
    for seed in range(_BOOKS):
        nothing_is_lost(google, 100 + seed)
