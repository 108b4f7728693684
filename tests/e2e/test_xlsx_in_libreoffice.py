"""The xlsx report in LibreOffice: a threshold edited there flags and colours anew."""

import importlib
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from simulator.files.catalog import shipped
from simulator.formats.sources import Source
from simulator.worksheets.book import column_name
from simulator.worksheets.columns import COLUMNS
from simulator.worksheets.review_files import read_review_file
from tests.e2e.conftest import Mogi
from tests.e2e.libreoffice import edit, text
from tests.libreoffice import converted, needs_libreoffice

pytestmark = [pytest.mark.slow, needs_libreoffice]
AT = {column.id: place for place, column in enumerate(COLUMNS)}
PINK = "#FADBDA"


@pytest.fixture
def report(mogi: Mogi, tmp_path: Path) -> Path:
    """The report of the demo with all its turns: under 0.5 they are flagged."""
    client = tmp_path / "scenarios" / "shown"  # as the demo, with all columns filled
    shutil.copytree(shipped() / "scenarios" / "demo", client)
    with (client / "client.yaml").open("a", encoding="utf-8") as file:
        file.write("\nreview: {blind: false}\n")
    done = mogi(
        "run", "shown", "--quiet", "--audit", "1", "--limit", "30", "--report", "xlsx=a.xlsx"
    )
    assert 0 == done.status, done.err
    return tmp_path / "a.xlsx"


def with_threshold(path: Path, value: float) -> Path:
    book = importlib.import_module("openpyxl").load_workbook(path)
    book["Config"]["B2"] = value
    book.save(path.with_name(f"{value}.xlsx"))
    return path.with_name(f"{value}.xlsx")


def review(path: Path) -> list[tuple[Any, ...]]:
    book = importlib.import_module("openpyxl").load_workbook(path, data_only=True)
    return list(book["Review"].iter_rows(min_row=2, values_only=True))


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
def test_another_threshold_flags_other_turns(
    report: Path, tmp_path: Path, threshold: float
) -> None:
    saved = converted(with_threshold(report, threshold), "xlsx", tmp_path / "saved")
    rows = review(saved)
    assert {threshold} == {row[AT["threshold"]] for row in rows}
    flagged = {
        (row[AT["score"]] is not None and row[AT["score"]] < threshold, row[AT["flag"]] == "要確認")
        for row in rows
    }
    assert {(True, True), (False, False)} == flagged


def test_another_threshold_colours_other_cells(report: Path, tmp_path: Path) -> None:
    found = []
    for threshold in (0.1, 0.9):
        shown = converted(with_threshold(report, threshold), "html", tmp_path / "saved")
        colours = Counter(re.findall(r'bgcolor="(#[0-9A-F]{6})"', shown.read_text("utf-8")))
        found.append(colours[PINK])
    few, many = found
    assert few < many


def test_what_it_takes_to_judge_is_on_the_first_screen(report: Path, tmp_path: Path) -> None:
    told, profile = tmp_path / "widths.txt", tmp_path / "profile"
    statements = [
        f"Open {text(str(told))} For Output As #2",
        f"For at = 0 To {AT['reviewer']}",
        'Print #2, book.Sheets.getByName("Review").Columns(at).Width',
        "Next",
        "Close #2",
    ]
    edit(report, tmp_path / "b.xlsx", statements, profile)
    widths = [float(line) * 96 / 2540 for line in told.read_text("utf-8").splitlines()]
    frozen = sum(widths[AT["user"] : AT["assistant"] + 1])
    judged = frozen + sum(widths[AT["expected"] : AT["reviewer"] + 1])
    assert (True, True) == (frozen <= 700, judged <= 1_860), (frozen, judged)


def test_what_libreoffice_saves_is_read_back_untouched(report: Path, tmp_path: Path) -> None:
    before = read_review_file(Source.of(report), "ja")
    saved = converted(report, "xlsx", tmp_path / "saved")
    after = read_review_file(Source.of(saved), "ja")
    assert [row.cells["key"] for row in before.rows] == [row.cells["key"] for row in after.rows]
    assert {True} == {row.intact for row in after.rows}
    sheet = importlib.import_module("openpyxl").load_workbook(saved)["Review"]
    lists = [v.formula1 for v in sheet.data_validations.dataValidation if v.type == "list"]
    assert '"OK,NG,分からない"' in lists
    assert sheet.auto_filter.ref.startswith(f"A1:{column_name(len(COLUMNS) - 1)}")
