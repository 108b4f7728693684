"""`mogi runs`: what there is in the store."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from simulator.cli import common
from simulator.console.layout import one_liners
from simulator.console.output import print_json

if TYPE_CHECKING:
    from simulator.store.schema import RunRow
    from simulator.store.store import Store


_DIGEST = ("passed", "failed", "score", "of", "talks")
_COLUMNS = ("run", "kind", "client", "started", *_DIGEST, "status")
_SPARE = ("kind", "of", "talks")  # left out first where a terminal is narrow


@click.command(epilog="Example:  mogi runs")
@common.of_store_options
def command(store: str | None, *, as_json: bool) -> None:
    """List the runs in the store, newest first.

    Times are in each client's time zone, as in its reports. Kinds: run (conversations), score
    (answers from a file), rejudge (an earlier run, scored again).
    """
    from simulator.cli.contracts.lists import runs_json
    from simulator.view.stored_run import digest, stored_run
    from simulator.words import Words

    with common.open_store(store) as opened:
        rows = opened.runs()
        reviewed = {run for name in {row.client for row in rows} for run in opened.said(name)}
        # What people said since the run's end counts, here as everywhere.
        listed = [
            replace(row, digest=digest(stored_run(opened, opened.header(row.id))))
            if row.id in reviewed
            else _with_progress(opened, row)
            for row in rows
        ]
    if as_json:
        print_json(runs_json(listed))
        return
    words = Words(listed[0].language if listed else "en", "runs")  # the newest client's
    zones = {row.timezone for row in listed}
    zone = next(iter(zones)) if len(zones) == 1 else None
    lines = [
        (
            row.id,
            words.name("kind", row.kind),
            row.client,
            _began(row) + ("" if zone else f" ({row.timezone})"),
            *(_number(row.digest.get(result), "d") for result in ("passed", "failed")),
            _number(row.digest.get("score"), ".3f"),
            _number(row.digest.get("score_by"), ""),
            _number(row.digest.get("conversations"), "d"),
            words.name("status", row.status),
        )
        for row in listed
    ]
    heads = [words(name) for name in _COLUMNS]
    if zone:
        heads[_COLUMNS.index("started")] = words("started_in", zone=zone)
    one_liners(heads, lines, spare=[_COLUMNS.index(name) for name in _SPARE])


def _with_progress(store: "Store", row: "RunRow") -> "RunRow":
    """The row; of a run that did not end, with how far it is."""
    if row.status == "finished":
        return row
    progress = {"planned": store.header(row.id).planned, "conversations": len(store.keys(row.id))}
    return replace(row, digest={**progress, **row.digest})


def _began(row: "RunRow") -> str:
    began = datetime.fromisoformat(row.started).astimezone(ZoneInfo(row.timezone))
    return f"{began:%Y-%m-%d %H:%M}"


def _number(value: object, form: str) -> str:
    return "-" if value is None else format(value, form)
