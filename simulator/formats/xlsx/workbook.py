"""An xlsx file as a table: one of its worksheets, every cell as it is shown.

Of the libraries, python-calamine reads `#N/A` as an empty cell and 85% as 0.85, and a stray cell
in the last row and column makes it abort the process; openpyxl takes three to five times as long
and writes warnings of its own. So the parts that matter are read here: see `worksheet`.
"""

import zipfile
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from xml.parsers.expat import ExpatError

from simulator.core.bounds import MAX_FORMAT, MAX_STYLES, TooMuch
from simulator.core.errors import InputError
from simulator.formats.complaints import hint, shown
from simulator.formats.sources import Source
from simulator.formats.tables import Record, Table, table_of
from simulator.formats.xlsx.number_formats import number_format
from simulator.formats.xlsx.parts import Parts, Related, Starts
from simulator.formats.xlsx.worksheet import Runs, Worksheet, shared_strings

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
        raise source.error(0, f"holds more than a table needs ({error}); split it") from error
    except _DAMAGED as error:
        raise source.error(
            0, "is damaged, or no xlsx file; open it in Excel and save it as .xlsx anew"
        ) from error


def _content(source: Source) -> bytes:
    name = source.path.name
    if name.startswith("~$"):
        raise source.error(0, f"is the mark of an open file; name the file itself, {name[2:]}")
    try:
        data = source.content()
    except InputError:
        if (source.path.parent / f"~${name}").exists():
            raise source.error(
                0, "cannot be read while Excel has it open; close it there"
            ) from None
        raise
    if not data:
        raise source.error(0, "is empty; save it in Excel as .xlsx anew")
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise source.error(0, "is protected by a password; save it without one")
        raise source.error(0, "is of the older kind (.xls); save it in Excel as .xlsx")
    if not data.startswith(b"PK"):
        raise source.error(0, "is no xlsx file; save it in Excel as .xlsx, or name it .csv")
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
            raise self._source.error(0, "is of another kind (.ods, .xlsb); save it as .xlsx")
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
