"""`mogi generate --self-test`: precision and recall of the two checks, by seeded questions."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import exits
from simulator.cli.running import listening, log_of
from simulator.console.layout import one_liners
from simulator.console.output import as_json, print_json, tell
from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, InputError
from simulator.words import counted

if TYPE_CHECKING:
    from simulator.checks.self_test import Figures, SelfTest, Tested
    from simulator.core.outcome import Interval
    from simulator.core.persona import Language
    from simulator.core.traffic import Traffic

_DEMO = "demo"
_SHOWN = 10
# What says something about a self-test; everything else is refused.
_FITTING = (
    "client", "self_test", "model", "checks", "store", "budget_usd", "dry_run", "as_json", "quiet",
    "log", "verbose",
)  # fmt: skip


def self_test(client: str | None, options: dict[str, Any], typed: Sequence[click.Parameter]) -> int:
    """Run it, or with --dry-run say what it would cost; the exit status."""
    strange = [max(param.opts, key=len) for param in typed if param.name not in _FITTING]
    if strange:
        raise InputError(
            f"{strange[0]} says nothing about --self-test, which checks the questions that ship "
            "with mogi; leave it out"
        )
    test = _test(client, options)
    if options["dry_run"]:
        return _show_estimate(test, is_json=options["as_json"])
    halt = Halt()
    verbose, log = log_of(options)
    quiet = options["quiet"] or options["as_json"] or verbose
    try:
        with listening(log, verbose=verbose) as (traffic, _):
            tested = asyncio.run(_run(test, halt, traffic, quiet=quiet))
    except asyncio.CancelledError:  # a second Ctrl-C
        exits.say("interrupted")
        return exits.INTERRUPTED
    if options["as_json"]:
        print_json(_json(test, tested))
    elif not options["quiet"]:
        _show(test, tested)
    return _status(tested, halt)


def _test(client: str | None, options: dict[str, Any]) -> "SelfTest":
    from simulator.checks.self_test import SelfTest
    from simulator.files.client.folder import load_client
    from simulator.generate.units import model_of

    loaded = load_client(client or _DEMO, cwd=Path.cwd(), scenarios=False).client
    model = model_of(loaded, options["model"])
    if model is None:
        raise InputError("--self-test needs a model; name one with --model M")
    if options["budget_usd"] is not None:
        loaded = replace(loaded, limits=replace(loaded.limits, budget_usd=options["budget_usd"]))
    return SelfTest(model, loaded, options["store"] or config.store_url(), options["checks"])


async def _run(test: "SelfTest", halt: Halt, traffic: "Traffic", *, quiet: bool) -> "Tested":
    from simulator.core.concurrency import interruptible
    from simulator.screens.progress import generate_progress

    async with interruptible(halt, exits.say):
        with generate_progress(test.client.language, quiet=quiet) as watcher:
            return await test.run(watcher, halt, traffic)


def _show_estimate(test: "SelfTest", *, is_json: bool) -> int:
    from simulator.screens.estimates import prices_of, show_model

    estimate = test.estimate(prices_of(test.client)(test.model))
    if is_json:
        print_json(estimate.as_json())
        return 0
    questions = counted(estimate.questions, "seeded question")
    entries = counted(estimate.units, "entry", "entries")
    tell(f"self-test: {questions}, {entries}; nothing was called")
    show_model(estimate, test.model.model)
    return 0


def _show(test: "SelfTest", tested: "Tested") -> None:
    usable = [v for v in tested.verdicts if v.said is not None]
    tell(
        f"{test.model.model}: {len(tested.verdicts):,} seeded questions, {len(usable):,} with a "
        f"usable check ({test.checks} of each)\n"
    )
    rows = []
    for fault, language, figures in _figures(tested):
        precision = _rate(figures.precision, figures.stopped)
        rows.append((fault, language, precision, _rate(figures.recall, figures.faulty), ""))
    one_liners(("fault", "of", "precision (95 %)", "recall (95 %)", ""), rows)
    tell("\nprecision: of those stopped for it, so many had it; recall: the other way round")
    wrong = [v for v in usable if not v.is_right]
    if wrong:
        tell("\nwrong (--json lists all):")
    for verdict in wrong[:_SHOWN]:
        faults = ", ".join(verdict.faults) or "good"
        called = ", ".join(verdict.said or ()) or "good"
        tell(f"  {verdict.entry} {verdict.question}  is {faults}, called {called}")


def _figures(tested: "Tested") -> "Iterator[tuple[str, str, Figures]]":
    """Those of each fault, in each language and in both."""
    from simulator.checks.self_test import ANY, TESTED_FAULTS

    languages: tuple[Language | None, ...] = ("ja", "en", None)
    for fault in (*(fault.value for fault in TESTED_FAULTS), ANY):
        for language in languages:
            yield fault, language or "both", tested.figures(fault, language)


def _rate(interval: "Interval", n: int) -> str:
    if interval.mean is None or interval.low is None or interval.high is None:
        return "- of 0"
    return f"{interval.mean:.2f} ({interval.low:.2f}-{interval.high:.2f}) of {n}"


def _json(test: "SelfTest", tested: "Tested") -> dict[str, object]:
    from simulator.generate.summary import interval_json

    by_fault: dict[str, dict[str, object]] = {}
    for fault, language, figures in _figures(tested):
        by_fault.setdefault(fault, {})[language] = {
            "precision": interval_json(figures.precision),
            "recall": interval_json(figures.recall),
            **as_json(figures, "stopped", "faulty"),
        }
    return {
        "model": test.model.model,
        "checks": test.checks,
        "questions": len(tested.verdicts),
        "unusable": sum(v.said is None for v in tested.verdicts),
        "unasked": tested.unasked,
        "figures": by_fault,
        "calls": tested.ledger.model_calls,
        "cost_usd": tested.ledger.cost_usd,
        "verdicts": [{**as_json(v), "right": v.is_right} for v in tested.verdicts],
    }


def _status(tested: "Tested", halt: Halt) -> int:
    if halt.reason is not None:
        exits.say(f"mogi: {halt.message}")
    elif tested.unasked:
        exits.say(
            f"mogi: not checked: {counted(tested.unasked, 'question')}, lastly: {halt.trouble}"
        )
    if halt.reason is HaltReason.INTERRUPTED:
        return exits.INTERRUPTED
    unusable = all(verdict.said is None for verdict in tested.verdicts)
    return exits.INCOMPLETE if halt.reason or tested.unasked or unusable else 0
