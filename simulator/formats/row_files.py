"""The rows of a file as they stand there, one at a time: csv, JSON lines, xlsx."""

import codecs
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import TextIOWrapper
from itertools import islice
from typing import Literal, TextIO

from simulator.core.bounds import MAX_BYTES, MAX_NODES
from simulator.core.clean import clean, unguarded
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.formats.fields import NotJson, begins_with_json, json_line, json_values
from simulator.formats.records import NOTHING, Known, RawRow, is_known, known_rows, of_cells, opened
from simulator.formats.sources import ZIP, Source, from_cp932, shown
from simulator.formats.table_files import (
    csv_records,
    is_table,
    is_workbook,
    most_frequent_separator,
    read_table,
    too_wide,
)
from simulator.formats.tables import repeated
from simulator.formats.yaml.reading import read_yaml
from simulator.words import counted

_CHUNK = 1 << 20
_MARK = codecs.BOM_UTF8
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class StoredAs:
    """`encoding` as Python names it, `marked` with a byte order mark, and the SHA-256 (hex).

    `stamp`: the file's size and time of change when it was looked at.
    """

    encoding: str
    marked: bool
    sha: str
    stamp: tuple[int, int]


def stored_as(source: Source, *, text: bool = True) -> StoredAs:
    """How a file is stored, whatever its size: UTF-8, UTF-16 with its mark, or cp932.

    Args:
        source: the file.
        text: whether it is a text at all; of another file only the hash is taken.

    Raises:
        InputError: it cannot be read, or is in none of these encodings.
    """
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    start, is_utf8 = b"", text
    try:
        stamp = stamp_of(source)
        with source.opened() as file:
            while chunk := file.read(_CHUNK):
                start = start or chunk
                digest.update(chunk)
                is_utf8 = is_utf8 and _decodes(decoder, chunk)
    except OSError:
        source.content()  # says what is the matter
        raise
    is_utf8 = is_utf8 and _decodes(decoder, b"", final=True)
    encoding = _encoding(source, start, is_utf8=is_utf8) if text else ""
    return StoredAs(encoding, start.startswith((_MARK, *_UTF_16)), digest.hexdigest(), stamp)


def stamp_of(source: Source) -> tuple[int, int]:
    """The file's size and time of change, which tell whether it is still the same.

    Raises:
        OSError: it cannot be looked at.
    """
    stat = source.path.stat()
    return stat.st_size, stat.st_mtime_ns


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _encoding(source: Source, start: bytes, *, is_utf8: bool) -> str:
    if start.startswith(ZIP):
        raise source.error(0, "is a zip file or workbook; rename it .xlsx, or save it as CSV UTF-8")
    if start.startswith(_UTF_16):
        return "utf-16"
    if is_utf8:
        return "utf-8-sig"
    with source.opened() as file:
        data = file.read(MAX_BYTES)
        large = bool(file.read(1))
    if from_cp932(data.rpartition(b"\n")[0] if large else data) is None:
        if not large:
            source.table_text()  # says on which line
        raise source.error(0, "the file is neither UTF-8 nor Shift_JIS; save it as UTF-8")
    return "cp932"


Kind = Literal["csv", "jsonl", "xlsx"]
_LINES = (".jsonl", ".ndjson")
_YAML = (".yaml", ".yml")
_LOOKED_AT = 1_000  # lines in which a record of another tool is looked for


@contextmanager
def _opened(source: Source, stored: StoredAs) -> Iterator[TextIO]:
    try:
        if stamp_of(source) != stored.stamp:
            raise source.error(0, "changed in the meantime; start again")
        with TextIOWrapper(source.opened(), encoding=stored.encoding, newline="") as file:
            yield file
        if stamp_of(source) != stored.stamp:
            raise source.error(0, "was changed while it was read; start again")
    except UnicodeDecodeError as error:
        raise source.error(0, f"is incomplete {stored.encoding}; save it again as UTF-8") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise source.error(0, f"can't be read any more ({reason})") from error


