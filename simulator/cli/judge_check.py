"""`mogi judge-check`: does the judge notice what it must?"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import common, exits
from simulator.cli.running import carried_out
from simulator.core.counting import counted
from simulator.core.errors import HaltReason

if TYPE_CHECKING:
    from simulator.checks.judge_check import Check
    from simulator.checks.probes import JudgeCheck

_EXAMPLES = """\
\b
Examples:
  mogi judge-check demo --judge-model gpt-4.1 --dry-run   what would it cost?
  mogi judge-check demo-en --judge-model gpt-4.1 --limit 2 --votes 3 --dry-run
  mogi judge-check demo --judge-model gpt-4.1 --kind fake_end --dry-run
"""
_FAILED = 1
# What a check that is taken up again keeps from its beginning.
_FIXED = ("judge_model", "metrics", "kinds", "per_kind", "votes")


def _many(name: str, field: str, metavar: str, text: str) -> Callable[[Any], Any]:
    return click.option(
        name,
        field,
        type=common.NAME,
        multiple=True,
        metavar=metavar,
        help=f"{text}  (repeatable)",
    )


@click.command(epilog=_EXAMPLES)
@click.argument("client", required=False)
@click.option(
    "--judge-model",
    type=common.NAME,
    metavar="M",
    help="The model that judges.  [default: the client's]",
)
@_many(
    "--metric",
    "metrics",
    "M",
    "Look at this metric, or at those of this rubric, instead of the client's score.",
)
@_many("--kind", "kinds", "K", "Only this kind of change.")
@click.option(
    "--limit",
    "per_kind",
    type=common.Count(1),
    metavar="N",
    help="At most N changed answers of each kind.",
)
@click.option(
    "--votes",
    type=common.Count(1),
    metavar="N",
    help="Judge each answer N times; the middle counts.  [default: the client's, or 1]",
)
@click.option(
    "--fail-under",
    type=common.Number(0, 1),
    metavar="X",
    help="Exit with 1 if a smaller share of scores moves as it must.",
)
@click.option(
    "--budget",
    "budget_usd",
    type=common.Number(0, min_open=True),
    metavar="USD",
    help="Spend at most so much on models.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and call nothing.")
@click.option(
    "--resume",
    type=common.NAME,
    metavar="CHECK",
    help="Go on with a check, or show it again (an id, or latest).",
)
@common.store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option("--quiet", is_flag=True, help="No progress and no table.")
def command(client: str | None, **said: Any) -> int:
    """Try the judge of CLIENT on answers that were changed in ways it has to notice.

    Each answer is judged as in a run, before and after the change: a wrong number has to cost
    points, other words of politeness must not, and neither praise of itself nor orders to the
    judge may earn any. A set of answers comes with mogi; CLIENT/mutations.yaml adds your own.

    Exit status: 0; 1 under --fail-under; 2 wrong input; 3 incomplete, or nothing could be scored.
    """
    as_json, quiet, dry_run = (said.pop(name) for name in ("as_json", "quiet", "dry_run"))
    check = _check(client, said)
    if dry_run:
        from simulator.screens.check_dry_run import show_estimate

        return show_estimate(check, _complete(check), as_json=as_json)
    run = carried_out(check.request, quiet=quiet or as_json)
    found = check.read(run)
    if as_json or not quiet:
        _show(found, as_json=as_json)
    return _concluded(found)


def _complete(check: "Check") -> frozenset[str]:
    """The answers that an earlier start judged."""
    if check.request.resume is None:
        return frozenset()
    with common.reading(check.request.store_url) as store:
        return frozenset(store.keys(check.request.resume))


def _check(client: str | None, said: dict[str, Any]) -> "Check":
    from simulator.build.options import Options
    from simulator.checks.judge_check import Asked, prepared

    url = said["store"] or config.store_url()
    resume = said["resume"]
    free = {name: said[name] for name in ("budget_usd", "fail_under")}
    if resume is None:
        if client is None:
            raise click.UsageError("which client? e.g. `mogi judge-check demo --judge-model M`")
        asked = Asked(said["metrics"], said["kinds"], said["per_kind"], said["votes"])
        options = Options(judge_model=said["judge_model"], **free)
        return prepared(common.client(client), asked, options, url)
    if given := [name for name in _FIXED if said[name]]:
        option = {"metrics": "metric", "kinds": "kind", "per_kind": "limit"}
        names = ", ".join(f"--{option.get(n, n).replace('_', '-')}" for n in given)
        raise click.UsageError(
            f"a check that goes on keeps what it was begun with; without {names}"
        )
    with common.reading(url) as store:
        header = store.header(store.resolve(resume, check=True))
    begun = Options(judge_model=header.options.get("judge_model"), **free)
    loaded = common.client(client or header.folder)
    return prepared(loaded, Asked.of(header.options), begun, url, header.id)


def _show(found: "JudgeCheck", *, as_json: bool) -> None:
    if as_json:
        from simulator.screens.judge_check_json import check_json

        click.echo(json.dumps(check_json(found), ensure_ascii=False))
        return
    from simulator.console.output import screen, show
    from simulator.screens.judge_check import check_view

    console = screen()
    show(check_view(found, console.width), console)


def _concluded(found: "JudgeCheck") -> int:
    """Say what keeps the exit status from 0; the status."""
    header = found.header
    if found.unfinished:
        exits.say(
            f"mogi: not judged: {counted(found.unfinished, 'answer')}; go on with:  {header.resume}"
        )
        is_interrupted = header.status == HaltReason.INTERRUPTED
        return exits.INTERRUPTED if is_interrupted else exits.INCOMPLETE
    if not any(metric.share.tested for metric in found.metrics):
        exits.say("mogi: nothing could be told: no answer was scored, or no score had room to move")
        return exits.INCOMPLETE
    if header.gate is None or found.passed:
        return 0
    if found.passed is None:
        exits.say(
            f"mogi: the gate of {header.gate:g} is undecided: too many answers without a score"
        )
        return exits.INCOMPLETE
    exits.say(f"mogi: fewer scores moved as they must than the gate of {header.gate:g} asks for")
    return _FAILED
