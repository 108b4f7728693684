"""Whatever people do to a sheet: no verdict is lost, none is made up, and twice is once."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.core.verdict import Word
from simulator.review.pull import TurnName
from simulator.worksheets.book import column_name
from simulator.worksheets.columns import COLUMNS, PEOPLE
from simulator.worksheets.reading import Feedback, Odd
from tests.review.pulling import TURNS, Shelf, odd, one
from tests.worksheets.review_grids import IDS, RUN, cells_of, row, table

# What people write, and what they do to the sheet

TEXTS = st.text(st.sampled_from("あ漢a1 =,\n'\""), max_size=5).map(str.strip)
SAIDS = st.builds(Feedback, st.sampled_from(Word), TEXTS, TEXTS, TEXTS)
NAMES = st.sampled_from(["Sato", "Suzuki", "高橋"])
WRITTEN = st.dictionaries(st.tuples(st.sampled_from(TURNS), NAMES), SAIDS, max_size=8)
WORDS = {
    Word.OK: ("OK", "ok ", "○", True, 1),
    Word.NG: ("NG", "ng", "×", False, 0),
    Word.UNSURE: ("unsure", "保留", "？"),
}


def rows_of(written: dict[tuple[TurnName, str], Feedback], draw: Any) -> list[dict[Any, Any]]:
    rows = []
    for turn in TURNS:
        people = [(name, said) for (of, name), said in written.items() if of == turn]
        for name, said in people or [("", Feedback())]:
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
    written: dict[tuple[TurnName, str], Feedback], data: st.DataObject
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
    before: dict[tuple[TurnName, str], Feedback],
    after: dict[tuple[TurnName, str], Feedback],
    data: st.DataObject,
) -> None:
    shelf = Shelf()
    shelf.pull(table(cells_of(*rows_of(before, data.draw))))
    earlier = list(shelf.given)
    shelf.pull(table(disturbed(cells_of(*rows_of(after, data.draw)), data.draw)))
    assert earlier == shelf.given[: len(earlier)]
    expected = dict(before)
    for name, said in after.items():
        old = before.get(name, Feedback())
        expected[name] = Feedback(
            said.word,
            said.error_type or old.error_type,
            said.corrected or old.corrected,
            said.comment or old.comment,
        )
    assert expected == shelf.said()


@settings(max_examples=40)
@given(st.lists(SAIDS, min_size=1, max_size=4), st.permutations(range(4)), st.booleans())
def test_a_persons_copied_rows_lose_nothing_and_settle_down(
    saids: list[Feedback], order: list[int], is_named: bool
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


def test_rows_of_other_runs_and_turns_are_told_where_somebody_wrote() -> None:
    rows = cells_of(
        row(verdict="NG", key="other|parcel/calm/1|1"),
        row(verdict="OK", key=f"{RUN}|parcel/calm/1|9"),
        row(key="other|parcel/calm/1|1"),
        row(verdict="OK", key="other|parcel/calm/1|2"),
        row(verdict="OK", key="third|parcel/calm/1|2"),
    )
    shelf = Shelf()
    found = shelf.pull(table(rows))
    assert ([], 0) == (found.verdicts, found.rows)
    *runs, turn = found.oddities
    assert (Odd.NO_TURN, "OK") == (turn.kind, turn.values["typed"])
    assert [("other", "2"), ("third", "1")] == [(o.values["run"], o.values["n"]) for o in runs]
    assert {Odd.OTHER_RUN} == {o.kind for o in runs}


@pytest.mark.parametrize(
    ("cells", "kind", "columns"),
    [
        ({"assistant": "Better."}, Odd.DOUBTFUL, "assistant"),
        ({"user": "x", "reason": "y"}, Odd.DOUBTFUL, "user,reason"),
        ({"score": 2, "persona": ""}, Odd.EDITED, "persona,score"),
    ],
)
def test_edited_cells_are_told_by_their_columns_and_the_verdict_counts(
    cells: dict[str, Any], kind: Odd, columns: str
) -> None:
    edited = row(*TURNS[0], verdict="OK") | cells
    found = Shelf().pull(table(cells_of(edited)))
    assert [(kind, columns)] == [(o.kind, o.values["columns"]) for o in found.oddities]
    assert all(str(text) in found.oddities[0].values["texts"] for text in cells.values())
    assert [Word.OK] == [v.word for v in found.new]
    unsaid = Shelf().pull(table(cells_of(row(*TURNS[0]) | cells)))
    assert [Odd.EDITED] == odd(unsaid)


SHOWN = ("user", "before", "assistant", "expected", "documents", *PEOPLE)
WHICH = ("sampled", "persona", "scenario", "turn")


@pytest.mark.parametrize(
    "stayed",
    [("key", "hash"), ("key", "hash", *WHICH), tuple(i for i in IDS if i not in (*SHOWN, *WHICH))],
)
def test_what_was_sorted_without_some_columns_is_given_to_the_turns_that_were_seen(
    stayed: Sequence[str],
) -> None:
    turns = [turn for turn in TURNS if turn[1] == 1]
    rows = [row(*turn, verdict="NG", comment=f"on {turn}") for turn in turns]
    kept = [{name: cells[name] for name in stayed if name in cells} for cells in rows]
    mixed = [cells | left for cells, left in zip(reversed(rows), kept, strict=True)]
    shelf = Shelf()
    found = shelf.pull(table(cells_of(*mixed)))
    assert [(Odd.MOVED, {"n": "4"})] == [(o.kind, o.values) for o in found.oddities]
    assert {turn: f"on {turn}" for turn in turns} == {
        turn: said.comment for (turn, _), said in shelf.said().items()
    }


def test_where_nothing_tells_which_turn_was_seen_the_row_is_told_and_not_taken() -> None:
    one, other = (row(*TURNS[at], verdict="NG") for at in (0, 6))
    mixed = one | {name: other[name] for name in ("user", "assistant")}
    shelf = Shelf()
    found = shelf.pull(table(cells_of(mixed)))
    assert [Odd.BROKEN_KEY] == odd(found)
    assert {} == shelf.said()


@pytest.mark.parametrize("name", ["reason", "flag", "scenario", "expected"])
def test_a_verdict_in_a_column_of_the_machine_is_pointed_out_and_not_taken(name: str) -> None:
    found = Shelf().pull(table(cells_of(row(*TURNS[0]) | {name: "NG"})))
    assert [(Odd.MISPLACED, "NG")] == [(o.kind, o.values["text"]) for o in found.oddities]
    assert ([], True) == (found.verdicts, found.is_empty)


@pytest.mark.parametrize("text", ["NG", "OK", "バツ"])
def test_a_verdict_in_the_column_of_the_cause_is_pointed_out_with_its_cell(text: str) -> None:
    shelf = Shelf()
    found = shelf.pull(table(cells_of(row(*TURNS[0], error_type=text))))
    (oddity,) = found.oddities
    assert (Odd.MISPLACED, text) == (oddity.kind, oddity.values["text"])
    assert oddity.values["column"].endswith(f"({column_name(IDS.index('error_type'))}2)")
    (said,) = shelf.said().values()
    assert (None, "") == (said.word, said.error_type)
    assert text in said.comment  # nothing that was written is lost


def test_what_stands_in_columns_and_rows_of_somebodys_own_is_told() -> None:
    rows = [[*line, None] for line in cells_of(row(*TURNS[0], verdict="OK"), row(*TURNS[1]))]
    rows[0][-1], rows[1][-1], rows[2][-1] = "memo", "urgent", "NG: too late"
    rows.append([None, "seen up to here"])
    found = Shelf().pull(table(rows))
    assert [
        (Odd.OWN_COLUMN, "memo"),
        (Odd.MISPLACED, "NG: too late"),
        (Odd.STRAY, "seen up to here"),
    ] == [(o.kind, o.values.get("text", "memo")) for o in found.oddities]
    assert not found.is_empty  # there was a verdict to be read


def test_edits_are_seen_where_columns_are_missing_and_not_where_only_the_hash_is_odd() -> None:
    rows = cells_of(row(*TURNS[0], verdict="OK", hash="1E+12"))
    assert [] == odd(Shelf().pull(table(rows)))
    at = IDS.index("reason")
    shorter = [line[:at] + line[at + 1 :] for line in cells_of(row(*TURNS[0], user="?"))]
    assert [Odd.EDITED] == odd(Shelf().pull(table(shorter)))
