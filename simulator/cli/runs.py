"""`mogi runs`: what there is in the store."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal
from zoneinfo import ZoneInfo

import click

from simulator.cli import common
from simulator.console.layout import one_liners
from simulator.console.output import print_json
from simulator.core.health import Scope
from simulator.core.persona import Language
from simulator.formats.json_contracts import LEFT_OUT, Count, Share, contract, filled

if TYPE_CHECKING:
    from simulator.store.schema import RunRow
    from simulator.store.store import Store


@contract
class StoredRun:
    """A run; of one that did not end, how far it is."""

    run: str
    """The run's id."""
    kind: Literal["run", "score", "rejudge"]
    """What it is: talks, answers of a file, talks rescored."""
    client: str
    """The client's name, or that of the file whose rows were scored."""
    started: str
    """UTC, ISO 8601."""
    timezone: str
    """The client's."""
    status: str
    """finished, running, or why it was stopped."""
    planned: Count | None = field(default=None, metadata=LEFT_OUT)
    """How many conversations it is to hold; of a run that did not end."""
    conversations: Count | None = field(default=None, metadata=LEFT_OUT)
    """How many came to their end."""


@contract
class FinishedRun(StoredRun):
    """A run that ended."""

    passed: Count | None = field(default=None, metadata=LEFT_OUT)
    """Conversations that are passed."""
    failed: Count | None = field(default=None, metadata=LEFT_OUT)
    """Conversations that are failed."""
    undecided: Count | None = field(default=None, metadata=LEFT_OUT)
    """Conversations that are undecided."""
    unchecked: Count | None = field(default=None, metadata=LEFT_OUT)
    """Conversations that are unchecked."""
    score: Share | None = None
    """The mean, from 0 to 1; null if nothing was scored."""
    score_by: str | None = field(default=None, metadata=LEFT_OUT)
    """The metric by which it is scored."""
    flagged: Count | None = field(default=None, metadata=LEFT_OUT)
    """Turns that are flagged."""


@contract
class StoredRuns:
    """What `mogi runs --json` prints; the newest first."""

    runs: tuple[FinishedRun | StoredRun, ...]
    """The runs. One that did not end has no figures but how far it is."""


def runs_json(rows: Iterable["RunRow"]) -> StoredRuns:
    """The runs under the names that their figures have in `mogi run --json`."""
    return StoredRuns(
        tuple(
            filled(
                FinishedRun if "score_by" in row.digest else StoredRun,
                row,
                run=row.id,
                **{"planned": None, **row.digest},
            )
            for row in rows
        )
    )


@contract
class Metric:
    """A metric."""

    name: str
    """As `metrics:` and --metric take it."""
    of: str
    """The rubric or file that brings it."""
    title: str
    """Its name for people."""
    scope: Scope
    """Of each turn, or of the whole talk."""
    low: float
    """The lowest value."""
    high: float
    """The highest value."""
    parts: tuple[str, ...]
    """Numbers that explain a value."""
    scale: str
    """The scale of a rating, such as 1-5; otherwise empty."""
    about: str
    """What it says."""
    costs: str
    """What a value costs: nothing, judge or embedding."""
    needs: tuple[str, ...]
    """What a scenario or a bot has to give."""
    measured: bool
    """Whether the client's file names it."""


@contract
class Metrics:
    """What `mogi metrics --json` prints."""

    language: Language
    """That of titles and questions."""
    metrics: tuple[Metric, ...]
    """The metrics."""


@contract
class Target:
    """A kind of bot."""

    kind: str
    """As `target: {kind: …}` takes it."""
    about: str
    """What it is."""
    settings: Mapping[str, Any]
    """A JSON schema of its settings."""
    presets: Mapping[str, str]
    """Settings that are written already, by name."""


@contract
class Targets:
    """What `mogi targets --json` prints."""

    targets: tuple[Target, ...]
    """The kinds."""


@contract
class Report:
    """A report."""

    name: str
    """As --report takes it."""
    about: str
    """What it is."""
    needs_path: bool
    """Whether it needs a path."""


@contract
class Reports:
    """What `mogi reports --json` prints."""

    reports: tuple[Report, ...]
    """The reports."""


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
