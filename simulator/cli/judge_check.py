"""`mogi judge-check`: does the judge notice what it must?"""

from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import common, exits
from simulator.cli.running import Wishes, carry_out, log_of, log_options
from simulator.core.errors import HaltReason
from simulator.words import counted

if TYPE_CHECKING:
    from simulator.checks.judge_check import PreparedCheck
    from simulator.checks.probes import JudgeCheck

_EXAMPLES = """\
\b
Examples:
  mogi judge-check demo-en --judge-model gpt-6-luna --dry-run
  mogi judge-check demo-en --judge-model gpt-6-luna --votes 3 --dry-run
  mogi judge-check demo-en --judge-model gpt-6-luna --kind fake_end --dry-run
"""
_FAILED = 1
# What a check that is taken up again keeps from its beginning, by the options that say it.
_FIXED = {
    "judge_model": "--judge-model",
    "metrics": "--metric",
    "kinds": "--kind",
    "per_kind": "--limit",
    "votes": "--votes",
}


@click.command(epilog=_EXAMPLES)
@click.argument("client", required=False)
@common.text("--judge-model", "M", "Judge model.  [default: the client's]")
@common.texts(
    "--metric",
    "M",
    "Check this metric (or this rubric's metrics) instead of the client's main score.",
    "metrics",
)
@common.texts("--kind", "K", "Make only this kind of change (see above).", "kinds")
@common.count("--limit", "Check at most N changed answers per kind.", "per_kind")
@common.count(
    "--votes", "Judge each answer N times and use the median.  [default: the client's, or 1]"
)
@common.fail_under("Exit with 1 if the judge is right about less than this share of changes.")
@common.budget()
@common.dry_run_option
@common.text("--resume", "CHECK", "Resume a check, or show it again (an ID, or latest).")
@common.store_option
@log_options
@common.json_option
@common.quiet_option
@common.client_options
def command(client: str | None, **options: Any) -> int:
    """Test CLIENT's judge on answers with planted errors.

    mogi judges each answer as in a run, then changes it and judges it again: a wrong number must
    lower the score, polite rewording must not, and self-praise or instructions to the judge must
    not raise it. mogi has built-in answers. To add your own, use CLIENT/mutations.yaml.

    Kinds of change that must lower the score: non_answer, wrong_number, negation,
    dropped_condition, neighbour. Kinds that must not change it: reworded, register,
    shuffled_documents. Kinds that must not raise it: filler, self_praise, injected_order,
    injected_json, impersonation, fake_end, hidden_order.

    Exit status: 0 success, 1 below --fail-under, 2 invalid input, 3 incomplete or nothing to score.
    """
    as_json, quiet, dry_run = (options.pop(name) for name in ("as_json", "quiet", "dry_run"))
    from simulator.cli.screens.judge_check import check_json, check_view

    verbose, log = log_of(options)
    check = _check(client, options)
    if dry_run:
        from simulator.cli.screens.estimates import show_check

        complete: frozenset[str] = frozenset()  # the answers that an earlier start judged
        if check.request.resume is not None:
            with common.open_store(check.request.store_url) as store:
                complete = frozenset(store.keys(check.request.resume))
        return show_check(check, complete, as_json=as_json)
    wishes = Wishes(as_json, quiet, verbose=verbose, log=log)
    figures = check.read(carry_out(check.request, wishes))
    if as_json or not quiet:
        common.answer(
            lambda: check_json(figures), lambda width: check_view(figures, width), as_json=as_json
        )
    return _conclude(figures)


def _check(client: str | None, options: dict[str, Any]) -> "PreparedCheck":
    from simulator.checks.judge_check import CheckScope, prepare_check
    from simulator.execution.plan import Options

    url = options["store"] or config.store_url()
    free = {name: options[name] for name in ("budget_usd", "fail_under")}
    if options["resume"] is None:
        if client is None:
            raise click.UsageError("which client? e.g. `mogi judge-check demo --judge-model M`")
        scope = CheckScope(*(options[name] for name in ("metrics", "kinds", "per_kind", "votes")))
        begun = Options(judge_model=options["judge_model"], **free)
        return prepare_check(common.client(client), scope, begun, url)
    if fixed := ", ".join(option for name, option in _FIXED.items() if options[name]):
        raise click.UsageError(f"a resumed check keeps its original settings; remove {fixed}")
    with common.open_store(url) as store:
        header = store.header(store.resolve(options["resume"], check=True))
    begun = Options(judge_model=header.options.get("judge_model"), **free)
    loaded = common.client(client or header.folder)
    return prepare_check(loaded, CheckScope.of(header.options), begun, url, header.id)


def _conclude(check: "JudgeCheck") -> int:
    """Say what keeps the exit status from 0; the status."""
    from simulator.checks.judge_check import planted_verdicts_taken

    header = check.header
    if check.unfinished:
        exits.say(
            f"mogi: not judged: {counted(check.unfinished, 'answer')}; to resume:  {header.resume}"
        )
        is_interrupted = header.status == HaltReason.INTERRUPTED
        return exits.INTERRUPTED if is_interrupted else exits.INCOMPLETE
    if taken := planted_verdicts_taken():
        exits.say(f"mogi: the judge adopted a fake verdict: {', '.join(taken)}")
        return _FAILED
    if not any(metric.share.tested for metric in check.metrics):
        exits.say("mogi: no result: no answer was scored, or no score had room to change")
        return exits.INCOMPLETE
    if check.under is None or check.passed:
        return 0
    if check.passed is None:
        exits.say(
            f"mogi: the gate of {check.under:g} is undecided: too many answers without a score"
        )
        return exits.INCOMPLETE
    exits.say(f"mogi: fewer scores changed as expected than the gate of {check.under:g} requires")
    return _FAILED
