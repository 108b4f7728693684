"""What people wrote into a report is not written over before it is in the store."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from simulator.core.errors import InputError
from simulator.core.run import Run
from simulator.core.verdict import Verdict
from simulator.files.rows import same_name
from simulator.files.sources import Source
from simulator.files.table_files import is_workbook
from simulator.files.xlsx.workbook import read_worksheets
from simulator.reports._words import Words
from simulator.reports._worksheets.config import TITLE as CONFIG
from simulator.reports._worksheets.config import edited
from simulator.tables.review_files import read_review_file
from simulator.tables.review_reading import Odd, ReviewRow, ReviewTable, typed

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
    lost = [*_without_key(table), *_not_kept(run, table)]
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


def _without_key(table: ReviewTable) -> Iterator[str]:
    for odd in table.oddities:
        if odd.kind is Odd.BROKEN_KEY and odd.place is not None:
            yield f"row {odd.place.row}: {odd.values['typed']}"


def _not_kept(run: Run, table: ReviewTable) -> Iterator[str]:
    """The rows in which somebody wrote what the run's verdicts do not hold."""
    written = [row for row in table.rows if row.said]
    kept = _kept(run, {row.episode for row in written if row.run == run.header.id})
    for row in written:
        if row.run != run.header.id:
            yield f"row {row.place.row}: of run {row.run}"
        elif _as_read(row) not in kept:
            yield f"row {row.place.row}: {typed(row.said)}"


_Kept = tuple[str, int, object, tuple[str, ...], str]


def _kept(run: Run, episodes: Iterable[str]) -> set[_Kept]:
    """What the run's verdicts on these conversations say, in the words that a file shows."""
    wanted, words = set(episodes), Words(run.header.language)
    if not wanted:
        return set()
    return {
        _as_stored(verdict, fault)
        for episode, verdicts in run.reviewed()
        if episode.cell.key in wanted
        for verdict in verdicts
        for fault in (verdict.error_type, words.name("fault", verdict.error_type))
    }


def _as_stored(verdict: Verdict, error_type: str) -> _Kept:
    texts = _plain(error_type, verdict.corrected, verdict.comment)
    return verdict.episode, verdict.turn, verdict.word, texts, same_name(verdict.reviewer)


def _as_read(row: ReviewRow) -> _Kept:
    texts = _plain(row.said.error_type, row.said.corrected, row.said.comment)
    return row.episode, row.turn, row.said.word, texts, same_name(row.reviewer)


def _plain(*texts: str) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in texts)


def _listed(found: list[str]) -> str:
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(found[:_SHOWN]) + more
