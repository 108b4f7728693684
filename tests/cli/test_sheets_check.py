"""mogi sheets-check: what would be used, and whether it would work; nothing is written."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.cli.app import run
from tests.sheets_server.accounts import ROBOT
from tests.sheets_server.server import GoogleServer
from tests.sheets_server.state import Book
from tests.worksheets.google.signed_in import PAGES_KEY, google_here


@pytest.fixture
def google(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleServer]:
    """Google, and a working directory with a client that names a spreadsheet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    assert 0 == run(["init", "acme"])
    path = tmp_path / "scenarios/acme/client.yaml"
    sheets = f"\nsheets: {{spreadsheet: {PAGES_KEY}, worksheet: 記録}}\n"
    path.write_text(path.read_text("utf-8") + sheets, "utf-8")
    with google_here() as server:
        yield server


def book(google: GoogleServer) -> Book:
    return google.books[PAGES_KEY]


def test_says_what_would_be_used_and_changes_nothing(
    google: GoogleServer, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert 0 == run(["sheets-check", "acme"])
    shown = capsys.readouterr()
    assert "MOGI_GOOGLE_CREDENTIALS (mogi-key.json、サービス アカウント)" in shown.out
    assert ROBOT in shown.out
    assert "Sheet1" in shown.out
    assert "ログ:             「記録」を新しく作ります" in shown.out  # in the client's language
    assert "" == shown.err
    assert (0, ["Sheet1"]) == (book(google).revision, [s.title for s in book(google).sheets])


def test_json_is_one_object(google: GoogleServer, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert 0 == run(["sheets-check", "acme", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert ROBOT == found["credentials"]["email"]
    assert (PAGES_KEY, "Bot review") == (found["spreadsheet"], found["title"])
    assert (True, True, []) == (found["readable"], found["writable"], found["problems"])
    assert [{"title": "Sheet1", "rows": 1000, "columns": 26}] == found["worksheets"]


@pytest.mark.parametrize(
    ("roles", "readable", "writable", "told"),
    [
        ({}, False, None, f"share it with {ROBOT} as an editor"),
        ({"": "reader"}, True, False, f"{ROBOT} can only read the spreadsheet"),
    ],
)
def test_what_is_not_allowed_is_told_with_the_address_to_share_with(
    google: GoogleServer,
    capsys: pytest.CaptureFixture[str],
    roles: dict[str, str],
    readable: bool,
    writable: bool | None,
    told: str,
) -> None:
    book(google).roles = roles
    capsys.readouterr()
    assert 2 == run(["sheets-check", "acme", "--json"])
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert (readable, writable) == (found["readable"], found["writable"])
    assert told in found["problems"][0]
    assert told in shown.err


def test_without_spreadsheet_or_credentials_both_are_told(
    google: GoogleServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert google.url
    monkeypatch.delenv("MOGI_GOOGLE_CREDENTIALS")
    capsys.readouterr()
    assert 2 == run(["sheets-check", "demo"])
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("no Google credentials")
    assert told[1].startswith("no spreadsheet is set; add it to client.yaml")


def test_another_spreadsheet_may_be_named_by_its_address(
    google: GoogleServer, capsys: pytest.CaptureFixture[str]
) -> None:
    google.add("another-one", "Other")
    url = "https://docs.google.com/spreadsheets/d/another-one/edit#gid=0"
    capsys.readouterr()
    assert 0 == run(["sheets-check", "acme", "--spreadsheet", url])
    assert "Other" in capsys.readouterr().out


def test_a_wrong_name_is_complained_of(
    google: GoogleServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert google.url
    assert 2 == run(["sheets-check", "acme", "--spreadsheet", "no key"])
    assert "isn't a spreadsheet; use its" in capsys.readouterr().err
