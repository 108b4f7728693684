"""Runs with verdicts, and worksheets as rows of what stands in their cells."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from simulator.core.run import Episode, Run, RunHeader
from simulator.core.verdict import Verdict
from simulator.reports._workbook import book_of
from simulator.worksheets.book import Book, SheetCell, SheetRow, Worksheet
from simulator.worksheets.columns import COLUMNS
from tests.execution.scored import run

IDS = [column.id for column in COLUMNS]


def judged_by_people(header: RunHeader, verdicts: Sequence[Verdict], *episodes: Episode) -> Run:
    """A run of these episodes, each with the verdicts on it."""
    return replace(
        run(header, *episodes),
        reviewed=lambda: (
            (e, tuple(v for v in verdicts if v.episode == e.cell.key)) for e in episodes
        ),
    )


def values(row: SheetRow) -> list[Any]:
    """What stands in the cells of a row, or what their formulas come to."""
    return [cell.value if isinstance(cell, SheetCell) else cell for cell in row]


def table(sheet: Worksheet) -> list[dict[str, Any]]:
    """The rows of a Review worksheet, by the columns' ids."""
    return [dict(zip(IDS, values(row), strict=True)) for row in sheet.rows()]


def column(sheet: Worksheet, id_: str) -> list[Any]:
    """What stands in one column of a Review worksheet."""
    return [row[id_] for row in table(sheet)]


def cells(sheet: Worksheet) -> list[SheetCell]:
    """Every cell that is more than its value."""
    return [cell for row in sheet.rows() for cell in row if isinstance(cell, SheetCell)]


def titled(book: Book) -> dict[str, Worksheet]:
    """The worksheets by their titles."""
    return {sheet.title: sheet for sheet in book.worksheets}


def log(made: Run) -> Worksheet:
    """The Log of a run."""
    return titled(book_of(made))["Log"]
