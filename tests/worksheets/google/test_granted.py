"""Whatever Google's client is led to, nobody but Google is asked."""

import pytest
from requests import Request

from simulator.core.errors import InputError
from simulator.worksheets.google.http import _Bounded


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/v4/spreadsheets/x",
        "http://sheets.googleapis.com/v4/x",
        "https://sheets.googleapis.com/v4beta/x",
        "https://sheets.googleapis.com/batch",
    ],
)
def test_attack_a_redirect_of_google_leads_elsewhere(url: str) -> None:
    with pytest.raises(InputError, match=r"which lists: https://sheets\.googleapis\.com/v4$"):
        _Bounded().send(Request("GET", url).prepare())
