"""Scenarios in a client's file: what they expect and new ones; all else stays."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from pydantic import Field

from simulator.core.clean import clean
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.scenario import Approval, Scenario
from simulator.files.column_names import column_names, meaning_in
from simulator.formats.fields import Elements, Text, Written, read_json_list
from simulator.formats.own_files import made_id, unified
from simulator.formats.sources import (
    Complaints,
    Source,
    as_stored,
    decoded,
    inside,
    replace_file,
    shown,
)
from simulator.formats.table_files import (
    csv_table,
    is_table,
    read_table,
    separator_of,
    splice_cells,
)
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
from simulator.formats.yaml.reading import Loc, Mark, Marked, parse_yaml, read_whole_yaml
from simulator.formats.yaml.scalars import spelling
from simulator.formats.yaml.writing import Value, splice, yaml_text

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
    raise source.error(0, "isn't a .yaml, .csv, .xlsx or .json file; use one")


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
        message = "no column contains questions; name the columns here, one of them query or 質問"
        if others:
            message = (
                f"no column has questions, only {', '.join(map(shown, others))}; "
                "call the one with the questions query or 質問"
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
    """The entries of a scenarios.yaml as JSON, or test cases as such entries.

    The ids of test cases are made of their questions (`slugs.made_id`), so that each keeps its own
    wherever it stands in the list. A list with a `query` is one of scenarios.

    Raises:
        InputError: not JSON, not a list; every wrong test case, and every question that stands
            there twice.
    """
    marked = read_json_list(source, "{question, expected}")
    if any(isinstance(entry, Mapping) and "query" in entry for entry in marked.data):
        return marked
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
        f"no column {shown(column)}; did you mean {near}? choose from: {', '.join(names)} "
        "(for your own column, use a name that's less similar)"
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


_YAML = (".yaml", ".yml")
_CSV = (".csv", ".tsv")
_COLUMN = "expected.answer"
Changes = Mapping[str, Mapping[str, Value]]
"""By the ids of scenarios: keys of `expected` and their new values."""
APPROVED: Mapping[Approval, Value] = {
    Approval.CONFIRMED: True,
    Approval.BULK: "bulk",
    Approval.OPEN: False,
}
"""How a file says who stands behind an expectation."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A file before and after; `after` None: such a file is not changed by a program.

    `content` are the bytes from which `before` was read, `changed` those to be written.
    """

    source: Source
    before: str
    after: str | None
    content: bytes
    changed: bytes

    @property
    def diff(self) -> str:
        """The change as a unified diff; empty where a program does not make it."""
        return "" if self.after is None else unified(self.source.name, self.before, self.after)

    def write(self) -> None:
        """Put the new file in the place of the old one.

        Raises:
            InputError: it was changed since it was read, or cannot be written.
        """
        if self.source.content() != self.content:
            raise self.source.error(0, "changed in the meantime, so nothing was written; try again")
        replace_file(self.source, self.changed)


def find_scenarios(folder: Path, named: str | None, cwd: Path | None = None) -> Source:
    """The file that holds a client's scenarios: the one that client.yaml names, or the usual one.

    Raises:
        InputError: there is none, or several.
    """
    path = folder / named if named else scenarios_file(folder, cwd)
    return Source.of(path, cwd, inside(folder, cwd))


def with_expected(source: Source, changes: Changes) -> Edit:
    """The file with these values of `expected`, by the ids of the scenarios and the keys.

    In YAML and csv nothing but these values changes; a workbook or JSON is left to people.

    Raises:
        InputError: it cannot be read, or a value cannot be put there without changing more.
    """
    content = source.content()
    kind = source.path.suffix.lower()
    if kind in _YAML:
        before = source.text()
        after = _in_yaml(before, source, changes)
        return Edit(source, before, after, content, as_stored(source, content, after))
    if kind in _CSV:
        return _in_csv(source, content, changes)
    return Edit(source, "", None, content, content)


def scenario_entry(scenario: Scenario) -> dict[str, Value]:
    """A scenario as it stands in a file: what is empty is left out."""
    wanted = scenario.expected
    expected: dict[str, Value] = {
        "answer": one_or_all(wanted.answers) if wanted.answers else "",
        "elements": [one_or_all(element) for element in wanted.elements],
        "must_not": list(wanted.must_not),
        "documents": list(wanted.documents),
    }
    kept: dict[str, Value] = {key: value for key, value in expected.items() if value}
    if wanted.answerable is not None:
        kept["answerable"] = wanted.answerable
    if wanted.escalate:
        kept["escalate"] = True
    if wanted.quotes:
        kept["quotes"] = [{"document": q.document, "text": q.text} for q in wanted.quotes]
    if wanted.approved is not Approval.CONFIRMED:
        kept["approved"] = APPROVED[wanted.approved]
    entry: dict[str, Value] = {
        "id": scenario.id,
        "query": scenario.query,
        "goal": scenario.goal,
        "known": list(scenario.known),
        "unknown": list(scenario.unknown),
        "turns": list(scenario.turns),
        "expected": kept,
        "personas": list(scenario.personas),
        "tags": list(scenario.tags),
    }
    return {key: value for key, value in entry.items() if value}


def with_scenario(source: Source, scenario: Scenario) -> Edit:
    """The file with one more scenario at its end; a workbook or JSON is left to people.

    Raises:
        InputError: it cannot be read, or nothing can be put there without changing more.
    """
    content, entry = source.content(), scenario_entry(scenario)
    kind = source.path.suffix.lower()
    if kind in _YAML:
        before = source.text()
        after = _with_entry(before, entry)
        try:
            same = parse_yaml(after, source).data == [*read_entries(source).data, entry]
        except InputError:
            same = False
        if not same:
            message = "mogi can't add a scenario without changing other lines; add it by hand"
            raise source.error(0, message)
        return Edit(source, before, after, content, as_stored(source, content, after))
    if kind not in _CSV:
        return Edit(source, "", None, content, content)
    return _row_added(source, content, entry)


def _row_added(source: Source, content: bytes, entry: Mapping[str, Value]) -> Edit:
    before = source.table_text()
    table = csv_table(clean(before), source)
    marked, separator = scenario_table(table), separator_of(clean(before))
    columns, after = list(table.columns), before
    cells = dict[int, str]()
    for name, text in _texts(entry):
        after, at = _with_column(after, name, columns, marked, separator, table.header_line)
        cells[at] = text
    row, end = io.StringIO(), "\r\n" if "\r\n" in before else "\n"
    line = [cells.get(at, "") for at in range(len(columns))]
    csv.writer(row, delimiter=separator, lineterminator=end).writerow(line)
    after += ("" if after.endswith(("\n", "\r")) else end) + row.getvalue()
    return _csv_edit(source, content, before, after, [*marked.data, entry])


def _with_entry(text: str, entry: Mapping[str, Value]) -> str:
    """YAML with one more entry, as far to the right as the last one."""
    end = "\r\n" if "\r\n" in text else "\n"
    before = [line for line in text.splitlines() if re.match(r" *- ", line)]
    indent = min((line[: line.index("-")] for line in before), key=len, default="")
    block = "".join(f"{indent}{line}{end}" for line in yaml_text([entry]).splitlines())
    return text + ("" if text.endswith(("\n", "\r")) or not text else end) + block


def _texts(entry: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """An entry as the texts of a row, by the names of their columns."""
    for key, value in entry.items():
        if isinstance(value, Mapping):
            yield from _texts(value, f"{key}.")
        elif isinstance(value, bool):
            yield prefix + key, str(value).upper()
        elif prefix + key == _COLUMN:
            yield _COLUMN, "\n//\n".join(value if isinstance(value, list) else [value])
        elif prefix + key == "expected.quotes":
            yield prefix + key, "|".join(f"{q['document']}: {q['text']}" for q in value)
        elif isinstance(value, list):
            parts = (part if isinstance(part, str) else " // ".join(part) for part in value)
            yield prefix + key, "|".join(parts)
        else:
            yield prefix + key, value


def _in_yaml(text: str, source: Source, changes: Changes) -> str:
    """The text with the changes; each is made in its own entry's lines where these stand apart."""
    marked = read_entries(source)
    raise_all(marked.complaints)
    rows = text.split("\n")
    ends = len(rows)
    wanted = list(marked.data)
    for index, entry in reversed(list(enumerate(marked.data))):
        start, name = marked.mark.children[index].line - 1, entry.get("id")
        change = changes.get(name if isinstance(name, str) else spelling(name))
        if change is not None:
            block = "\n".join(rows[start:ends])
            try:
                if parse_yaml(block, source).data != [entry]:
                    raise source.error(start + 1, "isn't a separate entry")
                changed = _spliced(block, 0, entry, change, source)
            except InputError:  # it hangs on other lines; or the whole file says what is wrong
                return _in_whole(text, marked.data, source, changes)
            rows[start:ends] = changed.split("\n")
            wanted[index] = _with(entry, change)
        ends = start
    after = "\n".join(rows)
    return (
        after
        if parse_yaml(after, source).data == wanted
        else _in_whole(text, marked.data, source, changes)
    )


