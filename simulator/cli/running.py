"""A run on the command line: its options, progress, what is printed and written, exit status."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import plugins
from simulator.cli import common, exits
from simulator.cli.report import Report, parse_reports, reports_option, write_reports
from simulator.core.clean import visible
from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, InputError, StoreError
from simulator.core.result import Result
from simulator.formats.own_files import writing_only
from simulator.words import counted

if TYPE_CHECKING:
    from simulator.cli.screens.progress import Shown
    from simulator.compare.fail_on import FailOn
    from simulator.core.events import Event
    from simulator.core.plan import GateLine
    from simulator.core.run import MetricSummary, Run
    from simulator.core.traffic import Traffic
    from simulator.execution.request import RunRequest
    from simulator.view.run_json import SinceBefore

_CASES = 8  # conversations that are named


limit_options = common.together(
    common.count("--concurrency", "Conversations in parallel.  [default: 50]"),
    common.store_option,
    reports_option("Also write this report (see `mogi reports`)."),
    common.fail_under(),
    common.budget(),
)


export_option = common.texts(
    "--export", "NAME", "Send the run to a tool: otel, langfuse, phoenix, slack.", "exports"
)


# How a command that calls tells of its calls.
log_options = common.together(
    common.text("--log", "FILE", "Append one JSON line per call to FILE."),
    common.flag("-v", "Print one line per call on stderr.", "--verbose"),
)


def ending_options(resume: str, force: str) -> common.Decorator:
    """How a run is taken up, shown and only tried: `resume` and `force` say what these do."""
    return common.together(
        common.dry_run_option,
        common.text("--resume", "RUN", resume),
        common.flag("--force", force),
        common.text("--reuse", "RUN", "Reuse RUN's scores for identical answers."),
        log_options,
        common.json_option,
        common.quiet_option,
        common.client_options,
    )


# What `mogi score` and `mogi rejudge` share.
judging_options = common.together(
    common.texts("--metric", "M", "Metric or rubric to use (see `mogi metrics`).", "metrics"),
    common.model_option("Model for the judge. client.yaml's judge takes precedence."),
    common.judge_model_option,
    common.flag("--offline", "Don't call any model, even if client.yaml sets one."),
    limit_options,
    export_option,
    ending_options(
        "Resume an unfinished run of this command (an ID, or latest).",
        "Resume even if files, prompts or models changed.",
    ),
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants to see of a run; on a dry run, what it would cost.

    `fail_on`: what fails it beside the run before it. `exports`: the exporters that get its events.
    `is_confirmed`: what it reaches is what its `--manifest` lists.
    """

    as_json: bool
    quiet: bool
    dry_run: bool = False
    reports: Sequence[Report] = ()
    fail_on: "FailOn | None" = None
    verbose: bool = False
    log: str | None = None
    exports: tuple[str, ...] = ()
    is_confirmed: bool = False

    @property
    def progress(self) -> "Shown":
        """How the progress is shown: nothing of it where only the result is wanted."""
        if self.quiet or self.as_json:
            return "nothing"
        return "lines" if self.verbose else "live"

    @property
    def files(self) -> tuple[Path, ...]:
        """What is going to be written; a spreadsheet of Google's is no file."""
        reports = (to for name, to in self.reports if name != "sheets")
        return tuple(Path(path) for path in (self.log, *reports) if path)


def wishes_of(options: dict[str, Any]) -> Wishes:
    """What is to be shown, taken out of what was typed.

    Raises:
        InputError: everything that is wrong with --report, with --log or with --export.
    """
    exports = tuple(dict.fromkeys(options.pop("exports")))
    plugins.check_exporters("--export", exports)
    as_json, quiet, dry_run = (options.pop(name) for name in ("as_json", "quiet", "dry_run"))
    verbose, log = log_of(options)
    if dry_run:  # which runs nothing
        click.get_current_context().with_resource(plugins.unimported())
    reports = parse_reports(options.pop("reports"))
    return Wishes(as_json, quiet, dry_run, reports, verbose=verbose, log=log, exports=exports)


