"""What people wrote into a report is not written over before it is in the store."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from simulator.console.output import whole
from simulator.core.errors import InputError, raise_all
from simulator.core.run import Run
from simulator.core.verdict import Verdict
from simulator.files.csv_rows import read_records
from simulator.files.sources import Source
from simulator.files.table_files import is_workbook
from simulator.files.xlsx.workbook import read_worksheets
from simulator.reports._notes import notes
from simulator.reports._worksheets.config import TITLE as CONFIG
from simulator.reports._worksheets.config import edited
from simulator.sheet.reading import Odd, ReviewTable, not_stored, typed
from simulator.sheet.review_files import read_review_file
from simulator.words import Words

_SHOWN = 3  # rows that a message names
_OTHER = "name another file"
_UNREADABLE = {Odd.NO_RESULT: "holds a formula without its result", Odd.NO_DAY: "shows ####"}


@contextmanager
def report_file(run: Run, path: str | None, name: str) -> Iterator[Path]:
    """Where to write the report `name`; it appears under `path` when the block ends well.

    Raises:
        InputError: there is no path, it cannot be written, or what people wrote would be lost.
    """
    if not path:
        raise InputError(f"this report needs a file; write --report {name}=FILE")
    check_nothing_is_lost(run, path)
    with whole(path, "the report") as part:
        yield part


def check_nothing_is_lost(run: Run, path: str) -> None:
    """Look whether `path` may be written: nothing is there, or what people wrote is kept already.

    Raises:
        InputError: a file is there that is no such report, or it holds verdicts that the run
            does not have, cells that cannot be read, thresholds that somebody edited, or
            anything else that people added.
    """
    where = Path(path)
    if not where.is_file() or not where.stat().st_size:
        return
    source = Source.of(where)
    table = _table(source, run)
    sheets = read_worksheets(source) if is_workbook(where) else {"": read_records(source)}
    found = [
        *_not_kept(run, table, source.name),
        _told("cannot be read in places: ", _not_read(table), f"; mend these, or {_OTHER}"),
        _told("holds thresholds that were edited: ", edited(sheets.get(CONFIG, [])), f"; {_OTHER}"),
        _told("has things that people added (", notes(sheets, table), f"); {_OTHER}"),
    ]
    raise_all([source.complaint(0, message) for message in found if message])


def _told(before: str, lost: Iterable[str], after: str) -> str:
    """What is said of things that would be lost; nothing where there are none."""
    listed = list(lost)
    return f"{before}{_listed(listed)}{after}" if listed else ""


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
        column = odd.values.get("column", "")
        if odd.kind is Odd.BROKEN_KEY:
            yield f"{row} lost its hidden key and says {odd.values['typed']}"
        elif odd.kind is Odd.NO_COLUMN:
            yield f"{row} has no column {column}"
        elif odd.kind is Odd.BROKEN_CELL:
            yield f"{row}, {column}, shows {odd.values['error']}"
        elif odd.kind in (Odd.NO_RESULT, Odd.NO_DAY):
            yield f"{row}, {column}, {_UNREADABLE[odd.kind]}"


def _not_kept(run: Run, table: ReviewTable, file: str) -> Iterator[str]:
    """By run, the rows in which somebody wrote what the verdicts of `run` do not hold."""
    ours = run.header.id
    wanted = {row.episode for row in table.rows if row.said and row.run == ours}
    lost: dict[str, list[str]] = {}
    for row in not_stored(table, ours, _verdicts(run, wanted) if wanted else ()):
        lost.setdefault(row.run, []).append(f"row {row.place.row}: {typed(row.said)}")
    for of, rows in lost.items():
        pull = f"mogi review pull {of} --from {file}"
        if of == ours:
            before = f"holds verdicts that run {of} does not have: "
            yield _told(before, rows, f"; read them first ({pull}), or {_OTHER}")
        else:
            yield _told(f"holds verdicts of run {of}: ", rows, f"; {_OTHER} ({pull} reads these)")


def _verdicts(run: Run, wanted: AbstractSet[str]) -> Iterator[Verdict]:
    """What people said of these conversations, and the same in the words that a file shows."""
    words = Words(run.header.language, "report")
    for episode, verdicts in run.reviewed():
        for verdict in verdicts if episode.cell.key in wanted else ():
            yield verdict
            yield replace(verdict, error_type=words.name("fault", verdict.error_type))


def _listed(found: list[str]) -> str:
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(found[:_SHOWN]) + more
