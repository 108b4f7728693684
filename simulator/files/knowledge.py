"""What the bot may know, as passages: a table, a list, a text, or a folder of texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.core.bounds import MAX_LINES
from simulator.core.clean import clean
from simulator.core.errors import raise_all
from simulator.core.talk import Document
from simulator.files.column_names import column_names, column_of
from simulator.files.passages import passages
from simulator.formats.fields import read_json_list
from simulator.formats.own_files import Numbered, made_id
from simulator.formats.sources import Complaints, Source, shown
from simulator.formats.table_files import is_table, read_table
from simulator.formats.tables import Row, Table, first_column
from simulator.formats.yaml.reading import Marked, read_yaml
from simulator.formats.yaml.scalars import EMPTY, spelling

_SECTION = "knowledge"  # of the names of columns
_TEXTS = (".md", ".txt")
_LISTS = (".json", ".yaml", ".yml")
_OF = "{id, title, content}"


@dataclass(frozen=True, slots=True)
class Passages:
    """The entries of a knowledge base, in the files' order; ids are unique."""

    entries: tuple[Document, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def documents(self) -> Sequence[Document]:
        """Every entry; `id` is never None here."""
        return self.entries


def load_knowledge(
    path: Path,
    *,
    worksheet: str | None = None,
    cwd: Path | None = None,
    within: tuple[Path, ...] | None = None,
) -> Passages:
    """The knowledge base at `path`.

    A csv or xlsx file, or a list of mappings in JSON or YAML: an entry a row, with the columns
    id, title and content, or question and answer, in English or Japanese, found by name; all
    others are passed over. Without a column of ids (or of numbers, 番号, each of which stands there
    once) they are made of the titles (`slugs.made_id`).
    A .md or .txt file: cut into passages (`passages`). A folder: all of its .md and .txt files,
    those of its folders too; other files, tables as well, and what begins with a dot are not read.
    `worksheet` names one of a workbook's, None the first. Complaints name files relative to `cwd`
    (None: the real one). `within`: where its files have to lie, as `Source.of` takes it.

    Raises:
        InputError: every complaint about its files at once.
    """
    source = Source.of(path, cwd, within)
    source.confined()
    if path.is_dir():
        return Passages(_from_folder(source, cwd))
    kind = path.suffix.lower()
    if is_table(path):
        return Passages(_from_table(read_table(source, worksheet)))
    if kind in _TEXTS:
        return Passages(tuple(_from_text(source, path.name)))
    if kind in _LISTS:
        marked = read_json_list(source, _OF) if kind == ".json" else read_yaml(source)
        return Passages(_from_table(_entry_table(marked)))
    kinds = ".csv, .xlsx, .json, .yaml, .md or .txt file"
    raise source.error(0, f"mogi can't read this type of file; use a {kinds}, or a folder of texts")


def entry_columns(table: Table) -> tuple[str | None, str | None, str]:
    """The columns of ids, titles and contents in a table of entries; None: it has no such.

    Raises:
        InputError: no column holds contents.
    """
    title, content = _columns(table)
    return column_of(_SECTION, "id", table.columns) or _numbers(table), title, content


def _from_table(table: Table) -> tuple[Document, ...]:
    key, title, content = entry_columns(table)
    if not table.rows:
        raise table.source.error(0, "no entries; add at least one row under the first line")
    used = [column for column in (key, title, content) if column]
    complaints = list(table.broken(used))
    found: dict[str, Document] = {}
    lines: dict[str, int] = {}
    numbered = Numbered()
    for row in table.rows:
        if row.broken and not row.broken.keys().isdisjoint(used):
            continue
        text = row.cells.get(content, "")
        heading = row.cells.get(title, "") if title else ""
        entry = row.cells.get(key, "") if key else numbered(made_id(heading or text))
        if message := _wrong(table, row, entry, content, lines):
            complaints.append(table.source.complaint(row.line, message))
            continue
        lines[entry] = row.line
        found[entry] = Document(text, entry, heading)
    raise_all(complaints)
    return tuple(found.values())


def _numbers(table: Table) -> str | None:
    """A column that numbers the entries, where there is none called id: each number is there once.

    Of several the first of the names counts whose column does so.
    """
    for name in column_names(_SECTION)["number"]:
        column = first_column(table.columns, [name])
        numbers = [row.cells.get(column, "") for row in table.rows] if column else [""]
        if all(numbers) and len(set(numbers)) == len(numbers):
            return column
    return None


def _columns(table: Table) -> tuple[str | None, str]:
    """The columns of titles and contents; names that belong together count before any others."""
    names = column_names(_SECTION)
    for pair in zip(names["title"], names["content"], strict=False):
        title, content = (first_column(table.columns, [name]) for name in pair)
        if title and content:
            return title, content
    content = column_of(_SECTION, "content", table.columns)
    if content is None:
        columns = ", ".join(c for c in table.columns if c)
        raise table.source.error(
            table.header_line,
            f"no column has the content; rename one to content, answer, 内容 or 回答 "
            f"(columns: {columns})",
        )
    return column_of(_SECTION, "title", table.columns), content


def _wrong(table: Table, row: Row, entry: str, content: str, lines: dict[str, int]) -> str | None:
    if not entry:
        return "the ID is empty; write one, or remove the whole column"
    if entry in lines:
        first = table.source.where(lines[entry])
        return f'the ID "{entry}" is already {first}; IDs must be unique'
    if content not in row.cells:
        return f"{content} is empty; write the text, or remove the row"
    return None


def _from_text(source: Source, name: str) -> list[Document]:
    text = clean(source.table_text())
    if text.count("\n") > MAX_LINES:
        raise source.error(0, f"is too large: more than {MAX_LINES:,} lines; split it")
    documents = passages(text, name)
    if not documents:
        raise source.error(0, "contains no text; add some, or remove the file")
    return documents


def _from_folder(folder: Source, cwd: Path | None) -> tuple[Document, ...]:
    documents: list[Document] = []
    complaints = Complaints()
    for name, source in text_files(folder, cwd).items():
        documents += complaints.attempt(_from_text, source, name) or ()
    raise_all(complaints)
    return tuple(documents)


def text_files(folder: Source, cwd: Path | None = None) -> dict[str, Source]:
    """The files of a folder that are read, by their names in ids, in order.

    Raises:
        InputError: there is none.
    """
    files = sorted(p for p in folder.path.rglob("*") if p.is_file() and not _hidden(p, folder.path))
    paths = [p for p in files if p.suffix.lower() in _TEXTS]
    if not paths:
        table = next((p.relative_to(folder.path).as_posix() for p in files if is_table(p)), None)
        right = f"name the file itself, such as {table}" if table else "put some there"
        raise folder.error(0, f"no .md or .txt file in this folder; {right}")
    names = {clean(p.relative_to(folder.path).as_posix()): p for p in paths}
    return {name: Source.of(path, cwd, folder.within) for name, path in names.items()}


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _entry_table(marked: Marked) -> Table:
    """The entries as rows; numbers are spelt as in the file, true and false are TRUE and FALSE.

    Raises:
        InputError: it is no list, or holds anything but mappings.
    """
    if not isinstance(marked.data, list):
        raise marked.source.error(marked.line(()), f"this must be a list of {_OF}; write one")
    if not marked.data:
        raise marked.source.error(0, f"no entries; add at least one {_OF}")
    raise_all(
        [
            marked.complaint((at,), f"an entry: {shown(entry)} is not a mapping; write {_OF}")
            for at, entry in enumerate(marked.data)
            if not isinstance(entry, dict)
        ]
    )
    columns = dict.fromkeys(key for entry in marked.data for key in entry)
    rows = tuple(_row(entry, marked.line((at,))) for at, entry in enumerate(marked.data))
    return Table(marked.source, 0, tuple(columns), rows)


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
