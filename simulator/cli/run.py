"""`mogi run`: the main job."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import common, outcome
from simulator.cli.running import carried_out
from simulator.core.errors import InputError

if TYPE_CHECKING:
    from simulator.build.options import Options
    from simulator.execution.request import Request

_EXAMPLES = """\
\b
Examples:
  mogi run demo                                   no key needed; in Japanese
  mogi run demo-en --limit 6                      the first six conversations
  mogi run demo --persona angry --tag vague       only a part of it
  mogi run demo --assign random --seed 7          one persona per scenario
  mogi run demo --report junit=mogi.xml           a report in a file as well
  mogi run demo --fail-under 0.5 --json           in CI: status 1 if less
  mogi run demo --audit 0.1 --report xlsx=a.xlsx  for people to judge
  mogi run demo --model gpt-4.1-mini --dry-run    what would it cost?
  mogi run --resume latest                        go on after an interrupt
"""


def _many(*names: str, metavar: str, text: str) -> Callable[[Any], Any]:
    return click.option(*names, multiple=True, metavar=metavar, help=f"{text}  (repeatable)")


def _name(name: str, metavar: str, text: str) -> Callable[[Any], Any]:
    return click.option(name, type=common.NAME, metavar=metavar, help=text)


@click.command(epilog=_EXAMPLES)
@click.argument("client", required=False)
@_many("--persona", "personas", metavar="ID", text="Only this persona, of all that there are.")
@_many("--scenario", "scenarios", metavar="ID", text="Only this scenario.")
@_many("--tag", "tags", metavar="T", text="Only scenarios with this tag.")
@click.option("--limit", type=common.Count(1), metavar="N", help="At most N conversations.")
@click.option("--repeat", type=common.Count(1), metavar="N", help="Hold each one N times.")
@click.option("--max-turns", type=common.Count(1), metavar="N", help="Turns per conversation.")
@click.option(
    "--assign",
    type=click.Choice(["all", "random", "round_robin"]),
    metavar="HOW",
    help="Who asks what: `all` ask everything, or `random` or `round_robin`, one per scenario.",
)
@click.option("--seed", type=int, metavar="N", help="Seed of all that is drawn at random.")
@click.option("--offline", is_flag=True, help="Call no model, whatever the client's files name.")
@_name("--model", "M", "The model that plays the users, and words the demo bot's answers.")
@_name("--judge-model", "M", "The model that judges.  [default: the client's, or --model]")
@click.option(
    "--concurrency",
    type=common.Count(1),
    metavar="N",
    help="Conversations at once.  [default: 50]",
)
@common.store_option
@_many(
    "--report", "reports", metavar="NAME[=PATH]", text="Also write this report (`mogi reports`)."
)
@click.option(
    "--fail-under",
    type=common.Number(0, 1),
    metavar="X",
    help="Exit with 1 if the score is under X.",
)
@click.option(
    "--budget",
    "budget_usd",
    type=common.Number(0, min_open=True),
    metavar="USD",
    help="Spend at most so much on models.",
)
@click.option(
    "--audit",
    type=common.Number(0, 1),
    metavar="SHARE",
    help="Let people look at this share of the unflagged turns as well.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and call nothing.")
@_name("--resume", "RUN", "Go on with an unfinished run (an id, or latest).")
@click.option("--force", is_flag=True, help="Resume even though config, prompts or models changed.")
@_name("--reuse", "RUN", "Take over that run's judgements of the same evidence.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option("--quiet", is_flag=True, help="No progress and no table.")
def command(client: str | None, **said: Any) -> int:
    """Play personas against CLIENT's bot, judge every turn, and show the weak answers.

    CLIENT is a folder, or a name looked up in ./scenarios and among the shipped ones
    (`demo`, `demo-en`). With no model named, no model is called.
    """
    from simulator.cli.reporting import parse_reports

    reports = parse_reports(said.pop("reports"))
    as_json, quiet, dry_run = (said.pop(name) for name in ("as_json", "quiet", "dry_run"))
    request = _request(client, said)
    if dry_run:
        from simulator.screens.dry_run import show_estimate

        return show_estimate(request, as_json=as_json)
    run = carried_out(request, quiet=quiet or as_json)
    return outcome.conclude(run, outcome.Wishes(as_json, quiet, reports))


def _request(client: str | None, said: dict[str, Any]) -> "Request":
    from simulator.execution.request import Request

    url = said.pop("store") or config.store_url()
    resume, force = said.pop("resume"), said.pop("force")
    if force and not resume:
        raise InputError("--force goes with --resume RUN")
    run, folder = _stored(url, resume) if resume else (None, None)
    where = client or folder
    if where is None:
        raise click.UsageError("which client? e.g. `mogi run demo`, or `mogi run --resume latest`")
    options = _options(said)
    return Request(common.client(where), options, url, resume=run, force=force)


def _stored(url: str, name: str) -> tuple[str, str]:
    header = common.resumed(url, name, "run")
    return header.id, header.folder


def _options(said: dict[str, Any]) -> "Options":
    from simulator.build.options import Options

    return Options(**said)
