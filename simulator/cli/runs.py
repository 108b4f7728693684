"""`mogi runs`: what there is in the store."""

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from simulator.cli import common
from simulator.cli.tables import one_liners

if TYPE_CHECKING:
    from simulator.store.store import RunRow


@click.command(epilog="Example:  mogi runs")
@common.store_option
def command(store: str | None) -> None:
    """List the runs in the store, the newest first.

    Times are in each client's time zone, as in its reports. What a run is: talks that were held
    (run), answers of a file (score), or the talks of a run judged again (rejudge).
    """
    with common.reading(store) as opened:
        found = opened.runs()
    zones = {row.timezone for row in found}
    zone = next(iter(zones)) if len(zones) == 1 else None
    rows = [
        (
            row.id,
            row.kind,
            row.client,
            _local(row, named=zone is None),
            _number(row.digest.get("score"), ".3f"),
            _number(row.digest.get("score_by"), ""),
            _number(row.digest.get("conversations"), "d"),
            _number(row.digest.get("flagged"), "d"),
            row.status,
        )
        for row in found
    ]
    started = f"started ({zone})" if zone else "started"
    one_liners(
        ("run", "kind", "client", started, "score", "of", "talks", "flagged", "status"), rows
    )


def _local(row: "RunRow", *, named: bool) -> str:
    began = datetime.fromisoformat(row.started).astimezone(ZoneInfo(row.timezone))
    return f"{began:%Y-%m-%d %H:%M}" + (f" ({row.timezone})" if named else "")


def _number(value: object, form: str) -> str:
    return "-" if value is None else format(value, form)
