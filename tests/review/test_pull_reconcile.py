"""Whatever people do to a sheet: no verdict is lost, none is made up, and twice is once."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.core.verdict import Word
from simulator.review.turn_rows import TurnName
from simulator.sheet.columns import COLUMNS
from simulator.sheet.reading import Feedback, Odd
from tests.review.pulling import TURNS, Shelf, odd, one
from tests.sheet.review_grids import IDS, RUN, cells_of, row, table

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


def test_what_was_sorted_without_the_hidden_columns_is_not_given_to_other_turns() -> None:
    rows = [row(*turn, verdict="NG", comment=f"on {turn}") for turn in TURNS[:3]]
    hidden = [(cells["key"], cells["hash"]) for cells in rows]
    rows.reverse()
    for cells, (key, hash_) in zip(rows, hidden, strict=True):
        cells |= {"key": key, "hash": hash_}
    shelf = Shelf()
    found = shelf.pull(table(cells_of(*rows)))
    assert [Odd.BROKEN_KEY, Odd.BROKEN_KEY] == odd(found)
    assert f"NG / on {TURNS[2]}" == found.oddities[0].values["typed"]
    assert [(TURNS[1], "a.xlsx")] == list(shelf.said())


def test_edits_are_seen_where_columns_are_missing_and_not_where_only_the_hash_is_odd() -> None:
    rows = cells_of(row(*TURNS[0], verdict="OK", hash="1E+12"))
    assert [] == odd(Shelf().pull(table(rows)))
    at = IDS.index("reason")
    shorter = [line[:at] + line[at + 1 :] for line in cells_of(row(*TURNS[0], user="?"))]
    assert [Odd.EDITED] == odd(Shelf().pull(table(shorter)))
