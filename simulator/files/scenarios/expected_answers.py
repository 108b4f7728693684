"""What scenarios expect, and new ones, in a client's file: only this, and all else as it was."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.core.clean import clean
from simulator.core.errors import InputError, raise_all
from simulator.core.scenario import Approval, Scenario
from simulator.files.column_names import column_names
from simulator.files.scenarios.entries import read_entries, scenario_table, scenarios_file
from simulator.formats.diffs import unified
from simulator.formats.encodings import decoded
from simulator.formats.sources import Source, as_stored, inside, replace_file
from simulator.formats.table_files import csv_table, separator_of, splice_cells
from simulator.formats.yaml.reading import Loc, Marked, parse_yaml
from simulator.formats.yaml.scalars import spelling
from simulator.formats.yaml.splicing import splice
from simulator.formats.yaml.writing import Value, yaml_text

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
            raise self.source.error(0, "was changed meanwhile, so it was left alone; try again")
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
            message = "cannot take a scenario at its end without changing more; write it by hand"
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
                    raise source.error(start + 1, "is no entry by itself")
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
        message = "cannot be changed without touching more; write it by hand"
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
