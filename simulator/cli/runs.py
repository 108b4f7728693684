"""`mogi runs`: what there is in the store."""

import click

from simulator.cli import common
from simulator.cli.tables import one_liners


@click.command(epilog="Example:  mogi runs")
@common.store_option
def command(store: str | None) -> None:
    """List the runs in the store, the newest first."""
    with common.reading(store) as opened:
        rows = [
            (
                row.id,
                row.client,
                row.started[:16].replace("T", " "),
                _number(row.digest.get("score"), ".3f"),
                _number(row.digest.get("score_by"), ""),
                _number(row.digest.get("conversations"), "d"),
                _number(row.digest.get("flagged"), "d"),
                row.status,
            )
            for row in opened.runs()
        ]
    head = ("run", "client", "started (UTC)", "score", "of", "talks", "flagged", "status")
    one_liners(head, rows)


def _number(value: object, form: str) -> str:
    return "-" if value is None else format(value, form)
