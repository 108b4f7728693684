"""A workbook described: worksheets, columns, rows and what colours them, for any kind of file.

The writers (xlsx, csv, Google Sheets) show it; the reports make it. Texts are never formulas: a
formula is a cell's own field, and only this package's callers write one.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from simulator.core.clean import clean, is_number, is_plain, marked

TEXT_FORMAT = "@"
"""The format of cells in which what people type stays as they type it: no date, no formula."""

CellValue = str | float | int | None
"""What a cell holds; None: nothing."""


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour of a cell; red, green and blue in 0–255."""

    red: int
    green: int
    blue: int


@dataclass(frozen=True, slots=True)
class SheetCell:
    """One cell with more than a value.

    `formula` begins with `=` and is in the common dialect of Excel and Google Sheets; `value` is
    then what it comes to when the file is written. `note` is shown when the pointer rests on it.
    `form`: a number format such as `0.00`. `right`: a text stands above or among numbers.
    """

    value: CellValue = None
    formula: str = ""
    fill: Colour | None = None
    note: str = ""
    bold: bool = False
    form: str = ""
    right: bool = False


SheetRow = Sequence[CellValue | SheetCell]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a worksheet.

    `head` is what people read in the first row; `width` is in characters of a plain font.
    `people`: people write here, and a program never changes what they wrote; other columns are
    protected against slips (a warning, not a lock). `choices` make a drop-down; other values are
    accepted with a warning. `wrap`: long texts take several lines; `clip`: they end at the
    column's edge; both: they take a few lines, and more only where the rest of the row makes room;
    neither: they run over the empty cells beside them.
    """

    head: str
    width: int = 12
    hidden: bool = False
    wrap: bool = False
    clip: bool = False
    people: bool = False
    choices: tuple[str, ...] = ()
    form: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """Cells that take a colour while a formula holds, and lose it when it does not.

    The formula is relative to the first cell of the area, as spreadsheets have it:
    `=AND(ISNUMBER($H2),$H2<$J2)`. Rows and columns count from 0; `last_row` None: to the end of
    what there is, however it grows.
    """

    formula: str
    fill: Colour
    first_row: int
    last_row: int | None
    first_column: int
    last_column: int


@dataclass(frozen=True, slots=True)
class Worksheet:
    """One worksheet.

    `columns`: where `header` is True their heads are the first row. `rows` makes the rows anew
    whenever it is called; each row has at most as many cells as there are columns.
    `grows`: a row is known by the text of its first cell and a column by its head; where the
    worksheet exists already, rows that are there stay as they are, wherever they stand, and the
    others are put below; with `fills` what is empty in them, and people's to write in is not, is
    filled in. False: it holds this and nothing else, and is written as a whole. `shared`: where it
    grows, rows of other books stand there as well.
    `warning`: what somebody is told who edits a cell that is not people's; empty: nothing.
    `frozen`: so many rows and columns stay in sight. `filtered`: the head has a filter.
    """

    title: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterable[SheetRow]]
    rules: tuple[Rule, ...] = ()
    header: bool = True
    grows: bool = False
    shared: bool = False
    fills: bool = False
    filtered: bool = False
    warning: str = ""
    frozen: tuple[int, int] = (1, 0)


@dataclass(frozen=True, slots=True)
class Book:
    """A workbook: worksheets in the order in which they are shown. Titles are unique.

    Formulas name their own worksheet or one that stands behind it.

    `opens_at`: the title of the one that is seen first, where a file can say so. `answers`: of the
    one in which people write, and which is read back; where empty it opens there. `properties`:
    names and texts that a file keeps where nobody looks, so that a program knows it again.
    `font`: what the texts are set in; empty: whatever is usual. `colours`: all with which cells are
    filled, now or in earlier books of this kind; another one in a cell is somebody's.
    """

    worksheets: tuple[Worksheet, ...] = field(default=())
    opens_at: str = ""
    answers: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)
    font: str = ""
    colours: Collection[Colour] = ()

    @property
    def read_back(self) -> str:
        """The title of the worksheet that people write in."""
        return self.answers or self.opens_at


# What a model said as a cell that holds it (guards: core.clean).

LONGEST_CELL = 32_767  # UTF-16 units that a cell of a workbook holds
CUT_MARK = "… (cut)"
_NOT_XML = re.compile("[\ufffe\uffff]")


def legible(text: str) -> str:
    """The text without what a spreadsheet cannot hold; what people could not see is marked."""
    return text if is_plain(text) else _NOT_XML.sub("\ufffd", marked(clean(text)))


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


class Trace:
    """Tells which texts a program wrote, from those of people, wherever they stand by now.

    It keeps 24 bits of each: beside 9,000 texts, one of people's in 1,800 is taken for one of them.
    Only texts with a letter count (how a number is shown is nobody's doing), and no JSON.
    """

    def __init__(self, kept: Iterable[str] = ()) -> None:
        """`kept`: what `lines` gave of an earlier one."""
        rows = (base64.b64decode(line) for line in kept)
        self._known = {row[n : n + _BYTES] for row in rows for n in range(0, len(row), _BYTES)}

    def add(self, text: str, title: str) -> None:
        """Take in one text of the worksheet `title`."""
        if words := worded(text):
            self._known.add(_digest(words))
        if len(text) <= _SHORT:
            self._known.add(_digest(f"{title}!{text}"))

    def knows(self, text: str, title: str = "") -> bool:
        """Whether this was taken in (of `title`, a short one), or says nothing in words."""
        if title:
            return len(text) <= _SHORT and _digest(f"{title}!{text}") in self._known
        words = worded(text)
        return not words or _digest(words) in self._known

    def lines(self) -> Iterator[str]:
        """All of it in short lines of ASCII."""
        known = sorted(self._known)
        for start in range(0, len(known), _TOGETHER):
            yield base64.b64encode(b"".join(known[start : start + _TOGETHER])).decode()


_SHORT = 8  # characters: `OK` stands in one worksheet by right, and in another by mistake
_BYTES, _TOGETHER = 3, 63  # of a text; texts of a line, for properties hold 255 characters


def _digest(words: str) -> bytes:
    return hashlib.sha256(words.encode("utf-8", "replace")).digest()[:_BYTES]


def worded(text: str) -> str:
    """A cell's text as it is compared; empty where it says nothing in words, or is JSON."""
    words = " ".join(text.split())
    is_json = words.startswith("{") and words.endswith("}")
    return words if any(map(str.isalpha, words)) and not is_json else ""


@cache
def column_name(index: int) -> str:
    """The letters of the column at `index`, from 0: A, B, …, Z, AA, AB."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def quoted_title(title: str) -> str:
    """A worksheet's title as formulas name it: `'Config 1a2b3c4d'`."""
    return "'" + title.replace("'", "''") + "'"
