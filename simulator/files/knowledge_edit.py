"""What a bot reads as text: an entry more or less, other words in one, or an example less."""

import csv
import io
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from simulator.core.clean import clean
from simulator.files.knowledge import entry_columns
from simulator.formats.own_files import Numbered, made_id
from simulator.formats.sources import Source
from simulator.formats.table_files import csv_table, separator_of, splice_cells
from simulator.formats.tables import Table

_CSV = (".csv", ".tsv")
_YAML = (".yaml", ".yml")
_TEXTS = (".md", ".txt")
_HEADING = re.compile(r"^ {0,3}(?=#{1,6}\s)", re.MULTILINE)
_HEADS = re.compile(r"^ {0,3}(?P<mark>#{1,6})[ \t]+(?P<title>[^\n]*?)[ \t#]*$", re.MULTILINE)
# A number with what it counts: a currency before it, a word or a letter or two after it.
_OF_ENTRY = 2  # how deep the mappings of a YAML list are


@dataclass(frozen=True, slots=True)
class KnowledgeText:
    """The text of a csv, YAML or Markdown file; whatever is not named stays as it is."""

    source: Source
    text: str

    @classmethod
    def read(cls, source: Source) -> "KnowledgeText | None":
        """The file at `source`; None where a program does not write such a file.

        Raises:
            InputError: it cannot be read.
        """
        kind = source.path.suffix.lower()
        if source.path.is_dir() or kind not in (*_CSV, *_YAML, *_TEXTS):
            return None
        return cls(source, source.table_text())

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
        if not self.is_table and not self._is_list:
            heads = [h for h in _HEADS.finditer(self.text) if h["title"].strip() == old.strip()]
            if not old.strip() or len(heads) != 1:
                return None
            start, end = heads[0].span("title")
            return self.text[:start] + new + self.text[end:]
        row = self._row(entry)
        return row.with_cell(self.text, "title", new) if row and row.title else None

    def without_entry(self, entry: str, title: str) -> str | None:
        """The text without an entry; None where it is not plain to see what is part of it.

        Raises:
            InputError: it is no table of entries.
        """
        if self.is_table or self._is_list:
            row = self._row(entry)
            lines = self.text.splitlines(keepends=True)
            return "".join(lines[: row.start] + lines[row.end :]) if row else None
        heads = list(_HEADS.finditer(self.text))
        mine = [at for at, head in enumerate(heads) if head["title"].strip() == title.strip()]
        if not title.strip() or len(mine) != 1:
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
