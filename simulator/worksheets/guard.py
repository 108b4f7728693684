"""What a model said as a cell that holds it: legible, and not too long (guards: core.clean)."""

import re

from simulator.core.clean import clean, is_number, marked

LONGEST_CELL = 32_767  # UTF-16 units that a cell of a workbook holds
CUT_MARK = "… (cut)"
_NOT_XML = re.compile("[\ufffe\uffff]")


def legible(text: str) -> str:
    """The text without what a spreadsheet cannot hold; what people could not see is marked."""
    return _NOT_XML.sub("\ufffd", marked(clean(text)))


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