class _Csv:
    """A csv file, parted by what its first line has most of: commas, semicolons or tabs."""

    kind: Kind = "csv"

    def __init__(self, source: Source) -> None:
        self.source = source
        self.stored = stored_as(source)
        with _opened(source, self.stored) as file:
            first = next((line for line in file if line.strip()), "")
        self.parted_by = most_frequent_separator(first)
        filled = (record for record in self._records() if any(map(str.strip, record[2])))
        head = next(filled, None)
        if head is None:
            raise source.error(0, "empty file; write the names of the columns in the first line")
        self.head = head[0]
        self.columns = tuple(clean(cell).strip() for cell in head[2])
        raise_all([source.complaint(self.head, message) for message in repeated(self.columns)])

    def rows(self) -> Iterator[RawRow]:
        for line, number, cells in self._records():
            if line <= self.head:
                continue
            named = {
                column: unguarded(cell)
                for column, cell in zip(self.columns, cells, strict=False)
                if column and cell.strip()
            }
            problem = ""
            if any(cell.strip() for cell in cells[len(self.columns) :]):
                problem = too_wide(cells, len(self.columns), self.parted_by)
            yield RawRow(line, number, named, cells, problem)

    def _records(self) -> Iterator[tuple[int, int, list[str]]]:
        """(line, row, cells) of each record, both from 1."""
        with _opened(self.source, self.stored) as file:
            yield from csv_records(file, self.source, self.parted_by)


class _JsonLines:
    """JSON lines: one object a line, whose keys are the columns."""

    kind: Kind = "jsonl"
    columns: tuple[str, ...] = ()
    head = 0

    def __init__(self, source: Source) -> None:
        self.source = source
        self.stored = stored_as(source)

    def rows(self) -> Iterator[RawRow]:
        with _opened(self.source, self.stored) as file:
            for number, text in enumerate(file, 1):
                whole = text.strip()
                if whole:
                    yield self._row(number, whole)

    def _row(self, number: int, whole: str) -> RawRow:
        try:
            data = json_line(whole)
        except NotJson as error:
            return RawRow(number, number, {}, whole, str(error))
        if isinstance(data, dict):
            return RawRow(number, number, data, whole)
        problem = f"{shown(data)} is not an object; write one a line: {{…}}"
        return RawRow(number, number, {}, whole, problem)


class _Workbook:
    """A worksheet, every cell as it is shown; a workbook is held in memory."""

    kind: Kind = "xlsx"

    def __init__(self, source: Source) -> None:
        self.stored = stored_as(source, text=False)
        from simulator.formats.xlsx.workbook import read_workbook

        self._table = read_workbook(source)
        self.source = self._table.source
        self.columns = self._table.columns
        self.head = self._table.header_line

    def rows(self) -> Iterator[RawRow]:
        for row in self._table.rows:
            yield RawRow(row.line, row.line, row.cells, broken=row.broken)


class _Records:
    """The records of another tool, or JSON of any form, as rows of ours; held in memory.

    `written` are the columns of the rows as they are written again.
    """

    kind: Kind = "jsonl"
    columns: tuple[str, ...] = ()
    head = 0

    def __init__(self, source: Source, known: Known, stored: StoredAs) -> None:
        self.source = source
        self.stored = stored
        self.known = known
        self.written = tuple(dict.fromkeys(key for row in known.rows for key in row.whole or ()))

    def rows(self) -> Iterator[RawRow]:
        """A row for each turn or case that the records hold."""
        for number, row in enumerate(self.known.rows, 1):
            yield replace(row, number=number)


RawFile = _Csv | _JsonLines | _Workbook | _Records
"""A file of rows. `columns` are those that its head, on line `head`, names; JSON lines have none.

`rows()` are those from the first on, read while they are asked for; it raises InputError where
nothing can be read from there on.
"""


def open_raw(source: Source, mapping: Mapping[str, str] = NOTHING) -> RawFile:
    """The file of rows behind a name; its head is read.

    Args:
        source: the file.
        mapping: the JMESPath of each column, for records of a form that is not known.

    Raises:
        InputError: it cannot be read, is of no kind that is known, or names a column twice.
    """
    kind = source.path.suffix.casefold()
    raw: RawFile
    if is_workbook(source.path):
        raw = _Workbook(source)
    elif is_table(source.path):
        raw = _Csv(source)
    elif kind in (*_LINES, *_YAML, ".json"):
        raw = _JsonLines(source)
    else:
        raise source.error(
            0, "mogi can't score this type of file; use a .csv, .jsonl, .json or .xlsx file"
        )
    if not (mapping or kind in (*_YAML, ".json") or _holds_records(raw)):
        return raw
    known = rows_of(source, read_rows(source), mapping)
    for column in ("question", "answer"):
        check_found(source, known, column)
    return _Records(source, known if mapping else _answered(source, known), raw.stored)


def _holds_records(raw: RawFile) -> bool:
    """True if the rows are records of another tool; lines whose keys are the columns are not kept.

    What begins with JSON over several lines is read at once as well, if it is not too large.
    """
    if raw.columns:
        return is_known(dict.fromkeys(raw.columns, ""))
    first = list(islice(raw.rows(), _LOOKED_AT))
    if first and first[0].problem:  # else it is complained of line by line
        return _is_whole(raw.source)
    return any(is_known(row.cells) for row in first)


