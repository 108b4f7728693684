"""How people name a spreadsheet of Google's: by its key, or by its address in the browser."""

import re

from simulator.core.errors import InputError
from simulator.files.hints import shown

_IN_URL = re.compile(r"/spreadsheets/(?:u/\d+/)?d/([A-Za-z0-9_-]+)")
_KEY = re.compile(r"[A-Za-z0-9_-]{5,}")


def spreadsheet_key(where: str) -> str:
    """The key in a spreadsheet's URL, or the key itself.

    Raises:
        InputError: it is neither.
    """
    text = where.strip()
    found = _IN_URL.search(text)
    if found:
        return found[1]
    if _KEY.fullmatch(text):
        return text
    raise InputError(
        f"{shown(where)} is no spreadsheet; write its key, or its address: "
        "https://docs.google.com/spreadsheets/d/KEY/edit"
    )
