"""Formulas moved to where cells really are: people insert rows, move columns and rename tabs."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from simulator.sheet.book import column_name, quoted_title

_TITLE = r"(?:'(?P<quoted>(?:[^']|'')+)'|(?P<plain>[^\W\d][\w.]*))!"
_CELL = r"\$?[A-Z]{1,3}\$?[0-9]{1,7}"
_COLUMN = r"\$?[A-Z]{1,3}"
_REFERENCE = re.compile(
    r'"(?:[^"]|"")*"'  # texts are passed over
    rf"|(?P<title>{_TITLE})?(?<![\w.$])"
    rf"(?P<area>{_CELL}(?::{_CELL})?|{_COLUMN}:{_COLUMN})(?![\w(.!])"
)
_PART = re.compile(r"(\$?)([A-Z]{1,3})(?:(\$?)([0-9]+))?")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worksheet's cells really are: its title, and its rows and columns, from 0."""

    title: str
    row: Callable[[int], int]
    column: Callable[[int], int]


def moved(formula: str, here: Place, find: Callable[[str], Place | None]) -> str:
    """The formula for the cells as they are.

    `here` is the place of the worksheet that the formula stands in, seen from its own row; `find`
    gives that of another one by the title that the formula names, None to leave it.
    """

    def replaced(found: re.Match[str]) -> str:
        area = found["area"]
        if area is None:
            return found[0]
        if found["title"] is None:
            return _area(area, here)
        title = (found["quoted"] or found["plain"]).replace("''", "'")
        place = find(title)
        return found[0] if place is None else f"{quoted_title(place.title)}!{_area(area, place)}"

    return _REFERENCE.sub(replaced, formula)


def _area(area: str, place: Place) -> str:
    return ":".join(_part(part, place) for part in area.split(":"))


def _part(part: str, place: Place) -> str:
    found = _PART.fullmatch(part)
    if found is None:
        return part
    column = column_name(place.column(_index(found[2])))
    if found[4] is None:
        return f"{found[1]}{column}"
    return f"{found[1]}{column}{found[3]}{place.row(int(found[4]) - 1) + 1}"


def _index(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
