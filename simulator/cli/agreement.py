"""`mogi agreement`: measure agreement between the judge and reviewers."""

import click

from simulator.cli import common

_EXAMPLES = """\
\b
Examples:
  mogi agreement demo-en
  mogi agreement demo-en --json
"""


@click.command(epilog=_EXAMPLES)
@click.argument("client")
@common.texts(
    "--metric", "M", "Metric to compare.  [default: all metrics with a threshold]", "metrics"
)
@common.of_client_options
def command(client: str, metrics: tuple[str, ...], store: str | None, *, as_json: bool) -> None:
    """Measure agreement between CLIENT's scores and reviewers' verdicts, and among reviewers.

    A score below the metric's threshold in client.yaml counts as NG. With an audit sample (`mogi
    run --audit`), the results cover all turns. Without one, they cover only flagged turns. Each
    result has a 95% interval and needs at least 5 answers that have both a score and a verdict. The
    output also compares reviewers' error types with mogi's causes.
    """
    from simulator.cli.screens.agreement import agreement_json, agreement_view
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
