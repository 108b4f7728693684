"""The Review table in a file: csv, xlsx, or the lines of `mogi export` with verdicts in them."""

import io
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.core.bounds import MAX_ROWS, json_data
from simulator.core.clean import clean, unguarded
from simulator.core.errors import Complaint, raise_all
from simulator.core.persona import Language
from simulator.formats.sources import Source, shown
from simulator.formats.table_files import is_table, is_workbook, read_records
from simulator.formats.tables import Record
from simulator.formats.xlsx.workbook import read_worksheets
from simulator.formats.yaml.scalars import spelling
from simulator.worksheets.columns import COLUMNS, ColumnId, review_column, turn_key
from simulator.worksheets.reading import ReviewGrid, ReviewTable, read_review, with_errors

LINES = (".jsonl", ".ndjson")
_OTHERS = (".ods", ".xls", ".xlsb", ".numbers", ".fods")
_IDS = tuple(column.id for column in COLUMNS)


def read_review_file(source: Source, language: Language) -> ReviewTable:
    """The Review table in a .csv, .xlsx or .jsonl file; its name's ending says which.

    Raises:
        InputError: it cannot be read, or holds no such table.
    """
    return read_review(grids_of(source), source.name, language)


def grids_of(source: Source) -> list[ReviewGrid]:
    """The tables in a .csv, .xlsx or .jsonl file, whatever they hold.

    Raises:
        InputError: it cannot be read.
    """
    if source.path.suffix.lower() in LINES:
        return [_lines(source)]
    if is_workbook(source.path):
        return [ReviewGrid(name, records) for name, records in read_worksheets(source).items()]
    if is_table(source.path):
        return [ReviewGrid("", [_unguarded(record) for record in read_records(source)])]
    if source.path.suffix.lower() in _OTHERS:
        message = "can't be read; open it, save it as an Excel workbook (.xlsx), and use that file"
        raise source.error(0, f"is a {source.path.suffix.lower()} file, which {message}")
    raise source.error(0, "this isn't an .xlsx, .csv or .jsonl file")


def _unguarded(record: Record) -> Record:
    """A row as it was before a csv file was written: without marks against formulas."""
    cells = {at: unguarded(text) for at, text in record.cells.items()}
    return with_errors(record._replace(cells=cells))


def _lines(source: Source) -> ReviewGrid:
    """The lines as the rows of a table, whose head stands in line 0.

    A line's turn is named by its key, or by run, episode and turn.
    """
    records, claims = [Record(0, dict(enumerate(_IDS)))], dict[int, str]()
    complaints: list[Complaint] = []
    for number, text in enumerate(io.StringIO(clean(source.text())), 1):
        if text.strip():
            if number > MAX_ROWS:
                raise source.error(number, f"is too large: more than {MAX_ROWS:,} lines; split it")
            try:
                line = json_data(text, once=True)
                records.append(Record(number, dict(_cells(line))))
                if isinstance(claim := line.get("claim"), str):
                    claims[number] = claim
            except (ValueError, TypeError, RecursionError) as error:
                message = f"isn't a JSON object ({error}); one per line, as `mogi export` does"
                complaints.append(source.complaint(number, message))
    raise_all(complaints)
    if len(records) == 1:
        raise source.error(0, "empty file; `mogi export RUN` prints the lines to begin with")
    return ReviewGrid("", records, is_printed=True, claims=claims)


def _cells(line: Any) -> Iterator[tuple[int, str]]:
    if not isinstance(line, Mapping):
        raise TypeError(shown(line))
    cells: dict[ColumnId, str] = {}
    for name, value in line.items():
        column = review_column(name)
        if column is not None and isinstance(value, str | int | float):
            cells.setdefault(column, _text(value))
    if "key" not in cells and all(name in line for name in ("run", "episode", "turn")):
        cells["key"] = turn_key(str(line["run"]), str(line["episode"]), line["turn"])
    return ((_IDS.index(name), text) for name, text in cells.items() if text)


def _text(value: str | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.strip() if isinstance(value, str) else spelling(value)
