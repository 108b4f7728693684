"""The entries of a file of scenarios, whatever its kind: yaml, csv, xlsx, json."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from pydantic import Field

from simulator.core.errors import Complaint, InputError, raise_all
from simulator.files.column_names import column_names, meaning_in
from simulator.formats.complaints import Complaints, shown
from simulator.formats.fields import Elements, Text, Written
from simulator.formats.json_values import read_json_list
from simulator.formats.slugs import made_id
from simulator.formats.sources import Source
from simulator.formats.table_files import is_table, read_table
from simulator.formats.tables import (
    BAR,
    BAR_OR_COMMA,
    NO,
    OR,
    OR_LINE,
    YES,
    Row,
    Table,
    parts_of,
    same_name,
)
from simulator.formats.validation import validate
from simulator.formats.yaml.reading import Mark, Marked, read_whole_yaml

NAMES = ("scenarios.yaml", "scenarios.csv", "scenarios.xlsx", "scenarios.json", "test_cases.json")
GENERATED_FILE = "scenarios.generated.yaml"
"""What `mogi generate` writes into the client's folder."""

_LIKELY = re.compile(r"scenario|question|test|case|シナリオ|質問|テスト")
_PREFIXES = ("expected.", "期待する")
# One letter wrong in a word of five is nearer; 質問者 (who asked) is no slip of 質問.
_NEAR = 0.81

_LISTS = {
    **dict.fromkeys(("known", "unknown", "turns", "expected.elements", "expected.must_not"), BAR),
    **dict.fromkeys(("personas", "tags", "expected.documents"), BAR_OR_COMMA),
}
_EXPECTED = "expected."
_ELEMENTS, _ANSWER = "expected.elements", "expected.answer"
_QUOTES, _APPROVED = "expected.quotes", "expected.approved"
_BOOLEANS = frozenset(("expected.answerable", "expected.escalate", "expected.approved"))
_BULK = ("bulk", "一括")


class JsonCase(Written):
    """A question and the words or sentences that its answer has to contain."""

    question: Text = Field(description="what the user asks")
    expected: Elements


def scenarios_file(folder: Path, cwd: Path | None = None) -> Path:
    """The one file of `NAMES` that is in a client's folder.

    Raises:
        InputError: there is none, or several.
    """
    existing = [folder / name for name in NAMES if (folder / name).exists()]
    source = Source.of(folder, cwd)
    if not existing:
        files = [p for p in sorted(folder.glob("*")) if p.is_file() and p.name[:2] != "~$"]
        # A report of `mogi generate` lies beside its file; a table may be the knowledge base.
        likely = (p for p in files if p.name.startswith("scenario") and p.suffix != ".jsonl")
        named = (p for p in files if is_table(p) and _LIKELY.search(p.stem.casefold()))
        near = next((p.name for p in (*likely, *named)), None)
        advice = f'rename {near}, or name it in client.yaml ("scenarios: {near}")'
        names = f"{', '.join(NAMES[:-1])} or {NAMES[-1]}"
        raise source.error(0, f"no {names}; {advice if near else 'write one of them'}")
    if len(existing) > 1:
        names = " and ".join(p.name for p in existing)
        both = "both " if len(existing) == 2 else ""
        raise source.error(
            0, f"{both}{names} are there; keep one of them, or name it in client.yaml"
        )
    return existing[0]


def read_entries(source: Source, worksheet: str | None = None) -> Marked:
    """The entries of a file of scenarios, whatever its kind, unchecked; they should be a list.

    Raises:
        InputError: it cannot be read.
    """
    kind = source.path.suffix.lower()
    if is_table(source.path):
        return scenario_table(read_table(source, worksheet))
    if kind == ".json":
        return read_scenario_json(source)
    if kind in (".yaml", ".yml"):
        return read_whole_yaml(source)
    raise source.error(0, "is no .yaml, .csv, .xlsx or .json file; name one")


def scenario_table(table: Table) -> Marked:
    """The rows as the entries of a scenarios.yaml; everything of a row has its place.

    Columns are found by their names. Lists are parted by | or by line ends
    inside the cell, lists of names by commas as well; the alternatives of an element by // with
    space around it, those of an answer by a line that holds // alone. Yes and no are TRUE and
    FALSE, yes and no, はい and いいえ, ○ and ×. Without a column for ids, a row's id is made of its
    question (`slugs.made_id`), so it stays the same wherever the row stands; then no question may
    stand there twice.

    Other columns are a team's own and left alone; the notes name them.

    Raises:
        InputError: columns whose names are slips, and no column for the question.
    """
    columns, wrong, others = _known_columns(table.columns)
    line = table.header_line
    complaints = [table.source.complaint(line, message) for message in wrong]
    if "query" not in columns.values():
        message = "no column holds the questions; name the columns here, and one query or 質問"
        if others:
            message = (
                f"no column holds the questions, only {', '.join(map(shown, others))}; "
                "name the one that does query or 質問"
            )
        raise InputError(*complaints, table.source.complaint(line, message))
    complaints += table.broken(columns)
    entries = [_entry(row, columns) for row in table.rows]
    if "id" not in columns.values():
        complaints += _name(entries, table)
    mark = Mark(line, children={at: Mark(row.line) for at, row in enumerate(table.rows)})
    names = {meant: written for written, meant in columns.items() if written != meant}
    what = "is no column" if len(others) == 1 else "are no columns"
    note = f"{', '.join(map(shown, others))} {what} of scenarios; left alone"
    notes = (table.source.complaint(line, note),) if others else ()
    return Marked(entries, mark, table.source, names, tuple(complaints), notes)