def log_of(options: dict[str, Any]) -> tuple[bool, str | None]:
    """Whether each call is told on stderr, and the file for all; taken out of `options`.

    Raises:
        InputError: it is no file that could be written.
    """
    from simulator.execution.call_log import check_log

    verbose, log = options.pop("verbose"), options.pop("log")
    if log is not None:
        check_log(log)
    return verbose, log


@contextmanager
def listening(
    log: str | None, *, verbose: bool, say: Callable[[str], object] = exits.say
) -> "Iterator[Traffic]":
    """The calls under way, told on stderr and to a file where they are to be.

    `say`: gets a line for each listener that had trouble.

    Raises:
        InputError: the file cannot be written.
    """
    from simulator.core.traffic import Traffic
    from simulator.execution.call_log import CallLog

    traffic = Traffic()
    if verbose:
        from simulator.cli.screens.show import calls_said

        traffic.events.subscribe("-v", calls_said(exits.say), apart=False)
    if log:
        traffic.events.subscribe(f"--log {log}", CallLog(log), apart=False)
    try:
        yield traffic
    finally:
        for trouble in traffic.events.close():
            say(f"mogi: {trouble}")


def resume_of(options: dict[str, Any]) -> tuple[str | None, bool]:
    """The run that is to go on, and whether it is to whatever changed; taken out of `options`.

    Raises:
        InputError: there is no run, but force.
    """
    resume, force = options.pop("resume"), options.pop("force")
    if force and not resume:
        raise InputError("--force requires --resume RUN")
    return resume, force


def is_begun(url: str, run: str) -> bool:
    """Whether a store has a run of this whole id."""
    with suppress(InputError, StoreError), common.open_store(url) as store:
        return store.header(run).id == run
    return False


def run_as_wished(request: "RunRequest", wishes: Wishes) -> int:
    """Carry a request out, or say what it would cost; the exit status."""
    if wishes.dry_run:
        from simulator.cli.screens.estimates import show_run

        names = [name for name, _ in wishes.reports]
        return show_run(request, names, wishes.exports, as_json=wishes.as_json)
    return conclude(carry_out(request, wishes), wishes, request.store_url)


def carry_out(request: "RunRequest", wishes: Wishes) -> "Run":
    """The run that a request asks for.

    Raises:
        InputError: as `run_session`, or the log cannot be written.
        StoreError, RunStopped: as `run_session`.
    """
    from simulator.core.events import ExportContext

    client = request.loaded.client
    context = ExportContext(client.name, client.folder, client.language)
    # Below the report, where people look.
    at_end = click.get_current_context().call_on_close
    listened = listening(
        wishes.log, verbose=wishes.verbose, say=lambda line: at_end(partial(exits.say, line))
    )
    # A bot or an exporter that prints spoils no --json.
    with redirect_stdout(sys.stderr), listened as traffic:
        for name in wishes.exports:
            exporter = plugins.exporter(name).open(context)
            again = f"mogi export {{run}} --to {name}"
            traffic.events.subscribe(f"--export {name}", exporter, again=again)
        if not wishes.is_confirmed:
            common.confirm_reach(request.loaded)
        return asyncio.run(_run(request, wishes, traffic))


@dataclass(slots=True)
class _Begun:
    """A subscriber that knows how a run goes on, and says so where nothing is left to play."""

    request: "RunRequest"
    resume: str = ""

    def __call__(self, event: "Event") -> None:
        from simulator.core.events import RunPlanned

        if not isinstance(event, RunPlanned):
            return
        self.resume = event.resume
        request = self.request
        if request.resume is None or request.reruns is not None:
            return
        if event.complete >= event.planned:
            what = "this part of run" if request.shard else "run"
            exits.say(f"{what} {event.run} is finished; there's nothing left to run")


async def _run(request: "RunRequest", wishes: Wishes, traffic: "Traffic") -> "Run":
    from simulator.cli.screens.progress import Progress
    from simulator.core.concurrency import interruptible

    if request.cluster is None:
        from simulator.execution.session import run_session as play
    else:
        from simulator.execution.ray_engine import run_on_ray as play
    halt = Halt()
    begun = _Begun(request)
    traffic.events.subscribe("begun", begun, apart=False)
    shown = Progress(shown=wishes.progress, traffic=traffic)
    traffic.events.subscribe("progress", shown, apart=False)
    async with interruptible(halt, exits.say):
        try:
            run = await play(request, halt, traffic)
        except Exception:
            if halt.reason is not None and begun.resume:
                exits.say(f"the results so far are saved; to resume:  {begun.resume}")
            raise
    if halt.trouble:
        exits.say(f"mogi: some conversations ended early: {halt.trouble}")
    if halt.reason is not None:
        exits.say(f"mogi: {halt.message}")
    return run


