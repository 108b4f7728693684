"""A spreadsheet by its key or its address, also in client.yaml."""

from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.plan import SheetsSpec
from simulator.formats.fields import spreadsheet_key
from tests.files.client.acme import LEAST, acme, acme_complaints
from tests.files.client.rooms import rooms

__all__ = ["rooms"]
pytestmark = pytest.mark.usefixtures("rooms")
KEY = "1AbCdEfGhIjKlMnOpQrStUvWxYz-_0"


@pytest.mark.parametrize(
    "where",
    [
        KEY,
        f" {KEY}\n",
        f"https://docs.google.com/spreadsheets/d/{KEY}/edit#gid=0",
        f"https://docs.google.com/spreadsheets/u/1/d/{KEY}",
        f"docs.google.com/spreadsheets/d/{KEY}/edit?usp=sharing",
    ],
)
def test_a_key_is_found(where: str) -> None:
    assert KEY == spreadsheet_key(where)


@pytest.mark.parametrize("where", ["", "abc", "my sheet", "https://example.com/x", "業務日報の表"])
def test_what_is_no_spreadsheet_is_complained_of(where: str) -> None:
    with pytest.raises(InputError, match="isn't a spreadsheet; use its key or its URL:"):
        spreadsheet_key(where)


def test_a_client_names_its_spreadsheet_and_the_worksheet_of_its_log(tmp_path: Path) -> None:
    url = f"https://docs.google.com/spreadsheets/d/{KEY}/edit"
    text = f"{LEAST}\nsheets: {{spreadsheet: '{url}', worksheet: 会話}}\n"
    assert SheetsSpec(KEY, "会話") == acme(tmp_path, {"client.yaml": text}).client.sheets


def test_the_log_is_called_log(tmp_path: Path) -> None:
    text = f"{LEAST}\nsheets: {{spreadsheet: {KEY}}}\n"
    assert SheetsSpec(KEY, "Log") == acme(tmp_path, {"client.yaml": text}).client.sheets


def test_a_wrong_spreadsheet_in_client_yaml_is_told_with_its_line(tmp_path: Path) -> None:
    text = f"{LEAST}\nsheets:\n  spreadsheet: my sheet\n"
    (complaint,) = acme_complaints(tmp_path, {"client.yaml": text})
    assert "spreadsheet" in str(complaint)
    assert "isn't a spreadsheet; use its" in str(complaint)
