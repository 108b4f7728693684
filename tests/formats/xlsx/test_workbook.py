import importlib
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.formats.sources import Source
from simulator.formats.xlsx import workbook as parts
from simulator.formats.xlsx.workbook import read_workbook
from tests.formats.written import complaints, unclear
from tests.formats.xlsx.written import number, read, row, text, workbook, worksheet, zipped

HEADER = row(1, text("id"), text("v"))
ONE = worksheet(HEADER, row(2, text("a"), text("b")))
TWO = worksheet(HEADER, row(2, text("c"), text("d")))


def _library(name: str) -> Any:
    pytest.importorskip(name)
    return importlib.import_module(name)


def test_a_workbook_of_openpyxl_is_read(tmp_path: Path) -> None:
    book = _library("openpyxl").Workbook()
    book.active.append(["id", "質問", "率", "可"])
    book.active.append(["a", "ログイン\nできません", 0.85, True])
    book.active["C2"].number_format = "0%"
    data = io.BytesIO()
    book.save(data)
    found = read(tmp_path, data.getvalue())
    assert ("id", "質問", "率", "可") == found.columns
    cells = {"id": "a", "質問": "ログイン\nできません", "率": "85%", "可": "TRUE"}
    assert [(2, cells)] == [(r.line, r.cells) for r in found.rows]


def test_a_workbook_of_xlsxwriter_is_read(tmp_path: Path) -> None:
    data = io.BytesIO()
    book = _library("xlsxwriter").Workbook(data)
    sheet = book.add_worksheet("一覧")
    sheet.write_row(0, 0, ["id", "価格", "合計"])
    sheet.write(1, 0, "a")
    sheet.write(1, 1, 1480, book.add_format({"num_format": '#,##0"円"'}))
    sheet.write_formula(1, 2, "=B2*2", None, 2960)
    book.close()
    found = read(tmp_path, data.getvalue())
    assert {"id": "a", "価格": "1,480円", "合計": "2960"} == found.rows[0].cells


def test_the_first_worksheet_that_is_not_hidden_counts(tmp_path: Path) -> None:
    assert "a" == read(tmp_path, workbook({"x": ONE, "y": TWO})).rows[0].cells["id"]
    hidden = workbook({"x": ONE, "y": TWO}, hidden=("x",))
    assert "c" == read(tmp_path, hidden).rows[0].cells["id"]
    assert "a" == read(tmp_path, hidden, "x").rows[0].cells["id"]


def test_the_worksheet_is_named_where_there_are_several(tmp_path: Path) -> None:
    assert "a.xlsx[二]" == read(tmp_path, workbook({"x": ONE, "二": TWO}), "二").source.name
    assert "a.xlsx" == read(tmp_path, workbook({"x": ONE})).source.name


def test_a_worksheet_that_is_not_there_is_a_complaint(tmp_path: Path) -> None:
    book = workbook({"一覧": ONE, "旧": TWO})
    assert [
        'a.xlsx: no worksheet "一覧表"; did you mean 一覧? choose from: 一覧, 旧'
    ] == complaints(lambda: read(tmp_path, book, "一覧表"))


def test_the_years_of_old_macs_are_told_apart(tmp_path: Path) -> None:
    sheet = worksheet(HEADER, row(2, text("a"), number("1", 1)))
    old = workbook({"x": sheet}, formats=("yyyy-mm-dd",), from_1904=True)
    assert "1904-01-02" == read(tmp_path, old).rows[0].cells["v"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "empty file; save it again in Excel as .xlsx"),
        (b"id,query\n", "not an xlsx file; save it in Excel as .xlsx, or rename it to .csv"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
            "is in the older .xls format; save it in Excel as .xlsx",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "is protected by a password; save it without one",
        ),
        (
            zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}),
            "is in another format (.ods, .xlsb); save it as .xlsx",
        ),
        (
            zipped({"a.txt": "x"}),
            "the file is damaged, or isn't an xlsx file; open it in Excel and save it as .xlsx",
        ),
        (
            workbook({"x": ONE})[:-30],
            "the file is damaged, or isn't an xlsx file; open it in Excel and save it as .xlsx",
        ),
        (
            workbook({"x": worksheet()}),
            "empty file; write the names of the columns in the first row",
        ),
        (
            workbook({"x": worksheet(HEADER, head='<!DOCTYPE w [<!ENTITY a "b">]>')}),
            "the file is damaged, or isn't an xlsx file; open it in Excel and save it as .xlsx",
        ),
        (
            workbook({"x": worksheet(row(1, 't="s"><v>7</v>'))}),
            "the file is damaged, or isn't an xlsx file; open it in Excel and save it as .xlsx",
        ),
    ],
)
def test_what_is_no_workbook_is_explained(tmp_path: Path, content: bytes, complaint: str) -> None:
    assert [f"a.xlsx: {complaint}"] == complaints(lambda: read(tmp_path, content))


def test_the_mark_of_an_open_file_is_no_workbook(tmp_path: Path) -> None:
    assert ["~$a.xlsx: is a lock file of an open file; use the file itself, a.xlsx"] == complaints(
        lambda: read(tmp_path, b"\6acme", name="~$a.xlsx")
    )


def test_a_file_that_excel_keeps_from_being_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "~$a.xlsx").write_bytes(b"\6acme")
    path = tmp_path / "a.xlsx"
    path.mkdir()  # cannot be read by anybody
    assert ["a.xlsx: can't be read while it's open in Excel; close it there"] == complaints(
        lambda: read_workbook(Source.of(path, tmp_path))
    )


def test_a_zip_that_grows_beyond_bounds_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = workbook({"x": worksheet(HEADER, behind=" " * 3_000_000)})
    assert 20_000 > len(bomb)
    monkeypatch.setattr(parts, "MAX_UNPACKED", 2_000_000)
    assert ["a.xlsx: is larger than a table needs (unpacks to too much); split it"] == complaints(
        lambda: read(tmp_path, bomb)
    )


WHOLE = workbook({"x": ONE, "y": TWO}, formats=("0%",), strings="<si><t>x</t></si>")


@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=4))
def test_a_damaged_file_is_read_or_complained_of(
    tmp_path_factory: pytest.TempPathFactory, at: int, damage: bytes
) -> None:
    content = WHOLE[:at] + damage + WHOLE[at + len(damage) :]
    assert [] == unclear(lambda: read(tmp_path_factory.getbasetemp(), content))


@given(xml=st.text(alphabet='<>/="c v1srtdwoA', max_size=60))
def test_any_worksheet_is_read_or_complained_of(
    tmp_path_factory: pytest.TempPathFactory, xml: str
) -> None:
    book = workbook({"x": worksheet(HEADER, xml)})
    assert [] == unclear(lambda: read(tmp_path_factory.getbasetemp(), book))
