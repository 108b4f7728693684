import importlib
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.formats.sources import Source
from simulator.formats.xlsx.workbook import read_workbook
from simulator.worksheets import files as writing
from simulator.worksheets.files import csv_file, xlsx_file


def cells(path: Path) -> list[tuple[Any, ...]]:
    """What stands in a workbook, as another program reads it."""
    book = importlib.import_module("openpyxl").load_workbook(path)
    return list(book.active.iter_rows(values_only=True))


def test_csv_is_utf_8_and_guarded(tmp_path: Path) -> None:
    with csv_file(tmp_path / "a.csv") as write:
        write(["質問", "score"])
        write(["=1+1", 0.5])
        write([None, -1])
    assert "質問,score\n'=1+1,0.5\n,-1\n" == (tmp_path / "a.csv").read_text("utf-8")


def test_csv_for_excel_has_a_mark_and_its_line_ends(tmp_path: Path) -> None:
    with csv_file(tmp_path / "a.tsv", "\t", marked=True) as write:
        write(["質問", "a,b"])
    assert "質問\ta,b\r\n".encode("utf-8-sig") == (tmp_path / "a.tsv").read_bytes()


def test_a_workbook_holds_texts_and_numbers(tmp_path: Path) -> None:
    with xlsx_file(tmp_path / "a.xlsx") as write:
        write(["質問", "回答", "1"])
        write(["=1+1", "-5", 0.5])
        write(["https://example.com", None, "1 < 2 & <b>"])
    assert [
        ("質問", "回答", "1"),
        ("=1+1", -5, 0.5),
        ("https://example.com", None, "1 < 2 & <b>"),
    ] == cells(tmp_path / "a.xlsx")


def test_nothing_in_a_workbook_is_a_formula(tmp_path: Path) -> None:
    with xlsx_file(tmp_path / "a.xlsx") as write:
        write(["=A1", "@SUM(1)"])
        write(["=A1", "{=SUM(1)}"])
    book = importlib.import_module("openpyxl").load_workbook(tmp_path / "a.xlsx")
    assert {"s", "inlineStr"} >= {cell.data_type for row in book.active.iter_rows() for cell in row}


def test_our_own_reader_reads_it_back(tmp_path: Path) -> None:
    with xlsx_file(tmp_path / "a.xlsx") as write:
        write(["回答", "score"])
        write(["一行目\n二行目 _x0041_", 0.25])
    (row,) = read_workbook(Source.of(tmp_path / "a.xlsx", tmp_path)).rows
    assert {"回答": "一行目\n二行目 _x0041_", "score": "0.25"} == row.cells


def test_more_rows_than_a_worksheet_holds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "MOST_ROWS", 2)
    with xlsx_file(tmp_path / "a.xlsx") as write:
        write(["answer"])
        write([0.5])
        with pytest.raises(InputError, match=r"a worksheet has room for 2 rows; use a \.csv file"):
            write([1])
