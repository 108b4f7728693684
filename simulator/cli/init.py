"""`mogi init`: a new client folder that runs as it stands."""

from pathlib import Path

import click


@click.command(epilog="Example:  mogi init acme && mogi run acme")
@click.argument("name")
@click.option(
    "--language",
    type=click.Choice(["ja", "en"]),
    default="ja",
    show_default=True,
    help="The language of the client's users.",
)
def command(name: str, language: str) -> None:
    """Make ./scenarios/NAME: a client folder, ready to edit; it runs as it stands."""
    from typing import cast

    from simulator.core.persona import Language
    from simulator.files.init import new_client

    folder = Path.cwd() / "scenarios" / name
    for path in new_client(folder, cast("Language", language)):
        click.echo(path.relative_to(Path.cwd()))
    click.echo(f"\nedit these, then:  mogi check {name}  and  mogi run {name}", err=True)
