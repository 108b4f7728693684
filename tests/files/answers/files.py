"""Files of answers for the tests of this room."""

import importlib
from pathlib import Path

from simulator.files.answers import Answers, read_answers
from simulator.formats.sources import Source
from tests.formats.written import complaints


def file(folder: Path, content: str | bytes, name: str = "a.csv") -> Source:
    """The file of that name with this content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Source.of(path, folder)


def workbook(folder: Path, *rows: list[object], name: str = "a.xlsx") -> Source:
    """A workbook with these rows on its one worksheet."""
    book = importlib.import_module("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / name)
    return Source.of(folder / name, folder)


def read(folder: Path, content: str | bytes, name: str = "a.csv") -> Answers:
    """The answers in a file with this content."""
    return read_answers(file(folder, content, name))


def wrong(folder: Path, content: str | bytes, name: str = "a.csv") -> list[str]:
    """What reading such a file complains of."""
    return complaints(lambda: read(folder, content, name))
