"""scenarios.csv: the columns of scenarios.yaml, dotted where nested, lists parted by |."""

from typing import Any

from simulator.core.errors import raise_all
from simulator.files.csv_rows import Row, Table, read_csv, same_name
from simulator.files.hints import hint
from simulator.files.sources import Source
from simulator.files.yaml_marks import Mark, Marked

_LISTS = frozenset(
    ("known", "unknown", "turns", "personas", "tags", "expected.elements", "expected.documents")
)
_BOOLEANS = frozenset(("expected.answerable", "expected.escalate"))
_NEEDED = ("id", "query")
_COLUMNS = (
    "id",
    "query",
    "goal",
    "known",
    "unknown",
    "turns",
    "expected.answer",
    "expected.elements",
    "expected.documents",
    "expected.answerable",
    "expected.escalate",
    "personas",
    "tags",
)
_YES = frozenset(("true", "yes", "はい"))
_NO = frozenset(("false", "no", "いいえ"))


def read_scenario_csv(source: Source) -> Marked:
    """The rows as the entries of a scenarios.yaml; everything of a row has its first line.

    Raises:
        InputError: no csv; columns that are not known, or id or query missing.
    """
    table = read_csv(source)
    columns = _known_columns(table)
    mark = Mark(table.header_line)
    mark.children.update({i: Mark(row.line) for i, row in enumerate(table.rows)})
    return Marked([_entry(row, columns) for row in table.rows], mark, source)


def _known_columns(table: Table) -> dict[str, str]:
    """Column as written -> column as known."""
    known = {c: same_name(c) for c in table.columns if c}
    wrong = [f'no column "{c}"; {hint(n, _COLUMNS)}' for c, n in known.items() if n not in _COLUMNS]
    wrong += [f"the column {c} is missing; add it" for c in _NEEDED if c not in known.values()]
    raise_all([table.source.complaint(table.header_line, message) for message in wrong])
    return known


def _entry(row: Row, columns: dict[str, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    for written, text in row.cells.items():
        column = columns[written]
        value: Any = text
        if column in _LISTS:
            value = [part for p in text.split("|") if (part := p.strip())]
        elif column in _BOOLEANS:
            value = _yes_or_no(text)
        parent, _, key = column.rpartition(".")
        (entry.setdefault(parent, {}) if parent else entry)[key] = value
    return entry


def _yes_or_no(text: str) -> bool | str:
    """Anything else stays text, and is complained of with all else that is wrong."""
    word = same_name(text)
    return True if word in _YES else False if word in _NO else text
