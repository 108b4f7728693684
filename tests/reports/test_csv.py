"""The csv report: the Review table for any spreadsheet."""

import csv
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.talk import Exchange, Reply
from simulator.core.verdict import Audit
from simulator.formats.sources import Source
from simulator.reports.csv import Csv
from simulator.worksheets.review_files import read_review_file
from tests.execution.scored import episode, header, rated, run, turn
from tests.reports.printed import mixed
from tests.reports.workbook.made import IDS
from tests.worksheets.review_grids import heads


def test_it_is_the_review_table_with_what_formulas_come_to(tmp_path: Path) -> None:
    Csv().write(mixed("ja"), str(tmp_path / "a.csv"))
    assert (tmp_path / "a.csv").read_bytes().startswith("\ufeffキー,".encode())
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        first, *rows = csv.reader(file)
    assert list(heads("ja")) == first
    # The third is not flagged: its score is missing, and so a person's word decides.
    assert [("0.7", "要確認"), ("0.7", "要確認"), ("0.7", ""), ("", "要確認")] == [
        (r[IDS.index("threshold")], r[IDS.index("flag")]) for r in rows
    ]


def test_it_is_read_back_as_nobody_has_touched_it(tmp_path: Path) -> None:
    texts = ["=1+1", "'=1", "-5", "12", "1e5", "a\r\nb ", "\uffff", "あ" * 40_000, "＝x", ""]
    said = [turn(rated(1, text), exchange=Exchange(1, text, Reply(text))) for text in texts]
    made = run(
        header(audit=Audit(1.0)),
        *[episode(t, turn(rated(5 / 3)), scenario=f"s{n}") for n, t in enumerate(said)],
    )
    Csv().write(made, str(tmp_path / "a.csv"))
    table = read_review_file(Source.of(tmp_path / "a.csv"), "en")
    assert 2 * len(texts) == len(table.rows)
    assert {True} == {row.intact for row in table.rows}
    assert () == table.oddities


def test_it_needs_a_file() -> None:
    with pytest.raises(InputError, match="write --report csv=FILE"):
        Csv().write(mixed(), None)
