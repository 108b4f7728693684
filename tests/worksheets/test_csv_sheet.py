"""A worksheet as csv: values instead of formulas, guarded, for any spreadsheet."""

from pathlib import Path

from simulator.worksheets.book import CUT_MARK, Column, SheetCell, SheetRow, Worksheet
from simulator.worksheets.files import write_sheet


def written(path: Path, *rows: SheetRow) -> bytes:
    sheet = Worksheet("A", (Column("キー"), Column("flag")), lambda: rows)
    write_sheet(sheet, path / "a.csv")
    return (path / "a.csv").read_bytes()


def test_it_has_a_mark_and_the_line_ends_of_excel(tmp_path: Path) -> None:
    assert "キー,flag\r\nk,0.5\r\n".encode("utf-8-sig") == written(tmp_path, ["k", 0.5])


def test_formulas_stand_there_as_what_they_come_to(tmp_path: Path) -> None:
    found = written(
        tmp_path, [SheetCell(0.7, "='Config'!$B$2"), SheetCell("flag", "=A1")], [SheetCell(), None]
    )
    assert "キー,flag\r\n0.7,flag\r\n,\r\n".encode("utf-8-sig") == found


def test_texts_are_guarded_and_cut(tmp_path: Path) -> None:
    found = written(tmp_path, ["=1+1", "あ" * 40_000]).decode("utf-8-sig")
    assert found.splitlines()[1].startswith("'=1+1,あ")
    assert found.endswith(f"{CUT_MARK}\r\n")
