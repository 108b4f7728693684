"""A report is not written over what people wrote into it, until that is in the store."""

import csv
import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.claim import claims_of
from simulator.core.errors import InputError
from simulator.core.run import Run
from simulator.core.scenario import Expected, Scenario
from simulator.core.verdict import Verdict, Word
from simulator.formats.sources import Source
from simulator.reports._people import strays
from simulator.reports.csv import Csv
from simulator.reports.xlsx import Xlsx
from simulator.worksheets.book import column_name
from simulator.worksheets.columns import PEOPLE
from simulator.worksheets.reading import Odd
from tests.execution.scored import episode, header
from tests.reports.printed import WEAK
from tests.reports.workbook.made import IDS, judged_by_people

AT: dict[str, str] = {id_: f"{column_name(place)}2" for place, id_ in enumerate(IDS)}
SAID = Verdict(
    "parcel/calm/1", 1, Word.NG, "Sato", "review.xlsx", "2026-11-21T00:00:00Z",
    "retrieval_miss", "It is\n500 yen.", "sure",
)  # fmt: skip


def a_run(*verdicts: Verdict, **changes: Any) -> Run:
    return judged_by_people(header(**changes), verdicts, episode(WEAK, WEAK))


def edited(path: Path, **cells: Any) -> str:
    """The report with some cells edited: `Review_verdict="OK"` in row 2, `Config_B2=0.5`."""
    openpyxl = importlib.import_module("openpyxl")
    book = openpyxl.load_workbook(path)
    for place, value in cells.items():
        title, _, cell = place.partition("_")
        if title not in book.sheetnames:
            book.create_sheet(title)
        book[title][AT.get(cell, cell)] = value
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
        {"Review_verdict": "OK"},
        {"Review_error_type": "too long"},
        {"Review_corrected": "It is 500 yen."},
        {"Review_comment": "hm"},
        {"Review_verdict": "maybe"},
        {"Review_claims": "1 NG"},
        {"Review_claims": "1 maybe"},
    ],
)
def test_what_is_not_in_the_store_is_not_written_over(
    report: Path, cells: dict[str, str | None]
) -> None:
    message = refused(a_run(), Path(edited(report, **cells)))
    assert "contains verdicts that run 3f9ab2c1 doesn't have: row 2: " in message
    assert "mogi review pull 3f9ab2c1 --from" in message
    assert message.endswith("or use another file")


def test_what_was_pulled_may_be_written_over(report: Path) -> None:
    cells = ("NG", "検索漏れ", "It is 500 yen.", "sure", "ＳＡＴＯ")
    columns = (name for name in PEOPLE if name != "claims")
    edited(report, **{f"Review_{id_}": text for id_, text in zip(columns, cells, strict=True)})
    assert "doesn't have: row 2: NG" in refused(a_run(language="ja"), report)
    Xlsx().write(a_run(SAID, language="ja"), str(report))


@pytest.mark.parametrize(
    ("cell", "said", "is_kept"),
    [
        ("1 NG", {}, True),
        ("1 NG (no price)", {"comment": "no price"}, True),
        ("1 NG (no price)", {}, False),
        ("1 OK", {}, False),
        ("2 NG", {}, False),
        ("1 NG, 7 NG", {}, False),
    ],
)
def test_marks_on_claims_are_written_over_once_they_are_in_the_store(
    report: Path, cell: str, said: dict[str, Any], is_kept: bool
) -> None:
    expected = Expected(elements=(("500 yen",), ("2 days",)))
    talk = replace(episode(WEAK, WEAK), scenario=Scenario("parcel", "?", expected=expected))
    claim = claims_of(expected)[0].id
    given = replace(SAID, error_type="", corrected="", comment="", claim=claim)
    made = replace(judged_by_people(header(), (), talk), on_claims=lambda: [replace(given, **said)])
    edited(report, Review_claims=cell, Review_reviewer="Sato")
    if is_kept:
        Xlsx().write(made, str(report))
    else:
        assert cell.rpartition(", ")[2] in refused(made, report)


