"""`mogi init`: a new client folder that runs as it stands."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from simulator import config
from simulator.cli import common
from simulator.core.errors import InputError

if TYPE_CHECKING:
    from simulator.core.persona import Language

_EXAMPLES = """\
\b
Examples:
  mogi init acme && mogi run acme
  mogi init acme --language en
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", type=common.NAME)
@common.language("The language of the client's users.  [default: that of the locale]")
def command(name: str, language: "Language | None") -> None:
    """Make ./scenarios/NAME: a client folder, ready to edit; it runs as it stands."""
    from simulator.files.client.new import new_client
    from simulator.words import Words

    if Path(name).name != name or name == "..":
        raise InputError(f"{name!r} is no name for a client; write one word, such as acme")
    folder = Path.cwd() / "scenarios" / name
    spoken = language or config.language()
    for path in new_client(folder, spoken):
        click.echo(path.relative_to(Path.cwd()))
    click.echo(f"\n{Words(spoken, 'init')('next', client=name)}", err=True)
