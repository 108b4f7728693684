"""Expected answers put into a client's file of scenarios: only these, and all else as it was."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.core.clean import clean
from simulator.files.scenarios.entries import read_entries, scenario_table, scenarios_file
from simulator.formats.encodings import decoded, encoded_like
from simulator.formats.sources import Source, inside, replace_file
from simulator.formats.table_files import csv_table, separator_of, splice_cells
from simulator.formats.yaml.reading import Loc
from simulator.formats.yaml.scalars import spelling
from simulator.formats.yaml.splicing import splice

_YAML = (".yaml", ".yml")
_CSV = (".csv", ".tsv")
_COLUMN = "expected.answer"
_NEW_COLUMN = {True: _COLUMN, False: "期待する回答"}  # by whether the others are English


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


def with_answers(source: Source, answers: Mapping[str, tuple[str, ...]]) -> Edit:
    """The file with these expected answers, all of a scenario's, by the ids of the scenarios.

    In YAML and csv nothing but these texts changes; a workbook or JSON is left to people.

    Raises:
        InputError: it cannot be read, or a text cannot be put there without changing more.
    """
    content = source.content()
    kind = source.path.suffix.lower()
    if kind in _YAML:
        before = source.text()
        after = _in_yaml(before, source, answers)
        return Edit(source, before, after, content, encoded_like(content, after))
    if kind in _CSV:
        return _in_csv(source, content, answers)
    return Edit(source, "", None, content, content)


def _in_yaml(text: str, source: Source, answers: Mapping[str, tuple[str, ...]]) -> str:
    entries = read_entries(source).data
    for index, entry in enumerate(entries):
        name = entry.get("id")
        answer = answers.get(name if isinstance(name, str) else spelling(name))
        if answer is not None:
            path: Loc = (index, "expected", "answer")
            text = splice(text, path, _one_or_all(answer), source)
    return text


def _in_csv(source: Source, content: bytes, answers: Mapping[str, tuple[str, ...]]) -> Edit:
    before = source.table_text()
    table = csv_table(clean(before), source)
    marked = scenario_table(table)
    column = marked.names.get(_COLUMN, _COLUMN)
    at = next((n for n, name in enumerate(table.columns) if name == column), None)
    cells: dict[tuple[int, int], str] = {}
    if at is None:
        at = len(table.columns)
        is_english = all(name.isascii() for name in table.columns)
        cells[table.header_line, at] = _NEW_COLUMN[is_english]
    for entry, row in zip(marked.data, table.rows, strict=True):
        if entry["id"] in answers:
            cells[row.line, at] = "\n//\n".join(answers[entry["id"]])
    after = splice_cells(before, separator_of(clean(before)), cells)
    try:
        changed = encoded_like(content, after)
    except UnicodeEncodeError as error:
        letter = after[error.start]
        message = f"is in Shift_JIS, which has no {letter}; save it as UTF-8 first"
        raise source.error(0, message) from error
    # The new file has to say the same but for the answers.
    wanted = [_with(entry, answers.get(entry["id"])) for entry in marked.data]
    if scenario_table(csv_table(clean(decoded(changed)), source)).data != wanted:
        message = "cannot be changed without touching more; write the answers by hand"
        raise source.error(0, message)
    return Edit(source, before, after, content, changed)


def _one_or_all(answers: tuple[str, ...]) -> str | list[str]:
    return answers[0] if len(answers) == 1 else list(answers)


def _with(entry: Mapping[str, Any], answer: tuple[str, ...] | None) -> Mapping[str, Any]:
    if answer is None:
        return entry
    return {**entry, "expected": {**entry.get("expected", {}), "answer": _one_or_all(answer)}}
