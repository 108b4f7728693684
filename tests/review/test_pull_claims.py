"""Verdicts on single claims in the cells of a report: into the store, and taken back from there."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.claim import Reader, Reading, State, claims_of, counting
from simulator.core.run import Episode, RunHeader
from simulator.core.scenario import Expected, Scenario
from simulator.core.verdict import Verdict, Word
from simulator.reports._workbook.turns import review
from simulator.review.pull import Pulled, oddity_text, pull, withdraw
from simulator.store.store import Store
from simulator.view.stored_run import stored_run
from simulator.worksheets.book import SheetCell
from simulator.worksheets.reading import Odd, grid_of, read_review
from tests.review.labelled import kept, run_of, talk
from tests.store.conftest import path, store, url
from tests.worksheets.review_grids import heads

__all__ = ["path", "store", "url"]
EXPECTED = Expected(elements=(("500 yen", "¥500"), ("2 days",)), must_not=("It is free.",))
YEN, DAYS, FREE, ANSWERS = (claim.id for claim in claims_of(EXPECTED))
NOTE = "verdict per claim"
Cells = Mapping[str, Any]


def read_by_words(made: Episode) -> Episode:
    """The conversation with a scenario whose claims words have read."""
    readings = tuple(
        Reading(claim, state, Reader.WORDS)
        for claim, state in ((YEN, State.UNKNOWN), (DAYS, State.UNMET), (FREE, State.MET))
    )
    turns = tuple(replace(turn, readings=readings) for turn in made.turns)
    scenario = Scenario(made.cell.scenario, "How much?", expected=EXPECTED)
    return replace(made, turns=turns, scenario=scenario)


TALKS = [read_by_words(talk("parcel", [0.2])), talk("refund", [0.8])]


class Desk:
    """The Review worksheet as a report writes it, and somebody who fills it in."""

    def __init__(self, store: Store, header: RunHeader) -> None:
        self.store, self.header = store, header
        self.names = heads("en")
        rows = review(stored_run(store, header)).rows()
        plain: list[list[object]] = [
            [c.value if isinstance(c, SheetCell) else c for c in cells] for cells in rows
        ]
        self.rows = sorted(plain, key=lambda cells: str(cells[0]))

    def fill(self, at: int = 0, **cells: Any) -> None:
        for name, value in cells.items():
            head = NOTE if name == "claims" else name
            self.rows[at][self.names.index(head)] = value

    def cell(self, head: str, at: int = 0) -> object:
        return self.rows[at][self.names.index(head)]

    def pull(self, source: str = "a.xlsx") -> Pulled:
        table = read_review([grid_of("Review", [self.names, *self.rows])], source, "en")
        return pull(self.store, self.header, table, source=source)


@pytest.fixture
async def desk(store: Store) -> Desk:
    return Desk(store, await kept(store, run_of("run1"), TALKS))


def stored(desk: Desk) -> dict[tuple[str, str], str]:
    """By reviewer and claim what was said last."""
    return {
        (v.reviewer, v.claim): v.word or v.comment
        for v in (*desk.store.verdicts("run1"), *desk.store.verdicts("run1", claims=True))
    }


def told(found: Pulled) -> list[str]:
    return [oddity_text(odd, "en") for odd in found.oddities]


def test_the_claims_stand_beside_the_answer_with_their_numbers(desk: Desk) -> None:
    shown = "must say:\n1. 500 yen / ¥500\n2. 2 days\nmust not say:\n3. It is free."
    assert (shown, None) == (desk.cell("expected answer"), desk.cell(NOTE))


def test_a_word_on_a_claim_is_a_reading_of_a_persons_and_no_verdict_on_the_answer(
    desk: Desk,
) -> None:
    desk.fill(claims="1 OK, 3 NG (says that it is free)", reviewer="Sato")
    found = desk.pull()
    assert (2, []) == (len(found.new), found.oddities)
    assert {("Sato", YEN): "OK", ("Sato", FREE): "NG"} == stored(desk)
    episode, verdicts = next(iter(desk.store.reviewed("run1")))
    states = {c: (r.state, r.reader) for c, r in counting(episode.turns[0].readings or ()).items()}
    assert {
        YEN: (State.MET, Reader.PERSON),
        DAYS: (State.UNMET, Reader.WORDS),
        FREE: (State.VIOLATED, Reader.PERSON),
    } == states
    assert () == verdicts
    assert [] == desk.pull().verdicts


def test_the_whole_answer_and_one_claim_may_be_judged_in_one_row(desk: Desk) -> None:
    desk.fill(verdict="NG", claims="2 ×", reviewer="Sato", comment="no days")
    desk.pull()
    assert {("Sato", ""): "NG", ("Sato", DAYS): "NG"} == stored(desk)


def test_what_was_said_stands_in_the_next_report_and_is_nothing_new_there(desk: Desk) -> None:
    desk.fill(verdict="NG", claims="2 NG (says 3, not 2)\n1 ○", reviewer="Sato")
    desk.pull()
    desk.store.add_verdicts(  # somebody who judged one claim on the page, and no whole answer
        "run1", [Verdict("parcel/calm/1", 1, Word.UNSURE, "Ito", "view", "2026-11-21", claim=YEN)]
    )
    again = Desk(desk.store, desk.header)
    rows = [(again.cell("reviewer", n), again.cell(NOTE, n)) for n in (0, 1)]
    assert [("Sato", "1 OK\n2 NG (says 3, not 2)"), ("Ito", "1 unsure")] == rows
    found = again.pull("b.xlsx")
    assert ([], [], 4) == (found.verdicts, found.oddities, found.unchanged.total())


def test_an_emptied_cell_takes_back_what_was_read_there_and_nothing_else(desk: Desk) -> None:
    desk.fill(verdict="NG", claims="1 OK\n2 NG", reviewer="Sato")
    desk.pull()
    desk.fill(claims="1 OK")
    found = desk.pull()
    assert ["row 2: Sato cleared the verdict on a claim, so mogi withdrew it: NG"] == told(found)
    assert {("Sato", ""): "NG", ("Sato", YEN): "OK", ("Sato", DAYS): ""} == stored(desk)
    desk.fill(claims="2 NG")
    desk.pull()
    assert {("Sato", ""): "NG", ("Sato", YEN): "", ("Sato", DAYS): "NG"} == stored(desk)
    states = counting(next(iter(desk.store.reviewed("run1")))[0].turns[0].readings or ())
    assert (State.UNKNOWN, State.UNMET) == (states[YEN].state, states[DAYS].state)


def test_without_a_name_the_file_is_the_person_and_may_empty_the_cell_as_well(desk: Desk) -> None:
    desk.fill(claims="2 NG")
    desk.pull()
    desk.fill(claims=None)
    assert [Odd.MARK_TAKEN_BACK] == [odd.kind for odd in desk.pull().oddities]
    assert {("", DAYS): ""} == stored(desk)


def test_a_name_that_comes_later_takes_the_word_over(desk: Desk) -> None:
    desk.fill(claims="2 NG")
    desk.pull()
    desk.fill(reviewer="Sato")
    assert [Odd.NAMED] == [odd.kind for odd in desk.pull().oddities]
    assert {("", DAYS): "", ("Sato", DAYS): "NG"} == stored(desk)


def test_what_was_given_elsewhere_is_not_taken_back_by_an_empty_cell(desk: Desk) -> None:
    desk.fill(claims="1 OK, 2 NG", reviewer="Sato")
    desk.pull("b.xlsx")
    desk.fill(claims="", verdict="OK")
    found = desk.pull()
    assert [Odd.MARK_ELSEWHERE] == [odd.kind for odd in found.oddities]
    assert told(found)[0].startswith("kept 2 verdicts on claims from the page or another file")
    assert {("Sato", ""): "OK", ("Sato", YEN): "OK", ("Sato", DAYS): "NG"} == stored(desk)


def test_what_a_report_shows_is_taken_back_there_and_what_came_later_is_not(desk: Desk) -> None:
    desk.fill(claims="1 OK, 2 NG", reviewer="Sato")
    desk.pull()
    reported, older = Desk(desk.store, desk.header), Desk(desk.store, desk.header)
    reported.fill(claims="1 OK")
    assert [Odd.MARK_TAKEN_BACK] == [odd.kind for odd in reported.pull("b.xlsx").oddities]
    assert {("Sato", YEN): "OK", ("Sato", DAYS): ""} == stored(desk)
    desk.store.add_verdicts(
        "run1", [Verdict("parcel/calm/1", 1, Word.NG, "Sato", "view", "2027-01-01", claim=FREE)]
    )
    older.fill(claims="2 NG")
    assert [Odd.MARK_ELSEWHERE] == [odd.kind for odd in older.pull("c.xlsx").oddities]
    assert {YEN: "OK", DAYS: "NG", FREE: "NG"} == {
        claim: w for (_, claim), w in stored(desk).items()
    }


@pytest.mark.parametrize(
    ("cell", "kind", "says"),
    [
        ("2 maybe", Odd.UNKNOWN_MARK, 'such as "2 NG"'),
        ("2", Odd.UNKNOWN_MARK, 'such as "2 NG"'),
        ("7 NG", Odd.NO_CLAIM, "(numbers: 1, 2, 3)"),
        ("0 NG", Odd.NO_CLAIM, "(numbers: 1, 2, 3)"),
        ("NG", Odd.MISPLACED, "(H2); did you mean verdict?"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_row_and_kept_as_a_comment(
    desk: Desk, cell: str, kind: Odd, says: str
) -> None:
    desk.fill(claims=cell, reviewer="Sato")
    found = desk.pull()
    assert [kind] == [odd.kind for odd in found.oddities]
    (text,) = told(found)
    assert (True, True) == (text.startswith("row 2: "), says in text)
    assert {("Sato", ""): f"({NOTE} cell) {cell}"} == stored(desk)


def test_a_mark_that_became_unreadable_takes_nothing_back(desk: Desk) -> None:
    desk.fill(claims="2 NG", reviewer="Sato")
    desk.pull()
    for cell in ("2 N", "9 NG"):
        desk.fill(claims=cell)
        desk.pull()
    assert "NG" == stored(desk)["Sato", DAYS]


def test_an_answer_without_claims_has_none_to_judge(desk: Desk) -> None:
    desk.fill(1, claims="1 NG", reviewer="Sato")
    assert "has no numbered claims" in told(desk.pull())[0]


def test_numbers_beside_another_right_answer_are_not_taken(desk: Desk) -> None:
    edited: dict[str, Any] = {"expected answer": "must say:\n1. 2 days"}
    desk.fill(claims="1 NG", reviewer="Sato", **edited)
    kinds = [odd.kind for odd in desk.pull().oddities]
    assert [Odd.EDITED, Odd.MOVED_CLAIMS] == sorted(kinds)
    assert {("Sato", ""): f"({NOTE} cell) 1 NG"} == stored(desk)


def test_numbers_beside_the_right_answer_of_an_earlier_version_are_taken(desk: Desk) -> None:
    earlier = str(desk.cell("expected answer")).replace("must say:", "has to say:")
    edited: dict[str, Any] = {"expected answer": earlier}
    desk.fill(claims="2 NG", reviewer="Sato", **edited)
    assert [] == desk.pull().oddities
    assert {("Sato", DAYS): "NG"} == stored(desk)


def test_two_rows_of_one_person_that_differ_say_nothing_of_the_claim(desk: Desk) -> None:
    desk.rows.append([*desk.rows[0]])
    desk.fill(claims="2 NG", reviewer="Sato")
    desk.fill(2, claims="2 OK", reviewer="Sato")
    assert [Odd.SAME_PERSON] == [odd.kind for odd in desk.pull().oddities]
    assert {("Sato", DAYS): "(verdict cell) NG / OK"} == stored(desk)


def test_people_who_differ_are_kept_both(desk: Desk) -> None:
    desk.rows.append([*desk.rows[0]])
    desk.fill(claims="2 NG", reviewer="Sato")
    desk.fill(2, claims="2 OK", reviewer="Ito")
    assert [] == desk.pull().oddities
    assert {("Sato", DAYS): "NG", ("Ito", DAYS): "OK"} == stored(desk)
    episode, _ = next(iter(desk.store.reviewed("run1")))
    assert State.UNKNOWN is counting(episode.turns[0].readings or ())[DAYS].state


def test_a_file_without_the_column_takes_nothing_back_and_is_not_complained_of(desk: Desk) -> None:
    desk.fill(claims="2 NG", reviewer="Sato", verdict="NG")
    desk.pull()
    at = desk.names.index(NOTE)
    for row in (desk.names, *desk.rows):
        del row[at]  # type: ignore[attr-defined]
    found = desk.pull()
    assert ([], []) == (found.verdicts, found.oddities)


def test_a_report_with_what_was_withdrawn_does_not_say_it_again(desk: Desk) -> None:
    desk.fill(verdict="NG", claims="2 NG", reviewer="Sato")
    desk.pull()
    reported = Desk(desk.store, desk.header)
    withdraw(desk.store, desk.header, "Sato")
    found = reported.pull("b.xlsx")
    assert ([], [Odd.WITHDRAWN]) == (found.verdicts, [odd.kind for odd in found.oddities])
    assert "nothing_new" == found.heading
    reported.fill(claims="2 OK")  # and now somebody says something
    found = reported.pull("b.xlsx")
    assert [("Sato", DAYS, Word.OK)] == [(v.reviewer, v.claim, v.word) for v in found.verdicts]
    fresh = Desk(desk.store, desk.header)
    fresh.fill(verdict="NG", reviewer="Sato")
    assert [Word.NG] == [v.word for v in fresh.pull("c.xlsx").verdicts]


def test_what_was_withdrawn_is_said_anew_after_its_reported_row_was_empty(desk: Desk) -> None:
    desk.fill(verdict="NG", claims="2 NG", reviewer="Sato")
    desk.pull()
    reported = Desk(desk.store, desk.header)
    withdraw(desk.store, desk.header, "Sato")
    reported.fill(verdict=None, claims=None)
    reported.pull("b.xlsx")
    reported.fill(verdict="NG", claims="2 NG")
    assert {"", DAYS} == {v.claim for v in reported.pull("b.xlsx").new}


def test_a_report_does_not_bring_back_what_was_changed_since(desk: Desk) -> None:
    desk.fill(verdict="NG", claims="2 NG", reviewer="Sato")
    desk.pull()
    reported = Desk(desk.store, desk.header)
    desk.fill(verdict="OK", claims="2 OK")
    desk.pull()
    found = reported.pull("b.xlsx")
    assert ([], [Odd.STALE]) == (found.verdicts, [odd.kind for odd in found.oddities])
    assert "nothing_new" == found.heading
    assert {("Sato", ""): "OK", ("Sato", DAYS): "OK"} == stored(desk)
    reported.fill(verdict="unsure")
    reported.pull("b.xlsx")
    reported.fill(verdict="NG")  # once more what was written there: by now it is somebody's word
    reported.pull("b.xlsx")
    assert {("Sato", ""): "NG", ("Sato", DAYS): "OK"} == stored(desk)


async def test_what_a_report_of_another_store_shows_is_taken(desk: Desk, tmp_path: Path) -> None:
    desk.fill(verdict="NG", claims="2 NG", reviewer="Sato")
    desk.pull()
    reported = Desk(desk.store, desk.header)
    with Store.create(f"sqlite:///{tmp_path / 'other.db'}") as other:
        await kept(other, desk.header, TALKS)
        reported.store = other
        assert 2 == len(reported.pull("b.xlsx").new)


async def test_a_word_on_a_claim_counts_on_folded_turns_until_it_is_taken_back(
    store: Store,
) -> None:
    first = read_by_words(talk("parcel", [0.2]))
    turn = replace(first.turns[0], content="same")
    again = replace(turn, exchange=replace(turn.exchange, user="Hello! How much?"))
    talks = [
        replace(first, turns=(turn,)),
        replace(first, turns=(again,), cell=replace(first.cell, persona="angry")),
    ]
    desk = Desk(store, await kept(store, run_of("run1"), talks))
    assert 1 == len(desk.rows)
    desk.fill(claims="2 NG", reviewer="Sato")
    desk.pull()
    places = {("parcel/calm/1", ""), ("parcel/angry/1", "parcel/calm/1|1")}
    for cell, word in (("2 NG", Word.NG), ("", None)):
        desk.fill(claims=cell)
        desk.pull()
        last = {v.episode: v for v in store.verdicts("run1", claims=True)}
        assert places == {(v.episode, v.folded_from) for v in last.values()}
        assert {word} == {v.word for v in last.values()}
