"""`mogi models try`: each model of a client, called once as a run would."""

import asyncio
import sys
from contextlib import redirect_stdout

import click

from simulator.cli import common

_NOT_SOUND = 1

_TRY = """\
  mogi models try demo-en --model gpt-6-luna
  mogi models try demo --model gpt-6-luna --judge-model gpt-6.1-terra
"""


@click.group(epilog=f"\b\nExamples:\n{_TRY}")
def command() -> None:
    """Try the models of a client before a run."""


@command.command(
    "try",
    short_help="call each model of a client once, and say what it can and costs",
    epilog=f"\b\nExamples:\n{_TRY}",
)
@click.argument("client", type=common.NAME)
@common.model_option
@common.judge_model_option
@common.json_option
@common.client_options
def try_command(client: str, model: str | None, judge_model: str | None, *, as_json: bool) -> int:
    """Call each model of CLIENT as a run would: user, judge, embedding, the bot's wording.

    It says whether what comes back can be used, in which form, how fast and for how much, whether
    long prompts are read whole (two of some 6,000 and 9,000 tokens are sent), what is cached, what
    the endpoint does not take, and what to do. Nothing is stored.

    Exit status: 0 all can be used, 1 one cannot or cuts prompts, 2 wrong input.
    """
    from simulator.build.plan import Options, make_plan
    from simulator.console.output import print_json, show_view
    from simulator.execution.models_trial import trial_json, try_models
    from simulator.screens.models_trial import advice, models_view
    from simulator.words import Words

    loaded = common.client(client)
    plan = make_plan(loaded, Options(model=model, judge_model=judge_model))
    language = plan.client.language
    with redirect_stdout(sys.stderr):  # a bot that prints must not spoil --json
        trials = asyncio.run(try_models(plan, loaded))
    if as_json:
        words = Words(language, "models_trial")
        told = [{**trial_json(trial), "advice": list(advice(trial, words))} for trial in trials]
        print_json({"client": plan.client.name, "models": told})
    else:
        show_view(lambda width: models_view(trials, width, language))
    return 0 if all(trial.is_sound for trial in trials) else _NOT_SOUND
