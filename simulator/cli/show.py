"""`mogi show`: a run's first screen, a part of it, its conversations, or one word for word."""

from typing import Any

import click

from simulator.cli import common
from simulator.console.output import print_json
from simulator.core.run import CHECK_PREFIX

_EXAMPLES = """\
\b
Examples:
  mogi show latest
  mogi show latest --failed
  mogi show latest --blame wrong_refusal --persona angry
  mogi show latest change-email/angry/1
  mogi show latest --calls
"""

_PARTS = ("calls", "judge", "map", "warnings")  # options that show a part of a whole run


@click.command(epilog=_EXAMPLES)
@click.argument("run")
@click.argument("episode", metavar="[CONVERSATION]", required=False)
@common.flag("--failed", "List the conversations that failed.")
@common.flag("--undecided", "List the conversations that are undecided.")
@common.text("--persona", "ID", "List conversations of this persona.")
@common.text("--scenario", "ID", "List conversations of this scenario.")
@common.text("--tag", "T", "List conversations with this tag.")
@common.text(
    "--blame",
    "B",
    "List conversations with this cause, by key (such as retrieval_miss) or by name.",
)
@common.text("--text", "WORDS", "List conversations that contain this text.", "words")
@common.flag("--all", "Show the whole report. With a filter: list each conversation.", "every")
@common.flag("--map", "Show scores and results by scenario and persona.")
@common.flag("--warnings", "Show every warning about the results in full.")
@common.flag("--judge", "Show how reliable the judge is.")
@common.flag("--calls", "Show calls by role, model and endpoint: latency, cost, waiting times.")
@common.of_store_options
def command(run: str, episode: str | None, store: str | None, **options: Any) -> None:
    """Show a run's summary, list its conversations, or show one conversation.

    RUN is an ID, a unique prefix, or latest. CONVERSATION is scenario/persona/repeat, as in the
    list. You can shorten each part. With filters, mogi lists the conversations that match
    all of them, failed ones first, with result, turn and reason. Conversations with the same
    answer, cause and expected document share a line, with a count.
    """
    every, as_json = options.pop("every"), options.pop("as_json")
    parts = [part for part in _PARTS if options.pop(part)]
    is_list = every or any(options.values())
    if is_list and episode is not None:
        raise click.UsageError("you can't combine CONVERSATION with filters")
    for part in parts:
        if is_list or episode is not None or len(parts) > 1:
            raise click.UsageError(
                f"--{part} shows the whole run, so you can't combine it with other options."
            )
    wanted = {name: value for name, value in options.items() if value} if is_list else None
    from simulator.cli.screens.show import Shown, show_shown, shown_json

    with common.open_store(store) as opened:
        # A check of a judge has calls, and no conversations.
        check = parts == ["calls"] and run.startswith(CHECK_PREFIX)
        whole = opened.resolve(run, check=check)
        shown = Shown(opened, whole, parts[0] if parts else None, episode, wanted)
        if as_json:
            print_json(shown_json(shown))
        else:
            show_shown(shown, every=every)
