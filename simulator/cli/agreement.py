"""`mogi agreement`: how far the judge agrees with people, and people with each other."""

import json

import click

from simulator.cli import common

_EXAMPLES = """\
\b
Examples:
  mogi agreement demo
  mogi agreement demo --json
"""


@click.command(epilog=_EXAMPLES)
@click.argument("client")
@click.option(
    "--metric",
    "metrics",
    type=common.NAME,
    multiple=True,
    metavar="M",
    help="This metric instead of those with a threshold.  (repeatable)",
)
@common.store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def command(client: str, metrics: tuple[str, ...], store: str | None, *, as_json: bool) -> None:
    """Lay the scores of CLIENT's runs beside people's verdicts, and these beside each other.

    A metric says NG of what is under its threshold in client.yaml. Where an audit sample was
    drawn (mogi run --audit) the figures speak of all turns, else of flagged ones alone. Each
    comes with a 95 % interval; it needs at least 5 pairs.
    """
    from simulator.review.agreement import agreement

    loaded = common.client(client)
    with common.reading(store) as opened:
        found = agreement(opened, loaded, metrics)
    if as_json:
        from simulator.screens.agreement_json import agreement_json

        click.echo(json.dumps(agreement_json(loaded.client.name, found), ensure_ascii=False))
        return
    from simulator.console.output import screen, show
    from simulator.screens.agreement import agreement_view

    console = screen()
    show(agreement_view(loaded.client, found, console.width), console)
