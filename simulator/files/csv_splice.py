"""Single cells of a csv file that people wrote, replaced; every other byte stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_ENDS = "\r\n"


@dataclass(slots=True)
class _Record:
    """One row: the line on which it begins, where each cell stands, and where the row ends."""

    line: int
    cells: list[tuple[int, int]]
    end: int


def splice_cells(text: str, parted_by: str, cells: Mapping[tuple[int, int], str]) -> str:
    """The text with other texts in some cells.

    Args:
        text: of a csv file, its line ends as they are.
        parted_by: what stands between two cells.
        cells: the new texts by the line on which their row begins (from 1) and the number of
            their column (from 0). A row that ends before that column is filled up.

    Raises:
        LookupError: no row begins on such a line.
    """
    rows = {record.line: record for record in _records(text, parted_by)}
    changes: list[tuple[int, int, str]] = []
    for (line, column), new in cells.items():
        record = rows[line]
        if column < len(record.cells):
            start, end = record.cells[column]
            changes.append((start, end, _written(new, parted_by, like=text[start:end])))
        else:
            filling = parted_by * (column - len(record.cells) + 1)
            changes.append((record.end, record.end, filling + _written(new, parted_by)))
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _written(text: str, parted_by: str, like: str = "") -> str:
    """A cell, in quotes where it needs them or had them before."""
    needs = any(mark in text for mark in (parted_by, '"', "\n", "\r")) or text != text.strip()
    if not needs and not like.startswith('"'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _records(text: str, parted_by: str) -> Sequence[_Record]:
    found: list[_Record] = []
    at, line = 0, 1
    while at < len(text):
        record = _Record(line, [], at)
        while True:
            end = _cell_end(text, at, parted_by)
            record.cells.append((at, end))
            line += _lines(text[at:end])
            at = end
            if at >= len(text) or text[at] in _ENDS:
                break
            at += len(parted_by)
        record.end = at
        found.append(record)
        at += 2 if text.startswith("\r\n", at) else 1
        line += 1
    return found


def _cell_end(text: str, at: int, parted_by: str) -> int:
    if text.startswith('"', at):
        at += 1
        while at < len(text):
            closing = text.find('"', at)
            if closing < 0:
                return len(text)
            at = closing + 1
            if not text.startswith('"', at):
                break
            at += 1
    while at < len(text) and text[at] not in _ENDS and not text.startswith(parted_by, at):
        at += 1
    return at


def _lines(text: str) -> int:
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
