"""A table of scenarios, csv or xlsx: the keys of scenarios.yaml as columns, dotted if nested."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simulator.core.errors import Complaint, InputError
from simulator.files.hints import shown
from simulator.files.rows import Row, Table, same_name
from simulator.files.scenario_columns import known_columns
from simulator.files.slugs import made_id
from simulator.files.yaml_marks import Mark, Marked

_BAR = re.compile(r"[|｜\n]")
# Names hold no commas, so people may part them as they like; sentences hold them.
_BAR_OR_COMMA = re.compile(r"[|｜\n,、，]")
_LISTS = {
    **dict.fromkeys(("known", "unknown", "turns", "expected.elements"), _BAR),
    **dict.fromkeys(("personas", "tags", "expected.documents"), _BAR_OR_COMMA),
}
_EXPECTED = "expected."
_BOOLEANS = frozenset(("expected.answerable", "expected.escalate"))
_YES = frozenset(("true", "yes", "はい", "○", "◯", "〇"))
_NO = frozenset(("false", "no", "いいえ", "×", "✕", "✖", "❌"))


def scenario_table(table: Table) -> Marked:
    """The rows as the entries of a scenarios.yaml; everything of a row has its place.

    Columns are found by their names (`scenario_columns`). Lists are parted by | or by line ends
    inside the cell, lists of names by commas as well. Yes and no are TRUE and FALSE, yes and no,
    はい and いいえ, ○ and ×. Without a column for ids, a row's id is made of its question
    (`slugs.made_id`), so it stays the same wherever the row stands; then no question may stand
    there twice.

    Other columns are a team's own and left alone; the notes name them.

    Raises:
        InputError: columns whose names are slips, and no column for the question.
    """
    columns, wrong, others = known_columns(table.columns)
    complaints = [table.source.complaint(table.header_line, message) for message in wrong]
    if "query" not in columns.values():
        raise InputError(
            *complaints, table.source.complaint(table.header_line, _no_questions(others))
        )
    complaints += table.broken(columns)
    entries = [_entry(row, columns) for row in table.rows]
    if "id" not in columns.values():
        complaints += _name(entries, table)
    mark = Mark(table.header_line)
    mark.children.update({at: Mark(row.line) for at, row in enumerate(table.rows)})
    names = {meant: written for written, meant in columns.items() if written != meant}
    notes = tuple(table.source.complaint(table.header_line, note) for note in _left_alone(others))
    return Marked(entries, mark, table.source, names, tuple(complaints), notes)


def _no_questions(others: Sequence[str]) -> str:
    if others:
        return (
            f"no column holds the questions, only {', '.join(map(shown, others))}; "
            "name the one that does query or 質問"
        )
    return "no column holds the questions; name the columns here, and one query or 質問"


def _left_alone(others: Sequence[str]) -> Iterator[str]:
    if others:
        what = "is no column" if len(others) == 1 else "are no columns"
        yield f"{', '.join(map(shown, others))} {what} of scenarios; left alone"


def _entry(row: Row, columns: Mapping[str, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    for written, text in row.cells.items():
        column = columns.get(written)
        if column is None:  # complained of
            continue
        value = _value(column, text)
        if column.startswith(_EXPECTED):
            expected[column[len(_EXPECTED) :]] = value
        else:
            entry[column] = value
    if expected:
        entry["expected"] = expected
    for written in row.broken:
        # Complained of; a key that has to be there stands in, so as not to be missed as well.
        if columns.get(written) in ("id", "query"):
            entry[columns[written]] = f"row {row.line}"
    return entry


def _value(column: str, text: str) -> Any:
    if parted_by := _LISTS.get(column):
        return [part for p in parted_by.split(text) if (part := p.strip())]
    return _yes_or_no(text) if column in _BOOLEANS else text


def _name(entries: list[dict[str, Any]], table: Table) -> list[Complaint]:
    """Give each entry an id; a complaint about each question that stands there again."""
    first: dict[str, int] = {}
    found = []
    for entry, row in zip(entries, table.rows, strict=True):
        name = made_id(entry.get("query", f"row {row.line}"))
        line = first.setdefault(name, row.line)
        if line != row.line:
            there = table.source.there(line)
            message = f"the question stands {there} already; keep one of them, or add a column id"
            found.append(table.source.complaint(row.line, message))
            name = f"{name} {row.line}"
        entry["id"] = name
    return found


def _yes_or_no(text: str) -> bool | str:
    """Anything else stays text, and is complained of with all else that is wrong."""
    word = same_name(text)
    return True if word in _YES else False if word in _NO else text
