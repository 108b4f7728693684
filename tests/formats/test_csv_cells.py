import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.formats.table_files import splice_cells

TEXTS = st.text(st.sampled_from('ab漢 ,;"\n'), max_size=6)
TABLES = st.lists(st.lists(TEXTS, min_size=2, max_size=4), min_size=1, max_size=5)


def written(rows: list[list[str]], end: str, quoting: Any) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=end, quoting=quoting).writerows(rows)
    return out.getvalue()


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def line_of(rows: list[list[str]], at: int, end: str, quoting: Any) -> int:
    before = written(rows[:at], end, quoting)
    return before.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


@given(
    TABLES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    TEXTS,
    st.data(),
)
def test_one_cell_is_another_text_and_everything_else_stays(
    rows: list[list[str]], end: str, quoting: Any, new: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, 4))
    text = written(rows, end, quoting)
    line = line_of(rows, at, end, quoting)
    after = splice_cells(text, ",", {(line, column): new})
    expected = [list(row) for row in rows]
    expected[at] += [""] * (column + 1 - len(expected[at]))
    expected[at][column] = new
    assert expected == read(after)
    before_it, behind_it = written(rows[:at], end, quoting), written(rows[at + 1 :], end, quoting)
    assert after.startswith(before_it)
    assert after.endswith(behind_it)


@pytest.mark.parametrize(
    ("text", "cell", "after"),
    [
        ("a,b\n1,2", (2, 1), "a,b\n1,x"),
        ("a,b\n1\n", (2, 1), "a,b\n1,x\n"),
        ("a,b\n1\n", (2, 3), "a,b\n1,,,x\n"),
        ('a,b\r\n"1\r\n2",\r\n3,4\r\n', (4, 1), 'a,b\r\n"1\r\n2",\r\n3,x\r\n'),
        ('a,b\n1,"2"\n', (2, 1), 'a,b\n1,"x"\n'),
        ("a,b\n\n1,2\n", (3, 0), "a,b\n\nx,2\n"),
    ],
)
def test_quotes_line_ends_and_empty_lines_stay_as_they_were(
    text: str, cell: tuple[int, int], after: str
) -> None:
    assert after == splice_cells(text, ",", {cell: "x"})


def test_several_cells_are_changed_at_once() -> None:
    assert "x\ty\n1\tz\n" == splice_cells(
        "a\tb\n1\t2\n", "\t", {(1, 0): "x", (1, 1): "y", (2, 1): "z"}
    )


def test_a_row_that_is_not_there_is_none() -> None:
    with pytest.raises(LookupError):
        splice_cells('a\n"b\nc"\n', ",", {(3, 0): "x"})
