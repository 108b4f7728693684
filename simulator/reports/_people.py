"""What people wrote into a report is not written over before it is in the store."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path

from simulator.core.errors import InputError
from simulator.core.run import Run
from simulator.core.verdict import Verdict
from simulator.files.sources import Source
from simulator.files.table_files import is_workbook
from simulator.files.xlsx.workbook import read_worksheets
from simulator.reports._words import Words
from simulator.reports._worksheets.config import TITLE as CONFIG
from simulator.reports._worksheets.config import edited
from simulator.tables.review_files import read_review_file
from simulator.tables.review_known import not_stored
from simulator.tables.review_reading import Odd, ReviewTable, typed

_SHOWN = 3  # rows that a message names


def check_nothing_is_lost(run: Run, path: str) -> None:
    """Look whether `path` may be written: nothing is there, or what people wrote is kept already.

    Raises:
        InputError: a file is there that is no such report, or it holds verdicts that the run
            does not have, or thresholds that somebody edited.
    """
    where = Path(path)
    if not where.is_file() or not where.stat().st_size:
        return
    source = Source.of(where)
    table = _table(source, run)
    lost = [*_not_read(table), *_not_kept(run, table)]
    if lost:
        pull = f"mogi review pull {run.header.id} --from {source.name}"
        message = (
            f"holds verdicts that run {run.header.id} does not have: {_listed(lost)}; "
            f"read them first ({pull}), or name another file"
        )
        raise source.error(0, message)
    limits = list(edited(read_worksheets(source).get(CONFIG, []))) if is_workbook(where) else []
    if limits:
        message = f"holds thresholds that were edited: {_listed(limits)}; name another file"
        raise source.error(0, message)


def _table(source: Source, run: Run) -> ReviewTable:
    try:
        return read_review_file(source, run.header.language)
    except InputError as error:
        message = f"is there already, and no review that could be read ({error}); name another file"
        raise source.error(0, message) from error


def _not_read(table: ReviewTable) -> Iterator[str]:
    """What people may have written where it cannot be read."""
    for odd in table.oddities:
        row = f"row {odd.place.row}" if odd.place and odd.place.row else "the head"
        if odd.kind is Odd.BROKEN_KEY:
            yield f"{row}: {odd.values['typed']}"
        elif odd.kind in (Odd.NO_COLUMN, Odd.BROKEN_CELL):
            problem = odd.values.get("problem", "there is no such column")
            yield f"{row}: {odd.values['column']}: {problem}"


def _not_kept(run: Run, table: ReviewTable) -> Iterator[str]:
    """The rows in which somebody wrote what the run's verdicts do not hold."""
    ours = run.header.id
    wanted = {row.episode for row in table.rows if row.said and row.run == ours}
    for row in not_stored(table, ours, _verdicts(run, wanted) if wanted else ()):
        said = typed(row.said) if row.run == ours else f"of run {row.run}"
        yield f"row {row.place.row}: {said}"


def _verdicts(run: Run, wanted: AbstractSet[str]) -> Iterator[Verdict]:
    """What people said of these conversations, and the same in the words that a file shows."""
    words = Words(run.header.language)
    for episode, verdicts in run.reviewed():
        for verdict in verdicts if episode.cell.key in wanted else ():
            yield verdict
            yield replace(verdict, error_type=words.name("fault", verdict.error_type))


def _listed(found: list[str]) -> str:
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(found[:_SHOWN]) + more
