"""Books for tests, a clock that does not wait, and what a spreadsheet holds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.retries import Clock
from simulator.worksheets.book import Book, Colour, Column, Rule, SheetCell, SheetRow, Worksheet
from simulator.worksheets.google.credentials import GoogleAccount
from simulator.worksheets.google.spreadsheet import Spreadsheet
from tests.sheets_server.state import Book as Held

WEAK = Colour(250, 219, 218)
KEY = "spreadsheet-key"
LOG, REVIEW, SUMMARY, CONFIG = "Log", "Review r1", "Summary r1", "Config r1"


class KilledError(Exception):
    """The process ends here."""


@dataclass
class Hours:
    """A clock that a test turns; waiting costs nothing, or with `deadly` the life."""

    at: float = 0.0
    waited: float = 0.0
    deadly: bool = False

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        if self.deadly:
            raise KilledError
        self.at += seconds
        self.waited += seconds

    @property
    def clock(self) -> Clock:
        return Clock(self.now, self.sleep)


def log(
    talks: Sequence[str] = ("a", "b", "c"), turns: int = 2, text: str = "こんにちは"
) -> Worksheet:
    """One row for each talk: its key, and three cells for each turn."""
    columns = [Column("config", 30, wrap=True)]
    for n in range(1, turns + 1):
        columns += [Column(f"user{n}"), Column(f"assistant{n}", wrap=True), Column(f"check{n}")]

    def rows() -> Iterator[SheetRow]:
        for talk in talks:
            cells: list[Any] = [f'{{"talk":"{talk}"}}']
            for n in range(turns):
                weak = (
                    SheetCell(f"{text} {talk}{n}", fill=WEAK, note="低い")
                    if n == 0
                    else f"{text} {n}"
                )
                cells += [f"=質問 {talk}{n}", weak, "{}"]
            yield cells

    return Worksheet(LOG, tuple(columns), rows, grows=True, shared=True, frozen=(1, 1))


def review(turns: Sequence[str] = ("t1", "t2", "t3"), suffix: str = " r1") -> Worksheet:
    """One row for each turn: key, score, threshold, flag, verdict, hash."""
    columns = (
        Column("key", hidden=True),
        Column("score", form="0.00"),
        Column("threshold", hidden=True),
        Column("flag"),
        Column("verdict", people=True, choices=("OK", "NG", "unsure"), note="OKかNGか"),
        Column("comment", people=True, wrap=True),
        Column("hash", hidden=True),
    )

    def rows() -> Iterator[SheetRow]:
        for row, turn in enumerate(turns, start=2):
            limit = SheetCell(0.5, f"='Config{suffix}'!$B$2")
            flag = SheetCell("要確認", f'=IF($B{row}<$C{row}-0.000000001,"要確認","")')
            yield [turn, round(0.1 * row, 6), limit, flag, None, None, f"hash-{turn}"]

    rule = Rule("=AND(ISNUMBER($B2),$B2<$C2-0.000000001)", WEAK, 1, None, 1, 3)
    return Worksheet(f"Review{suffix}", columns, rows, (rule,), grows=True, filtered=True)


def summary(figures: Sequence[float] = (0.25, 0.75)) -> Worksheet:
    """Figures, written as a whole."""
    rule = Rule("=$B1<'Config r1'!$B$2", WEAK, 0, 1, 1, 1)

    def rows() -> Iterator[SheetRow]:
        yield [SheetCell("点数", bold=True), None]
        for figure in figures:
            yield [f"figure {figure}", SheetCell(figure, form="0.00")]

    columns = (Column("", 20), Column("", 10))
    return Worksheet(SUMMARY, columns, rows, (rule,), header=False, frozen=(0, 0))


def config(limit: float = 0.5) -> Worksheet:
    """Thresholds that people edit."""
    columns = (Column("metric"), Column("threshold", people=True), Column("source"))
    rows: list[SheetRow] = [["overall", limit, "today"], ["lexical", None, "none"]]
    return Worksheet(CONFIG, columns, lambda: rows, grows=True)


def book(*worksheets: Worksheet) -> Book:
    """These worksheets, or one of each kind."""
    worksheets = worksheets or (log(), review(), summary(), config())
    return Book(worksheets, REVIEW, colours=(WEAK,))


def opened(account: GoogleAccount, hours: Hours | None = None) -> Spreadsheet:
    """The spreadsheet of these tests."""
    return Spreadsheet(KEY, account, (hours or Hours()).clock)


def held(found: Held) -> Mapping[str, Any]:
    """All that a spreadsheet holds, by title; ids that Google gives are left out."""
    return {
        sheet.title: {
            "grid": (sheet.rows, sheet.columns, sheet.grid),
            "cells": dict(sorted(sheet.cells.items())),
            "columns": dict(sorted(sheet.column_properties.items())),
            "rules": sheet.rules,
            "filter": sheet.filter,
            "protected": [
                {k: v for k, v in p.items() if k != "protectedRangeId"} for p in sheet.protected
            ],
        }
        for sheet in found.sheets
    }


def values(found: Held, title: str) -> list[list[Any]]:
    """The values of a worksheet as they were entered; formulas as they stand."""
    sheet = found.titled(title)
    assert sheet is not None
    rows, columns = sheet.used()
    grid: list[list[Any]] = [[None] * columns for _ in range(rows)]
    for (row, column), cell in sheet.cells.items():
        for value in cell.get("userEnteredValue", {}).values():
            grid[row][column] = value
    return grid
