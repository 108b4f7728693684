"""`mogi report`: a report of a run that is in the store."""

import click

from simulator.cli import common, running


@click.command(epilog="Example:  mogi report latest --report junit=mogi.xml")
@click.argument("run")
@running.reports_option("Which report, and where to.", default=("terminal",), show_default=True)
@common.store_option
@common.client_options
def command(run: str, reports: tuple[str, ...], store: str | None) -> None:
    """Write reports of RUN: an id, a unique prefix of one, latest, or previous."""
    wanted = running.parse_reports(reports)
    with common.open_store(store) as opened:
        running.write_reports(common.load_run(opened, run), wanted)
