"""An xlsx file as a table: one of its worksheets, every cell as it is shown.

Of the libraries, python-calamine reads `#N/A` as an empty cell and 85% as 0.85, and a stray cell
in the last row and column makes it abort the process; openpyxl takes three to five times as long
and writes warnings of its own. So the parts that matter are read here.
"""

import io
import posixpath
import re
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast
from xml.parsers import expat
from xml.parsers.expat import ExpatError

from simulator.core.bounds import (
    MAX_CELLS,
    MAX_FORMAT,
    MAX_REPEATED,
    MAX_STYLES,
    MAX_UNPACKED,
    TooMuch,
)
from simulator.core.clean import clean
from simulator.core.errors import InputError
from simulator.formats.sources import Source, hint, shown
from simulator.formats.tables import Record, Table, table_of
from simulator.formats.xlsx.number_formats import NoSuchDay, general, number_format

Starts = Mapping[str, Callable[[dict[str, str]], None]]
Ends = Mapping[str, Callable[[str], None]]


class NotPlain(ValueError):
    """The XML declares a document type, which no workbook does: entities may hide bombs."""


def walk(stream: BinaryIO, starts: Starts, ends: Ends) -> None:
    """Call `starts` with the attributes of each element, and `ends` with the text at its end.

    Elements are named without their namespace; those of other namespaces than the root's are
    passed over. The text is what stands between the last tag and the end of the element.

    Raises:
        NotPlain: there is a document type.
        expat.ExpatError: it is not XML.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    text: list[str] = []

    def root(name: str, attributes: dict[str, str]) -> None:
        prefix = name[: name.rfind(":") + 1]
        at_start = {prefix + element: take for element, take in starts.items()}
        at_end = {prefix + element: take for element, take in ends.items()}

        def start(name: str, attributes: dict[str, str]) -> None:
            if text:
                text.clear()
            if take := at_start.get(name):
                take(attributes)

        def end(name: str) -> None:
            if take := at_end.get(name):
                take("".join(text))
            if text:
                text.clear()

        parser.CharacterDataHandler = text.append
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        start(name, attributes)

    parser.StartElementHandler = root
    parser.StartDoctypeDeclHandler = _refuse
    parser.ParseFile(stream)


class Related(NamedTuple):
    """A part that another one names: what it is (`worksheet`, `styles`), and where it lies."""

    kind: str
    name: str


class _Bounded(io.RawIOBase):
    """A part while it is unpacked; what is read counts towards the bound of the whole file."""

    def __init__(self, part: BinaryIO, parts: "Parts") -> None:
        self._part = part
        self._parts = parts

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes."""
        data = self._part.read(size)
        self._parts.count(len(data))
        return data


class Parts:
    """The zip's files by their names, whatever their case."""

    def __init__(self, data: bytes) -> None:
        """Open the zip.

        Raises:
            zipfile.BadZipFile: it is none, or damaged.
        """
        self._zip = zipfile.ZipFile(io.BytesIO(data))
        self._names = {n.replace("\\", "/").lower(): n for n in self._zip.namelist()}
        self._unpacked = 0

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._names

    def count(self, size: int) -> None:
        """Count bytes that were unpacked."""
        self._unpacked += size
        if self._unpacked > MAX_UNPACKED:
            raise TooMuch("unpacks to too much")

    def walk(self, name: str, starts: Starts, ends: Ends | None = None) -> None:
        """Read one part: see `walk`.

        Raises:
            KeyError: there is no such part.
        """
        with self._zip.open(self._names[name.lower()]) as part:
            walk(cast("BinaryIO", _Bounded(cast("BinaryIO", part), self)), starts, ends or {})

    def related(self, name: str) -> dict[str, Related]:
        """What a part names, by the ids that it uses; "" is the whole file."""
        folder, base = posixpath.split(name)
        listed = posixpath.join(folder, "_rels", f"{base}.rels")
        found: dict[str, Related] = {}

        def take(attributes: dict[str, str]) -> None:
            if attributes.get("TargetMode") == "External":
                return
            kind = attributes["Type"].rpartition("/")[2]
            target = posixpath.normpath(posixpath.join("/", folder, attributes["Target"]))
            found[attributes["Id"]] = Related(kind, target.lstrip("/"))

        if listed in self:
            self.walk(listed, {"Relationship": take})
        return found


def _refuse(*_: Any) -> None:
    raise NotPlain("it declares a document type")


_DIGITS = "0123456789"
_LONGEST_REFERENCE = 10  # XFD1048576
NO_DAY = "the cell has a date format, but not a valid date (####); change the format"
NO_RESULT = "the cell contains a formula without a result; open the file in Excel and save it"


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
            raise TooMuch("contains too many cells")

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
            problem = f"the cell contains the error {self._value}; fix its formula, or clear it"
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
            raise TooMuch("contains too much text")
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
                raise ValueError("invalid cell reference")
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
            raise TooMuch("contains too many texts")

    parts.walk(name, runs.starts(), {**runs.ends(), "si": end})
    return found


