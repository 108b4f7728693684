"""`mogi agreement`: measure agreement between the judge and reviewers."""

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
@common.texts("--metric", "M", "Use this metric instead of those with a threshold.", "metrics")
@common.of_client_options
def command(client: str, metrics: tuple[str, ...], store: str | None, *, as_json: bool) -> None:
    """Lay the scores of CLIENT's runs beside people's verdicts, and these beside each other.

    A metric says NG of what is under its threshold in client.yaml. Where an audit sample was
    drawn (mogi run --audit) the figures speak of all turns, else of flagged ones alone. Each
    comes with a 95 % interval; it needs at least 5 pairs. What people called wrong stands beside
    what mogi blamed.
    """
    from simulator.cli.contracts.agreement import agreement_json
    from simulator.cli.screens.agreement import agreement_view
    from simulator.review.agreement import agreement, faults_named

    loaded = common.client(client)
    with common.open_store(store) as opened:
        results = agreement(opened, loaded, metrics)
        faults = faults_named(opened, loaded.client)
    common.answer(
        lambda: agreement_json(loaded.client.name, results, faults),
        lambda width: agreement_view(loaded.client, results, faults, width),
        as_json=as_json,
    )
