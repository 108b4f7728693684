"""What a bot reads as text: an entry more or less, other words in one, or an example less."""

import csv
import io
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from simulator.core.clean import clean
from simulator.files.knowledge import entry_columns, text_files
from simulator.formats.own_files import Numbered, made_id, slug, unified
from simulator.formats.sources import Source
from simulator.formats.table_files import csv_table, separator_of, splice_cells
from simulator.formats.tables import Table

_CSV = (".csv", ".tsv")
_YAML = (".yaml", ".yml")
_TEXTS = (".md", ".txt")
_HEADING = re.compile(r"^ {0,3}(?=#{1,6}\s)", re.MULTILINE)
_HEADS = re.compile(r"^ {0,3}(?P<mark>#{1,6})[ \t]+(?P<title>[^\n]*?)[ \t#]*$", re.MULTILINE)
_FILE = "\x1e"  # before the name of each file, where a folder is one text
_BELOW = " > "  # between the headings of a title
_OF_ENTRY = 2  # how deep the mappings of a YAML list are


@dataclass(frozen=True, slots=True)
class KnowledgeText:
    """The text of a csv, YAML or Markdown file; whatever is not named stays as it is.

    That of a folder is one text, too: its Markdown and plain files, one after the other.
    """

    source: Source
    text: str

    @classmethod
    def read(cls, source: Source) -> "KnowledgeText | None":
        """The file at `source`; None where a program does not write such a file.

        Raises:
            InputError: it cannot be read.
        """
        if source.path.is_dir():
            files = {name: file.table_text() for name, file in text_files(source).items()}
            is_plain = not any(_FILE in text for text in (*files, *files.values()))
            return cls(source, _joined(files)) if is_plain else None
        kind = source.path.suffix.lower()
        if kind not in (*_CSV, *_YAML, *_TEXTS):
            return None
        return cls(source, source.table_text())

    @property
    def _is_folder(self) -> bool:
        return self.text.startswith(_FILE)

    def _in_file(self, entry: str, change: "Callable[[KnowledgeText], str | None]") -> str | None:
        """The text of a folder in which the file of an entry is changed."""
        files, name = _parted(self.text), entry.partition("#")[0]
        if name not in files:
            return None
        source = replace(self.source, path=self.source.path / name)
        text = change(KnowledgeText(source, files[name]))
        # An empty file is no entry, and mogi takes no file away.
        return _joined({**files, name: text}) if text and text.strip() else None

    def _with_file(self, title: str, content: str) -> str:
        """The text of a folder with a file more, which holds one entry."""
        files = _parted(self.text)
        kinds = [name.rpartition(".")[2] for name in files]
        kind = max(sorted(set(kinds)), key=kinds.count)
        names = (f"{start}.{kind}" for start in (slug(title), made_id(title)) if start)
        name = next((name for name in names if name not in files), f"{made_id(title)}-2.{kind}")
        head = f"# {' '.join(title.split())}" if kind == "md" else title
        text = _HEADING.sub(r"\g<0>\\", content) if kind == "md" else content
        return _joined({**files, name: f"{head}\n\n{text}\n"})

    @property
    def _end(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def is_table(self) -> bool:
        """Whether its entries are rows, with ids of their own."""
        return self.source.path.suffix.lower() in _CSV

    def with_entry(self, title: str, content: str, beyond: int = 0) -> str:
        """The text with one entry more, at its end; its id leaves room for `beyond` others.

        Raises:
            InputError: it is no table of entries.
        """
        if self._is_folder:
            return self._with_file(title, content)
        end = self._end
        whole = self.text + ("" if self.text.endswith(("\n", "\r")) or not self.text else end)
        if self._is_list:
            return whole + self._listed(title, content, beyond)
        if not self.is_table:
            text = _HEADING.sub(r"\g<0>\\", content)
            marks = {head["mark"] for head in _HEADS.finditer(self.text)}
            mark = "#" if marks == {"#"} and len(_HEADS.findall(self.text)) > 1 else "##"
            return f"{whole}{end}{mark} {' '.join(title.split())}{end}{end}{text}{end}"
        table = csv_table(clean(self.text), self.source)
        key, title_column, content_column = entry_columns(table)
        cells = {content_column: content if title_column else f"{title}{end}{content}"}
        if title_column:
            cells[title_column] = title
        if key:
            cells[key] = _next_id([row.cells.get(key, "") for row in table.rows], title, beyond)
        row = io.StringIO()
        line = [cells.get(column, "") for column in table.columns]
        writer = csv.writer(row, delimiter=separator_of(clean(self.text)), lineterminator=end)
        writer.writerow(line)
        return whole + row.getvalue()

    def with_content(self, entry: str, old: str, new: str) -> str | None:
        """The text with `new` for `old` in an entry's content; None where that does not stand so.

        Raises:
            InputError: it is no table of entries.
        """
        if self._is_folder:
            return self._in_file(entry, lambda file: file.with_content(entry, old, new))
        if not self.is_table and not self._is_list:
            return self.text.replace(old, new, 1) if self.text.count(old) == 1 else None
        row = self._row(entry)
        if row is None or old not in row.content:
            return None
        return row.with_cell(self.text, "content", row.content.replace(old, new, 1))

    def with_title(self, entry: str, old: str, new: str) -> str | None:
        """The text with another title of an entry; None where it has none to be changed.

        Raises:
            InputError: it is no table of entries.
        """
        if self._is_folder:
            return self._in_file(entry, lambda file: file.with_title(entry, old, new))
        if not self.is_table and not self._is_list:
            above, mark, last = old.strip().rpartition(_BELOW)
            heads = [h for h in _HEADS.finditer(self.text) if h["title"].strip() == last]
            if not last or len(heads) != 1:
                return None
            start, end = heads[0].span("title")
            return self.text[:start] + new.removeprefix(f"{above}{mark}") + self.text[end:]
        row = self._row(entry)
        return row.with_cell(self.text, "title", new) if row and row.title else None

    def without_entry(self, entry: str, title: str) -> str | None:
        """The text without an entry; None where it is not plain to see what is part of it.

        Raises:
            InputError: it is no table of entries.
        """
        if self._is_folder:
            return self._in_file(entry, lambda file: file.without_entry(entry, title))
        if self.is_table or self._is_list:
            row = self._row(entry)
            lines = self.text.splitlines(keepends=True)
            return "".join(lines[: row.start] + lines[row.end :]) if row else None
        heads, last = list(_HEADS.finditer(self.text)), title.strip().rpartition(_BELOW)[2]
        mine = [at for at, head in enumerate(heads) if head["title"].strip() == last]
        if not last or len(mine) != 1:
            return None
        at = mine[0]
        end = heads[at + 1].start() if at + 1 < len(heads) else len(self.text)
        return self.text[: heads[at].start()] + self.text[end:]

    @property
    def _is_list(self) -> bool:
        return self.source.path.suffix.lower() in _YAML

    def _row(self, entry: str) -> "_Row | None":
        rows = self._list_rows() if self._is_list else self._table_rows()
        return next((row for row in rows if row.name == entry), None)

    def _table_rows(self) -> Iterator["_Row"]:
        table = csv_table(clean(self.text), self.source)
        key, title, content = entry_columns(table)
        separator = separator_of(clean(self.text))
        numbered = Numbered()
        starts = [row.line - 1 for row in table.rows]
        ends = [*starts[1:], len(self.text.splitlines())]
        for row, end in zip(table.rows, ends, strict=True):
            cell = row.cells.get(content, "")
            heading = row.cells.get(title, "") if title else ""
            name = row.cells.get(key, "") if key else numbered(made_id(heading or cell))
            places = {
                part: _Place(row.line, table.columns.index(column))
                for part, column in (("title", title), ("content", content))
                if column
            }
            yield _Row(name, heading, cell, row.line - 1, end, places, separator)

    def _list_rows(self) -> Iterator["_Row"]:
        """The entries of a YAML list, with the places of their texts in the file."""
        items = list(_items(self.text))
        columns = dict.fromkeys(key for item in items for key in item.cells)
        key, title, content = entry_columns(Table(self.source, 0, tuple(columns), ()))
        numbered = Numbered()
        ends = [*(item.line for item in items[1:]), len(self.text.splitlines())]
        for item, end in zip(items, ends, strict=True):
            cell = item.cells.get(content, "")
            heading = item.cells.get(title, "") if title else ""
            name = item.cells.get(key, "") if key else numbered(made_id(heading or cell))
            places = {
                part: item.places[column]
                for part, column in (("title", title), ("content", content))
                if column in item.places
            }
            yield _Row(name, heading.strip(), cell, item.line, end, places, "")

    def _listed(self, title: str, content: str, beyond: int) -> str:
        items = list(_items(self.text))
        columns = dict.fromkeys(key for item in items for key in item.cells)
        key, title_column, content_column = entry_columns(Table(self.source, 0, tuple(columns), ()))
        cells = {content_column: content if title_column else f"{title}\n{content}"}
        if title_column:
            cells = {title_column: title, **cells}
        if key:
            name = _next_id([item.cells.get(key, "") for item in items], title, beyond)
            cells = {key: name, **cells}
        lines = self.text.splitlines()
        indent = lines[items[-1].line].partition("-")[0] if items else ""
        texts = [f"{name}: {json.dumps(cell, ensure_ascii=False)}" for name, cell in cells.items()]
        first, *others = texts
        return f"{indent}- {first}{self._end}" + "".join(
            f"{indent}  {line}{self._end}" for line in others
        )


def _joined(files: Mapping[str, str]) -> str:
    return "".join(f"{_FILE}{name}\n{text}" for name, text in files.items())


def _parted(text: str) -> dict[str, str]:
    parts = (part.partition("\n") for part in text.split(_FILE)[1:])
    return {name: rest for name, _, rest in parts}


def difference(path: str, before: str, after: str) -> str:
    """A unified diff of a file, or of those files of a folder that change."""
    if not before.startswith(_FILE):
        return unified(path, before, after)
    old, new = _parted(before), _parted(after)
    return "".join(
        unified(f"{path}/{name}", old.get(name, ""), text, is_new=name not in old)
        for name, text in new.items()
        if text != old.get(name)
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A cell by line and column, or the characters of a value from `line` to `column`."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class _Row:
    """An entry with its lines, `start` to `end`, and where its texts are."""

    name: str
    title: str
    content: str
    start: int
    end: int
    places: Mapping[str, _Place]
    separator: str

    def with_cell(self, text: str, part: str, new: str) -> str | None:
        """The file's text with another text in one cell."""
        place = self.places.get(part)
        if place is None:
            return None
        if self.separator:
            return splice_cells(text, self.separator, {(place.line, place.column): new})
        written = json.dumps(new, ensure_ascii=False)
        tail = "\n" if text[place.line : place.column].endswith("\n") else ""
        return text[: place.line] + written + tail + text[place.column :]


@dataclass(slots=True)
class _Item:
    """An entry of a YAML list while it is read; `line` from 0."""

    line: int
    cells: dict[str, str] = field(default_factory=dict)
    places: dict[str, _Place] = field(default_factory=dict)
    key: str = ""

    def take(self, value: str, place: _Place) -> None:
        """Take in a key, or the value of the last key."""
        if self.key:
            self.cells[self.key], self.places[self.key] = value, place
        self.key = "" if self.key else value


class _EventPlace(NamedTuple):
    """Where a part of a YAML file stands: the line on which it begins, and its characters."""

    line: int
    characters: _Place


def _place_of(event: Any) -> _EventPlace:
    start, end = event.start_mark, event.end_mark
    return _EventPlace(start.line, _Place(start.index, end.index))


def _items(text: str) -> Iterator[_Item]:
    """The mappings of a YAML list of mappings; values that are no plain text are passed over."""
    import yaml

    depth, item = 0, None
    for event in yaml.parse(text, yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth == _OF_ENTRY:
                item = _Item(_place_of(event).line)
            elif item is not None:
                item.key = ""
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            if depth == 1 and item is not None:
                yield item
        elif isinstance(event, yaml.ScalarEvent) and depth == _OF_ENTRY and item is not None:
            item.take(event.value, _place_of(event).characters)


def _next_id(ids: list[str], title: str, beyond: int) -> str:
    """An id like the last one, counted on: faq-031, faq-032; else made of the title.

    So many as are `beyond` are left for entries that may come in as well.
    """
    for last in reversed(ids):
        if found := re.fullmatch(r"(.*\D|)(\d+)", last):
            start, number = found.groups()
            free = (
                name
                for count in itertools.count(int(number) + 1)
                if (name := f"{start}{count:0{len(number)}d}") not in ids
            )
            return next(itertools.islice(free, beyond, None))
    numbered = Numbered()
    for name in ids:
        numbered(name)
    return numbered(made_id(title))
