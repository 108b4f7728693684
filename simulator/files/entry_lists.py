"""A list of mappings, from JSON or YAML, as a table: keys are its columns."""

from typing import Any

from simulator.core.clean import clean
from simulator.core.errors import Complaint, raise_all
from simulator.files.hints import shown
from simulator.files.rows import Row, Table
from simulator.files.yaml_marks import Marked
from simulator.files.yaml_scalars import EMPTY, spelling


def entry_table(marked: Marked, of: str) -> Table:
    """The entries as rows; numbers are spelt as in the file, true and false are TRUE and FALSE.

    `of` says in a complaint what the entries have to be.

    Raises:
        InputError: it is no list, or holds anything but mappings.
    """
    if not isinstance(marked.data, list):
        raise marked.source.error(marked.line(()), f"has to be a list of {of}; write one")
    if not marked.data:
        raise marked.source.error(0, f"has no entries; write at least one {of}")
    complaints: list[Complaint] = []
    columns: dict[str, None] = {}
    rows = []
    for at, entry in enumerate(marked.data):
        if not isinstance(entry, dict):
            message = f"an entry: {shown(entry)} is not a mapping; write {of}"
            complaints.append(marked.complaint((at,), message))
            continue
        columns |= dict.fromkeys(entry)
        rows.append(_row(entry, marked.line((at,))))
    raise_all(complaints)
    return Table(marked.source, 0, tuple(columns), tuple(rows))


def _row(entry: dict[str, Any], line: int) -> Row:
    cells, broken = {}, {}
    for key, value in entry.items():
        if isinstance(value, list | dict):
            broken[key] = f"{shown(value)} is not text; write text, in quotes"
        elif value is None or value is EMPTY:
            continue
        elif isinstance(value, bool):
            cells[key] = str(value).upper()
        elif text := (clean(value).strip() if isinstance(value, str) else spelling(value)):
            cells[key] = text
    return Row(line, cells, broken)
