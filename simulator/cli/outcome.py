"""How a run ends on the command line: its JSON, its gate, how to go on, its exit status."""

import json
from typing import TYPE_CHECKING

import click

from simulator.core.errors import HaltReason

if TYPE_CHECKING:
    from simulator.core.run import Run


def conclude(run: "Run", *, as_json: bool) -> int:
    """Print the JSON object if asked for, say how to resume, and return the exit status."""
    from simulator.judging.gate import exit_status
    from simulator.reports._figures import run_json

    if as_json:
        click.echo(json.dumps(run_json(run), ensure_ascii=False))
    if run.summary.unfinished:
        click.echo(f"go on with:  mogi run --resume {run.header.id}", err=True)
    interrupted = run.header.status == HaltReason.INTERRUPTED
    return exit_status(run.summary, run.header.gate, interrupted=interrupted)
