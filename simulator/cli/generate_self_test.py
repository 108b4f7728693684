"""`mogi generate --self-test`: precision and recall of the two checks, by seeded questions."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import exits
from simulator.core.counting import counted
from simulator.core.errors import HaltReason, InputError
from simulator.core.halt import Halt

if TYPE_CHECKING:
    from simulator.checks.self_test import SelfTest, Tested, Verdict
    from simulator.core.persona import Language
    from simulator.core.run import Interval

_DEMO = "demo"
_SHOWN = 10
# What says something about a self-test; everything else is refused.
_FITTING = (
    "client", "self_test", "model", "checks", "store", "budget_usd", "dry_run", "as_json", "quiet",
)  # fmt: skip


def self_test(client: str | None, said: dict[str, Any], typed: Sequence[click.Parameter]) -> int:
    """Run it, or with --dry-run say what it would cost; the exit status."""
    _refuse(typed)
    test = _test(client, said)
    if said["dry_run"]:
        return _show_estimate(test, as_json=said["as_json"])
    halt = Halt()
    quiet = said["quiet"] or said["as_json"]
    try:
        tested = asyncio.run(_run(test, halt, quiet=quiet))
    except asyncio.CancelledError:  # a second Ctrl-C
        exits.say("interrupted")
        return exits.INTERRUPTED
    if said["as_json"]:
        click.echo(json.dumps(_json(test, tested), ensure_ascii=False))
    elif not said["quiet"]:
        _show(test, tested)
    return _status(tested, halt)


def _refuse(typed: Sequence[click.Parameter]) -> None:
    strange = [param for param in typed if param.name not in _FITTING]
    if strange:
        option = max(strange[0].opts, key=len)
        raise InputError(
            f"{option} says nothing about --self-test, which checks the questions that ship with "
            "mogi; leave it out"
        )


def _test(client: str | None, said: dict[str, Any]) -> "SelfTest":
    from dataclasses import replace

    from simulator.checks.self_test import SelfTest
    from simulator.files.client import load_client
    from simulator.generate.request import model_of

    found = load_client(client or _DEMO, cwd=Path.cwd(), scenarios=False).client
    model = model_of(found, said["model"])
    if model is None:
        raise InputError("--self-test needs a model; name one with --model M")
    if said["budget_usd"] is not None:
        found = replace(found, limits=replace(found.limits, budget_usd=said["budget_usd"]))
    return SelfTest(model, found, said["store"] or config.store_url(), said["checks"])


async def _run(test: "SelfTest", halt: Halt, *, quiet: bool) -> "Tested":
    from simulator.execution.interrupts import interruptible
    from simulator.screens.generate_progress import progress

    async with interruptible(halt, exits.say):
        with progress(test.client.language, quiet=quiet) as watcher:
            return await test.run(watcher, halt)


def _show_estimate(test: "SelfTest", *, as_json: bool) -> int:
    from simulator.screens.generate_estimate import price_for, print_estimate

    found = test.estimate(price_for(test.client, test.model))
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False))
        return 0
    click.echo(
        f"self-test: {counted(found.questions, 'seeded question')}, "
        f"{counted(found.units, 'entry', 'entries')}; "
        "nothing was called"
    )
    print_estimate(found, test.model.model)
    return 0


def _show(test: "SelfTest", tested: "Tested") -> None:
    from simulator.checks.self_test import ANY, FAULTS
    from simulator.console.lists import one_liners

    usable = [v for v in tested.verdicts if v.said is not None]
    click.echo(
        f"{test.model.model}: {len(tested.verdicts):,} seeded questions, {len(usable):,} with a "
        f"usable check ({test.checks} of each)\n"
    )
    rows = []
    for fault in (*(f.value for f in FAULTS), ANY):
        languages: tuple[Language | None, ...] = ("ja", "en", None)
        for language in languages:
            figures = tested.figures(fault, language)
            precision = _rate(figures.precision, figures.stopped)
            recall = _rate(figures.recall, figures.faulty)
            rows.append((fault, language or "both", precision, recall, ""))
    one_liners(("fault", "of", "precision (95 %)", "recall (95 %)", ""), rows)
    click.echo("\nprecision: of those stopped for it, so many had it; recall: the other way round")
    _show_wrong([v for v in usable if not v.is_right])


def _show_wrong(wrong: "list[Verdict]") -> None:
    if wrong:
        click.echo("\nwrong (--json lists all):")
    for verdict in wrong[:_SHOWN]:
        faults, said = ", ".join(verdict.faults) or "good", ", ".join(verdict.said or ()) or "good"
        click.echo(f"  {verdict.entry} {verdict.question}  is {faults}, called {said}")


def _rate(interval: "Interval", n: int) -> str:
    if interval.mean is None or interval.low is None or interval.high is None:
        return "- of 0"
    return f"{interval.mean:.2f} ({interval.low:.2f}-{interval.high:.2f}) of {n}"


def _json(test: "SelfTest", tested: "Tested") -> dict[str, object]:
    from dataclasses import asdict

    from simulator.checks.self_test import ANY, FAULTS
    from simulator.generate.summary import interval_json

    figures: dict[str, object] = {}
    for fault in (*(f.value for f in FAULTS), ANY):
        languages: tuple[Language | None, ...] = ("ja", "en", None)
        for language in languages:
            found = tested.figures(fault, language)
            figures.setdefault(fault, {})
            of_fault = figures[fault]
            assert isinstance(of_fault, dict)  # noqa: S101
            of_fault[language or "both"] = {
                "precision": interval_json(found.precision),
                "recall": interval_json(found.recall),
                "stopped": found.stopped,
                "faulty": found.faulty,
            }
    return {
        "model": test.model.model,
        "checks": test.checks,
        "questions": len(tested.verdicts),
        "unusable": sum(v.said is None for v in tested.verdicts),
        "unasked": tested.unasked,
        "figures": figures,
        "calls": tested.ledger.model_calls,
        "cost_usd": tested.ledger.cost_usd,
        "verdicts": [{**asdict(v), "right": v.is_right} for v in tested.verdicts],
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
