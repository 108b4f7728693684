"""People's verdicts from a file or a sheet into the store."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

from simulator.core.errors import Complaint, InputError
from simulator.core.run import RunHeader
from simulator.core.verdict import Verdict
from simulator.reports._workbook.turns import machine_cells
from simulator.review.reconcile import Known, reconcile
from simulator.review.turn_rows import Pulled, Reading, TurnName
from simulator.sheet.columns import ColumnId
from simulator.sheet.reading import ReviewTable
from simulator.store.store import Store


def pull(
    store: Store, header: RunHeader, table: ReviewTable, *, source: str, reviewer: str = ""
) -> Pulled:
    """Add what people wrote in `table` to the verdicts of a run, as far as it is new.

    `source` names the file or sheet; `reviewer` is the person where a row names none.

    Raises:
        StoreError: the run is held by another process, or nothing can be written.
    """
    with store.lock(header.id):
        verdicts = _verdicts(store, header.id)
        known = Known(verdicts, cache(lambda: _written(store, header)))
        at = _later_than(given for some in verdicts.values() for given in some)
        reading = Reading(header.id, source, at, header.language, reviewer)
        found = reconcile(table, known, reading)
        store.add_verdicts(header.id, found.verdicts)
    return found


def check_run(store: Store, header: RunHeader, table: ReviewTable, where: str) -> None:
    """Look whether `table`, read from `where`, speaks of this run and not of another one alone.

    Raises:
        InputError: its rows are of one other run of the store; it names the command that fits.
    """
    there = {row.run for row in table.rows}
    others = there & {row.id for row in store.runs()}
    if header.id in there or len(others) != 1:
        return
    (other,) = others
    message = f"holds rows of run {other} and none of run {header.id}; read them with: "
    command = f"mogi review pull {other} --from {where}"
    raise InputError(Complaint(where, 0, message + command))


def _verdicts(store: Store, run: str) -> Mapping[TurnName, Sequence[Verdict]]:
    """What was said of each turn of the run; nothing, of most."""
    found: dict[TurnName, list[Verdict]] = {}
    for episode, given in store.reviewed(run):
        for turn in episode.turns:
            found[episode.cell.key, turn.exchange.turn] = []
        for verdict in given:
            found.setdefault((verdict.episode, verdict.turn), []).append(verdict)
    return found


def _written(store: Store, header: RunHeader) -> Mapping[TurnName, Mapping[ColumnId, object]]:
    return {
        (episode.cell.key, turn): cells
        for episode in store.episodes(header.id)
        for turn, cells in machine_cells(header, episode)
    }


def _later_than(verdicts: Iterable[Verdict]) -> str:
    """Now, in UTC and to the second, or a second after the last verdict: none takes its place."""
    now = datetime.now(UTC).replace(microsecond=0)
    last = max((verdict.at for verdict in verdicts), default="")
    try:
        return max(now, datetime.fromisoformat(last) + timedelta(seconds=1)).isoformat()
    except (ValueError, TypeError):  # none, or one of a file that says no time
        return now.isoformat()