_T = TypeVar("_T")
_PLAIN = ("", "000000", "FFFFFF", "theme0", "theme1", "indexed8", "indexed9", "indexed64")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, ExpatError, EOFError, OSError, LookupError, ValueError,
    ArithmeticError,
    RuntimeError,  # a part of the zip is encrypted, or compressed in a way that nobody uses
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Sheet:
    name: str
    part: str
    visible: bool


def read_workbook(source: Source, worksheet: str | None = None) -> Table:
    """The table on a worksheet: the one of that name, or the first that is not hidden.

    The first row that holds text names the columns. Complaints name the row as the spreadsheet
    shows it, and the worksheet where there are several.

    Raises:
        InputError: it is no xlsx file, is damaged, locked or too large; no such worksheet; no
            header, a column name twice.
    """
    return _read(source, lambda book: book.table(worksheet))


def read_worksheets(source: Source) -> dict[str, list[Record]]:
    """Every worksheet by its name, hidden ones too: the rows that hold any text.

    Raises:
        InputError: it is no xlsx file, is damaged, locked or too large.
    """
    return _read(source, lambda book: book.worksheets())


@dataclass(frozen=True, slots=True)
class Marks:
    """What a workbook holds beside the texts of its cells.

    `properties` are its custom ones; `notes` (worksheet, cell, text); `painted` (worksheet, cell):
    filled or written in a colour that was not asked for.
    """

    properties: Mapping[str, str]
    notes: Sequence[tuple[str, str, str]]
    painted: Sequence[tuple[str, str]]


def read_marks(source: Source, colours: Collection[str]) -> Marks:
    """What stands beside the texts of a workbook; `colours` (RRGGBB) are those that may be there.

    Raises:
        InputError: it is no xlsx file, is damaged, locked or too large.
    """
    return _read(source, lambda book: book.marks({*_PLAIN, *colours}))


def _read(source: Source, take: "Callable[[_Book], _T]") -> _T:
    data = _content(source)
    try:
        return take(_Book(source, data))
    except TooMuch as error:
        raise source.error(0, f"is larger than a table needs ({error}); split it") from error
    except _DAMAGED as error:
        raise source.error(
            0, "the file is damaged, or isn't an xlsx file; open it in Excel and save it as .xlsx"
        ) from error


def _content(source: Source) -> bytes:
    name = source.path.name
    if name.startswith("~$"):
        raise source.error(0, f"is a lock file of an open file; use the file itself, {name[2:]}")
    try:
        data = source.content()
    except InputError:
        if (source.path.parent / f"~${name}").exists():
            raise source.error(
                0, "can't be read while it's open in Excel; close it there"
            ) from None
        raise
    if not data:
        raise source.error(0, "empty file; save it again in Excel as .xlsx")
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise source.error(0, "is protected by a password; save it without one")
        raise source.error(0, "is in the older .xls format; save it in Excel as .xlsx")
    if not data.startswith(b"PK"):
        raise source.error(0, "not an xlsx file; save it in Excel as .xlsx, or rename it to .csv")
    return data


