"""The formula guard: what a model said stays text, in whatever it is opened."""

import re

from simulator.core.clean import clean

LONGEST_CELL = 32_767  # UTF-16 units that a cell of a workbook holds
CUT_MARK = "… (cut)"
# What spreadsheets take for the beginning of a formula, in full width as well, or of another cell.
_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")
_NOT_XML = re.compile("[\ufffe\uffff]")


def is_number(text: str) -> bool:
    """Whether a text is a number that a spreadsheet shows and keeps just so."""
    if _NUMBER.fullmatch(text) is None or sum(map(str.isdigit, text)) > 15 or text == "-0":
        return False
    return "." not in text or repr(float(text)) == text


def guarded(text: str) -> str:
    """The text as a cell of a csv file that spreadsheets do not take for a formula.

    Where it begins like one an apostrophe stands before it; numbers stay as they are.
    """
    return f"'{text}" if _FORMULA.match(text) and not is_number(text) else text


def unguarded(text: str) -> str:
    """The text that `guarded` put an apostrophe before; any other as it is."""
    return text[1:] if text.startswith("'") and guarded(text[1:]) == text else text


def legible(text: str) -> str:
    """The text without what a file of a spreadsheet cannot hold."""
    return _NOT_XML.sub("\ufffd", clean(text))


def fitting(text: str, longest: int = LONGEST_CELL) -> str:
    """The text as a cell of so many UTF-16 units can hold it; what is cut is marked."""
    text = legible(text)
    if 2 * len(text) <= longest:  # most texts, whatever they are written in
        return text
    units = text.encode("utf-16-le")
    if len(units) <= 2 * longest:
        return text
    # What is cut between the halves of a character loses the whole of it.
    return units[: 2 * (longest - len(CUT_MARK))].decode("utf-16-le", "ignore") + CUT_MARK


def cell(value: object) -> str | float | int:
    """A value as a cell of a workbook: numbers as numbers, all else as text that fits."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    text = fitting(str(value))
    if is_number(text):
        return float(text) if "." in text else int(text)
    return text
