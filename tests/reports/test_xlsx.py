"""The xlsx report: the file as another program opens it."""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.core.plan import ReviewSpec
from simulator.core.run import Episode, Run
from simulator.core.talk import Exchange, Reply
from simulator.core.verdict import Audit
from simulator.formats.sources import Source
from simulator.reports.xlsx import Xlsx
from simulator.view.compare_view import compared
from simulator.worksheets.book import column_name
from simulator.worksheets.review_files import read_review_file
from tests.compare.stored import beside
from tests.compare.test_states import FAILED, PASSED, talked
from tests.execution.scored import episode, header, rated, run, turn
from tests.reports.printed import mixed, wide
from tests.reports.test_scored_rows import rows
from tests.reports.workbook.made import IDS


def written(made: Run, path: Path) -> Any:
    Xlsx().write(made, str(path))
    return importlib.import_module("openpyxl").load_workbook(path)


@pytest.mark.parametrize(
    "made",
    [mixed("ja"), mixed("en"), run(header()), wide(33, 5), rows(30)],
    ids=["ja", "en", "empty", "33 personas", "rows"],
)
def test_every_run_becomes_a_workbook(tmp_path: Path, made: Run) -> None:
    book = written(made, tmp_path / "a.xlsx")
    guide = {"ja": "使い方", "en": "How to judge"}[made.header.language]
    assert [guide, "Review", "Log", "Summary", "Config"] == book.sheetnames
    assert ("Review" if made.header.review.blind else "Summary") == book.active.title


def test_the_summary_says_what_to_fix_and_what_newly_fails(tmp_path: Path) -> None:
    def blamed(made: Episode) -> Episode:
        return replace(made, turns=tuple(replace(t, blames=("unsupported",)) for t in made.turns))

    before = [talked("price", PASSED), talked("fine", PASSED)]
    after = [blamed(talked("price", FAILED, "It is 9 euros.")), talked("fine", PASSED)]
    since = compared(beside(tmp_path, before, after))
    for blind in (True, False):
        made = run(header(review=ReviewSpec(blind=blind)), *after)
        path = tmp_path / f"{blind}.xlsx"
        Xlsx().write(made, str(path), since)
        book = importlib.import_module("openpyxl").load_workbook(path)
        texts = [str(cell.value) for row in book["Summary"] for cell in row if cell.value]
        assert any("1 new failure" in text for text in texts)
        assert blind is not any("price" in text for text in texts)
        assert blind is not any("It is 9" in text for text in texts)
        assert book.active.title == ("Review" if blind else "Summary")


def test_what_a_bot_says_is_never_a_formula(tmp_path: Path) -> None:
    texts = ["=1+1", "+81", "-1", "@SUM(A1)", "＝A1", "12", "\ud800", "x" * 40_000]
    said = [turn(rated(1, text), exchange=Exchange(1, text, Reply(text))) for text in texts]
    book = written(
        run(header(), *[episode(t, scenario=f"s{n}") for n, t in enumerate(said)]),
        tmp_path / "a.xlsx",
    )
    formulas = {c.coordinate[0] for row in book["Review"] for c in row if c.data_type == "f"}
    assert {column_name(IDS.index(name)) for name in ("threshold", "flag")} == formulas
    assert not [c for row in book["Log"] for c in row if c.data_type == "f"]


def test_it_is_read_back_as_nobody_has_touched_it(tmp_path: Path) -> None:
    texts = ["=1+1", "'=1", "-5", "12", "1e5", "a\r\nb ", "\uffff", "あ" * 40_000, "3月1日", ""]
    said = [turn(rated(1, text), exchange=Exchange(1, text, Reply(text))) for text in texts]
    thirds = turn(rated(5 / 3, ""))
    made = run(
        header(language="ja", audit=Audit(1.0)),
        *[episode(t, thirds, scenario=f"s{n}") for n, t in enumerate(said)],
    )
    Xlsx().write(made, str(tmp_path / "a.xlsx"))
    table = read_review_file(Source.of(tmp_path / "a.xlsx"), "ja")
    assert 2 * len(texts) == len(table.rows)
    assert {True} == {row.intact for row in table.rows}
    assert () == table.oddities


def test_what_is_broken_off_leaves_the_report_that_was_there(tmp_path: Path) -> None:
    Xlsx().write(mixed(), str(tmp_path / "a.xlsx"))
    before = (tmp_path / "a.xlsx").read_bytes()
    broken = run(header())

    def reviewed() -> Any:
        raise KeyboardInterrupt
        yield

    object.__setattr__(broken, "reviewed", reviewed)
    with pytest.raises(KeyboardInterrupt):
        Xlsx().write(broken, str(tmp_path / "a.xlsx"))
    assert before == (tmp_path / "a.xlsx").read_bytes()
    assert ["a.xlsx"] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize("path", [None, "", "nowhere/a.xlsx"])
def test_a_file_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"write --report xlsx=FILE|can't write the report"):
        Xlsx().write(mixed(), path)
