"""`mogi show`: a run's first screen, a part of it, its conversations, or one word for word."""

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from simulator.cli import common
from simulator.cli.report import write_reports
from simulator.console.output import print_json, tell
from simulator.core.run import CHECK_PREFIX

if TYPE_CHECKING:
    from simulator.store.store import Store

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
    with common.open_store(store) as opened:
        # A check of a judge has calls, and no conversations.
        check = parts == ["calls"] and run.startswith(CHECK_PREFIX)
        whole = opened.resolve(run, check=check)
        shown = _Shown(opened, whole, parts[0] if parts else None, episode, wanted)
        if as_json:
            print_json(_json(shown))
        else:
            _show(shown, every=every)


class _Shown(NamedTuple):
    """What is to be shown of a run: a part of the whole, a conversation, or those `wanted`."""

    store: "Store"
    run: str
    part: str | None
    episode: str | None
    wanted: dict[str, Any] | None


def _show(shown: _Shown, *, every: bool) -> None:
    from simulator.cli.screens import first
    from simulator.cli.screens.calls import show_calls
    from simulator.cli.screens.episode import Wanted, show_episode, show_open, show_talks
    from simulator.cli.screens.judge_health import show_judge

    store = shown.store
    if shown.part == "calls":
        show_calls(store, store.header(shown.run))
        return
    if shown.episode is not None:
        show_episode(store, shown.run, shown.episode)
        return
    whole = common.load_run(store, shown.run)
    parts = {"judge": show_judge, "map": first.show_map, "warnings": first.print_warnings}
    if shown.part is not None:
        parts[shown.part](whole)
    elif shown.wanted is not None:
        if every and not shown.wanted:
            write_reports(whole, [("terminal", None)])
            tell()
        show_talks(whole, Wanted(**shown.wanted), every=every)
    else:
        changes = first.changes_since(store, whole.header.id)
        first.show_first(whole, changes, first.errors_of(store, whole))
        show_open(store, whole.header)


def _json(shown: _Shown) -> object:
    from simulator.cli.contracts import conversations
    from simulator.cli.screens.episode import Wanted
    from simulator.view.run_json import JudgeFigures, run_json

    store = shown.store
    if shown.part == "calls":
        return conversations.calls_json(store, store.header(shown.run))
    if shown.episode is not None:
        return conversations.conversation_json(store, shown.run, shown.episode)
    whole = common.load_run(store, shown.run)
    if shown.wanted is not None:
        return conversations.conversations_json(whole, Wanted(**shown.wanted))
    figures = run_json(whole)
    return JudgeFigures(figures.run, figures.judge_health) if shown.part == "judge" else figures