def test_a_report_with_the_verdicts_prefilled_is_written_anew(tmp_path: Path) -> None:
    for report, name in ((Xlsx(), "a.xlsx"), (Csv(), "a.csv")):
        report.write(a_run(SAID), str(tmp_path / name))
        report.write(a_run(SAID), str(tmp_path / name))


def test_verdicts_of_another_run_are_not_written_over(tmp_path: Path) -> None:
    Csv().write(a_run(SAID), str(tmp_path / "a.csv"))
    told = "contains verdicts of run 3f9ab2c1: row 2: NG"
    assert told in refused(a_run(SAID, id="ffff0000"), tmp_path / "a.csv")
    Csv().write(a_run(), str(tmp_path / "b.csv"))
    Csv().write(a_run(id="ffff0000"), str(tmp_path / "b.csv"))


def test_an_edited_threshold_is_not_written_over(report: Path) -> None:
    message = refused(a_run(), Path(edited(report, Config_B2=0.6)))
    assert message.endswith("contains edited thresholds: Overall 0.6; use another file")


@pytest.mark.parametrize(("name", "content"), [("a.csv", "name,price\nx,5\n"), ("a.xlsx", "x")])
def test_what_is_no_report_is_not_written_over(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    message = refused(a_run(), tmp_path / name)
    assert "already exists, and isn't a readable review (" in message


def test_an_empty_file_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    Csv().write(a_run(), str(tmp_path / "a.csv"))
    assert (tmp_path / "a.csv").stat().st_size


def test_many_rows_are_not_all_told(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    weak = [episode(WEAK, scenario=f"s{n}") for n in range(6)]
    made = judged_by_people(header(), (), *weak)
    Xlsx().write(made, str(path))
    edited(path, **{f"Review_{AT['verdict'][0]}{n}": "OK" for n in range(2, 8)})
    assert "row 4: OK; and 3 more; read them" in refused(made, path)


def test_verdicts_of_another_run_name_that_run(tmp_path: Path) -> None:
    Csv().write(a_run(SAID), str(tmp_path / "a.csv"))
    message = refused(a_run(SAID, id="ffff0000"), tmp_path / "a.csv")
    assert "mogi review pull 3f9ab2c1 --from" in message
    assert "use another file" in message
    assert "ffff0000" not in message


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"Review_corrected": "#NAME?"}, "row 2, corrected answer, shows #NAME?"),
        ({"Review_key": None, "Review_verdict": "OK"}, "row 2 lost its hidden key and has OK"),
    ],
)
def test_cells_that_cannot_be_read_are_named_with_what_helps(
    report: Path, cells: dict[str, str | None], told: str
) -> None:
    message = refused(a_run(), Path(edited(report, **cells)))
    assert message.endswith(f"has unreadable parts: {told}; fix these, or use another file")


def test_all_that_would_be_lost_is_told_at_once(report: Path) -> None:
    cells = {"Review_AF1": "自分用メモ", "Review_C93": "see above", "引き継ぎ_A1": "x"}
    message = refused(a_run(), Path(edited(report, Review_verdict="OK", Config_B2=0.6, **cells)))
    limits, verdicts, added = message.splitlines()
    assert "row 2: OK; read them first" in verdicts
    assert "Overall 0.6; use another file" in limits
    there = "column 自分用メモ; row 93; worksheet 引き継ぎ"
    assert added.endswith(f"has content that people added ({there}); use another file")


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"Review_AF1": "memo", "Review_AF2": "urgent"}, "column memo"),
        ({"Review_AF2": "urgent"}, "column AF"),
        ({"Review_E30": "see above", "Review_F30": "!"}, "row 30"),
        ({"Review_reason": "another"}, "row 2, where a cell was edited"),
        ({"Review_reviewer": "Sato"}, "row 2: Sato"),
        ({"Minutes_A1": "of Monday"}, "worksheet Minutes"),
    ],
)
def test_notes_of_somebody_s_own_are_not_written_over(
    report: Path, cells: dict[str, str], told: str
) -> None:
    message = refused(a_run(), Path(edited(report, **cells)))
    assert message.endswith(f"has content that people added ({told}); use another file")