def _in_whole(text: str, entries: Sequence[Any], source: Source, changes: Changes) -> str:
    for index, entry in enumerate(entries):
        name = entry.get("id")
        change = changes.get(name if isinstance(name, str) else spelling(name), {})
        text = _spliced(text, index, entry, change, source)
    return text


def _spliced(
    text: str, index: int, entry: Mapping[str, Any], change: Mapping[str, Value], source: Source
) -> str:
    """The text with the values of one entry; of a list as long as before only what differs."""
    before = entry.get("expected") or {}
    for key, value in change.items():
        path: Loc = (index, "expected", key)
        old, parts = before.get(key), {path: value}
        if isinstance(old, list) and isinstance(value, list) and len(old) == len(value):
            pairs = enumerate(zip(old, value, strict=True))
            parts = {(*path, n): new for n, (was, new) in pairs if was != new}
        for where, part in parts.items():
            text = splice(text, where, part, source)
    return text


def _in_csv(source: Source, content: bytes, changes: Changes) -> Edit:
    before = source.table_text()
    table = csv_table(clean(before), source)
    marked, separator = scenario_table(table), separator_of(clean(before))
    columns, after = list(table.columns), before
    cells: dict[tuple[int, int], str] = {}
    for entry, row in zip(marked.data, table.rows, strict=True):
        for name, text in _texts({"expected": changes.get(entry["id"], {})}):
            after, at = _with_column(after, name, columns, marked, separator, table.header_line)
            cells[row.line, at] = text
    after = splice_cells(after, separator, cells)
    wanted = [_without_empty(_with(entry, changes.get(entry["id"]))) for entry in marked.data]
    return _csv_edit(source, content, before, after, wanted)


