from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.generate.planning import ReportLine, read_report, report_path, report_text

KEPT = ReportLine(
    status="kept",
    unit="a/title",
    method="title",
    entries=("a",),
    number=1,
    id="a-title-1",
    query="退会したい",
    ranks={"a": 2, "b": None},
    scenario="0f",
)
GONE = ReportLine(
    status="dropped", unit="a/title", method="title", entries=("a",), fault="duplicate"
)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(report_text([KEPT, GONE]), "utf-8")
    assert [KEPT, GONE] == read_report(path)
    assert "退会したい" in path.read_text("utf-8")


def test_the_report_stands_beside_its_file(tmp_path: Path) -> None:
    path = report_path(tmp_path / "scenarios.generated.yaml")
    assert tmp_path / "scenarios.generated.report.jsonl" == path
    assert [] == read_report(path)


@pytest.mark.parametrize("line", ["{", '{"status": "lost"}', "[]", '{"status": "kept"}'])
def test_a_line_that_is_none_is_complained_of(tmp_path: Path, line: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(f"{report_text([KEPT])}\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=r"r\.jsonl:3: this isn't a line of a"):
        read_report(path)


def test_keys_of_a_newer_mogi_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(report_text([GONE]).replace("{", '{"new": 1, ', 1), "utf-8")
    assert [GONE] == read_report(path)
