"""Generated expectations confirmed from the command line: a worksheet out and back."""

import importlib
from pathlib import Path

import gspread
import pytest

from simulator.worksheets.google.credentials import find_account
from simulator.worksheets.google.http import SheetsHttp
from tests.e2e.conftest import Mogi
from tests.e2e.test_review_sheets import google
from tests.review.test_expectation_sheet import NAMES
from tests.review.test_expectations import folder, says, text_of
from tests.worksheets.google.signed_in import PAGES_KEY as KEY

__all__ = ["folder", "google"]  # fixtures
COMMAND = ("review", "expectations")


def filled(path: Path, cells: dict[str, dict[str, str]]) -> None:
    """Type into the rows with these keys."""
    book = importlib.import_module("openpyxl").load_workbook(path)
    for row in book.worksheets[0].iter_rows(min_row=2):
        for name, text in cells.get(row[0].value, {}).items():
            row[NAMES.index(name)].value = text
    book.save(path)


def test_a_worksheet_goes_round(mogi: Mogi, folder: Path, tmp_path: Path) -> None:
    done = mogi(*COMMAND, "acme")
    assert 0 == done.status, done.err
    assert done.out.startswith("30 claims of 15 scenarios to confirm, about 6 min; written to")
    ok = {"check": "OK", "reviewer": "Sato"}
    filled(
        tmp_path / "expectations.xlsx",
        {f"q1|{says('1 pounds')}": ok, f"q1|{says('1 days')}": {**ok, "corrected": "2 days"}},
    )
    before = text_of(folder)
    shown = mogi(*COMMAND, "acme", "--from", "expectations.xlsx")
    assert "+    approved: true" in shown.out
    assert "Next  the same command with --write" in shown.err
    assert before == text_of(folder)
    lost = mogi(*COMMAND, "acme")
    assert (2, True) == (lost.status, "haven't imported" in lost.err)
    taken = mogi(
        "review", "pull", "acme", "--expectations", "--from", "expectations.xlsx", "--json"
    )
    assert {"ok": 1, "change": 1} == taken.json["taken"]
    assert {"confirmed": 2, "bulk": 0, "open": 14} == taken.json["scenarios"]
    assert before.replace("1 days\n", "2 days\n", 1).replace("false", "true", 1) == text_of(folder)
    again = mogi(*COMMAND, "acme", "--from", "expectations.xlsx", "--write", "--json")
    assert (0, {}, 2) == (again.status, again.json["taken"], again.json["same"])
    refused = mogi(*COMMAND, "acme", "--bulk", "--write", "--json")
    assert (3, True) == (refused.status, refused.json["refused"])
    assert 0 == mogi(*COMMAND, "acme").status


@pytest.mark.parametrize("option", [("--write",), ("--reviewer", "Sato")])
def test_an_option_without_a_worksheet_to_read_is_refused(
    mogi: Mogi, folder: Path, tmp_path: Path, option: tuple[str, ...]
) -> None:
    done = mogi(*COMMAND, "acme", *option)
    told = "mogi review expectations acme --from expectations.xlsx --write"
    assert (2, True) == (done.status, told in done.err)
    assert not (tmp_path / "expectations.xlsx").exists()


def test_bulk_approval_and_what_a_run_says(mogi: Mogi, folder: Path, tmp_path: Path) -> None:
    (folder / "client.yaml").write_text(
        "language: en\ntarget: {kind: demo}\nknowledge: faq.csv\n"
        "scenarios: scenarios.generated.yaml\npersonas: [calm]\ngate: {pass_rate: 0.5}\n",
        "utf-8",
    )
    run = mogi("run", "acme", "--offline", "--json", "--quiet").json
    assert {"confirmed": 0, "bulk": 0, "open": 15} == run["expectations"]
    assert 1.0 == run["gate"]["unapproved"]
    assert "15 expectations to confirm" in mogi("show", "latest").out
    assert 0 == mogi(*COMMAND, "acme").status
    rows = importlib.import_module("openpyxl").load_workbook(tmp_path / "expectations.xlsx")
    keys = [row[0].value for row in rows.worksheets[0].iter_rows(min_row=2) if row[1].value]
    filled(tmp_path / "expectations.xlsx", {key: {"check": "OK"} for key in keys})
    args = ("--from", "expectations.xlsx", "--reviewer", "Sato", "--bulk", "--write", "--json")
    done = mogi(*COMMAND, "acme", *args)
    assert (0, 0, 20) == (done.status, done.json["to_judge"], done.json["taken"]["ok"])
    assert 0.139 == pytest.approx(done.json["sample"]["upper"], abs=0.001)
    counts = mogi("run", "acme", "--offline", "--json", "--quiet").json["expectations"]
    assert done.json["scenarios"] == counts
    assert counts["bulk"] > 0 == counts["open"]
    assert "are waiting for review" in mogi(*COMMAND, "acme").out


@pytest.mark.usefixtures("google")
def test_a_spreadsheet_goes_round(mogi: Mogi, folder: Path) -> None:
    written = mogi(*COMMAND, "acme", "--to", f"sheets={KEY}")
    assert 0 == written.status, written.err
    client = gspread.Client(auth=find_account().credentials, http_client=SheetsHttp)
    sheet = client.open_by_key(KEY).worksheet("Expectations acme")
    rows = sheet.get_all_values()
    key = f"q3|{says('3 days')}"
    number = next(n for n, row in enumerate(rows, 1) if row[0] == key)
    sheet.update_cell(number, 1 + NAMES.index("check"), "strike")
    sheet.update_cell(number, 1 + NAMES.index("reviewer"), "Sato")
    args = ("--from", f"sheets={KEY}", "--write", "--json")
    done = mogi(*COMMAND, "acme", *args)
    assert (0, {"strike": 1}) == (done.status, done.json["taken"])
    assert "- 3 days\n" not in text_of(folder)
    assert 0 == mogi(*COMMAND, "acme", "--to", f"sheets={KEY}").status  # what is there stays
    assert "strike" == sheet.cell(number, 1 + NAMES.index("check")).value
    assert {} == mogi(*COMMAND, "acme", *args).json["taken"]
