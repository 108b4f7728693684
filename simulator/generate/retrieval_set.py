"""The evaluation set of a search: which query is to find which entry, and the entries."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from simulator.core.errors import InputError
from simulator.generate.report import Line
from simulator.generate.scenario_file import write_whole
from simulator.generate.session import Session
from simulator.sheet.guard import guarded

QUERIES = "queries.csv"
ENTRIES = "faq.csv"


def check_folder(folder: Path) -> None:
    """Before anything is made: can the files be put there?

    Raises:
        InputError: it is a file, or the folder that it is to be in is not there.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--export-retrieval: {folder} is a file; name a folder")
    if not folder.absolute().parent.is_dir():
        raise InputError(f"--export-retrieval: the folder {folder.parent} is not there; make it")


def export(session: Session, folder: Path) -> int:
    """Write queries.csv (query, id) and faq.csv (id, title, content); how many rows of queries.

    A query that needs two entries has two rows; those that no entry answers have none, nor have
    those that were deleted. What was edited stands there as it is now. In UTF-8; a text that a
    spreadsheet would take for a formula has an apostrophe before it (`sheet.guard`).

    Raises:
        InputError: the folder cannot be made.
        MogiError: a file cannot be written.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror or error}") from error
    entries = session.plan.request.entries
    known = {str(entry.id) for entry in entries}
    rows = list(_queries(session.lines, known))
    table = [[str(entry.id), entry.title, entry.text] for entry in entries]
    write_whole(folder / QUERIES, _csv([["query", "id"], *rows]))
    write_whole(folder / ENTRIES, _csv([["id", "title", "content"], *table]))
    return len(rows)


def _queries(lines: Iterable[Line], known: set[str]) -> Iterable[list[str]]:
    for line in lines:
        if line.status in ("kept", "edited") and line.ranks:
            for entry in line.entries:
                if entry in known:
                    yield [line.query, entry]


def _csv(rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(guarded, row) for row in rows)
    return out.getvalue()
