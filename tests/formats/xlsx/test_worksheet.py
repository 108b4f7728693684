from pathlib import Path

import pytest

from simulator.formats.tables import Row
from simulator.formats.xlsx import workbook as tested
from tests.formats.written import complaints
from tests.formats.xlsx.written import number, read, row, text, workbook, worksheet

HEADER = row(1, text("id"), text("v"))

_TOO_MANY = "a.xlsx: is larger than a table needs (contains too many cells); split it"


def _cell(tmp_path: Path, cell: str, **book: object) -> Row:
    sheet = worksheet(HEADER, row(2, text("a"), cell))
    return read(tmp_path, workbook({"x": sheet}, **book)).rows[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (number("1"), "1"),
        (number("1.0"), "1"),
        (number("0.85", 1), "85%"),
        ('t="b"><v>1</v>', "TRUE"),
        ('t="b"><v>0</v>', "FALSE"),
        ('t="str"><f>A1&amp;"x"</f><v> ax </v>', "ax"),
        ('t="n"><f>1+1</f><v>2</v>', "2"),
        ('t="s"><v>1</v>', "二"),
        ('t="inlineStr"><is><r><t>a</t></r><r><rPr><b/></rPr><t> b</t></r></is>', "a b"),
        (text("a_x000D_\nb_x0007_c"), "a\nbc"),
        (text("_x005F_x0041_"), "_x0041_"),
    ],
)  # fmt: skip
def test_a_cell_is_read_as_it_is_shown(tmp_path: Path, cell: str, expected: str) -> None:
    strings = "<si><t>一</t></si><si><t>二</t></si>"
    assert expected == _cell(tmp_path, cell, strings=strings, formats=("0%",)).cells["v"]


@pytest.mark.parametrize("cell", ['s="1">', 't="str"><f>""</f><v></v>', text("  ")])
def test_an_empty_cell_is_left_out(tmp_path: Path, cell: str) -> None:
    assert Row(2, {"id": "a"}) == _cell(tmp_path, cell)


def test_how_a_word_is_read_aloud_is_no_part_of_it(tmp_path: Path) -> None:
    strings = (
        '<si><t>送料</t><rPh sb="0" eb="2"><t>ソウリョウ</t></rPh><phoneticPr fontId="1"/></si>'
    )
    assert "送料" == _cell(tmp_path, 't="s"><v>0</v>', strings=strings).cells["v"]


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ('t="e"><v>#N/A</v>', "the cell contains the error #N/A; fix its formula, or clear it"),
        (
            "><f>SUM(A1:A2)</f><v></v>",
            "the cell contains a formula without a result; open the file in Excel and save it",
        ),
        *(
            (
                number(day, 1),
                "the cell has a date format, but not a valid date (####); change the format",
            )
            for day in ("-1", "99999999", "2958465.9999999")
        ),
    ],
)
def test_a_cell_without_a_text_is_no_empty_cell(tmp_path: Path, cell: str, problem: str) -> None:
    assert {"v": problem} == _cell(tmp_path, cell, formats=("yyyy/m/d",)).broken


def test_rows_have_the_numbers_that_the_spreadsheet_shows(tmp_path: Path) -> None:
    sheet = worksheet(
        row(3, text("id")),
        '<row r="5" hidden="1"><c r="A5" t="inlineStr"><is><t>a</t></is></c></row>',
        "<row><c><v>2</v></c></row>",
        row(1_048_576, text("b")),
    )
    table = read(tmp_path, workbook({"x": sheet}))
    assert (3, [5, 6, 1_048_576]) == (table.header_line, [r.line for r in table.rows])


def test_a_stray_cell_far_away_costs_nothing(tmp_path: Path) -> None:
    stray = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row>'
    table = read(tmp_path, workbook({"x": worksheet(HEADER, stray)}))
    assert (("id", "v"), ()) == (table.columns, table.rows)


def test_the_text_of_merged_cells_counts_in_each_row_they_cover(tmp_path: Path) -> None:
    sheet = worksheet(
        HEADER,
        row(2, text("a"), text("x")),
        row(3, text("b")),
        row(4, text("c"), text("own")),
        row(6, text("d")),
        behind='<mergeCells><mergeCell ref="B2:C5"/><mergeCell ref="A1:A3"/></mergeCells>',
    )
    table = read(tmp_path, workbook({"x": sheet}))
    assert [("a", "x"), ("b", "x"), ("c", "own"), ("d", None)] == [
        (r.cells["id"], r.cells.get("v")) for r in table.rows
    ]


def test_the_elements_may_have_a_prefix(tmp_path: Path) -> None:
    sheet = worksheet(HEADER, row(2, text("a"), number("1")))
    for tag in ("worksheet", "sheetData", "row", "is", "t", "c", "v"):
        sheet = sheet.replace(f"<{tag}>", f"<x:{tag}>").replace(f"</{tag}>", f"</x:{tag}>")
        sheet = sheet.replace(f"<{tag} ", f"<x:{tag} ")
    sheet = sheet.replace("xmlns=", "xmlns:x=")
    assert {"id": "a", "v": "1"} == read(tmp_path, workbook({"x": sheet})).rows[0].cells


def test_more_cells_than_a_table_needs_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tested, "MAX_CELLS", 100)
    rows = (row(n, "><v></v>") for n in range(2, 60))
    merged = '<mergeCell ref="A2:A3"/>' * 99
    for sheet in (worksheet(HEADER, *rows), worksheet(HEADER, behind=merged)):
        assert [_TOO_MANY] == complaints(
            lambda sheet=sheet: read(tmp_path, workbook({"x": sheet}))  # type: ignore[misc]
        )