def read_scenario_json(source: Source) -> Marked:
    """The test cases as the entries of a scenarios.yaml; ids are made of the questions.

    See `slugs.made_id`: a test case keeps its id wherever it stands in the list.

    Raises:
        InputError: not JSON, not a list; every wrong test case, and every question that stands
            there twice.
    """
    marked = read_json_list(source, "{question, expected}")
    complaints = Complaints()
    data: list[dict[str, Any]] = []
    first: dict[str, int] = {}
    for index in range(len(marked.data)):
        case = complaints.attempt(validate, JsonCase, marked, (index,))
        if case is None:
            continue
        name, line = made_id(case.question), marked.line((index,))
        if name in first:
            message = f"the question is already {source.where(first[name])}; keep one of them"
            complaints.append(source.complaint(line, message))
        first.setdefault(name, line)
        expected = {"elements": case.expected}
        data.append({"id": name, "query": case.question, "expected": expected})
    raise_all(complaints)
    return Marked(data, marked.mark, source)


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
        parts = parts_of(text, parted_by)
        return [_one_or_more(p, OR) for p in parts] if column == _ELEMENTS else parts
    if column == _ANSWER:
        return _one_or_more(text, OR_LINE)
    if column == _QUOTES:
        return [_quote(part) for part in parts_of(text, BAR)]
    if column not in _BOOLEANS:
        return text
    word = same_name(text)  # anything else stays text, and is complained of with all else
    if column == _APPROVED and word in _BULK:
        return "bulk"
    return True if word in YES else False if word in NO else text


def _quote(text: str) -> dict[str, str]:
    """`faq-001: its words` as the document and the words."""
    document, _, words = text.partition(": ")
    return {"document": document.strip(), "text": words.strip()}


def _one_or_more(text: str, parted_by: re.Pattern[str]) -> str | list[str]:
    """A text as it stands, or its alternatives."""
    parts = parts_of(text, parted_by)
    return parts if len(parts) > 1 else text


def _name(entries: list[dict[str, Any]], table: Table) -> list[Complaint]:
    """Give each entry an id; a complaint about each question that stands there again."""
    first: dict[str, int] = {}
    complaints = []
    for entry, row in zip(entries, table.rows, strict=True):
        name = made_id(entry.get("query", f"row {row.line}"))
        line = first.setdefault(name, row.line)
        if line != row.line:
            first_place = table.source.where(line)
            message = f"the question is already {first_place}; keep one of them, or add a column id"
            complaints.append(table.source.complaint(row.line, message))
            name = f"{name} {row.line}"
        entry["id"] = name
    return complaints


def _known_columns(written: tuple[str, ...]) -> tuple[dict[str, str], list[str], list[str]]:
    """Column as written -> column as known; what is wrong; and those that say nothing to us.

    A team's sheet may have other columns, as long as none is a slip. Columns without a name are
    left out.
    """
    known: dict[str, str] = {}
    wrong, others = [], []
    for column in filter(None, written):
        meant = meaning_in("scenarios", column)
        if meant in known.values():
            first = next(name for name, other in known.items() if other == meant)
            wrong.append(f'the columns "{first}" and "{column}" are the same; keep one of them')
        elif meant is not None:
            known[column] = meant
        elif slip := _slip(column):
            wrong.append(slip)
        else:
            others.append(column)
    return known, wrong, others


def _slip(column: str) -> str:
    """The complaint about a name that is nearly one of ours; "" for any other."""
    ours = column_names("scenarios").values()
    names = [english if column.isascii() else japanese for english, japanese, *_ in ours]
    name = same_name(column)
    near = max(names, key=lambda known: _likeness(name, known))
    if _likeness(name, near) <= _NEAR and not name.startswith(_PREFIXES):
        return ""
    return (
        f"no column {shown(column)}; did you mean {near}? there are: {', '.join(names)} "
        "(a column for yourselves needs a name that is less like them)"
    )


def _likeness(name: str, known: str) -> float:
    """From 0 to 1; a nested name may be meant by its last part alone, such as `documents`."""
    return max(
        SequenceMatcher(None, name, known).ratio(),
        SequenceMatcher(None, _last(name), _last(known)).ratio(),
    )


def _last(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name
