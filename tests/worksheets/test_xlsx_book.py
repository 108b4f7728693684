"""A workbook as an xlsx file: what other programs find in it, and what never happens to a text."""

import importlib
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.worksheets import files as xlsx_book
from simulator.worksheets.book import (
    CUT_MARK,
    LONGEST_CELL,
    Book,
    Colour,
    Column,
    Rule,
    SheetCell,
    SheetRow,
    Worksheet,
)
from simulator.worksheets.files import write_xlsx, xlsx_file

PINK = Colour(250, 219, 218)


def sheet(rows: Iterable[SheetRow], columns: Sequence[Column] = (), **more: Any) -> Worksheet:
    found = list(rows)
    return Worksheet("A", tuple(columns) or (Column("text"), Column("more")), lambda: found, **more)


def opened(path: Path, *sheets: Worksheet, **more: Any) -> Any:
    """The workbook as another program opens it."""
    write_xlsx(Book(sheets, **more), path / "a.xlsx")
    return importlib.import_module("openpyxl").load_workbook(path / "a.xlsx")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "=1+1",
            "+81",
            "-送料",
            "@SUM(A1)",
            "{=1}",
            "＝1",
            "https://example.com",
            "007",
            "12",
            "TRUE",
        ),
        *(
            "TRUE",
            "<r><t>bold</t></r>",
            "<r></is></c><c><f>1+1</f></c></r>",
            "a _x0041_ b",
            " a\n<b> & c ",
        ),
    ],
)
def test_a_text_stays_what_it_is(tmp_path: Path, text: str) -> None:
    found = opened(tmp_path, sheet([[text]], [Column(text)])).active
    assert [(text, {"s", "inlineStr"} >= {c.data_type}) for c in found["A"]] == 2 * [(text, True)]


@pytest.mark.parametrize("text", ["=1+1", "+81", "-a", "@SUM(A1)", "\u3000=1"])
def test_attack_a_text_becomes_a_formula_once_its_cell_is_edited(tmp_path: Path, text: str) -> None:
    sheets = [opened(tmp_path, sheet([[text, "plain"]])).active]
    with xlsx_file(tmp_path / "b.xlsx") as write:
        write([text, "head"])
        write([text, "plain"])
    sheets.append(importlib.import_module("openpyxl").load_workbook(tmp_path / "b.xlsx").active)
    for found in sheets:
        first, second = found[2]
        assert [(text, True), ("plain", False)] == [
            (cell.value, bool(cell.quotePrefix)) for cell in (first, second)
        ]


def test_a_formula_comes_with_what_it_comes_to(tmp_path: Path) -> None:
    made = sheet(
        [[SheetCell(0.5, "=1/2"), SheetCell("flag", '="fl"&"ag"'), SheetCell(None, "=A9")]]
    )
    made = replace(made, columns=(Column("a"), Column("b"), Column("c")))
    assert ["=1/2", '="fl"&"ag"', "=A9"] == [c.value for c in opened(tmp_path, made).active[2]]
    book = importlib.import_module("openpyxl").load_workbook(tmp_path / "a.xlsx", data_only=True)
    assert [0.5, "flag", None] == [c.value for c in book.active[2]]


@pytest.mark.parametrize("char", ["あ", "😀"])
def test_a_text_that_is_too_long_is_cut_with_a_mark(tmp_path: Path, char: str) -> None:
    made = sheet([[SheetCell(char * 40_000, note=char * 40_000)]])
    found = opened(tmp_path, made).active["A2"]
    for text in (found.value, found.comment.text):
        assert text.endswith(CUT_MARK)
        assert len(text.encode("utf-16-le")) // 2 <= LONGEST_CELL


def test_what_a_file_cannot_hold_does_no_harm(tmp_path: Path) -> None:
    found = opened(
        tmp_path, sheet([["a\ud800b\x00\uffff", SheetCell("x", note="a\ud800\x1b")]])
    ).active
    assert ["a\ufffdb\ufffd", "a\ufffd"] == [found["A2"].value, found["B2"].comment.text]


def test_columns_have_their_looks(tmp_path: Path) -> None:
    columns = (
        Column("key", 10, hidden=True),
        Column("text", 40, wrap=True, note="what this is"),
        Column("verdict", 10, people=True, choices=("OK", "NG")),
    )
    rows: list[SheetRow] = [["k", "long " * 40, None], ["k2", "short", "OK"]]
    found = opened(tmp_path, sheet(rows, columns, filtered=True, frozen=(1, 1))).active
    assert [True, False] == [found.column_dimensions[c].hidden for c in "AB"]
    assert 40 <= found.column_dimensions["B"].width < 41
    assert [True, False] == [found[c].alignment.wrap_text or False for c in ("B2", "A2")]
    assert "what this is" == found["B1"].comment.text
    assert ("B2", "A1:C3") == (found.freeze_panes, found.auto_filter.ref)
    assert found.row_dimensions[2].height > 60
    assert found.row_dimensions[3].height is None
    assert not found.protection.sheet


def test_cells_have_theirs(tmp_path: Path) -> None:
    made = sheet([[SheetCell(0.25, fill=PINK, form="0.00", bold=True), SheetCell("–", right=True)]])
    one, other = opened(tmp_path, made).active[2]
    assert ("FFFADBDA", "0.00", True) == (one.fill.fgColor.rgb, one.number_format, one.font.bold)
    assert "right" == other.alignment.horizontal


