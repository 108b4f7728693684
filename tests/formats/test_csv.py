import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.formats.sources import Source
from simulator.formats.table_files import read_csv
from simulator.formats.tables import Row, Table
from tests.formats.written import complaints, unclear

CELL = st.text(alphabet='aあ①髙～―ﾃ,;"|\t\n ', max_size=8)


def _read(tmp_path: Path, content: str | bytes) -> Table:
    path = tmp_path / "a.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_csv(Source.of(path, tmp_path))


def test_rows_have_the_line_on_which_they_begin(tmp_path: Path) -> None:
    table = _read(tmp_path, 'id,text\n1,"two\nlines"\n\n2,x\n')
    assert (
        Row(2, {"id": "1", "text": "two\nlines"}),
        Row(5, {"id": "2", "text": "x"}),
    ) == table.rows


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_is_read(tmp_path: Path, end: str) -> None:
    table = _read(tmp_path, end.join(["id,text", "1,a", "2,b", ""]))
    assert [(2, "a"), (3, "b")] == [(row.line, row.cells["text"]) for row in table.rows]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
@pytest.mark.parametrize("parted_by", [",", ";", "\t"])
def test_every_way_in_which_excel_saves_is_read(
    tmp_path: Path, encoding: str, parted_by: str
) -> None:
    text = "質問,回答\r\nログインできません。,①を押す\r\n".replace(",", parted_by)
    table = _read(tmp_path, text.encode(encoding))
    assert ("質問", "回答") == table.columns
    assert {"質問": "ログインできません。", "回答": "①を押す"} == table.rows[0].cells


@given(
    rows=st.lists(st.lists(CELL, min_size=2, max_size=2), min_size=1, max_size=5),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "cp932", "utf-16"]),
    dialect=st.sampled_from(["excel", "excel-tab"]),
)
def test_what_a_spreadsheet_saved_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], encoding: str, dialect: str
) -> None:
    saved = io.StringIO(newline="")
    csv.writer(saved, dialect).writerows([["質問", "ひらがな"], *rows, ["", ""]])
    table = _read(tmp_path_factory.getbasetemp(), saved.getvalue().encode(encoding))
    stripped = [[cell.strip() for cell in row] for row in rows]
    names = ("質問", "ひらがな")
    wanted = [{n: c for n, c in zip(names, row, strict=True) if c} for row in stripped]
    assert [cells for cells in wanted if cells] == [row.cells for row in table.rows]


def test_a_row_after_line_ends_in_cells_is_named_as_a_spreadsheet_counts_it(tmp_path: Path) -> None:
    table = _read(tmp_path, 'id,text\n1,"two\nlines"\n\n2,x\n')
    assert ["a.csv:2: !", "a.csv:5: (row 4 of the sheet) !"] == [
        str(table.source.complaint(row.line, "!")) for row in table.rows
    ]
    wrong = 'id,text\n1,"two\nlines"\n2,a,b\n3,"c\n'
    said = "a double quote opens in this row and never closes; close it"
    assert [f"a.csv:5: (row 4 of the sheet) {said}"] == complaints(lambda: _read(tmp_path, wrong))


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;", "sep=|"])
def test_the_line_with_which_excel_names_its_separator_is_no_row(tmp_path: Path, line: str) -> None:
    table = _read(tmp_path, f"{line}\r\nid;a,b,c\r\n1;x\r\n".replace(";", line.strip('"')[-1]))
    assert (2, ("id", "a,b,c")) == (table.header_line, table.columns)
    assert (Row(3, {"id": "1", "a,b,c": "x"}),) == table.rows


def test_commas_inside_quotes_do_not_part_the_header(tmp_path: Path) -> None:
    assert ("a,b,c", "d") == _read(tmp_path, '"a,b,c";d\n').columns


def test_empty_rows_and_columns_at_the_end_are_no_rows_and_columns(tmp_path: Path) -> None:
    table = _read(tmp_path, "id,text,,\r\n1,a,,\r\n,,,\r\n,,,\r\n")
    assert (Row(2, {"id": "1", "text": "a"}),) == table.rows


def test_empty_cells_and_nameless_columns_are_left_out(tmp_path: Path) -> None:
    table = _read(tmp_path, "id,,text\n1,note, \n,remark,\n")
    assert ({"id": "1"},) == tuple(row.cells for row in table.rows)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "a.csv: empty file; write the names of the columns in the first line"),
        ("\n , \n", "a.csv: empty file; write the names of the columns in the first line"),
        ("id,text,ID\n", 'a.csv:1: the column "id" appears twice; keep one of them'),
        (
            "id,text\n1,a,b\n",
            (
                "a.csv:2: has 3 cells where the first line names 2 columns; "
                'put text that contains "," in double quotes'
            ),
        ),
        (
            "FAQ 2026\nid,text\n1,a\n",
            (
                "a.csv:1: names one column and row 2 has more; "
                "the first line must name all columns, with nothing above it"
            ),
        ),
        (
            'id,text\n1,a\n2,"b\n3,c\n',
            "a.csv:3: a double quote opens in this row and never closes; close it",
        ),
        (
            'id,text\n1,"a"b\n',
            'a.csv:2: text follows a closing quote; write a double quote inside a text twice ("")',
        ),
        (
            "id,text\n1," + "a" * 200_000,
            "a.csv:2: a cell is longer than 131,072 characters; close its quote, or cut it",
        ),
    ],
)
def test_what_is_no_table_is_explained(tmp_path: Path, content: str, complaint: str) -> None:
    assert [complaint] == complaints(lambda: _read(tmp_path, content))


def test_control_characters_do_not_come_through(tmp_path: Path) -> None:
    assert "ab" == _read(tmp_path, "id\na\x00\x1bb\n").rows[0].cells["id"]


@given(content=st.binary(max_size=200) | st.text(alphabet='",;\n\r\x00aあ|', max_size=60))
def test_any_bytes_are_read_or_complained_of(
    content: str | bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert [] == unclear(lambda: _read(tmp_path_factory.getbasetemp(), content))
