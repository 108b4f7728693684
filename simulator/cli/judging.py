"""What `mogi score` and `mogi rejudge` share: options, and a run that judges only."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simulator.cli import common
from simulator.cli.outcome import Wishes
from simulator.core.errors import InputError

if TYPE_CHECKING:
    from simulator.build.plan import Options

C = TypeVar("C", bound=Callable[..., Any])
_OPTIONS = (
    click.option(
        "--metric",
        "metrics",
        type=common.NAME,
        multiple=True,
        metavar="M",
        help="Score this (`mogi metrics`); a rubric brings all its aspects.  (repeatable)",
    ),
    click.option(
        "--judge-model",
        "--model",
        "judge_model",
        type=common.NAME,
        metavar="M",
        help="The model that judges.  [default: the client's]",
    ),
    click.option("--offline", is_flag=True, help="Call no model, whatever the files name."),
    click.option(
        "--concurrency",
        type=common.Count(1),
        metavar="N",
        help="Conversations at once.  [default: 50]",
    ),
    common.store_option,
    click.option(
        "--report",
        "reports",
        multiple=True,
        metavar="NAME[=PATH]",
        help="Also write this report (`mogi reports`).  (repeatable)",
    ),
    click.option(
        "--fail-under",
        type=common.Number(0, 1),
        metavar="X",
        help="Exit with 1 if the score is under X.",
    ),
    click.option(
        "--budget",
        "budget_usd",
        type=common.Number(0, min_open=True),
        metavar="USD",
        help="Spend at most so much on models.",
    ),
    click.option("--dry-run", is_flag=True, help="Say what it would cost, and call nothing."),
    click.option(
        "--resume",
        type=common.NAME,
        metavar="RUN",
        help="Go on with an unfinished run of this kind (an id, or latest).",
    ),
    click.option(
        "--force", is_flag=True, help="Resume even though files, prompts or models changed."
    ),
    click.option(
        "--reuse",
        type=common.NAME,
        metavar="RUN",
        help="Take over that run's judgements of the same evidence.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout."),
    click.option("--quiet", is_flag=True, help="No progress and no table."),
)


def options(command: C) -> C:
    """Give a command the options that are shared."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def wishes(said: dict[str, Any]) -> tuple[Wishes, bool]:
    """What is to be shown, taken out of what was said; and whether it is a dry run.

    Raises:
        InputError: everything that is wrong with --report.
    """
    from simulator.cli.reporting import parse_reports

    reports = parse_reports(said.pop("reports"))
    as_json, quiet, dry_run = (said.pop(name) for name in ("as_json", "quiet", "dry_run"))
    return Wishes(as_json, quiet, reports), dry_run


def taken_up(said: dict[str, Any]) -> tuple[str | None, bool]:
    """The run that is to go on, and whether it is to whatever changed.

    Raises:
        InputError: there is no run, but force.
    """
    resume, force = said.pop("resume"), said.pop("force")
    if force and not resume:
        raise InputError("--force goes with --resume RUN")
    return resume, force


def options_of(said: dict[str, Any]) -> "Options":
    """What was said, as the options of a run.

    Raises:
        InputError: a number is out of its range.
    """
    from simulator.build.plan import Options

    return Options(**said)
