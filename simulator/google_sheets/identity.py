"""How worksheets, columns and rows are known again, whatever people moved or renamed."""

import hashlib
import unicodedata

from simulator.core.clean import clean

CUT_MARK = "… (cut)"
LONGEST_CELL = 50_000
"""UTF-16 units that a cell holds (Google: files you can store in Drive, size limits)."""


def sheet_id(title: str) -> int:
    """The id that a worksheet gets when it is made: the same for the same title, in 1 … 2³¹-1.

    A worksheet keeps it when people rename it; a request that comes twice cannot make two.
    """
    number = int.from_bytes(hashlib.sha256(title.encode("utf-8")).digest()[:4], "big")
    return (number & 0x7FFF_FFFF) or 1


def head_key(head: object) -> str:
    """A head as it is compared: width, case and white space make no difference."""
    return "".join(unicodedata.normalize("NFKC", str(head or "")).casefold().split())


def row_key(value: object) -> str:
    """The text of a row's first cell as it is compared, after what a cell does to it."""
    return "" if value is None else fitting(str(value)).strip()


def fitting(text: str) -> str:
    """The text as a cell can hold it: no lone surrogates, and cut with a mark if it is too long."""
    text = clean(text)
    if len(text) * 2 <= LONGEST_CELL:
        return text
    units = text.encode("utf-16-le")
    if len(units) <= LONGEST_CELL * 2:
        return text
    # What is cut between the halves of a character loses the whole of it.
    kept = units[: (LONGEST_CELL - len(CUT_MARK)) * 2].decode("utf-16-le", "ignore")
    return kept + CUT_MARK
