"""`mogi report`: a report of a run that is in the store."""

import click

from simulator.cli import common


@click.command(epilog="Example:  mogi report latest --report junit=mogi.xml")
@click.argument("run")
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="NAME[=PATH]",
    default=("terminal",),
    show_default=True,
    help="Which report, and where to.  (repeatable)",
)
@common.store_option
def command(run: str, reports: tuple[str, ...], store: str | None) -> None:
    """Write reports of RUN: an id, a unique prefix of one, or latest."""
    from simulator.cli.reporting import parse_reports, write_reports

    wanted = parse_reports(reports)
    with common.reading(store) as opened:
        write_reports(common.stored(opened, run), wanted)
