"""`mogi compare`: did the last change break something?"""

from typing import TYPE_CHECKING

import click

from simulator.cli import common, exits

if TYPE_CHECKING:
    from simulator.core.comparison import Comparison

_EXAMPLES = """\
\b
Examples:
  mogi compare previous latest                     did it get worse?
  mogi compare previous latest --alpha 0.1 --json
"""
_REGRESSED = 1


@click.command(epilog=_EXAMPLES)
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.option(
    "--fail-on",
    type=click.Choice(["regression"]),
    help="Exit with 1 if the score regressed, with 3 if that cannot be decided.",
)
@click.option(
    "--alpha",
    type=common.Number(0.001, 0.5),
    metavar="A",
    default=0.05,
    show_default=True,
    help="How often a difference may be seen where there is none.",
)
@common.store_option
@common.json_option
def command(
    before: str, after: str, fail_on: str | None, alpha: float, store: str | None, *, as_json: bool
) -> int:
    """Put run B beside run A: what newly fails, what is fixed, how sure that is.

    A and B: an id, a unique prefix of one, or latest; for A also previous, the run of the same
    client and kind before B. Conversations are paired by scenario, persona and repeat, answers of
    files by the id of their row.

    Exit status: 0; 1 and 3 with --fail-on; 2 wrong input; 3 if nothing could be compared.
    """
    from simulator.compare.comparison import compare_runs
    from simulator.console.output import print_json, show_view
    from simulator.screens.compare import compare_json, compare_view

    with common.open_store(store) as opened:
        comparison = compare_runs(opened, before, after, alpha)
    if as_json:
        print_json(compare_json(comparison))
    else:
        show_view(lambda width: compare_view(comparison, width))
    return _conclude(comparison, fails=fail_on is not None)


def _conclude(comparison: "Comparison", *, fails: bool) -> int:
    """Say what keeps the exit status from 0; the status."""
    from simulator.core.comparison import Change, Undecided

    if comparison.why is Undecided.NOTHING:
        exits.say("mogi: nothing could be compared: no conversation has a score in both runs")
        return exits.INCOMPLETE
    if not fails:
        return 0
    if comparison.change is Change.UNDECIDED:
        exits.say(
            f"mogi: whether {comparison.score} regressed is undecided: {_WHY[str(comparison.why)]}"
        )
        return exits.INCOMPLETE
    if comparison.change is Change.REGRESSED:
        exits.say(f"mogi: {comparison.score} regressed since run {comparison.before.id}")
        return _REGRESSED
    return 0


_WHY = {
    "few": "there are too few pairs of conversations",
    "gaps": "it depends on the scores that are missing",
    "yardstick": "the two runs were not scored by the same judge, rubrics or guidelines",
}
