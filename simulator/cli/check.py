"""`mogi check`: all that is wrong with a client's files, at once."""

import click

from simulator.cli import common


@click.command(epilog="Example:  mogi check demo")
@click.argument("client")
def command(client: str) -> None:
    """Read every file of CLIENT, say all that is wrong with file:line, and call nothing.

    CLIENT is a folder, or a name looked up in ./scenarios and among the shipped ones.
    """
    from simulator.build.options import Options
    from simulator.build.plan import make_plan

    loaded = common.client(client)
    plan = make_plan(loaded, Options(offline=True))
    found = loaded.client
    click.echo(
        f"{found.name}: all files are right. {len(loaded.scenarios)} scenarios, "
        f"{len(loaded.personas)} personas, {plan.conversations()} conversations, "
        f"target {found.target.kind}"
    )
