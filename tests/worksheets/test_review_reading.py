from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.core.verdict import Word
from simulator.formats.tables import Record
from simulator.formats.xlsx.workbook import NO_DAY, NO_RESULT
from simulator.worksheets.columns import without_kept
from simulator.worksheets.reading import (
    Feedback,
    Odd,
    ReviewGrid,
    ReviewTable,
    RowPlace,
    grid_of,
    read_review,
)
from tests.worksheets.review_grids import IDS, RUN, cells_of, grid, row, table


def odd(found: ReviewTable) -> list[tuple[Odd, int]]:
    return [(o.kind, o.place.row if o.place else 0) for o in found.oddities]


def test_a_row_says_which_turn_it_is_about_and_what_people_wrote() -> None:
    written = row(
        "a/b|c/1", 2, verdict="NG", error_type="unused", corrected="No.", comment="!",
        reviewer=" Sato  Hanako ",
    )  # fmt: skip
    found = read_review([grid(written)], "a.xlsx", "en")
    (read,) = found.rows
    assert (RUN, "a/b|c/1", 2) == (read.run, read.episode, read.turn)
    assert Feedback(Word.NG, "unused", "No.", "!") == read.feedback
    assert ("Sato Hanako", True, RowPlace(2)) == (read.reviewer, read.intact, read.place)
    assert () == found.oddities


@pytest.mark.parametrize(
    ("cell", "word"),
    [
        ("ok", Word.OK), (True, Word.OK), (1, Word.OK), (1.0, Word.OK), ("○", Word.OK),
        (False, Word.NG), ("FALSE", Word.NG), (0, Word.NG), ("×", Word.NG),
        ("保留", Word.UNSURE), ("", None), (None, None),
    ],
)  # fmt: skip
def test_what_spreadsheets_make_of_a_verdict_is_still_one(cell: object, word: Word | None) -> None:
    (read,) = table(cells_of(row(verdict=cell))).rows
    assert word is read.feedback.word


def test_an_unknown_word_is_kept_as_a_comment_and_told() -> None:
    found = table(cells_of(row(verdict="たぶんOK", comment="自信なし")), "ja")
    (read,) = found.rows
    assert Feedback(None, comment="自信なし\n（判定欄）たぶんOK") == read.feedback
    assert [(Odd.UNKNOWN_WORD, 2)] == odd(found)
    assert "自信なし" == without_kept(read.feedback.comment)


def test_cells_of_a_doubled_column_are_joined_where_they_agree() -> None:
    rows = cells_of(row(verdict="OK"), row(turn=2), row(turn=3, verdict="OK"))
    doubled = [[*line, more] for line, more in zip(rows, ("判定", "○", "NG", ""), strict=True)]
    found = table(doubled)
    assert [Word.OK, Word.NG, Word.OK] == [read.feedback.word for read in found.rows]
    assert () == found.oddities


def test_where_they_differ_neither_counts_and_both_are_kept() -> None:
    rows = cells_of(row(verdict="OK", corrected="a", comment="x"))
    more = [("verdict", "NG"), ("corrected answer", "b"), ("comment", "y")]
    doubled = [line + [pair[n] for pair in more] for n, line in enumerate(rows)]
    found = table(doubled)
    (read,) = found.rows
    kept = "x\ny\n(verdict cell) OK / NG\n(corrected answer cell) a / b"
    assert Feedback(None, "", "", kept) == read.feedback
    assert [(Odd.TWICE, 2), (Odd.TWICE, 2)] == odd(found)


def test_a_row_without_its_key_is_told_with_what_was_written() -> None:
    found = table(cells_of(row(verdict="NG", key="?"), row(turn=2, key="")))
    assert () == found.rows
    assert [(Odd.BROKEN_KEY, 2)] == odd(found)
    assert {"key": "?", "typed": "NG"} == found.oddities[0].values


@pytest.mark.parametrize(
    ("problem", "kind", "error"),
    [
        ("the cell holds the error #SPILL!; mend its formula", Odd.BROKEN_CELL, "#SPILL!"),
        ("the cell holds the error #N/A; mend its formula", Odd.BROKEN_CELL, "#N/A"),
        (NO_RESULT, Odd.NO_RESULT, NO_RESULT),
        (NO_DAY, Odd.NO_DAY, NO_DAY),
    ],
)
def test_a_cell_that_cannot_be_read_is_told(problem: str, kind: Odd, error: str) -> None:
    head, record = grid(row(verdict="OK")).records
    broken = {IDS.index("comment"): problem, IDS.index("score"): "#N/A"}
    found = read_review([ReviewGrid("", [head, Record(2, record.cells, broken)])], "a", "en")
    assert [(kind, 2)] == odd(found)
    assert {"column": "comment", "error": error} == found.oddities[0].values


