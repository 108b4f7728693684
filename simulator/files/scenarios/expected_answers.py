"""Expected answers put into a client's file of scenarios: only these, and all else as it was."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from simulator.core.clean import clean
from simulator.files.scenarios.entries import (
    read_entries,
    scenario_table,
    scenarios_file,
)
from simulator.formats.encodings import decoded
from simulator.formats.sources import Source, replace_file
from simulator.formats.table_files import read_csv, separator_of, splice_cells
from simulator.formats.yaml.reading import Loc, Marked
from simulator.formats.yaml.scalars import spelling
from simulator.formats.yaml.splicing import splice

_YAML = (".yaml", ".yml")
_CSV = (".csv", ".tsv")
_COLUMN = "expected.answer"
_NEW_COLUMN = {True: _COLUMN, False: "期待する回答"}  # by whether the others are English
_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"\xef\xbb\xbf": "utf-8"}


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
    return Source.of(folder / named if named else scenarios_file(folder, cwd), cwd)


def with_answers(source: Source, answers: Mapping[str, str]) -> Edit:
    """The file with these expected answers, by the ids of their scenarios.

    In YAML and csv nothing but these texts changes; a workbook or JSON is left to people.

    Raises:
        InputError: it cannot be read, or a text cannot be put there without changing more.
    """
    content = source.content()
    kind = source.path.suffix.lower()
    if kind in _YAML:
        before = source.text()
        after = _in_yaml(before, source, answers)
        mark = content[:3] if content.startswith(b"\xef\xbb\xbf") else b""
        return Edit(source, before, after, content, mark + after.encode("utf-8"))
    if kind in _CSV:
        return _in_csv(source, content, answers)
    return Edit(source, "", None, content, content)


def _in_yaml(text: str, source: Source, answers: Mapping[str, str]) -> str:
    entries = read_entries(source).data
    for index, entry in enumerate(entries):
        name = entry.get("id")
        answer = answers.get(name if isinstance(name, str) else spelling(name))
        if answer is not None:
            path: Loc = (index, "expected", "answer")
            text = splice(text, path, answer, source)
    return text


def _in_csv(source: Source, content: bytes, answers: Mapping[str, str]) -> Edit:
    table = read_csv(source)
    marked = scenario_table(table)
    before = decoded(content)
    column = marked.names.get(_COLUMN, _COLUMN)
    at = next((n for n, name in enumerate(table.columns) if name == column), None)
    cells: dict[tuple[int, int], str] = {}
    if at is None:
        at = len(table.columns)
        is_english = all(name.isascii() for name in table.columns)
        cells[table.header_line, at] = _NEW_COLUMN[is_english]
    for entry, row in zip(marked.data, table.rows, strict=True):
        if entry["id"] in answers:
            cells[row.line, at] = answers[entry["id"]]
    after = splice_cells(before, separator_of(clean(before)), cells)
    edit = Edit(source, before, after, content, _encoded(source, content, after))
    _check(edit, marked, answers)
    return edit


def _encoded(source: Source, content: bytes, text: str) -> bytes:
    """The text as the file was saved."""
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return mark + text.encode(encoding)
    try:
        content.decode("utf-8")
        return text.encode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return text.encode("cp932")
    except UnicodeEncodeError as error:
        letter = text[error.start]
        message = f"is in Shift_JIS, which has no {letter}; save it as UTF-8 first"
        raise source.error(0, message) from error


def _check(edit: Edit, before: Marked, answers: Mapping[str, str]) -> None:
    """See that the new file says the same but for the answers."""
    wanted = [_with(entry, answers.get(entry["id"])) for entry in before.data]
    with TemporaryDirectory() as folder:
        copy = Path(folder) / edit.source.path.name
        copy.write_bytes(edit.changed)
        after = scenario_table(read_csv(replace(edit.source, path=copy))).data
    if after != wanted:
        message = "cannot be changed without touching more; write the answers by hand"
        raise edit.source.error(0, message)


def _with(entry: Mapping[str, Any], answer: str | None) -> Mapping[str, Any]:
    if answer is None:
        return entry
    return {**entry, "expected": {**entry.get("expected", {}), "answer": answer}}
