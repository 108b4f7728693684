"""What a bot reads as text that gets an entry more, other words in one, or an example less."""

import csv
import io
import itertools
import re
from collections.abc import Collection
from dataclasses import dataclass

from simulator.core.clean import clean
from simulator.files.knowledge import entry_columns
from simulator.formats.slugs import Numbered, made_id
from simulator.formats.sources import Source
from simulator.formats.table_files import csv_table, separator_of, splice_cells

_CSV = (".csv", ".tsv")
_TEXTS = (".md", ".txt")
_HEADING = re.compile(r"^ {0,3}(?=#{1,6}\s)", re.MULTILINE)
_QUOTED = re.compile("「[^」]+」|“[^”]+”")
_EXAMPLES = re.compile("(?:(?:「[^」]+」|“[^”]+”)(?:(?:[、,]|や|と| and| or)* ?(?=[「“]))?)+")
# A number with what it counts: a currency before it, a word or a letter or two after it.
_FIGURE = re.compile(
    r"(?P<money>[¥$€£])?(?P<number>\d+(?:[.,:/]\d+)*)(?P<unit>\s?[A-Za-z%]+|時間|[かヶカ]?[一-龠々])?"
)


def with_figures(old: str, new: str) -> str:
    """The old sentence with the new one's figures; empty where that is not plain to see.

    Each figure that only one of them has must have one of the same kind in the other.
    """
    both = [list(_FIGURE.finditer(text)) for text in (old, new)]
    of_old, of_new = ({figure["number"] for figure in found} for found in both)
    olds = [figure for figure in both[0] if figure["number"] not in of_new]
    news = [figure for figure in both[1] if figure["number"] not in of_old]
    numbers = {_counted(figure): figure["number"] for figure in news}
    if not news or len(numbers) != len(news) or sorted(map(_counted, olds)) != sorted(numbers):
        return ""
    for figure in reversed(olds):
        start, end = figure.span("number")
        old = old[:start] + numbers[_counted(figure)] + old[end:]
    return old


def _counted(figure: re.Match[str]) -> str:
    return f"{figure['money'] or ''}{(figure['unit'] or '').strip()}"


def examples_of(line: str) -> tuple[list[str], str]:
    """What a guideline quotes as examples, one after the other, and all else that it says."""
    quoted = _EXAMPLES.search(line)
    if quoted is None:
        return [], line
    return _QUOTED.findall(quoted[0]), line[: quoted.start()] + line[quoted.end() :]


def without_examples(line: str, gone: Collection[str]) -> str:
    """A guideline without some of its examples; nothing where none is left."""
    passage = _EXAMPLES.search(line)
    quoted = _QUOTED.findall(passage[0]) if passage else []
    kept = [example for example in quoted if example not in gone]
    if passage is None or not kept:
        return ""
    between = _QUOTED.split(passage[0])[1] if len(quoted) > 1 else ""
    return line[: passage.start()] + between.join(kept) + line[passage.end() :]


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
