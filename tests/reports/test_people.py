"""A report is not written over what people wrote into it, until that is in the store."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.core.run import Run
from simulator.core.verdict import Verdict, Word
from simulator.reports.csv import Csv
from simulator.reports.xlsx import Xlsx
from tests.judging.made import episode, header
from tests.reports.printed import WEAK
from tests.reports.worksheets.made import judged_by_people

SAID = Verdict(
    "parcel/calm/1", 1, Word.NG, "Sato", "review.xlsx", "2026-11-21T00:00:00Z",
    "retrieval_miss", "It is\n500 yen.", "sure",
)  # fmt: skip


def a_run(*verdicts: Verdict, **changes: Any) -> Run:
    return judged_by_people(header(**changes), verdicts, episode(WEAK, WEAK))


def edited(path: Path, **cells: Any) -> str:
    """The report with some cells of its worksheets edited: `Review_M2="OK"`."""
    openpyxl = importlib.import_module("openpyxl")
    book = openpyxl.load_workbook(path)
    for place, value in cells.items():
        title, _, cell = place.partition("_")
        book[title][cell] = value
    book.save(path)
    return str(path)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report that nobody has written into yet."""
    Xlsx().write(a_run(), str(tmp_path / "review.xlsx"))
    return tmp_path / "review.xlsx"


def refused(made: Run, path: Path) -> str:
    before = path.read_bytes()
    with pytest.raises(InputError) as caught:
        (Xlsx() if path.suffix == ".xlsx" else Csv()).write(made, str(path))
    assert before == path.read_bytes()
    return str(caught.value)


def test_a_report_that_nobody_wrote_into_is_written_anew(report: Path) -> None:
    before = report.stat().st_mtime_ns
    Xlsx().write(a_run(), str(report))
    assert before != report.stat().st_mtime_ns


@pytest.mark.parametrize(
    "cells",
    [
        {"Review_M2": "OK"},
        {"Review_N2": "too long"},
        {"Review_O2": "It is 500 yen."},
        {"Review_P2": "hm"},
        {"Review_M2": "maybe"},
        {"Review_A2": None, "Review_M2": "OK"},
    ],
)
def test_what_is_not_in_the_store_is_not_written_over(
    report: Path, cells: dict[str, str | None]
) -> None:
    message = refused(a_run(), Path(edited(report, **cells)))
    assert "holds verdicts that run 3f9ab2c1 does not have: row 2: " in message
    assert "mogi review pull 3f9ab2c1 --from" in message
    assert message.endswith("or name another file")


def test_what_was_pulled_may_be_written_over(report: Path) -> None:
    cells = ("NG", "検索もれ", "It is 500 yen.", "sure", "ＳＡＴＯ")
    edited(report, **{f"Review_{c}2": text for c, text in zip("MNOPQ", cells, strict=True)})
    assert "does not have: row 2: NG" in refused(a_run(language="ja"), report)
    Xlsx().write(a_run(SAID, language="ja"), str(report))


def test_a_report_with_the_verdicts_prefilled_is_written_anew(tmp_path: Path) -> None:
    for report, name in ((Xlsx(), "a.xlsx"), (Csv(), "a.csv")):
        report.write(a_run(SAID), str(tmp_path / name))
        report.write(a_run(SAID), str(tmp_path / name))


def test_verdicts_of_another_run_are_not_written_over(tmp_path: Path) -> None:
    Csv().write(a_run(SAID), str(tmp_path / "a.csv"))
    assert "row 2: of run 3f9ab2c1" in refused(a_run(SAID, id="ffff0000"), tmp_path / "a.csv")
    Csv().write(a_run(), str(tmp_path / "b.csv"))
    Csv().write(a_run(id="ffff0000"), str(tmp_path / "b.csv"))


def test_an_edited_threshold_is_not_written_over(report: Path) -> None:
    message = refused(a_run(), Path(edited(report, Config_B2=0.6)))
    assert message.endswith("holds thresholds that were edited: overall 0.6; name another file")


@pytest.mark.parametrize(("name", "content"), [("a.csv", "name,price\nx,5\n"), ("a.xlsx", "x")])
def test_what_is_no_report_is_not_written_over(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    message = refused(a_run(), tmp_path / name)
    assert "is there already, and no review that could be read" in message


def test_an_empty_file_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    Csv().write(a_run(), str(tmp_path / "a.csv"))
    assert (tmp_path / "a.csv").stat().st_size


def test_many_rows_are_not_all_told(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    weak = episode(*[WEAK] * 6)
    made = judged_by_people(header(), (), weak)
    Xlsx().write(made, str(path))
    edited(path, **{f"Review_M{n}": "OK" for n in range(2, 8)})
    assert "row 4: OK; and 3 more; read them" in refused(made, path)
