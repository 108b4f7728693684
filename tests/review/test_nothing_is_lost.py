"""A thousand edits of a workbook, as people make them: none is lost, and none is made up.

Every edit leaves a word that is nowhere else. In the end it stands in a verdict on the answer that
its writer saw, or on a claim of it, or it is told; and the file is only written over where all
words are in verdicts. The next report shows what was said, and is worked on likewise.
"""

import importlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.claim import Reader, Reading, State, claims_of
from simulator.core.errors import InputError
from simulator.core.run import Run
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Exchange, Reply
from simulator.core.verdict import Audit, Verdict
from simulator.formats.sources import Source
from simulator.reports._people import check_nothing_is_lost, strays
from simulator.reports._workbook.turns import machine_cells
from simulator.reports.xlsx import Xlsx
from simulator.review.pull import (
    KnownVerdicts,
    Pulled,
    PullSource,
    TurnName,
    known_of,
    oddity_text,
    reconcile,
)
from simulator.worksheets.columns import COLUMNS, HEADS
from simulator.worksheets.reading import Odd
from simulator.worksheets.review_files import read_review_file
from tests.execution.scored import episode, header, rated, turn
from tests.reports.workbook.made import judged_by_people

_EDITS, _BOOKS = 25, 40
_PEOPLE = {column.id for column in COLUMNS if column.people}
_MACHINE = [column.id for column in COLUMNS if not column.people and not column.hidden]
_ON_SCREEN = [column.id for column in COLUMNS if column.id != "key"][:11]
_WORDS = ("OK", "NG", "ok", "○", "×", "不可", "unsure", "NG（{}）", "✓")
MARKS = ("1 OK", "2 NG ({})", "3 × ({})", "1, 2 NG ({})", "② 分からない ({})", "1 ○\n3 NG ({})")
MISTYPED = (
    "{}",
    "2 {}",
    "2 maybe {}",
    "9 NG ({})",
    "1 OK ({0}), 1 NG ({0})",
    "NG {}",
    "1-3 OK {}",
)
_PAINT = "FFFF00"
_AT = "2026-11-{}T00:00:00+00:00"  # a day for each round


def a_run() -> Run:
    """Eight talks of two turns, no two answers alike."""
    talks = []
    for n in range(8):
        said = [f"Answer {n} {at}: it is {n * 7 + at} yen." for at in (1, 2)]
        expected = Expected(elements=((f"{n // 2} yen",), ("2 days",)), must_not=("free",))
        readings = [Reading(c.id, State.UNKNOWN, Reader.WORDS) for c in claims_of(expected)]
        turns = [
            turn(
                rated(1 + 4 * (n % 2)),
                exchange=Exchange(at, f"Question {n} {at}?", Reply(text)),
                readings=tuple(readings),
            )
            for at, text in enumerate(said, 1)
        ]
        talk = episode(*turns, scenario=f"s{n // 2}", persona=("calm", "angry")[n % 2])
        talks.append(replace(talk, scenario=Scenario(f"s{n // 2}", "?", expected=expected)))
    return judged_by_people(header(audit=Audit(1.0)), (), *talks)


