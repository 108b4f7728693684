"""`mogi targets`: what can be under test."""

import click

from simulator.cli.tables import one_liners


@click.command(epilog="Example:  mogi targets")
def command() -> None:
    """List the kinds of bots that can be tested, and the settings each takes."""
    from simulator import plugins

    rows = []
    for name in plugins.names("targets"):
        kind = plugins.find("targets", name)
        settings = ", ".join(kind.Settings.model_fields) or "-"
        rows.append((name, settings, (kind.__doc__ or "").splitlines()[0]))
    one_liners(("kind", "settings", "what it is"), rows)
