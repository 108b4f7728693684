"""`mogi compare`: did the last change break something?"""

from typing import TYPE_CHECKING

import click

from simulator import plugins
from simulator.cli import common, exits
from simulator.cli.report import parse_reports, reports_option

if TYPE_CHECKING:
    from simulator.compare.fail_on import FailOn

_EXAMPLES = """\
\b
Examples:
  mogi compare previous latest                     did it get worse?
  mogi compare previous latest --fail-on newly-failing=3
  mogi compare previous latest --alpha 0.1 --json
"""


@click.command(epilog=_EXAMPLES)
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@common.fail_on("Exit with 1 if this condition is met, or 3 if it's undecided")
@click.option(
    "--alpha",
    type=common.Number(0.001, 0.5),
    metavar="A",
    default=0.05,
    show_default=True,
    help="Significance level of the test.",
)
@reports_option("Write a report of the comparison: html=PATH, markdown=PATH.")
@common.of_store_options
def command(  # noqa: PLR0913  options, each by its name
    before: str,
    after: str,
    fail_on: "FailOn | None",
    alpha: float,
    reports: tuple[str, ...],
    store: str | None,
    *,
    as_json: bool,
) -> int:
    """Compare run B with run A: new failures, fixes, and statistical confidence.

    A and B are run IDs, unique prefixes, `latest` or `previous`. `previous` is the most recent
    earlier run that has finished, uses the same client and command, and shares scenarios with the
    other run. mogi pairs conversations by scenario, persona and repeat. For runs of
    `mogi score`, it pairs answers by ID and question.

    Values of --fail-on: worse (results that got worse), newly-failing (passed before, failed now),
    regression (the score fell significantly), must-pass (a must-pass scenario newly fails). With
    =N, at least N conversations.

    Exit status: 0 compared, 1 --fail-on condition met, 2 invalid input, 3 undecided or nothing to
    compare.
    """
    from simulator.cli.annotations import annotate
    from simulator.cli.screens.compare import compare_json, compare_view
    from simulator.compare.comparison import compare_runs
    from simulator.compare.fail_on import conclusion
    from simulator.view.compare_view import compared

    wanted = parse_reports(reports, of_two=True)
    with common.open_store(store) as opened:
        comparison = compare_runs(opened, before, after, alpha)
        view = compared(comparison)
        headers = (comparison.before, comparison.after) if wanted else ()
        both = [common.load_run(opened, header.id) for header in headers]
        for name, path in wanted:
            report = plugins.find("reports", name)()
            report.compare(view, *both, path)
            exits.say(f"wrote {path}")
    outcome = conclusion(comparison, fail_on, store)
    with exits.reader_may_leave():  # `| head` keeps no exit status from CI
        common.answer(
            lambda: compare_json(view),
            lambda width: compare_view(view, width),
            as_json=as_json,
        )
    if fail_on is not None:
        annotate(view)
    for line in outcome.lines:
        exits.say(f"mogi: {line}")
    return outcome.status