def test_a_column_of_somebody_s_own_in_a_csv_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    Csv().write(a_run(), str(path))
    with path.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = list(csv.reader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[*head, "memo"], *([*row, "urgent"] for row in rows)])
    assert "has content that people added (column memo)" in refused(a_run(), path)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"Log_Z2": "seen"}, "Log, Z2: seen"),
        ({"Log_B2": "It is on its way!"}, "Log, B2: It is on its way!"),
        ({"Log_C2": "OK"}, "Log, C2: OK"),  # as it stands in the guide
        ({"Summary_K9": "✕"}, "Summary, K9: ✕"),
        ({"Summary_A1": "for Monday"}, "Summary, A1: for Monday"),
        ({"Summary_K9": "for Monday"}, "Summary, K9: for Monday"),
        ({"Config_A9": "half"}, "Config, A9: half"),
        ({"How to judge_B5": "as Sato says"}, "How to judge, B5: as Sato says"),
    ],
)
def test_what_was_written_into_other_worksheets_is_told_and_not_written_over(
    report: Path, cells: dict[str, str], told: str
) -> None:
    message = refused(a_run(), Path(edited(report, **cells)))
    assert message.endswith(f"has content that people added: {told}; use another file")


def test_figures_that_changed_since_and_texts_that_were_taken_out_are_nobodys(report: Path) -> None:
    edited(report, Summary_A1=None, Log_B2=None)
    Xlsx().write(a_run(replace(SAID, reviewer="Ito")), str(report))
    Xlsx().write(a_run(), str(report.with_name("b.xlsx")))


@pytest.mark.parametrize("mark", ["note", "fill", "font"])
def test_notes_and_colours_are_told_and_not_written_over(report: Path, mark: str) -> None:
    book = importlib.import_module("openpyxl").load_workbook(report)
    styles = importlib.import_module("openpyxl.styles")
    cell = book["Review"]["D3"]
    if mark == "note":
        cell.comment = importlib.import_module("openpyxl.comments").Comment("ask Sato", "Ito")
    elif mark == "fill":
        cell.fill = styles.PatternFill("solid", fgColor="FFFF00")
    else:
        cell.font = styles.Font(color="FF0000")
    book.save(report)
    told = "Review, D3: ask Sato" if mark == "note" else "Review, D3, coloured"
    assert f"has content that people added: {told}; use another file" in refused(a_run(), report)
    kinds = [Odd.NOTE if mark == "note" else Odd.PAINTED]
    assert kinds == [odd.kind for odd in strays(Source.of(report))]


def test_figures_of_people_s_words_are_not_people_s_words(tmp_path: Path) -> None:
    said = [replace(SAID, word=word, reviewer=word) for word in Word]
    Xlsx().write(a_run(*said), str(tmp_path / "review.xlsx"))
    assert [] == list(strays(Source.of(tmp_path / "review.xlsx")))


def test_a_file_that_a_program_saved_again_holds_nothing_of_people(report: Path) -> None:
    book = importlib.import_module("openpyxl").load_workbook(report)
    book.save(report)
    assert [] == list(strays(Source.of(report)))


def test_a_file_of_an_earlier_version_does_not_tell_whose_its_texts_are(report: Path) -> None:
    book = importlib.import_module("openpyxl").load_workbook(report)
    for name in list(book.custom_doc_props.names):
        del book.custom_doc_props[name]
    book["Summary"]["A1"] = "as it was worded then"
    book.create_sheet("Minutes")["A1"] = "of Monday"
    book.save(report)
    (found,) = strays(Source.of(report))
    assert (Odd.ELSEWHERE, "of Monday") == (found.kind, found.values["text"])
