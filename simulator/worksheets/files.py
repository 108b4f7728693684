"""Worksheets written to files: rows or a sheet as csv, rows or a whole `Book` as xlsx.

Rows go to disk as they come; nothing is kept in memory, and no text becomes a formula.
"""

import csv
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.sax.saxutils import escape

from simulator.core.clean import guarded
from simulator.core.errors import InputError
from simulator.worksheets.book import (
    Book,
    CellValue,
    Colour,
    Column,
    Rule,
    SheetCell,
    SheetRow,
    Trace,
    Worksheet,
    cell,
    column_name,
    fitting,
)

Write = Callable[[Sequence[Any]], None]
"""Takes one row; None is an empty cell."""

MOST_ROWS = 1_048_576  # of a worksheet, with its head
_MARK = "\ufeff"
_CODE = re.compile("_x[0-9A-Fa-f]{4}_")  # of a character, as cells write it


@contextmanager
def csv_file(path: Path, parted_by: str = ",", *, marked: bool = False) -> Iterator[Write]:
    """A csv file in UTF-8; `marked` with the byte order mark by which Excel knows that it is."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(_MARK if marked else "")
        writer = csv.writer(file, delimiter=parted_by, lineterminator="\r\n" if marked else "\n")

        def write(row: Sequence[Any]) -> None:
            writer.writerow([_text(value) for value in row])

        yield write


@contextmanager
def xlsx_file(path: Path) -> Iterator[Write]:
    """A workbook with one worksheet, whose first row stays in sight; texts are never formulas.

    Raises:
        InputError: more rows than a worksheet can hold.
        OSError: the file cannot be written.
    """
    with workbook(path) as book:
        rows, quote = _Rows(book.add_worksheet()), {"quote_prefix": True}
        rows.to.freeze_panes(1, 0)
        head, quoted = (_style(book, look) for look in ({**quote, "bold": True}, quote))

        def write(row: Sequence[Any]) -> None:
            cells, is_head = [], not rows.number
            for index, value in enumerate(row):
                shown = fitting(str(value)) if is_head else cell(value)
                style = quoted if isinstance(shown, str) and is_formula(shown) else 0
                style = head if is_head else style
                cells.append("" if value is None else rows.cell(index, shown, style))
            rows.add(cells)

        yield write


@contextmanager
def workbook(path: Path, **options: Any) -> Iterator[Any]:
    """An empty workbook of XlsxWriter, whose rows go to disk as they come (`_Rows`).

    `options` are XlsxWriter's own.

    Raises:
        OSError: the file cannot be written.
    """
    from xlsxwriter import Workbook  # type: ignore[import-untyped]
    from xlsxwriter.exceptions import FileCreateError  # type: ignore[import-untyped]

    with TemporaryDirectory(prefix="mogi-") as rows, path.open("wb") as file:
        way = {"constant_memory": True, "in_memory": False, "tmpdir": rows}
        book = Workbook(file, {**way, **options})
        try:
            yield book
        finally:
            try:
                book.close()
            except FileCreateError as error:  # no OSError, but it holds the one that it is about
                raise error.args[0] from error


class _Rows:
    """The rows of a worksheet of XlsxWriter's (`to`), from top to bottom.

    Its own cells take three times as long, and take a text such as `<r>…</r>` for markup.
    """

    def __init__(self, to: Any) -> None:
        self.number = 0  # the next one
        self.to = to
        to.previous_row = -1  # none is left for it to write

    def add(self, cells: Sequence[str], height: float = 0.0) -> None:
        """Write one row of `cell`s, or of nothing where there is none; 0: as high as is usual.

        Raises:
            InputError: a worksheet does not hold so many rows or columns.
        """
        if self.number >= MOST_ROWS:
            raise too_many_rows()
        tall = ""
        _check(self.to._check_dimensions(self.number, max(0, len(cells) - 1)))
        if height:
            self.to.set_row(self.number, height)  # by which notes find their places
            tall = f' ht="{height:g}" customHeight="1"'
        self.number += 1
        self.to.row_data_fh.write(f'<row r="{self.number}"{tall}>{"".join(cells)}</row>')

    def cell(self, index: int, value: CellValue, style: int, formula: str = "") -> str:
        """A cell of the next row; texts are `fitting`."""
        begin = f'<c r="{column_name(index)}{self.number + 1}" s="{style}"'
        if value is None and not formula:
            return f"{begin}/>"
        if isinstance(value, float) and not math.isfinite(value):
            value = str(value)
        if isinstance(value, int | float):
            of = f"<f>{escape(formula[1:])}</f>" if formula else ""
            return f"{begin}>{of}<v>{value:.16G}</v></c>"
        text = escape(value or "")
        if formula:
            kind = ' t="str"' if text else ""
            return f"{begin}{kind}><f>{escape(formula[1:])}</f><v>{text}</v></c>"
        if "_x" in text:  # which spreadsheets take for the code of a character
            text = _CODE.sub(r"_x005F\g<0>", text)
        kept = "" if text.strip() == text else ' xml:space="preserve"'
        return f'{begin} t="inlineStr"><is><t{kept}>{text}</t></is></c>'


def _style(book: Any, look: dict[str, Any]) -> int:
    """The number by which cells name a format that looks so."""
    number: int = _format(book, look)._get_xf_index()
    return number


def _format(book: Any, look: dict[str, Any]) -> Any:
    """A format that looks so; a property without a value is left out."""
    return book.add_format({name: value for name, value in look.items() if value})


def is_formula(text: str) -> bool:
    """True if a text looks like a formula, which it would become when somebody edits its cell."""
    return guarded(text) != text


def too_many_rows() -> InputError:
    """What is said where a worksheet is full."""
    return InputError(f"a worksheet has room for {MOST_ROWS:,} rows; use a .csv file")


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) else guarded(str(value))


def write_sheet(sheet: Worksheet, path: Path) -> None:
    """Write the worksheet in UTF-8 with a byte order mark, by which Excel knows Japanese.

    Formulas stand there as what they come to; texts are guarded, and cut where a cell could not
    hold them.

    Raises:
        OSError: the file cannot be written.
    """
    with csv_file(path, marked=True) as write:
        if sheet.header:
            write([column.head for column in sheet.columns])
        for row in sheet.rows():
            write([_shown(value) for value in row])


def _shown(value: CellValue | SheetCell) -> CellValue:
    content = value.value if isinstance(value, SheetCell) else value
    return fitting(content) if isinstance(content, str) else content


_HEAD, _PEOPLES_HEAD = Colour(226, 232, 240), Colour(255, 236, 179)
_PEOPLES = Colour(255, 251, 230)  # a cell to write in
FILLS = (_HEAD, _PEOPLES_HEAD, _PEOPLES)
"""Fills of cells whatever stands in them."""
WROTE = "mogi.wrote."
"""How the properties begin that tell what the program wrote (`Trace`)."""
_LINE = "#D0D5DB"
_LONGEST_CHOICES = 255  # characters of all choices together, with commas
_TALLEST = 20  # lines of a row; what is longer is read in the cell itself
_CLIPPED = 4  # lines of a row that a clipped text may ask for
_MARGIN = 2  # characters of a column that no text stands on
_WIDEST_PAGE = 300  # characters; what is wider goes on several pages
_LINE_HEIGHT, _WIDE_LINE = 15.0, 18.75  # points; of Latin letters, and of Japanese
_NOTE = {"width": 320, "author": "mogi", "font_size": 9}  # pixels, points
_NOTE_LINE, _NOTE_WIDTH, _NOTE_TALLEST = 16, 52, 320  # pixels, characters, pixels
_A4 = 9
_PLAIN = SheetCell()


def write_xlsx(book: Book, path: Path) -> None:
    """Write the workbook. Texts are cut where a cell cannot hold them, with a mark.

    Nothing is locked: a lock keeps people from sorting. Whoever edits a cell that is not people's
    is warned instead, where the worksheet has a warning.

    Raises:
        InputError: a worksheet has more rows or columns than a file can hold.
        OSError: the file cannot be written.
    """
    font = {"font_name": book.font, "font_size": 11} if book.font else None
    options = {"default_format_properties": font} if font else {}
    with workbook(path, **options) as made:
        for name, text in book.properties.items():
            made.set_custom_property(name, fitting(text))
        sheets = [(_Rows(made.add_worksheet(sheet.title)), sheet) for sheet in book.worksheets]
        trace = Trace()
        for rows, sheet in sheets:
            if sheet.title == book.opens_at:
                rows.to.activate()
            _Writer(made, rows, sheet, trace).write()
        for number, line in enumerate(trace.lines()):
            made.set_custom_property(f"{WROTE}{number}", line)


@dataclass(slots=True)
class _Writer:
    """Writes one worksheet from top to bottom."""

    made: Any
    rows: _Rows
    sheet: Worksheet
    trace: Trace
    known: dict[object, int] = field(default_factory=dict)  # styles, by what they depend on

    def write(self) -> None:
        """Columns, head, rows, and what spans them."""
        sheet, to = self.sheet, self.rows.to
        for index, column in enumerate(sheet.columns):
            more = {"hidden": True} if column.hidden else {}
            _check(
                to.set_column(index, index, column.width, _format(self.made, _looks(column)), more)
            )
        if sheet.header:
            self._head()
        for row in sheet.rows():
            self._row(row)
        to.freeze_panes(*sheet.frozen)
        last = max(1, self.rows.number - 1)
        if sheet.filtered:
            to.autofilter(0, 0, max(0, self.rows.number - 1), len(sheet.columns) - 1)
        for rule in sheet.rules:
            self._rule(rule, last)
        if sheet.header:
            self._validations(last)
        to.ignore_errors({"number_stored_as_text": "A1:XFD1048576"})
        self._print_setup()

    def _head(self) -> None:
        cells = []
        for index, column in enumerate(self.sheet.columns):
            fill = _PEOPLES_HEAD if column.people else _HEAD
            looks = {"bold": True, "text_wrap": True, "valign": "vcenter", "bg_color": _hex(fill)}
            style = _style(self.made, looks | {"border": 1, "border_color": _LINE})
            text = fitting(column.head)
            self.trace.add(text, self.sheet.title)
            cells.append(self.rows.cell(index, text, style))
            self._note(index, column.note)
        shown = [column for column in self.sheet.columns if not column.hidden]
        lines = max(_lines_of(column.head, column.width - _MARGIN) for column in shown)
        self.rows.add(cells, lines * _WIDE_LINE if lines > 1 else 0.0)

    def _row(self, row: SheetRow) -> None:
        columns = self.sheet.columns
        if self.sheet.header:  # lines around the cells that the row leaves out as well
            row = [*row, *repeat(None, len(columns) - len(row))]
        cells = [self._cell(index, value) for index, value in enumerate(row)]
        # Excel would find the height by itself, LibreOffice does not.
        height = _height(row, columns)
        self.rows.add(cells, height if height > _WIDE_LINE else 0.0)

    def _cell(self, index: int, shown: CellValue | SheetCell) -> str:
        cell, value = (shown, shown.value) if isinstance(shown, SheetCell) else (_PLAIN, shown)
        is_cut = is_quoted = False
        if isinstance(value, str):
            is_quoted = not cell.formula and is_formula(value)
            value = fitting(value) or None
            is_cut = value is not None and _is_cut(self.sheet.columns[index], value)
            if value and not cell.formula:
                self.trace.add(value, self.sheet.title)
        self._note(index, cell.note)
        if value is None and not (cell.formula or cell.fill or self.sheet.header):
            return ""
        style = self._style_of(index, cell, is_cut=is_cut, is_quoted=is_quoted)
        return self.rows.cell(index, value, style, cell.formula)

    def _style_of(self, index: int, cell: SheetCell, *, is_cut: bool, is_quoted: bool) -> int:
        key = (index, cell.bold, cell.right, cell.form, cell.fill, is_cut, is_quoted)
        if key not in self.known:
            column, has_lines = self.sheet.columns[index], self.sheet.header
            self.known[key] = _style(
                self.made,
                _looks(column)
                | {"bold": cell.bold, "align": "right" if cell.right else ""}
                | {"num_format": cell.form or column.form, "bg_color": _fill(cell)}
                | ({"border": 1, "border_color": _LINE} if has_lines else {})
                | ({"bg_color": _hex(_PEOPLES)} if column.people else {})
                | ({"align": "fill"} if is_cut else {})
                | ({"quote_prefix": True} if is_quoted else {}),
            )
        return self.known[key]

    def _note(self, index: int, note: str) -> None:
        if note:
            text = fitting(note)
            self.trace.add(text, self.sheet.title)
            height = 12 + _NOTE_LINE * (1 + _lines_of(text, _NOTE_WIDTH))
            look = {**_NOTE, "height": min(_NOTE_TALLEST, height)}
            _check(self.rows.to.write_comment(self.rows.number, index, text, look))

    def _rule(self, rule: Rule, last: int) -> None:
        bottom = last if rule.last_row is None else rule.last_row
        area = (rule.first_row, rule.first_column, bottom, rule.last_column)
        fill = _format(self.made, {"bg_color": _hex(rule.fill)})
        look = {"type": "formula", "criteria": rule.formula, "format": fill}
        _check(self.rows.to.conditional_format(*area, look))

    def _validations(self, last: int) -> None:
        columns = self.sheet.columns
        for index, column in enumerate(columns):
            if column.choices:
                if len(",".join(column.choices)) > _LONGEST_CHOICES:
                    raise ValueError(f"{column.head}: more choices than a file allows")
                offered = {"validate": "list", "source": list(column.choices)}
                self._validate(index, index, last, offered)
        if not self.sheet.warning:
            return
        spans = groupby(range(len(columns)), key=lambda index: columns[index].people)
        for people, span in spans:
            if not people:
                indexes = list(span)
                message = {"error_message": self.sheet.warning}
                never = {"validate": "custom", "value": "=FALSE", **message}
                self._validate(indexes[0], indexes[-1], last, never)

    def _validate(self, first: int, last: int, bottom: int, what: dict[str, Any]) -> None:
        what = {**what, "error_type": "warning"}
        _check(self.rows.to.data_validation(1, first, bottom, last, what))

    def _print_setup(self) -> None:
        self.rows.to.set_landscape()
        self.rows.to.set_paper(_A4)
        if sum(column.width for column in self.sheet.columns) <= _WIDEST_PAGE:
            self.rows.to.fit_to_pages(1, 0)
        if self.sheet.header:
            self.rows.to.repeat_rows(0)


def _looks(column: Column) -> dict[str, Any]:
    return {"valign": "top", "text_wrap": column.wrap, "num_format": column.form}


def _is_cut(column: Column, text: str) -> bool:
    return column.clip and not column.wrap and len(text) > column.width


def _fill(cell: SheetCell) -> str:
    return _hex(cell.fill) if cell.fill else ""


def _hex(colour: Colour) -> str:
    return f"#{colour.red:02X}{colour.green:02X}{colour.blue:02X}"


def _height(row: SheetRow, columns: Sequence[Column]) -> float:
    """How tall the tallest wrapped text makes a row, in points."""
    heights = [0.0]
    for value, column in zip(row, columns, strict=False):
        text = value.value if isinstance(value, SheetCell) else value
        if column.wrap and isinstance(text, str):
            most = _CLIPPED if column.clip else _TALLEST
            lines = min(most, _lines_of(text, column.width - _MARGIN))
            heights.append(lines * (_LINE_HEIGHT if text.isascii() else _WIDE_LINE))
    return max(heights)


def _lines_of(text: str, width: int) -> int:
    return sum(1 + max(0, _width(line) - 1) // width for line in text.split("\n"))


def _width(line: str) -> int:
    """About how wide a line is, in characters of a plain font: what has three bytes takes two."""
    return (len(line.encode("utf-8", "replace")) + len(line)) // 2


def _check(code: int | None) -> None:
    """XlsxWriter tells by a number that it left something out."""
    if code:
        raise InputError("a worksheet can't hold all of this; use a .csv file instead")
