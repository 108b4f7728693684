"""`mogi check`: all that is wrong with a client's files, at once."""

import click

from simulator.cli import common, exits
from simulator.console.output import tell
from simulator.words import counted


@click.command(epilog="Example:  mogi check demo")
@click.argument("client")
def command(client: str) -> None:
    """Read every file of CLIENT, say all that is wrong with file:line, and call nothing.

    CLIENT is a folder, or a name looked up in ./scenarios and among the shipped ones.
    """
    from simulator.build.cast import check_own_metrics
    from simulator.build.plan import Options, make_plan
    from simulator.build.snapshot import stale_in_files, unspoken_turns

    loaded = common.client(client)
    plan = make_plan(loaded, Options(offline=True))
    check_own_metrics(plan, loaded)
    found = loaded.client
    tell(
        f"{found.name}: all files are right. {counted(len(loaded.scenarios), 'scenario')}, "
        f"{counted(len(loaded.personas), 'persona')}, "
        f"{counted(plan.conversations(), 'conversation')}, "
        f"target {found.target.kind}"
    )
    unspoken = unspoken_turns(plan, found.user.kind, "en")
    for note in (*loaded.notes, *stale_in_files(loaded), *unspoken):
        exits.say(f"note: {note}")
