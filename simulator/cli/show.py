"""`mogi show`: a run's table, or one conversation word for word."""

import click

from simulator.cli import common, running

_EXAMPLES = """\
\b
Examples:
  mogi show latest
  mogi show latest change-email/angry/1
  mogi show latest --judge
"""


@click.command(epilog=_EXAMPLES)
@click.argument("run")
@click.argument("episode", required=False)
@common.flag("--judge", "How far the judge is to be trusted, and where facts contradict it.")
@common.store_option
def command(run: str, episode: str | None, *, judge: bool, store: str | None) -> None:
    """Show RUN, or one conversation of it. RUN: an id, a unique prefix of one, or latest.

    EPISODE is scenario/persona/repeat as the table names it; its beginning will do.
    """
    from simulator.screens.episode import show_episode, show_open
    from simulator.screens.judge_health import show_judge

    if judge and episode is not None:
        raise click.UsageError("--judge is about a whole run; leave out the conversation.")
    with common.open_store(store) as opened:
        if judge:
            show_judge(common.load_run(opened, run))
            return
        if episode is not None:
            show_episode(opened, opened.resolve(run), episode)
            return
        whole = common.load_run(opened, run)
        running.write_reports(whole, [("terminal", None)])
        show_open(opened, whole.header)
