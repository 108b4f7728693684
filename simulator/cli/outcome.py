"""How a run ends on the command line: what it prints, what it means, how to go on, its status."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from simulator.cli import exits
from simulator.cli.reporting import Wanted, write_reports
from simulator.core.clean import visible
from simulator.core.errors import HaltReason, InputError

if TYPE_CHECKING:
    from simulator.core.run import MetricSummary, Run


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants to see of a finished run."""

    as_json: bool
    quiet: bool
    reports: Sequence[Wanted]


def conclude(run: "Run", wishes: Wishes) -> int:
    """Print the run and write its reports; what keeps it from 0 is said; the exit status."""
    from simulator.figures.gate import exit_status

    delivered = [_print(run, wishes), _write(run, wishes.reports)]
    for line in (*_why(run), *_metric_errors(run)):
        exits.say(f"mogi: {line}")
    on_screen = sys.stdout.isatty() and not (wishes.as_json or wishes.quiet)  # it said so itself
    if run.summary.unfinished and not on_screen:
        exits.say(f"go on with:  {run.header.resume}")
    interrupted = run.header.status == HaltReason.INTERRUPTED
    status = exit_status(run.summary, run.header.gate, interrupted=interrupted)
    whole = all(delivered) and run.header.status != HaltReason.STORE
    return status if whole or interrupted else exits.INCOMPLETE


def _print(run: "Run", wishes: Wishes) -> bool:
    """Whether the run could be printed; a reader who leaves early got what was wanted."""
    from simulator.figures.as_json import run_json

    try:
        with exits.reader_may_leave():
            if wishes.as_json:
                click.echo(json.dumps(run_json(run), ensure_ascii=False))
            elif not wishes.quiet:
                write_reports(run, [("terminal", None)])
    except OSError as error:
        why = error.strerror or str(error)
        exits.say(f"mogi: cannot print ({why}); the run is saved: mogi show {run.header.id}")
        return False
    return True


def _write(run: "Run", reports: Sequence[Wanted]) -> bool:
    try:
        write_reports(run, reports)
    except InputError as error:
        exits.complain(error)
        return False
    return True


def _why(run: "Run") -> Iterator[str]:
    """Why the exit status is 3 or 1 although every conversation came to its end."""
    from simulator.figures.gate import gate

    summary, under = run.summary, run.header.gate
    if summary.unfinished:
        return
    passed, score = gate(summary, under), summary.score
    if not any(metric.scored for metric in summary.metrics.values()):
        yield f"nothing could be scored: {_gaps(score)}"
    elif under is not None and passed is None:
        yield f"the gate of {under:g} is undecided: {_gaps(score)}{_ends(score)}"
    elif under is not None and not passed:
        yield f"the score is under the gate of {under:g}"


def _metric_errors(run: "Run") -> Iterator[str]:
    """An example of what went wrong in each metric that failed: a count does not say it."""
    from simulator.core.outcome import Gap, Unscored

    left = {n for n, m in run.summary.metrics.items() if m.unscored.get(Gap.METRIC_ERROR.value)}
    for episode in run.episodes() if left else ():
        places = [(f"turn {n}", turn.outcomes) for n, turn in enumerate(episode.turns, 1)]
        for place, outcomes in (*places, ("the whole talk", episode.outcomes)):
            for name in sorted(left.intersection(outcomes)):
                found = outcomes[name]
                if isinstance(found, Unscored) and found.reason is Gap.METRIC_ERROR:
                    left.discard(name)
                    where = f"{visible(episode.cell.key)}, {place}"
                    yield f"{name} could not score {where}: {visible(found.detail)}"
        if not left:
            return


def _gaps(score: "MetricSummary | None") -> str:
    if score is None or not score.unscored:
        return "write what is `expected:` in the scenarios, or let a judge score (--judge-model M)"
    gaps = ", ".join(f"{reason} {n}" for reason, n in score.unscored.items())
    return f"turns without a score ({gaps})"


def _ends(score: "MetricSummary | None") -> str:
    if score is None or score.worst is None or score.best is None:
        return ""
    return f"; the score is {score.worst:.2f} to {score.best:.2f}"