@dataclass
class Desk:
    """A workbook and somebody who works on it. `words`: what was written, and on which answer."""

    book: Any
    draw: random.Random
    words: dict[str, str] = field(default_factory=dict)
    painted: bool = False
    name: str = "word"

    @property
    def sheet(self) -> Any:
        return self.book["Review"]

    def word(self, answer: str = "") -> str:
        """A word that stands nowhere else; `answer`: the verdict that it belongs to is on this."""
        word = f"{self.name}{len(self.words):03}x"
        self.words[word] = answer
        return word

    def at(self, name: str) -> int:
        """Where a column is by now, by its head."""
        head = HEADS[name]["en"]
        return int(next(c.column for c in self.sheet[1] if c.value == head))

    def row(self) -> int:
        """A row with a key."""
        rows = range(2, self.sheet.max_row + 1)
        return self.draw.choice([r for r in rows if self.sheet.cell(r, self.at("key")).value])

    def cell(self, name: str, row: int) -> Any:
        return self.sheet.cell(row, self.at(name))

    def judge(self) -> None:
        row = self.row()
        if any(self.cell(name, row).value for name in _PEOPLE) or self.is_merged(row):
            return
        answer = self.cell("assistant", row).value
        words = self.draw.choice(_WORDS)
        self.cell("verdict", row).value = words.format(self.word(answer) if "{" in words else "")
        self.cell("comment", row).value = self.word(answer)
        self.cell("reviewer", row).value = self.draw.choice(("Sato", "Suzuki"))

    def mark(self) -> None:
        """Say something of single claims, in a row of one's own."""
        row = self.row()
        cell, reviewer = self.cell("claims", row), self.cell("reviewer", row)
        if cell.value or self.is_merged(row):
            return
        reviewer.value = reviewer.value or self.draw.choice(("Sato", "Suzuki"))
        text = self.draw.choice(MARKS)
        cell.value = (
            text.format(self.word(self.cell("assistant", row).value)) if "{" in text else text
        )

    def mistype_a_mark(self) -> None:
        row = self.row()
        cell = self.cell("claims", row)
        if not cell.value and not self.is_merged(row):
            cell.value = self.draw.choice(MISTYPED).format(self.word())

    def empty_a_mark(self) -> None:
        self.cell("claims", self.row()).value = None

    def write_over(self) -> None:
        cell = self.cell(self.draw.choice(_MACHINE), self.row())
        if not str(cell.value).startswith(self.name):
            cell.value = self.word()

    def judge_in_a_wrong_column(self) -> None:
        cell = self.cell(self.draw.choice(_MACHINE), self.row())
        if not str(cell.value).startswith(self.name):
            cell.value = f"NG（{self.word()}）"

    def note(self) -> None:
        sheet = self.draw.choice(self.book.worksheets)
        cell = sheet.cell(self.draw.randint(2, 6), self.draw.randint(1, 6))
        if cell.comment is None and type(cell).__name__ == "Cell":
            cell.comment = importlib.import_module("openpyxl.comments").Comment(self.word(), "Sato")

    def paint(self) -> None:
        fill = importlib.import_module("openpyxl.styles").PatternFill("solid", fgColor=_PAINT)
        sheet = self.book[self.draw.choice(("Review", "Log", "Summary", "Config", "How to judge"))]
        sheet.cell(self.draw.randint(1, 6), self.draw.randint(1, 6)).fill = fill
        self.painted = True

    def write_elsewhere(self) -> None:
        sheet = self.book[self.draw.choice(("Log", "Summary", "Config", "How to judge"))]
        cell = sheet.cell(self.draw.randint(2, 9), self.draw.randint(3, 9))
        if not str(cell.value).startswith(self.name):
            cell.value = self.word()

    def add_a_worksheet(self) -> None:
        self.book.create_sheet(f"Minutes {len(self.words)}")["B2"] = self.word()

    def insert_a_column(self) -> None:
        at = self.draw.randint(1, self.sheet.max_column)
        self.sheet.insert_cols(at)
        self.sheet.cell(1, at).value = f"memo {at}"
        self.sheet.cell(self.row(), at).value = f"OK {self.word()}"

    def insert_a_row(self) -> None:
        at = self.draw.randint(2, self.sheet.max_row + 2)
        if not self.sheet.merged_cells.ranges:
            self.sheet.insert_rows(at)
            self.sheet.cell(at, self.draw.randint(1, 6)).value = self.word()

    def copy_a_row(self) -> None:
        row, new = self.row(), self.sheet.max_row + 1
        if self.cell("reviewer", row).value == "Ito" or self.is_merged(row):
            return
        for cell in self.sheet[row]:
            self.sheet.cell(new, cell.column).value = cell.value
        self.cell("verdict", new).value = "NG"
        self.cell("comment", new).value = self.word(self.cell("assistant", new).value)
        self.cell("reviewer", new).value = "Ito"
        told = [str(c.value) for c in self.sheet[new] if str(c.value).startswith(self.name)]
        assert told

    def is_merged(self, row: int) -> bool:
        return any(area.min_row <= row <= area.max_row for area in self.sheet.merged_cells.ranges)

    def merge(self) -> None:
        row = self.row()
        if row == self.sheet.max_row or not self.cell("key", row + 1).value:
            return
        lower = [self.cell(name, row + 1).value for name in _PEOPLE]
        upper = self.cell("comment", row).value
        if upper and not any(lower) and not self.is_merged(row) and not self.is_merged(row + 1):
            at = self.at("comment")
            self.sheet.merge_cells(start_row=row, end_row=row + 1, start_column=at, end_column=at)

    def sort(self, names: list[str]) -> None:
        rows = [r for r in range(2, self.sheet.max_row + 1) if self.cell("key", r).value]
        if self.sheet.merged_cells.ranges:
            return
        places = [self.at(name) for name in names]
        lines = [[self.sheet.cell(r, at).value for at in places] for r in rows]
        self.draw.shuffle(lines)
        for row, line in zip(rows, lines, strict=True):
            for at, value in zip(places, line, strict=True):
                self.sheet.cell(row, at).value = value

    def sort_all(self) -> None:
        formulas = ("threshold", "flag")
        self.sort([column.id for column in COLUMNS if column.id not in formulas])

    def sort_what_is_on_the_screen(self) -> None:
        self.sort(list(_ON_SCREEN))

    def copy_the_sheet(self) -> None:
        if len(self.book.worksheets) < 8:
            self.book.copy_worksheet(self.sheet).title = f"Copy {len(self.words)}"


_FREE: tuple[Callable[[Desk], None], ...] = (
    Desk.judge, Desk.judge, Desk.judge, Desk.judge, Desk.write_over, Desk.judge_in_a_wrong_column,
    Desk.note, Desk.paint, Desk.write_elsewhere, Desk.add_a_worksheet, Desk.insert_a_column,
    Desk.insert_a_row, Desk.copy_a_row, Desk.merge, Desk.sort_all,
    Desk.sort_what_is_on_the_screen, Desk.copy_the_sheet, Desk.mark, Desk.mark, Desk.mark,
    Desk.mistype_a_mark, Desk.empty_a_mark,
)  # fmt: skip
_TIDY = (
    Desk.judge, Desk.mark, Desk.mark, Desk.empty_a_mark, Desk.copy_a_row, Desk.sort_all,
    Desk.sort_what_is_on_the_screen,
)  # fmt: skip


