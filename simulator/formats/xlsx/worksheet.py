"""One worksheet of an xlsx file, cell by cell: what is written there, as it is shown."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

from simulator.core.bounds import MAX_CELLS, MAX_REPEATED, TooMuch
from simulator.core.clean import clean
from simulator.formats.tables import Record
from simulator.formats.xlsx.number_formats import NoSuchDay, general
from simulator.formats.xlsx.parts import Parts

_DIGITS = "0123456789"
_LONGEST_REFERENCE = 10  # XFD1048576
NO_DAY = "the cell has a format of dates and holds no date (####); give it another format"
NO_RESULT = "the cell holds a formula without its result; open the file in Excel and save it there"


class Worksheet:
    """Reads one worksheet; its rows have the numbers that the spreadsheet shows.

    The text of merged cells counts in each row that they cover, in their first column; only the
    first row, which names the columns, is not spread. Hidden rows and columns are read as well.
    """

    def __init__(self, strings: Sequence[str], formats: Mapping[str, Callable[[str], str]]) -> None:
        self._strings = strings
        self._formats = formats
        self._cells: dict[int, dict[int, str]] = {}
        self._broken: dict[int, dict[int, str]] = {}
        self._merged: list[str] = []
        self._columns: dict[str, int] = {}
        self._inline = Runs()
        self._left = MAX_CELLS
        self._length = 0
        self._row, self._column = 0, -1
        self._cell: dict[str, str] = {}
        self._value = ""
        self._formula = False

    def read(self, parts: Parts, name: str) -> list[Record]:
        """The rows that hold any text, from the top.

        Raises:
            TooMuch: it holds more cells than any table needs.
            ValueError, LookupError: it is damaged.
        """
        starts = {"row": self._begin_row, "c": self._begin_cell, "f": self._begin_formula}
        ends = {"v": self._end_value, "c": self._end_cell}
        parts.walk(
            name,
            {**self._inline.starts(), **starts, "mergeCell": self._merge},
            {**self._inline.ends(), **ends},
        )
        rows = sorted({*self._cells, *self._broken})
        for reference in self._merged:
            self._spread(reference, rows)
        return [Record(row, self._cells.get(row, {}), self._broken.get(row, {})) for row in rows]

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooMuch("holds too many cells")

    def _begin_row(self, attributes: dict[str, str]) -> None:
        self._count()
        self._row = int(attributes.get("r", self._row + 1))
        self._column = -1

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        self._count()
        self._cell = attributes
        reference = attributes.get("r")
        self._column = self._place(reference)[1] if reference else self._column + 1
        self._value, self._formula = "", False

    def _begin_formula(self, _: dict[str, str]) -> None:
        self._formula = True

    def _end_value(self, text: str) -> None:
        self._value = text

    def _end_cell(self, _: str) -> None:
        kind = self._cell.get("t", "n")
        if kind == "e":
            problem = f"the cell holds the error {self._value}; mend its formula, or empty it"
            self._break(problem)
        elif self._formula and kind != "str" and not self._value:
            self._break(NO_RESULT)
        else:
            self._keep(kind)

    def _break(self, problem: str) -> None:
        self._broken.setdefault(self._row, {})[self._column] = problem

    def _keep(self, kind: str) -> None:
        try:
            text = self._text(kind, self._value)
        except NoSuchDay:
            self._break(NO_DAY)
            return
        self._length += len(text)
        if self._length > MAX_REPEATED:
            raise TooMuch("holds too much text")
        if text:
            self._cells.setdefault(self._row, {})[self._column] = text

    def _text(self, kind: str, value: str) -> str:
        if kind == "inlineStr":
            return self._inline.taken()
        if not value:
            return ""
        if kind == "s":
            return self._strings[int(value)]
        if kind == "n":
            return self._formats.get(self._cell.get("s", "0"), general)(value)
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        return text_of(value)  # the text that a formula gave, or a date that is no number

    def _merge(self, attributes: dict[str, str]) -> None:
        self._count()
        self._merged.append(attributes["ref"])

    def _spread(self, reference: str, rows: Sequence[int]) -> None:
        first, _, last = reference.partition(":")
        top, column = self._place(first)
        bottom, _ = self._place(last or first)
        text = self._cells.get(top, {}).get(column)
        if text is None or top == rows[0]:
            return
        for row in rows[bisect_right(rows, top) : bisect_right(rows, bottom)]:
            self._count()
            self._cells.setdefault(row, {}).setdefault(column, text)

    def _place(self, reference: str) -> tuple[int, int]:
        """Row from 1 and column from 0 of a cell such as AB12; the row is 0 where none is said."""
        letters = reference.rstrip(_DIGITS)
        if letters not in self._columns:
            if len(reference) > _LONGEST_REFERENCE:
                raise ValueError("no cell has such a name")
            number = 0
            for letter in letters.upper():
                number = 26 * number + ord(letter) - ord("A") + 1
            self._columns[letters] = number - 1
        return int(reference[len(letters) :] or 0), self._columns[letters]


_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


class Runs:
    """The text of a cell or of a shared string, put together from its runs."""

    def __init__(self) -> None:
        self._runs: list[str] = []
        self._reading = False

    def starts(self) -> dict[str, Callable[[dict[str, str]], None]]:
        """What to do at the beginning of elements."""
        return {"rPh": self._begin_reading}

    def ends(self) -> dict[str, Callable[[str], None]]:
        """What to do at the end of elements."""
        return {"t": self._run, "rPh": self._end_reading}

    def taken(self) -> str:
        """The whole text as `text_of` makes it; the next one begins empty."""
        text = "".join(self._runs)
        self._runs.clear()
        return text_of(text)

    # How a word is read (furigana) stands beside it and is no part of the text.
    def _begin_reading(self, _: dict[str, str]) -> None:
        self._reading = True

    def _end_reading(self, _: str) -> None:
        self._reading = False

    def _run(self, text: str) -> None:
        if not self._reading:
            self._runs.append(text)


def text_of(written: str) -> str:
    """A text as it stands in the file, without its escapes (`_x000D_`), clean and stripped."""
    if "_x" in written:
        written = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), written)
    return clean(written).strip()


def shared_strings(parts: Parts, name: str) -> list[str]:
    """The texts that cells refer to by their numbers."""
    found: list[str] = []
    runs = Runs()

    def end(_: str) -> None:
        found.append(runs.taken())
        if len(found) > MAX_CELLS:
            raise TooMuch("holds too many texts")

    parts.walk(name, runs.starts(), {**runs.ends(), "si": end})
    return found
