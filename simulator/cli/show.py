"""`mogi show`: a run's table, a list of its conversations, or one of them word for word."""

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from simulator.cli import common
from simulator.cli.report import write_reports
from simulator.console.output import print_json
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


@click.command(epilog=_EXAMPLES)
@click.argument("run")
@click.argument("episode", required=False)
@common.flag("--failed", "List the conversations that failed.")
@common.flag("--undecided", "List the conversations that are undecided.")
@common.text("--persona", "ID", "List those of this persona.")
@common.text("--scenario", "ID", "List those of this scenario.")
@common.text("--tag", "T", "List those of scenarios with this tag.")
@common.text(
    "--blame", "B", "List those with a turn of this blame: retrieval_miss, or as reports call it."
)
@common.text("--text", "WORDS", "List those in which this was said.", "words")
@common.flag("--all", "List every one by itself, not the first 40 lines of those alike.", "every")
@common.flag("--judge", "How far the judge is to be trusted, and where facts contradict it.")
@common.flag("--calls", "Its calls by role, model and endpoint: how fast, how dear, what waited.")
@common.store_option
@common.json_option
def command(run: str, episode: str | None, store: str | None, **options: Any) -> None:
    """Show RUN, a list of its conversations, or one of them.

    RUN: an id, a unique prefix of one, or latest. EPISODE is scenario/persona/repeat as the table
    names it; the beginning of each part will do. A list has the conversations of which all that was
    asked for is true, those that failed first: result, turn, and why. Those with the same answer,
    blame and expected entry are a line, with their number.
    """
    judge, calls, every, as_json = map(options.pop, ("judge", "calls", "every", "as_json"))
    is_list = every or any(options.values())
    if is_list and episode is not None:
        raise click.UsageError("EPISODE is one conversation; leave it out, or what lists several")
    if judge and episode is not None:
        raise click.UsageError("--judge is about a whole run; leave out the conversation.")
    if calls and (judge or is_list or episode is not None):
        raise click.UsageError("--calls is about a whole run, and stands alone.")
    wanted = {name: value for name, value in options.items() if value} if is_list else None
    with common.open_store(store) as opened:
        check = calls and run.startswith(CHECK_PREFIX)  # a check of a judge has calls, and no talks
        shown = _Shown(opened, opened.resolve(run, check=check), calls, judge, episode, wanted)
        if as_json:
            print_json(_json(shown))
        else:
            _show(shown, every=every)


class _Shown(NamedTuple):
    """What is to be shown of a run; `wanted` None: no list of conversations."""

    store: "Store"
    run: str
    calls: bool
    judge: bool
    episode: str | None
    wanted: dict[str, Any] | None


def _show(shown: _Shown, *, every: bool) -> None:
    from simulator.cli.screens.calls import show_calls
    from simulator.cli.screens.episode import show_episode, show_open
    from simulator.cli.screens.judge_health import show_judge
    from simulator.cli.screens.talks import Wanted, show_talks

    store = shown.store
    if shown.calls:
        show_calls(store, store.header(shown.run))
    elif shown.judge:
        show_judge(common.load_run(store, shown.run))
    elif shown.episode is not None:
        show_episode(store, shown.run, shown.episode)
    elif shown.wanted is not None:
        show_talks(common.load_run(store, shown.run), Wanted(**shown.wanted), every=every)
    else:
        whole = common.load_run(store, shown.run)
        write_reports(whole, [("terminal", None)])
        show_open(store, whole.header)


def _json(shown: _Shown) -> object:
    from simulator.cli.contracts import conversations
    from simulator.cli.screens.talks import Wanted
    from simulator.view.run_json import JudgeFigures, run_json

    store = shown.store
    if shown.calls:
        return conversations.calls_json(store, store.header(shown.run))
    if shown.episode is not None:
        return conversations.conversation_json(store, shown.run, shown.episode)
    whole = common.load_run(store, shown.run)
    if shown.wanted is not None:
        return conversations.conversations_json(whole, Wanted(**shown.wanted))
    figures = run_json(whole)
    return JudgeFigures(figures.run, figures.judge_health) if shown.judge else figures