def conclude(run: "Run", wishes: Wishes, store: str | None = None) -> int:
    """Print the run and write its reports; what keeps it from 0 is said; the exit status."""
    from simulator.view.summary import exit_status

    if run.header.shards and run.header.status == "running":
        return _leave_to_others(run, wishes)
    interrupted = run.header.status == HaltReason.INTERRUPTED
    fail_on = None if interrupted else wishes.fail_on
    since = _compared(run, fail_on, store) if fail_on else None
    delivered = [_print(run, wishes, since, store), _write(run, wishes, store)]
    for line in (*_why(run), *_metric_errors(run)):
        exits.say(f"mogi: {line}")
    on_screen = sys.stdout.isatty() and not (wishes.as_json or wishes.quiet)  # it said so itself
    if (run.summary.unfinished or run.header.status in [*HaltReason]) and not on_screen:
        exits.say(f"to resume:  {run.header.resume}")
    for line in since.why if since else ():
        exits.say(line)
    gate, compared = run.header.gate, since.status if since else 0
    status = exit_status(run.summary, gate, interrupted=interrupted, compared=compared)
    whole = all(delivered) and run.header.status != HaltReason.STORE
    return status if whole or interrupted else exits.INCOMPLETE


def _leave_to_others(run: "Run", wishes: Wishes) -> int:
    """A shard that does not end last: what the gate and the reports say is for that one to say."""
    from simulator.console.output import print_json

    done, planned = run.summary.conversations, run.header.planned
    if wishes.as_json:
        figures = {"run": run.header.id, "status": "running", "shards": run.header.shards}
        print_json({**figures, "conversations": done, "planned": planned})
    exits.say(
        f"this part of run {run.header.id} is done: {done} of {planned} conversations are there. "
        "The shard that ends last shows the run, and writes its reports"
    )
    return 0


def _compared(run: "Run", fail_on: "FailOn", url: str | None) -> "SinceBefore":
    """What newly fails since the run before; undecided without one: a store may have been lost."""
    from simulator.cli.annotations import annotate
    from simulator.compare.comparison import compare_runs
    from simulator.compare.fail_on import conclusion
    from simulator.view.compare_view import compared
    from simulator.view.run_json import SinceBefore

    here, what = run.header.id, fail_on.what
    with common.open_store(url) as store:
        before = store.previous(here)
        if before is None:
            none = (
                f"mogi: --fail-on {what}: there is no finished run of {run.header.client} before "
                "this one that shares scenarios, so there's nothing to compare with"
            )
            return SinceBefore(what, exits.INCOMPLETE, (none,))
        try:
            comparison = compare_runs(store, before, here)
        except InputError as error:
            return SinceBefore(what, exits.INCOMPLETE, (f"mogi: {error}",), before)
    annotate(compared(comparison))
    flips, failing = comparison.flips, len(comparison.newly_failing)
    both = flips.known + flips.unknown
    outcome = conclusion(comparison, fail_on, url)
    headline = (
        f"compared with run {before} ({counted(both, 'case')} in both): "
        f"{counted(failing, 'new failure')}, {flips.fixed} fixed:  mogi compare {before} {here}"
    )
    why = (headline, *(f"mogi: {line}" for line in outcome.lines))
    return SinceBefore(what, outcome.status, why, before, failing, flips.fixed)


def _print(run: "Run", wishes: Wishes, since: "SinceBefore | None", store: str | None) -> bool:
    """Whether the run could be printed; a reader who leaves early got what was wanted."""
    try:
        with exits.reader_may_leave():
            if wishes.as_json:
                from simulator.console.output import print_json
                from simulator.view.run_json import run_json

                print_json(run_json(run, since))
            elif not wishes.quiet:
                from simulator.cli.screens.show import changes_since, errors_of, show_first

                with common.open_store(store) as opened:
                    changes = changes_since(opened, run.header.id)
                    errors = errors_of(opened, run)
                show_first(run, changes, errors)
    except OSError as error:
        why = error.strerror or str(error)
        exits.say(f"mogi: can't print ({why}); the run is saved: mogi show {run.header.id}")
        return False
    return True


