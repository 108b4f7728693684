"""--report sheets: a finished run in a spreadsheet."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.cli.app import run
from simulator.reports.sheets import Sheets
from tests.sheets_server.server import GoogleServer
from tests.worksheets.google.made import held
from tests.worksheets.google.signed_in import PAGES_KEY, google_here


@pytest.fixture
def google(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleServer]:
    """Google, and a working directory in which the demo has run."""
    monkeypatch.chdir(tmp_path)
    assert 0 == run(["init", "acme"])
    assert 0 == run(["run", "acme", "--limit", "2", "--audit", "1", "--quiet"])
    with google_here() as server:
        yield server


def named_in_client_yaml() -> None:
    path = Path("scenarios/acme/client.yaml")
    sheets = f"\nsheets: {{spreadsheet: {PAGES_KEY}, worksheet: 会話}}\n"
    path.write_text(path.read_text("utf-8") + sheets, "utf-8")


def test_goes_to_the_spreadsheet_that_is_named(
    google: GoogleServer, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert 0 == run(["report", "latest", "--report", f"sheets={PAGES_KEY}"])
    shown = capsys.readouterr()
    assert f"wrote https://docs.google.com/spreadsheets/d/{PAGES_KEY}/edit#gid=" in shown.err
    assert "" == shown.out
    titles = [sheet.title.split()[0] for sheet in google.books[PAGES_KEY].sheets]
    assert ["Sheet1", "使い方", "Review", "Log", "Summary", "Config"] == titles
    assert (1, 1) == (google.reads, google.writes)


def test_goes_to_the_client_s_spreadsheet_and_worksheet(google: GoogleServer) -> None:
    named_in_client_yaml()
    assert 0 == run(["report", "latest", "--report", "sheets"])
    assert "会話" == google.books[PAGES_KEY].sheets[3].title


def test_again_nothing_changes_and_another_run_goes_below(google: GoogleServer) -> None:
    named_in_client_yaml()
    assert 0 == run(["report", "latest", "--report", "sheets"])
    once = held(google.books[PAGES_KEY])
    assert 0 == run(["report", "latest", "--report", "sheets"])
    assert once == held(google.books[PAGES_KEY])
    assert 0 == run(["run", "acme", "--limit", "2", "--quiet", "--report", "sheets"])
    after = held(google.books[PAGES_KEY])
    assert once == {title: after[title] for title in once} | {"会話": once["会話"]}
    assert 10 == len(after)
    assert after["会話"]["grid"][0] == once["会話"]["grid"][0] + 2


def test_where_no_spreadsheet_is_named_it_says_how(
    google: GoogleServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == run(["report", "latest", "--report", "sheets"])
    told = capsys.readouterr().err
    assert "no spreadsheet is set for acme; add it to its client.yaml" in told
    assert [] == google.requests


def test_a_wrong_name_is_told_before_anything_runs(
    google: GoogleServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == run(["run", "acme", "--report", "sheets=my sheet"])
    assert '"my sheet" isn\'t a spreadshe' in capsys.readouterr().err
    assert [] == google.requests


def test_the_spreadsheet_is_no_part_of_what_a_run_is(google: GoogleServer) -> None:
    assert google.url
    assert 0 == run(["run", "acme", "--limit", "1", "--quiet"])
    named_in_client_yaml()
    assert 0 == run(["run", "--resume", "latest", "--quiet"])


def test_a_missing_package_is_told_before_a_run_is_paid_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gspread", None)
    assert "pip install 'mogi[sheets]'" in str(Sheets.complaint(""))