def test_no_text_runs_over_the_next_column_that_is_clipped(tmp_path: Path) -> None:
    columns = (Column("json", 10, clip=True), Column("next"))
    found = opened(tmp_path, sheet([['{"a": "long"}'], ["short"]], columns)).active
    assert ["fill", None] == [found[c].alignment.horizontal for c in ("A2", "A3")]


def test_a_wrapped_text_that_is_clipped_makes_its_row_only_a_few_lines_high(
    tmp_path: Path,
) -> None:
    columns = (Column("before", 20, wrap=True, clip=True), Column("text", 20, wrap=True))
    rows = [["long " * 200, "short"], ["long " * 200, "long " * 200], ["a", "b"]]
    found = opened(tmp_path, sheet(rows, columns)).active
    assert [60, 300, None] == [found.row_dimensions[row].height for row in (2, 3, 4)]
    looks = found["A2"].alignment
    assert (True, None) == (looks.wrap_text, looks.horizontal)


def test_choices_warn_and_do_not_forbid(tmp_path: Path) -> None:
    columns = (Column("verdict", people=True, choices=("OK", "NG")), Column("key"))
    found = opened(tmp_path, sheet([["OK"], ["?"]], columns, warning="not here")).active
    one, other = found.data_validations.dataValidation
    assert ('"OK,NG"', "A2:A3", "warning") == (one.formula1, str(one.sqref), one.errorStyle)
    assert ("not here", "B2:B3", "warning") == (other.error, str(other.sqref), other.errorStyle)


def test_more_choices_than_a_file_can_hold_are_a_mistake(tmp_path: Path) -> None:
    made = sheet([], [Column("a", choices=("x" * 200, "y" * 60))])
    with pytest.raises(ValueError, match="more choices than a file allows"):
        write_xlsx(Book((made,)), tmp_path / "a.xlsx")


def test_rules_reach_to_the_last_row(tmp_path: Path) -> None:
    rules = (Rule("=$A2<1", PINK, 1, None, 0, 1), Rule("=A2>1", PINK, 1, 1, 0, 0))
    found = opened(tmp_path, sheet([[1], [2], [3]], rules=rules)).active
    areas = {
        str(k.sqref): [r.formula for r in v]
        for k, v in found.conditional_formatting._cf_rules.items()
    }
    assert {"A2:B4": [["$A2<1"]], "A2": [["A2>1"]]} == areas


def test_no_rows_are_all_right(tmp_path: Path) -> None:
    rules = (Rule("=$A2<1", PINK, 1, None, 0, 1),)
    columns = (Column("a", choices=("x",), people=True), Column("b"))
    found = opened(tmp_path, sheet([], columns, rules=rules, filtered=True, warning="w")).active
    assert ["a", "b"] == [c.value for c in found[1]]


def test_a_sheet_without_a_head_begins_with_its_rows(tmp_path: Path) -> None:
    found = opened(tmp_path, sheet([["one"], [], ["two"]], header=False, frozen=(0, 1))).active
    assert [("one",), (None,), ("two",)] == list(found.iter_rows(max_col=1, values_only=True))


def test_columns_past_z(tmp_path: Path) -> None:
    columns = [Column(f"c{n}") for n in range(60)]
    found = opened(tmp_path, sheet([list(range(60))], columns)).active
    assert ("c59", 59) == (found["BH1"].value, found["BH2"].value)


def test_the_workbook_opens_where_it_should_and_is_known_again(tmp_path: Path) -> None:
    first, second = sheet([["x"]]), replace(sheet([["y"]]), title="B")
    more = {"opens_at": "B", "properties": {"mogi.run": "3f9ab2c1"}, "font": "Yu Gothic"}
    found = opened(tmp_path, first, second, **more)
    assert "B" == found.active.title
    assert "3f9ab2c1" == found.custom_doc_props["mogi.run"].value
    assert {"Yu Gothic"} == {found[t]["A2"].font.name for t in ("A", "B")}


def test_more_rows_than_a_worksheet_holds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx_book, "MOST_ROWS", 2)
    with pytest.raises(InputError, match="a worksheet has"):
        write_xlsx(Book((sheet([["a"], ["b"]]),)), tmp_path / "a.xlsx")


def test_a_file_that_cannot_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_xlsx(Book((sheet([["a"]]),)), tmp_path / "nowhere" / "a.xlsx")


def test_numbers_that_are_texts_are_not_marked_as_mistakes(tmp_path: Path) -> None:
    opened(tmp_path, sheet([["12"]]))
    with zipfile.ZipFile(tmp_path / "a.xlsx") as parts:
        found = parts.read("xl/worksheets/sheet1.xml").decode()
    assert re.search(r'<ignoredError sqref="A1:XFD1048576" numberStoredAsText="1"/>', found)


def test_what_is_no_finite_number_is_a_text(tmp_path: Path) -> None:
    found = opened(tmp_path, sheet([[float("nan"), float("-inf")], [1.5, 2]])).active
    assert [("nan", "-inf"), (1.5, 2)] == [*found.values][-2:]
