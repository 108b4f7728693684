"""What the bot may know: a csv file, or a folder of Markdown and plain text, as passages."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from simulator.core.clean import clean
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.talk import Document
from simulator.files.csv_rows import Row, Table, read_csv, same_name
from simulator.files.passages import passages
from simulator.files.sources import Source

# Pairs of columns that belong together; the first pair of which both are there counts.
_PAIRS = (("title", "content"), ("question", "answer"), ("タイトル", "内容"), ("質問", "回答"))
_SUFFIXES = (".md", ".txt")


@dataclass(frozen=True, slots=True)
class Passages:
    """The entries of a knowledge base, in the files' order; ids are unique."""

    entries: tuple[Document, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def documents(self) -> Sequence[Document]:
        """Every entry; `id` is never None here."""
        return self.entries


def load_knowledge(path: Path, *, cwd: Path | None = None) -> Passages:
    """The knowledge base at `path`: a csv file, or a folder of .md and .txt files.

    Complaints name files relative to `cwd` (None: the real one).

    Raises:
        InputError: every complaint about its files at once.
    """
    source = Source.of(path, cwd)
    if path.is_dir():
        return Passages(_from_folder(source, cwd))
    if path.suffix.lower() != ".csv" and path.exists():
        raise source.error(0, "is neither a csv file nor a folder; give one of those")
    return Passages(_from_table(read_csv(source)))


def _from_table(table: Table) -> tuple[Document, ...]:
    by_name = {same_name(c): c for c in table.columns}
    title, content = _columns(table, by_name)
    key = by_name.get("id")
    if not table.rows:
        raise table.source.error(0, "has no entries; write at least one row under the first line")
    complaints: list[Complaint] = []
    found: dict[str, Document] = {}
    lines: dict[str, int] = {}
    for number, row in enumerate(table.rows, start=1):
        entry = row.cells.get(key, "") if key else f"row-{number}"
        if message := _wrong(row, entry, content, lines):
            complaints.append(table.source.complaint(row.line, message))
            continue
        lines[entry] = row.line
        found[entry] = Document(row.cells[content], entry, row.cells.get(title or "", ""))
    raise_all(complaints)
    return tuple(found.values())


def _columns(table: Table, by_name: dict[str, str]) -> tuple[str | None, str]:
    for title, content in _PAIRS:
        if title in by_name and content in by_name:
            return by_name[title], by_name[content]
    title_name = next((by_name[t] for t, _ in _PAIRS if t in by_name), None)
    content_name = next((by_name[c] for _, c in _PAIRS if c in by_name), None)
    if content_name is None:
        there = ", ".join(c for c in table.columns if c)
        raise table.source.error(
            table.header_line,
            f"no column holds the contents; name one of them content, answer, 内容 or 回答 "
            f"(there are: {there})",
        )
    return title_name, content_name


def _wrong(row: Row, entry: str, content: str, lines: dict[str, int]) -> str | None:
    if not entry:
        return "the id is empty; write one, or leave out the whole column"
    if entry in lines:
        return f'the id "{entry}" stands on line {lines[entry]} already; ids have to be unique'
    if content not in row.cells:
        return f"{content} is empty; write the text, or remove the row"
    return None


def _from_folder(folder: Source, cwd: Path | None) -> tuple[Document, ...]:
    paths = sorted(
        p
        for p in folder.path.rglob("*")
        if p.suffix.lower() in _SUFFIXES and p.is_file() and not _hidden(p, folder.path)
    )
    if not paths:
        raise folder.error(0, "no .md or .txt file in this folder; put some there, or name a csv")
    found: list[Document] = []
    complaints: list[Complaint] = []
    for path in paths:
        source = Source.of(path, cwd)
        name = clean(path.relative_to(folder.path).as_posix())
        try:
            entries = passages(clean(source.table_text()), name)
        except InputError as error:
            complaints.extend(error.complaints)
            continue
        if not entries:
            complaints.append(source.complaint(0, "holds no text; write some, or remove the file"))
        found.extend(entries)
    raise_all(complaints)
    return tuple(found)


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)
