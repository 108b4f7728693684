"""`mogi targets`: what can be under test; `mogi targets try`: one bot alone."""

import asyncio
import sys
from contextlib import redirect_stdout
from typing import Any

import click

from simulator.cli import common
from simulator.console.layout import one_liners
from simulator.console.output import print_json
from simulator.core.concurrency import Halt

_NO_ANSWER = 1

_TRY = """\
  mogi targets try demo
  mogi targets try demo パスワードを忘れました
  mogi targets try demo-en "Forgot my password" "How long is the link valid?"
"""


@click.group(invoke_without_command=True, epilog=f"\b\nExamples:\n  mogi targets\n{_TRY}")
@common.json_option
@click.pass_context
def command(ctx: click.Context, *, as_json: bool) -> None:
    """List the kinds of bots that can be tested, and the settings each takes."""
    if ctx.invoked_subcommand is not None:
        return
    from simulator import plugins

    if as_json:
        print_json({"targets": [_json(name) for name in plugins.names("targets")]})
        return
    rows = []
    for name in plugins.names("targets"):
        kind = plugins.find("targets", name)
        settings = ", ".join(kind.Settings.model_fields) or "-"
        rows.append((name, f"{(kind.__doc__ or '').splitlines()[0]} Settings: {settings}"))
        presets = kind.presets() if hasattr(kind, "presets") else {}
        rows += [(f"{name}, preset: {preset}", text) for preset, text in presets.items()]
    one_liners(("kind", "what it is, and what can be written beside its kind"), rows)


def _json(name: str) -> dict[str, Any]:
    """A kind of bot, with what can be written beside its kind as a JSON schema."""
    from simulator import plugins

    kind = plugins.find("targets", name)
    return {
        "kind": name,
        "about": (kind.__doc__ or "").splitlines()[0],
        "settings": kind.Settings.model_json_schema(),
        "presets": kind.presets() if hasattr(kind, "presets") else {},
    }


@command.command(
    "try",
    short_help="ask one bot alone, and show all that came back",
    epilog=f"\b\nExamples:\n{_TRY}",
)
@click.argument("client", type=common.NAME)
@click.argument("questions", type=common.NAME, metavar="[QUESTION]...", nargs=-1)
@common.model_option
@common.json_option
@common.client_options
def try_command(
    client: str, questions: tuple[str, ...], model: str | None, *, as_json: bool
) -> int:
    """Ask CLIENT's bot, and show the answer, its documents with their ids, and the time it took.

    Without a QUESTION it is asked the first one of its knowledge base. Scenarios are not needed.

    After a single question two more are asked, of which the second needs the first: it says whether
    the bot remembered. Several questions are the turns of one talk. Nothing is judged and nothing
    is stored. Where a path of the target's settings found nothing, it says what was there instead.

    Exit status: 0 it answered, 1 it did not, 2 wrong input.
    """
    from simulator.build.plan import Options, make_plan
    from simulator.console.output import show_view
    from simulator.execution import trial
    from simulator.screens.models_trial import trial_view

    loaded, asked = trial.asking(common.client(client, scenarios=False), questions)
    plan = make_plan(loaded, Options(model=model))
    with redirect_stdout(sys.stderr):  # a bot that prints must not spoil --json
        tried = asyncio.run(trial.try_target(plan, loaded, asked, Halt()))
    if as_json:
        print_json({"client": plan.client.name, **trial.trial_json(tried)})
    else:
        show_view(lambda width: trial_view(tried, width, plan.client.language))
    return 0 if tried.answered else _NO_ANSWER