@pytest.mark.parametrize("error", ["#ERROR!", "#NAME?", "#N/A"])
def test_a_text_that_became_a_formula_is_told_and_not_kept(error: str) -> None:
    found = table(cells_of(row(verdict="NG", comment=error)))
    assert [Feedback(Word.NG)] == [read.feedback for read in found.rows]
    assert [(Odd.BROKEN_CELL, 2)] == odd(found)
    assert {"column": "comment", "error": error} == found.oddities[0].values


@pytest.mark.parametrize("cells", [{"assistant": "better"}, {"score": 0.9}, {"hash": "0"}])
def test_a_row_that_was_edited_is_not_intact(cells: dict[str, Any]) -> None:
    edited = row() | cells
    assert [False] == [read.intact for read in table(cells_of(edited)).rows]


def test_what_a_spreadsheet_does_by_itself_is_no_edit() -> None:
    written = row(user="=1+1", score=0.4)
    from simulator.worksheets.columns import row_hash

    written["hash"] = row_hash(written)
    changed = written | {"user": "'=1+1", "score": "0.400000", "turn": "1.0"}
    assert [True] == [read.intact for read in table(cells_of(changed)).rows]


def test_without_all_columns_it_cannot_be_told_what_was_edited() -> None:
    at = IDS.index("reason")
    rows = [line[:at] + line[at + 1 :] for line in cells_of(row(verdict="OK"))]
    (read,) = table(rows).rows
    assert (None, Word.OK) == (read.intact, read.feedback.word)


_OLD = [
    "key", "sampled", "persona", "scenario", "turn", "before", "user", "assistant", "metric",
    "score", "reason", "threshold", "flag", "verdict",
    "error_type", "corrected", "comment", "reviewer", "hash",
]  # fmt: skip


@pytest.mark.parametrize("without", [(), ("before",)])
def test_a_file_of_an_earlier_version_is_as_good(without: tuple[str, ...]) -> None:
    heads = ["キー", "抽出", "ペルソナ", "シナリオ", "往復", "それまでのやりとり", "利用者",
             "ボットの回答", "指標", "点数", "理由", "しきい値", "要確認", "判定", "誤りの種類",
             "正しい回答", "コメント", "判定者", "照合用"]  # fmt: skip
    written = row(verdict="OK", hash="fbdbe5789802")  # as that version had it
    lines = [dict(zip(_OLD, heads, strict=True)), written]
    found = table([[line.get(name) for name in _OLD if name not in without] for line in lines])
    (read,) = found.rows
    assert (True, Word.OK, ()) == (read.intact, read.feedback.word, found.oddities)


def test_missing_columns_are_told_with_what_is_there() -> None:
    rows = cells_of(row(comment="x"))
    rows[0][IDS.index("error_type")], rows[0][IDS.index("reviewer")] = "kind", ""
    found = table(rows)
    assert [(Odd.NO_COLUMN, 0), (Odd.NO_COLUMN, 0)] == odd(found)
    assert "error type" == found.oddities[0].values["column"]
    assert ", kind, " in found.oddities[0].values["there"]


def test_every_copy_of_the_table_is_read_and_named() -> None:
    grids = [
        grid_of("Config", [["metric", "threshold"]]),
        grid_of("Review", cells_of(row(verdict="OK"))),
        grid_of("Copy", cells_of(row(verdict="?!"))),
    ]
    found = read_review(grids, "a.xlsx", "en")
    assert [RowPlace(2, "Review"), RowPlace(2, "Copy")] == [read.place for read in found.rows]
    assert [RowPlace(2, "Copy")] == [o.place for o in found.oddities]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "a.xlsx: empty file"),
        ([["metric", "threshold"]], 'columns: Sheet1: "metric", "threshold"'),
        ([["key", "user", "assistant"]], 'columns: Sheet1: "key", "user", "assistant"'),
    ],
)
def test_a_file_without_such_a_table_is_refused(rows: list[list[object]], says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_review([grid_of("Sheet1", rows)], "a.xlsx", "en")
    assert says in str(caught.value)


def test_what_stands_behind_a_word_becomes_a_comment() -> None:
    (read,) = table(cells_of(row(verdict="NG（期限がない）", comment="また"))).rows
    assert (Word.NG, "また\n期限がない") == (read.feedback.word, read.feedback.comment)