def _with_column(
    text: str, name: str, columns: list[str], marked: Marked, separator: str, head: int
) -> tuple[str, int]:
    """The text of a table with the column, added at the end of its head if need be; its place."""
    column = marked.names.get(name, name)
    if column not in columns:
        english, japanese, *_ = column_names("scenarios")[name]
        column = english if all(each.isascii() for each in columns) else japanese
        if column not in columns:
            text = splice_cells(text, separator, {(head, len(columns)): column})
            columns.append(column)
    return text, columns.index(column)


def _csv_edit(source: Source, content: bytes, before: str, after: str, wanted: object) -> Edit:
    """The change of a csv file, which has to say what is `wanted` afterwards and nothing else."""
    changed = as_stored(source, content, after)
    if scenario_table(csv_table(clean(decoded(changed)), source)).data != wanted:
        message = "can't be changed without changing other lines; edit it by hand"
        raise source.error(0, message)
    return Edit(source, before, after, content, changed)


def one_or_all(texts: Sequence[str]) -> str | list[str]:
    """Alternatives as a file has them: one as a text, several as a list."""
    return texts[0] if len(texts) == 1 else list(texts)


def _with(entry: Mapping[str, Any], change: Mapping[str, Value] | None) -> Mapping[str, Any]:
    if change is None:
        return entry
    return {**entry, "expected": {**(entry.get("expected") or {}), **change}}


def _without_empty(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The entry as a table says it: what is empty in a row is not there."""
    expected = {
        key: value for key, value in entry.get("expected", {}).items() if value not in ("", [])
    }
    rest = {key: value for key, value in entry.items() if key != "expected"}
    return {**rest, "expected": expected} if expected else rest
