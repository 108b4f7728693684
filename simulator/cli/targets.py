"""`mogi targets`: what can be tested; `targets try`: one bot alone; `models try`: its models."""

import asyncio
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import click

from simulator.cli import common, exits
from simulator.console.layout import one_liners
from simulator.console.output import print_json
from simulator.core.concurrency import Halt
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.cli.runs import Target


_NO_ANSWER = _NOT_SOUND = 1

_TRY = """\
  mogi targets try demo
  mogi targets try demo-en "I forgot my password"
  mogi targets try demo-en "Forgot my password" "How long is the link valid?"
"""
_TRY_MODELS = """\
  mogi models try demo-en --model gpt-6-luna
  mogi models try demo --model gpt-6-luna --judge-model gpt-6.1-terra
"""


@click.group(invoke_without_command=True, epilog=f"\b\nExamples:\n  mogi targets\n{_TRY}")
@common.json_option
@click.pass_context
def command(ctx: click.Context, *, as_json: bool) -> None:
    """List the kinds of bots that you can test, and their settings."""
    if ctx.invoked_subcommand is not None:
        return
    from simulator import plugins

    if as_json:
        from simulator.cli.runs import Targets

        print_json(Targets(tuple(map(_target, plugins.names("targets")))))
        return
    rows = []
    for name in plugins.names("targets"):
        target = _target(name)
        about = (target.about, f"Settings: {', '.join(target.settings.get('properties', '-'))}")
        rows.append((name, " ".join(map(exits.translated, about))))
        presets = target.presets.items()
        rows += [(f"{name}, preset: {preset}", exits.translated(text)) for preset, text in presets]
    one_liners(("kind", exits.translated("description and settings")), rows)


def _target(name: str) -> "Target":
    """A kind of bot, with what can be written beside its kind as a JSON schema."""
    from simulator import plugins
    from simulator.cli.runs import Target

    kind = plugins.find("targets", name)
    return Target(
        kind=name,
        about=(kind.__doc__ or "").splitlines()[0],
        settings=kind.Settings.model_json_schema(),
        presets=kind.presets() if hasattr(kind, "presets") else {},
    )


@command.command(
    "try",
    short_help="ask a client's bot one question and show the reply",
    epilog=f"\b\nExamples:\n{_TRY}",
)
@click.argument("client", type=common.NAME)
@click.argument("questions", type=common.NAME, metavar="[QUESTION]...", nargs=-1)
@common.model_option("Model for the bot, if it uses one.")
@common.json_option
@common.client_options
def try_command(
    client: str, questions: tuple[str, ...], model: str | None, *, as_json: bool
) -> int:
    """Ask CLIENT's bot a question. Show the answer, its documents with their IDs, and the latency.

    Without a QUESTION, mogi asks the knowledge base's first question. You don't need scenarios.

    After a single question, mogi asks two more to check whether the bot remembers context. If you
    pass several questions, they form one conversation. mogi doesn't judge or store anything. If a
    path in the target settings matches nothing, mogi shows what the response contains instead.

    Exit status: 0 the bot answered, 1 it didn't, 2 invalid input.
    """
    from simulator.cli.screens.targets import target_json, trial_view
    from simulator.execution import trial
    from simulator.execution.plan import Options, make_plan

    loaded, to_ask = trial.asking(common.client(client, scenarios=False), questions)
    common.confirm_reach(loaded)
    plan = make_plan(loaded, Options(model=model))
    with redirect_stdout(sys.stderr):  # a bot that prints must not spoil --json
        tried = asyncio.run(trial.try_target(plan, loaded, to_ask, Halt()))
    common.answer(
        lambda: target_json(plan.client.name, tried),
        lambda width: trial_view(tried, width, plan.client.language),
        as_json=as_json,
    )
    return 0 if tried.answered else _NO_ANSWER


@click.group(epilog=f"\b\nExamples:\n{_TRY_MODELS}")
def models() -> None:
    """Try the models of a client before a run."""


@models.command(
    "try",
    short_help="call each model of a client once: features, latency, cost",
    epilog=f"\b\nExamples:\n{_TRY_MODELS}",
)
@click.argument("client", type=common.NAME)
@common.model_option()
@common.judge_model_option
@common.json_option
@common.client_options
def try_models_command(
    client: str, model: str | None, judge_model: str | None, *, as_json: bool
) -> int:
    """Call each model that a run of CLIENT uses: user, judge, embedding and answer generation.

    For each model, mogi reports response format, latency, cost, caching, unsupported parameters and
    recommended settings. It also sends prompts of about 6,000 and 9,000 tokens to check for
    truncation. It stores nothing.

    Exit status: 0 all models work, 1 a model fails or truncates prompts, 2 invalid input.
    """
    from simulator.cli.screens.targets import Models, advice, model_json, models_view
    from simulator.execution.models_trial import try_models
    from simulator.execution.plan import Options, make_plan

    loaded = common.client(client)
    common.confirm_reach(loaded)
    plan = make_plan(loaded, Options(model=model, judge_model=judge_model))
    language = plan.client.language
    with redirect_stdout(sys.stderr):  # a bot that prints must not spoil --json
        trials = asyncio.run(try_models(plan, loaded))
    words = Words(language, "models_trial")
    common.answer(
        lambda: Models(
            plan.client.name, tuple(model_json(trial, advice(trial, words)) for trial in trials)
        ),
        lambda width: models_view(trials, width, language),
        as_json=as_json,
    )
    return 0 if all(trial.is_sound for trial in trials) else _NOT_SOUND