def _write(run: "Run", wishes: Wishes, store: str | None) -> bool:
    try:
        with writing_only(wishes.files):
            write_reports(run, wishes.reports, store)
    except InputError as error:
        exits.complain(error)
        return False
    return True


def _why(run: "Run") -> Iterator[str]:
    """Why the exit status is 3 or 1 although every conversation came to its end."""
    from simulator.view.summary import gate_lines, nothing_scored

    summary = run.summary
    if summary.unfinished:
        return
    if nothing_scored(summary):
        yield f"nothing could be scored: {_gaps(summary.score)}"
        return
    unmet = [line for line in gate_lines(summary, run.header.gate) if line.passed is not True]
    for line in unmet:
        yield _not_passed(line, run)
    if any(line.passed is False for line in unmet):
        yield f"to see the failures:  mogi show {run.header.id} --failed"
    elif unmet and summary.results[Result.UNDECIDED]:
        yield f"to see what's undecided:  mogi show {run.header.id} --undecided"


def _not_passed(line: "GateLine", run: "Run") -> str:
    """What the gate asks for, and what there is instead."""
    state = "failed" if line.passed is False else "is undecided"
    if line.doubted:
        return f"the gate {state} (unreliable judge):  mogi show {run.header.id} --judge"
    if line.name == "must_pass":
        if not line.cases:
            return f"the gate {state}: no must-pass conversation was run"
        named = ", ".join(map(visible, line.cases[:_CASES])) + ("…" if line.cases[_CASES:] else "")
        did = "failed" if line.passed is False else "didn't pass"
        n = counted(len(line.cases), "conversation")
        return f"the gate {state}: of the must-pass scenarios, {n} {did}: {named}"
    what = {"score": "the score", "pass_rate": "the pass rate"}[line.name]
    start = f"the gate {state}: {what} must be at least {line.wanted:g}"
    if line.value is None and line.worst is not None and line.best is not None:
        return f"{start}, but is {line.worst:.2f} to {line.best:.2f}: nothing passed or failed"
    if line.value is None:
        return f"{start}, but there is none; {_gaps(run.summary.score)}"
    ends = f", {line.worst:.2f} to {line.best:.2f} including missing or undecided results"
    if line.name == "score" and run.summary.score and run.summary.score.unscored:
        ends += f"; {_gaps(run.summary.score)}"
    sure = "; `sure` also checks its 95% interval" if line.sure else ""
    return f"{start}, but is {line.value:.2f}{ends if line.worst != line.best else ''}{sure}"


def _gaps(score: "MetricSummary | None") -> str:
    if score is None or not score.unscored:
        return "add `expected:` to the scenarios, or use a judge (--judge-model M)"
    gaps = ", ".join(f"{reason} {n}" for reason, n in score.unscored.items())
    why = f": {visible(score.unscored_why)}" if score.unscored_why else ""
    return f"turns without a score ({gaps}){why}"


def _metric_errors(run: "Run") -> Iterator[str]:
    """An example of what went wrong in each metric that failed: a count does not say it."""
    from simulator.core.outcome import Gap, Unscored

    left = {n for n, m in run.summary.metrics.items() if m.unscored.get(Gap.METRIC_ERROR.value)}
    for episode in run.episodes() if left else ():
        places = [(f"turn {n}", turn.outcomes) for n, turn in enumerate(episode.turns, 1)]
        for place, outcomes in (*places, ("the whole conversation", episode.outcomes)):
            for name in sorted(left.intersection(outcomes)):
                outcome = outcomes[name]
                if isinstance(outcome, Unscored) and outcome.reason is Gap.METRIC_ERROR:
                    left.discard(name)
                    where = f"{visible(episode.cell.key)}, {place}"
                    yield f"{name} could not score {where}: {visible(outcome.detail)}"
        if not left:
            return