def known(made: Run) -> KnownVerdicts:
    """What the store holds of such a run."""
    cells = {
        (talk.cell.key, number): found
        for talk in made.episodes()
        for number, found in machine_cells(made.header, talk)
    }
    return known_of(made.reviewed(), made.on_claims(), lambda: cells, {})


def with_verdicts(made: Run, verdicts: Sequence[Verdict]) -> Run:
    """The run, in whose store these are by now as well."""
    of_answers = [v for _, some in made.reviewed() for v in some]
    of_answers += [v for v in verdicts if not v.claim]
    of_claims = [*made.on_claims(), *(v for v in verdicts if v.claim)]
    after = judged_by_people(made.header, of_answers, *made.episodes())
    return replace(after, on_claims=lambda: of_claims)


def pulled(made: Run, path: Path, day: int = 22) -> Pulled:
    source = PullSource(made.header.id, path.name, _AT.format(day), "en")
    found = reconcile(read_review_file(Source.of(path), "en"), known(made), source)
    found.oddities += strays(Source.of(path))
    return found


def worked_on(
    path: Path, seed: int, edits: tuple[Callable[[Desk], None], ...], name: str = "word"
) -> Desk:
    book = importlib.import_module("openpyxl").load_workbook(path)
    desk = Desk(book, random.Random(seed), name=name)
    for _ in range(_EDITS):
        desk.draw.choice(edits)(desk)
    desk.book.save(path)
    held = [c for sheet in desk.book.worksheets for row in sheet.iter_rows() for c in row]
    there = " ".join(f"{c.value} {c.comment.text if c.comment else ''}" for c in held)
    desk.words = {word: on for word, on in desk.words.items() if word in there}
    assert len(desk.words) > _EDITS // 4
    return desk


def answers(made: Run) -> dict[str, TurnName]:
    return {
        t.exchange.assistant: (talk.cell.key, t.exchange.turn)
        for talk in made.episodes()
        for t in talk.turns
    }


def holding(verdicts: list[Verdict], word: str) -> set[TurnName]:
    return {(v.episode, v.turn) for v in verdicts if word in v.comment}


def nothing_is_lost(path: Path, seed: int, edits: tuple[Callable[[Desk], None], ...]) -> None:
    """Twice round: a report, what people do to it, and the next report with what they said."""
    made, file = a_run(), path
    for day, name in ((22, "word"), (23, "again")):
        Xlsx().write(made, str(file))
        untouched = pulled(made, file, day)
        assert [] == untouched.verdicts, seed
        assert {Odd.REPEATED} >= {odd.kind for odd in untouched.oddities}, seed
        made = with_verdicts(made, round_of(made, file, seed, edits, name, day).verdicts)
        file = path.with_name(f"next-{path.name}")


def round_of(
    made: Run,
    path: Path,
    seed: int,
    edits: tuple[Callable[[Desk], None], ...],
    name: str,
    day: int,
) -> Pulled:
    desk = worked_on(path, seed, edits, name)
    found = pulled(made, path, day)
    told = " ".join(oddity_text(odd, "en") for odd in found.oddities)
    turns = answers(made)
    for word, answer in desk.words.items():
        on = holding(found.verdicts, word)
        assert on or word in told, (seed, word)
        if answer in turns and not desk.sheet.merged_cells.ranges:
            assert on <= {turns[answer]}, (seed, word)
    assert desk.painted == any(odd.kind is Odd.PAINTED for odd in found.oddities), seed
    after = with_verdicts(made, found.verdicts)
    if all(holding(found.verdicts, word) for word in desk.words) and not desk.painted:
        return found
    with pytest.raises(InputError):
        check_nothing_is_lost(after, str(path))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_whatever_people_do_to_a_workbook_nothing_is_lost(tmp_path: Path, seed: int) -> None:
    nothing_is_lost(tmp_path / "a.xlsx", seed, _FREE)


@pytest.mark.slow
def test_over_a_thousand_edits_nothing_is_lost(tmp_path: Path) -> None:
    for seed in range(_BOOKS):
        nothing_is_lost(tmp_path / f"{seed}.xlsx", 100 + seed, _FREE)


@pytest.mark.parametrize("seed", range(3))
def test_what_stands_where_it_belongs_is_read_wholly(tmp_path: Path, seed: int) -> None:
    made, path = a_run(), tmp_path / "a.xlsx"
    Xlsx().write(made, str(path))
    desk = worked_on(path, seed, _TIDY)
    found, turns = pulled(made, path), answers(made)
    assert desk.words
    for word, answer in desk.words.items():
        assert {turns[answer]} == holding(found.verdicts, word), word
