"""A knowledge base's file as text that gets an entry more, or other words in one of them."""

import csv
import io
import itertools
import re
from dataclasses import dataclass

from simulator.core.clean import clean
from simulator.files.knowledge import entry_columns
from simulator.formats.slugs import Numbered, made_id
from simulator.formats.sources import Source
from simulator.formats.table_files import csv_table, separator_of, splice_cells

_CSV = (".csv", ".tsv")
_TEXTS = (".md", ".txt")
_HEADING = re.compile(r"^ {0,3}(?=#{1,6}\s)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class KnowledgeText:
    """The text of a csv file, or of one of Markdown; whatever is not named stays as it is."""

    source: Source
    text: str

    @classmethod
    def read(cls, source: Source) -> "KnowledgeText | None":
        """The file at `source`; None where a program does not write such a file.

        Raises:
            InputError: it cannot be read.
        """
        kind = source.path.suffix.lower()
        if source.path.is_dir() or kind not in (*_CSV, *_TEXTS):
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
        if not self.is_table:
            text = _HEADING.sub(r"\g<0>\\", content)
            return f"{whole}{end}## {' '.join(title.split())}{end}{end}{text}{end}"
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
        if not self.is_table:
            return self.text.replace(old, new, 1) if self.text.count(old) == 1 else None
        table = csv_table(clean(self.text), self.source)
        key, title, content = entry_columns(table)
        at = table.columns.index(content)
        numbered = Numbered()
        for row in table.rows:
            cell = row.cells.get(content, "")
            heading = row.cells.get(title, "") if title else ""
            name = row.cells.get(key, "") if key else numbered(made_id(heading or cell))
            if name == entry and old in cell:
                cells = {(row.line, at): cell.replace(old, new, 1)}
                return splice_cells(self.text, separator_of(clean(self.text)), cells)
        return None


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