class _Book:
    """The parts of a workbook that lead to its cells."""

    def __init__(self, source: Source, data: bytes) -> None:
        self._source = source
        self._parts = Parts(data)
        self._book = self._workbook()
        self._related = self._parts.related(self._book)
        self._sheets: list[_Sheet] = []
        self._from_1904 = False
        self._parts.walk(self._book, {"sheet": self._sheet, "workbookPr": self._properties})

    def table(self, worksheet: str | None) -> Table:
        sheet = self._chosen(worksheet)
        reader = Worksheet(self._strings(), self._formats())
        records = reader.read(self._parts, sheet.part)
        several = len(self._sheets) > 1
        name = f"{self._source.name}[{sheet.name}]" if several else self._source.name
        return table_of(replace(self._source, name=name, unit="row"), records)

    def worksheets(self) -> dict[str, list[Record]]:
        strings, formats = self._strings(), self._formats()
        return {s.name: Worksheet(strings, formats).read(self._parts, s.part) for s in self._sheets}

    def marks(self, colours: Collection[str]) -> Marks:
        notes: list[tuple[str, str, str]] = []
        painted: list[tuple[str, str]] = []
        styles = self._painted(colours)
        for sheet in self._sheets:

            def look(cell: dict[str, str], name: str = sheet.name) -> None:
                if int(cell.get("s", "0")) in styles:
                    painted.append((name, cell.get("r", "")))

            self._parts.walk(sheet.part, {"c": look})
            for part in self._parts.related(sheet.part).values():
                if part.kind == "comments" and part.name in self._parts:
                    notes += ((sheet.name, *note) for note in self._notes(part.name))
        return Marks(self._custom(), notes, painted)

    def _notes(self, part: str) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        cells, runs = [""], Runs()
        self._parts.walk(
            part,
            {**runs.starts(), "comment": lambda note: cells.append(note.get("ref", ""))},
            {**runs.ends(), "comment": lambda _: found.append((cells[-1], runs.taken()))},
        )
        return found

    def _custom(self) -> dict[str, str]:
        names, texts = [""], {}
        for part in self._parts.related("").values():
            if part.kind == "custom-properties" and part.name in self._parts:
                starts: Starts = {"property": lambda named: names.append(named.get("name", ""))}
                ends = {"vt:lpwstr": lambda text: texts.update({names[-1]: text})}
                self._parts.walk(part.name, starts, ends)
        return texts

    def _painted(self, colours: Collection[str]) -> set[int]:
        """The numbers of the styles of cells that have another colour."""
        part = self._part("styles")
        found: dict[str, list[str]] = {"fonts": [], "fills": []}
        used: list[tuple[int, int]] = []
        inside = [""]

        def colour(kind: str) -> Callable[[dict[str, str]], None]:
            def take(of: dict[str, str]) -> None:
                if inside[-1] == kind and found[kind]:
                    named = ((name, of[name]) for name in ("theme", "indexed") if name in of)
                    other = next((name + number for name, number in named), "")
                    found[kind][-1] = of["rgb"][-6:].upper() if "rgb" in of else other

            return take

        def use(style: dict[str, str]) -> None:
            if inside[-1] == "cellXfs":
                used.append((int(style.get("fontId", "0")), int(style.get("fillId", "0"))))

        sections: Starts = {
            name: lambda _, name=name: inside.append(name)  # type: ignore[misc]
            for name in ("fonts", "fills", "cellXfs")
        }
        starts: Starts = {
            **sections,
            "font": lambda _: found["fonts"].append(""),
            "fill": lambda _: found["fills"].append(""),
            "color": colour("fonts"),
            "fgColor": colour("fills"),
            "xf": use,
        }
        if part and part in self._parts:
            self._parts.walk(part, starts, {name: lambda _: inside.append("") for name in sections})
        fonts, fills = ([c not in colours for c in found[kind]] for kind in ("fonts", "fills"))
        return {
            number
            for number, (font, fill) in enumerate(used)
            if (font < len(fonts) and fonts[font]) or (fill < len(fills) and fills[fill])
        }

    def _workbook(self) -> str:
        for found in self._parts.related("").values():
            if found.kind == "officeDocument" and found.name.lower().endswith(".xml"):
                return found.name
        if "mimetype" in self._parts or "xl/workbook.bin" in self._parts:
            raise self._source.error(0, "is in another format (.ods, .xlsb); save it as .xlsx")
        raise KeyError("officeDocument")

    def _sheet(self, attributes: dict[str, str]) -> None:
        id_ = next((value for key, value in attributes.items() if key.endswith(":id")), "")
        part = self._related.get(id_, Related("", ""))
        if part.kind == "worksheet":
            visible = attributes.get("state", "visible") == "visible"
            self._sheets.append(_Sheet(attributes["name"], part.name, visible))

    def _properties(self, attributes: dict[str, str]) -> None:
        self._from_1904 = attributes.get("date1904") in ("1", "true")

    def _chosen(self, worksheet: str | None) -> _Sheet:
        if worksheet is None:
            return next((s for s in self._sheets if s.visible), self._sheets[0])
        names = [sheet.name for sheet in self._sheets]
        if worksheet not in names:
            message = f"no worksheet {shown(worksheet)}; {hint(worksheet, names)}"
            raise self._source.error(0, message)
        return self._sheets[names.index(worksheet)]

    def _part(self, kind: str) -> str | None:
        return next((r.name for r in self._related.values() if r.kind == kind), None)

    def _strings(self) -> list[str]:
        part = self._part("sharedStrings")
        return shared_strings(self._parts, part) if part and part in self._parts else []

    def _formats(self) -> dict[str, Callable[[str], str]]:
        """What shows numbers, by the number of the cell's style."""
        part = self._part("styles")
        codes: dict[str, str] = {}
        used: list[str] = []
        inside: list[bool] = []

        def use(style: dict[str, str]) -> None:
            if inside:
                used.append(style.get("numFmtId", "0"))
            if len(used) > MAX_STYLES:
                raise TooMuch("too many styles")

        if part and part in self._parts:
            starts: Starts = {
                "numFmt": lambda known: codes.update({known["numFmtId"]: known["formatCode"]}),
                "cellXfs": lambda _: inside.append(True),
                # not those among the named styles, which are the same elements
                "xf": use,
            }
            self._parts.walk(part, starts, {"cellXfs": lambda _: inside.clear()})
        formats = {
            id_: number_format(int(id_), _bounded(codes.get(id_)), from_1904=self._from_1904)
            for id_ in set(used)
        }
        return {str(number): formats[id_] for number, id_ in enumerate(used)}


def _bounded(code: str | None) -> str | None:
    if code is not None and len(code) > MAX_FORMAT:
        raise TooMuch("a number format that is longer than any")
    return code
