"""Whatever people do to a sheet: no verdict is lost, none is made up, and twice is once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.core.verdict import Verdict, Word, latest
from simulator.review.reconcile import Known, reconcile
from simulator.review.turn_rows import Pulled, Reading, TurnName
from simulator.tables.review_columns import COLUMNS, HASHED
from simulator.tables.review_reading import Odd, ReviewTable, Said
from tests.tables.review_grids import IDS, RUN, cells_of, row, table

TURNS: tuple[TurnName, ...] = tuple(
    (f"{scenario}/{persona}/1", turn)
    for scenario in ("parcel", "refund")
    for persona in ("calm", "angry")
    for turn in (1, 2)
)
AT = "2026-11-20T05:06:07+00:00"


class Shelf:
    """Verdicts as a store keeps them: only ever added."""

    def __init__(self, *given: Verdict) -> None:
        self.given = list(given)
        self.pulls = 0

    def pull(self, read: ReviewTable, source: str = "a.xlsx", reviewer: str = "") -> Pulled:
        self.pulls += 1
        found = reconcile(
            read, self.known(), Reading(RUN, source, f"{AT}{self.pulls:03}", "en", reviewer)
        )
        names = [(v.episode, v.turn, v.reviewer) for v in found.verdicts]
        assert len(set(names)) == len(names)  # else the store would drop one of them
        self.given += found.verdicts
        return found

    def known(self) -> Known:
        verdicts: dict[TurnName, list[Verdict]] = {turn: [] for turn in TURNS}
        for verdict in self.given:
            verdicts[verdict.episode, verdict.turn].append(verdict)
        written = {turn: {name: row(*turn)[name] for name in HASHED} for turn in TURNS}
        return Known(verdicts, lambda: written)

    def said(self) -> dict[tuple[TurnName, str], Said]:
        """What each person says of each turn by now."""
        return {
            (turn, verdict.reviewer or verdict.source): Said(
                verdict.word, verdict.error_type, verdict.corrected, verdict.comment
            )
            for turn, verdicts in self.known().verdicts.items()
            for verdict in latest(verdicts).values()
        }


def odd(found: Pulled) -> list[Odd]:
    return [oddity.kind for oddity in found.oddities]


def one(*rows: dict[str, Any]) -> ReviewTable:
    return table(cells_of(*(row(*TURNS[0], **people) for people in rows)))


# What people write, and what they do to the sheet

TEXTS = st.text(st.sampled_from("あ漢a1 =,\n'\""), max_size=5).map(str.strip)
SAIDS = st.builds(Said, st.sampled_from(Word), TEXTS, TEXTS, TEXTS)
NAMES = st.sampled_from(["Sato", "Suzuki", "高橋"])
WRITTEN = st.dictionaries(st.tuples(st.sampled_from(TURNS), NAMES), SAIDS, max_size=8)
WORDS = {
    Word.OK: ("OK", "ok ", "○", True, 1),
    Word.NG: ("NG", "ng", "×", False, 0),
    Word.UNSURE: ("unsure", "保留", "？"),
}


def rows_of(written: dict[tuple[TurnName, str], Said], draw: Any) -> list[dict[Any, Any]]:
    rows = []
    for turn in TURNS:
        people = [(name, said) for (of, name), said in written.items() if of == turn]
        for name, said in people or [("", Said())]:
            cells = row(*turn, reviewer=name, error_type=said.error_type)
            word = draw(st.sampled_from(WORDS[said.word])) if said.word else ""
            cells |= {"verdict": word, "corrected": said.corrected, "comment": said.comment}
            rows.append(cells)
    return rows


def disturbed(lines: list[list[object]], draw: Any) -> list[list[object]]:
    """Sorted, doubled, with rows and columns put in, taken out, moved and renamed."""
    head, *body = lines
    body += [list(line) for line in draw(st.lists(st.sampled_from(body), max_size=3))]
    body = draw(st.permutations(body))
    for at in draw(st.lists(st.integers(0, len(body)), max_size=3)):
        body.insert(at, draw(st.sampled_from([[], [""] * 5, ["", "", "note"]])))
    columns = list(range(len(head)))
    gone = draw(
        st.sets(
            st.sampled_from([n for n, c in enumerate(COLUMNS) if not c.people and n]), max_size=3
        )
    )
    columns = draw(st.permutations([n for n in columns if n not in gone]))
    new: list[int] = [-1] * draw(st.integers(0, 3))
    columns = draw(st.permutations([*columns, *new]))

    def name(at: int) -> object:
        if at < 0:
            return draw(st.sampled_from(["", "メモ", "Datum"]))
        remark = draw(st.sampled_from(["", " (required)", "※", "：必須"]))
        return f"{COLUMNS[at].heads[draw(st.sampled_from(['ja', 'en']))]}{remark}"

    def cells(line: Sequence[object]) -> list[object]:
        padded = [*line, *[""] * (len(head) - len(line))]
        return [
            padded[at] if at >= 0 else draw(st.sampled_from(["", "x", "1", "OK?"]))
            for at in columns
        ]

    above: list[list[object]] = [["Reviews"]] * draw(st.integers(0, 2))
    return [*above, [name(at) for at in columns], *map(cells, body)]


@settings(max_examples=40)
@given(WRITTEN, st.data())
def test_whatever_was_done_to_the_sheet_each_verdict_is_read_once(
    written: dict[tuple[TurnName, str], Said], data: st.DataObject
) -> None:
    shelf = Shelf()
    lines = disturbed(cells_of(*rows_of(written, data.draw)), data.draw)
    found = shelf.pull(table(lines))
    assert written == shelf.said()
    assert (len(written), 0) == (len(found.new), len(found.changed))
    again = shelf.pull(table(disturbed(cells_of(*rows_of(written, data.draw)), data.draw)))
    assert [] == again.verdicts
    assert len(written) == again.unchanged.total()


@settings(max_examples=40)
@given(WRITTEN, WRITTEN, st.data())
def test_what_was_said_later_counts_and_what_was_left_empty_takes_nothing_away(
    before: dict[tuple[TurnName, str], Said],
    after: dict[tuple[TurnName, str], Said],
    data: st.DataObject,
) -> None:
    shelf = Shelf()
    shelf.pull(table(cells_of(*rows_of(before, data.draw))))
    earlier = list(shelf.given)
    shelf.pull(table(disturbed(cells_of(*rows_of(after, data.draw)), data.draw)))
    assert earlier == shelf.given[: len(earlier)]
    expected = dict(before)
    for name, said in after.items():
        old = before.get(name, Said())
        expected[name] = Said(
            said.word,
            said.error_type or old.error_type,
            said.corrected or old.corrected,
            said.comment or old.comment,
        )
    assert expected == shelf.said()


@settings(max_examples=40)
@given(st.lists(SAIDS, min_size=1, max_size=4), st.permutations(range(4)), st.booleans())
def test_a_persons_copied_rows_lose_nothing_and_settle_down(
    saids: list[Said], order: list[int], is_named: bool
) -> None:
    name = "Sato" if is_named else ""
    rows = [
        {
            "verdict": s.word,
            "error_type": s.error_type,
            "corrected": s.corrected,
            "comment": s.comment,
        }
        for s in saids
    ]
    shelf = Shelf()
    shelf.pull(one(*({**r, "reviewer": name} for r in rows)))
    (kept,) = shelf.said().values()
    there = " ".join(
        [*str(kept.word and kept.word.value).split(), kept.error_type, kept.corrected, kept.comment]
    )
    for said in saids:
        for text in (said.word or "", said.error_type, said.corrected, *said.comment.split("\n")):
            assert " ".join(text.split()) in " ".join(there.split())
    mixed = [rows[at] for at in order if at < len(rows)]
    assert [] == shelf.pull(one(*({**r, "reviewer": name} for r in mixed))).verdicts


def test_people_on_one_turn_are_kept_apart() -> None:
    shelf = Shelf()
    shelf.pull(
        one(
            {"verdict": "OK", "reviewer": "Sato"},
            {"verdict": "NG", "reviewer": "Suzuki"},
            {"verdict": "OK"},
        )
    )
    assert {"Sato": Word.OK, "Suzuki": Word.NG, "a.xlsx": Word.OK} == {
        who: said.word for (_, who), said in shelf.said().items()
    }


def test_a_name_is_one_person_however_it_is_spelt() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "OK", "reviewer": "Sato"}))
    found = shelf.pull(one({"verdict": "NG", "reviewer": "ＳＡＴＯ "}), "b.xlsx")
    assert (0, 1, "Sato") == (len(found.new), len(found.changed), found.changed[0].reviewer)


def test_an_edited_copy_of_a_row_counts_and_the_other_one_does_not_come_back() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "OK", "reviewer": "Sato"}))
    both = one({"verdict": "OK", "reviewer": "Sato"}, {"verdict": "NG", "reviewer": "Sato"})
    assert [Word.NG] == [v.word for v in shelf.pull(both).changed]
    assert [] == shelf.pull(both).verdicts
    assert [Word.OK] == [
        v.word for v in shelf.pull(one({"verdict": "OK", "reviewer": "Sato"})).changed
    ]


def test_two_words_of_one_person_are_kept_and_told() -> None:
    shelf = Shelf()
    found = shelf.pull(
        one({"verdict": "OK", "reviewer": "Sato"}, {"verdict": "NG", "reviewer": "Sato"})
    )
    assert {"Sato": Said(None, comment="(verdict cell) NG / OK")} == {
        who: said for (_, who), said in shelf.said().items()
    }
    assert [Odd.SAME_PERSON] == odd(found)
    assert "2, 3" == found.oddities[0].values["rows"]


def test_cells_that_were_emptied_are_told_and_take_nothing_away() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG", "comment": "x", "reviewer": "Sato"}))
    found = shelf.pull(one({"comment": "x", "reviewer": "Sato"}))
    assert ([], [Odd.CLEARED]) == (found.verdicts, odd(found))
    assert [Odd.GONE] == odd(shelf.pull(one({"reviewer": "Sato"})))
    assert [] == odd(shelf.pull(one({"comment": "x", "reviewer": "Sato"}), "other.xlsx"))


def test_an_unknown_word_is_kept_until_there_is_a_right_one() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "maybe OK", "reviewer": "Sato"}))
    found = shelf.pull(one({"verdict": "OK", "reviewer": "Sato"}))
    assert [Said(Word.OK, comment="(verdict cell) maybe OK")] == list(shelf.said().values())
    assert [] == odd(found)


def test_a_row_that_gets_its_name_later_is_one_person() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG"}))
    found = shelf.pull(one({"verdict": "NG", "reviewer": "Sato"}))
    assert {(TURNS[0], "Sato"): Said(Word.NG)} == shelf.said()
    assert [Odd.NAMED] == odd(found)
    assert [] == shelf.pull(one({"verdict": "NG", "reviewer": "Sato"})).verdicts


def test_a_name_beside_a_row_that_has_none_takes_nothing_from_it() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG"}))
    shelf.pull(one({"verdict": "NG"}, {"verdict": "NG", "reviewer": "Sato"}))
    assert {"a.xlsx", "Sato"} == {who for _, who in shelf.said()}
    other = Shelf()
    other.pull(one({"verdict": "NG"}))
    other.pull(one({"verdict": "OK", "reviewer": "Sato"}))  # perhaps somebody else's row
    assert {"a.xlsx", "Sato"} == {who for _, who in other.said()}


def test_a_name_may_be_given_for_rows_that_have_none() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG"}, {"verdict": "OK", "reviewer": "Suzuki"}), reviewer="Sato")
    assert {"Sato": Word.NG, "Suzuki": Word.OK} == {
        who: s.word for (_, who), s in shelf.said().items()
    }
    without = one({"verdict": "NG"}, {"verdict": "OK", "reviewer": "Suzuki"})
    assert [] == shelf.pull(without).verdicts  # and once more, without it


def test_what_a_report_wrote_into_another_file_is_nobodys_new_verdict() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG", "comment": "x"}))
    found = shelf.pull(one({"verdict": "NG", "comment": "x"}), "b.xlsx")
    assert ([], [Odd.REPEATED]) == (found.verdicts, odd(found))
    found = shelf.pull(one({"verdict": "OK", "comment": "x"}), "b.xlsx")
    assert (1, [Odd.NAMELESS]) == (len(found.new), odd(found))


@pytest.mark.parametrize("reviewer", ["", "Suzuki"])
def test_what_export_printed_is_nobodys_verdict(reviewer: str) -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "OK", "reviewer": "Sato"}))
    shelf.pull(one({"verdict": "NG", "reviewer": "Sato"}))
    for word in ("OK", "NG"):  # printed before and after Sato thought better of it
        printed = replace(one({"verdict": word}), is_printed=True)
        found = shelf.pull(printed, "a.jsonl", reviewer)
        assert ([], [Odd.PRINTED]) == (found.verdicts, odd(found))
    typed = replace(one({"verdict": "unsure"}), is_printed=True)
    assert 1 == len(shelf.pull(typed, "a.jsonl", reviewer).new)
    named = replace(one({"verdict": "NG", "reviewer": "Takahashi"}), is_printed=True)
    assert 1 == len(shelf.pull(named, "a.jsonl", reviewer).new)


def test_rows_of_other_runs_and_turns_are_told_where_somebody_wrote() -> None:
    rows = cells_of(
        row(verdict="NG", key="other|parcel/calm/1|1"),
        row(verdict="OK", key=f"{RUN}|parcel/calm/1|9"),
        row(key="other|parcel/calm/1|1"),
    )
    shelf = Shelf()
    found = shelf.pull(table(rows))
    assert ([], 0) == (found.verdicts, found.rows)
    assert [(Odd.OTHER_RUN, "NG"), (Odd.NO_TURN, "OK")] == [
        (o.kind, o.values["typed"]) for o in found.oddities
    ]


@pytest.mark.parametrize(
    ("cells", "kind", "columns"),
    [
        ({"assistant": "Better."}, Odd.DOUBTFUL, "assistant"),
        ({"user": "x", "reason": "y"}, Odd.DOUBTFUL, "user,reason"),
        ({"score": 1, "persona": ""}, Odd.EDITED, "persona,score"),
    ],
)
def test_edited_cells_are_told_by_their_columns_and_the_verdict_counts(
    cells: dict[str, Any], kind: Odd, columns: str
) -> None:
    edited = row(*TURNS[0], verdict="OK") | cells
    found = Shelf().pull(table(cells_of(edited)))
    assert [(kind, {"columns": columns})] == [(o.kind, o.values) for o in found.oddities]
    assert [Word.OK] == [v.word for v in found.new]
    unsaid = Shelf().pull(table(cells_of(row(*TURNS[0]) | cells)))
    assert [Odd.EDITED] == odd(unsaid)


def test_edits_are_seen_where_columns_are_missing_and_not_where_only_the_hash_is_odd() -> None:
    rows = cells_of(row(*TURNS[0], verdict="OK", hash="1E+12"))
    assert [] == odd(Shelf().pull(table(rows)))
    at = IDS.index("reason")
    shorter = [line[:at] + line[at + 1 :] for line in cells_of(row(*TURNS[0], user="?"))]
    assert [Odd.EDITED] == odd(Shelf().pull(table(shorter)))