def _answered(source: Source, known: Known) -> Known:
    """The rows of another tool that hold an answer, or what a search retrieved.

    Raises:
        InputError: none does.
    """
    if not known.format:
        return known
    rows = tuple(row for row in known.rows if {"answer", "retrieved"} & row.cells.keys())
    if not rows:
        cases = "mogi import-dialogs takes the cases, and generate --from-log their questions"
        why = f"no {known.format} record in it has an answer"
        raise source.error(0, "; ".join([why, *([cases] if known.rows else known.notes)]))
    missing = len(known.rows) - len(rows)
    note = f"{counted(missing, 'record')} without an answer left out"
    return replace(known, rows=rows, notes=(*known.notes, *([note] if missing else [])))


def check_found(source: Source, known: Known, column: str) -> None:
    """What a mapping has to find.

    Raises:
        InputError: it finds this column nowhere.
    """
    if column in known.missing:
        raise source.error(0, known.missing[column])


def paths_for(source: Source, mapping: Mapping[str, str]) -> Mapping[str, str]:
    """What of a client's `import:` holds for a file: nothing for a table, which has names."""
    return NOTHING if is_table(source.path) else mapping


MOST_COMPLAINTS = 50  # about one file: more, nobody reads


def rows_of(source: Source, rows: Sequence[RawRow], mapping: Mapping[str, str] = NOTHING) -> Known:
    """The rows of a log as rows of ours; as they stand where they are in no known format.

    Args:
        source: the file.
        rows: what `read_rows` finds in it.
        mapping: the JMESPath of each column, for records of a form that is not known.
    """
    cells = [row.cells for row in rows]
    records = of_cells(cells) if is_table(source.path) else cells
    lines = [row.line for row in rows]
    return known_rows([*zip(lines, records, strict=True)], mapping) or Known("", tuple(rows))


def read_rows(source: Source) -> list[RawRow]:
    """All rows of a file of a bounded size: csv, xlsx, JSON lines, or JSON objects.

    Raises:
        InputError: unreadable, empty or too much; every broken row, up to MOST_COMPLAINTS.
    """
    if is_table(source.path):
        table = read_table(source)
        if not table.rows:
            raise source.error(0, "there are no rows; add at least one")
        return [RawRow(row.line, row.line, row.cells, broken=row.broken) for row in table.rows]
    rows = _json_rows(source)
    raise_first(source, [source.complaint(row.line, row.problem) for row in rows if row.problem])
    if not rows:
        raise source.error(0, "is an empty list; write at least one object")
    return rows


def _json_rows(source: Source) -> list[RawRow]:
    """The records of a JSON file: an object a line, or over several lines, or a list of them.

    Those of YAML as well, such as the tests of promptfoo.
    """
    rows: list[RawRow] = []
    values = 0
    for row in _values(source):
        if isinstance(row.whole, str):  # else they are counted already
            values += sum(map(row.whole.count, "[{,"))
        if values > MAX_NODES:
            raise source.error(row.line, f"is too large: more than {MAX_NODES:,} values; split it")
        rows.append(row)
    return rows


def _values(source: Source) -> Iterable[RawRow]:
    kind = source.path.suffix.casefold()
    if kind in _YAML:
        marked = read_yaml(source)
        data = marked.data
        each = [(1, data)]
        if isinstance(data, list):
            each = [(marked.line((at,)), item) for at, item in enumerate(data)]
    else:
        text = source.table_text().lstrip()
        if not text:
            raise source.error(0, "empty file; write one object a line")
        if kind in _LINES and not text.startswith("["):
            by_line = _JsonLines(source)
            first = next(iter(by_line.rows()))
            if not (first.problem and begins_with_json(text)):
                return by_line.rows()
        each = json_values(text, source)
    return [
        RawRow(line, line, data, data)
        if isinstance(data, dict)
        else RawRow(line, line, {}, problem=f"{shown(data)} is not an object; write {{…}}")
        for line, data in opened(each)
    ]


def _is_whole(source: Source) -> bool:
    """True if a file can be read at once, and begins with JSON over several lines."""
    try:
        text = source.table_text().lstrip()
    except InputError:  # too large
        return False
    return text.startswith("[") or begins_with_json(text)


def raise_first(source: Source, complaints: Iterable[Complaint]) -> None:
    """Raise what is wrong; of a file that is wrong throughout only the first complaints.

    Raises:
        InputError: there is anything.
    """
    ordered = sorted(set(complaints))
    if len(ordered) > MOST_COMPLAINTS:
        more = f"and {len(ordered) - MOST_COMPLAINTS:,} more errors in {source.name}"
        raise InputError(*ordered[:MOST_COMPLAINTS], more)
    raise_all(ordered)
