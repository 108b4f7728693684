"""`mogi show`: a run's table, a list of its conversations, or one of them word for word."""

from typing import Any

import click

from simulator.cli import common
from simulator.cli.report import write_reports

_EXAMPLES = """\
\b
Examples:
  mogi show latest
  mogi show latest --failed
  mogi show latest --blame retrieval_miss --persona angry
  mogi show latest change-email/angry/1
  mogi show latest --calls
"""


@click.command(epilog=_EXAMPLES)
@click.argument("run")
@click.argument("episode", required=False)
@common.flag("--failed", "List the conversations that failed, a line each.")
@common.flag("--undecided", "List the conversations that are undecided, a line each.")
@common.text("--persona", "ID", "List those of this persona.")
@common.text("--scenario", "ID", "List those of this scenario.")
@common.text("--tag", "T", "List those of scenarios with this tag.")
@common.text("--blame", "B", "List those with a turn of this blame, such as retrieval_miss.")
@common.text("--text", "WORDS", "List those in which this was said.", "words")
@common.flag("--all", "List every one, not the first 40 only.", "every")
@common.flag("--judge", "How far the judge is to be trusted, and where facts contradict it.")
@common.flag("--calls", "Its calls by role, model and endpoint: how fast, how dear, what waited.")
@common.store_option
def command(
    run: str,
    episode: str | None,
    store: str | None,
    *,
    judge: bool,
    calls: bool,
    every: bool,
    **options: Any,
) -> None:
    """Show RUN, a list of its conversations, or one of them.

    RUN: an id, a unique prefix of one, or latest. EPISODE is scenario/persona/repeat as the table
    names it; the beginning of each part will do. A list has the conversations of which all that was
    asked for is true, those that failed first: result, turn, and why.
    """
    from simulator.screens.calls import show_calls
    from simulator.screens.episode import show_episode, show_open
    from simulator.screens.judge_health import show_judge
    from simulator.screens.talks import Wanted, show_talks

    is_list = every or any(options.values())
    if is_list and episode is not None:
        raise click.UsageError("EPISODE is one conversation; leave it out, or what lists several")

    if judge and episode is not None:
        raise click.UsageError("--judge is about a whole run; leave out the conversation.")
    if calls and (judge or is_list or episode is not None):
        raise click.UsageError("--calls is about a whole run, and stands alone.")
    with common.open_store(store) as opened:
        if calls:
            show_calls(opened, opened.header(opened.resolve(run)))
        elif judge:
            show_judge(common.load_run(opened, run))
        elif episode is not None:
            show_episode(opened, opened.resolve(run), episode)
        elif is_list:
            wanted = {name: value for name, value in options.items() if value}
            show_talks(common.load_run(opened, run), Wanted(**wanted), every=every)
        else:
            whole = common.load_run(opened, run)
            write_reports(whole, [("terminal", None)])
            show_open(opened, whole.header)
