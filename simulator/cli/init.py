"""`mogi init`: a new client folder that runs as it stands."""

from pathlib import Path

import click

from simulator.cli import common
from simulator.core.errors import InputError
from simulator.core.persona import Language

_EXAMPLES = """\
\b
Examples:
  mogi init acme && mogi run acme
  mogi init acme --language en
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", type=common.NAME)
@common.language("The language of the client's users.", default="ja", show_default=True)
def command(name: str, language: Language) -> None:
    """Make ./scenarios/NAME: a client folder, ready to edit; it runs as it stands."""
    from simulator.files.client.new import new_client

    if Path(name).name != name or name == "..":
        raise InputError(f"{name!r} is no name for a client; write one word, such as acme")
    folder = Path.cwd() / "scenarios" / name
    for path in new_client(folder, language):
        click.echo(path.relative_to(Path.cwd()))
    click.echo(f"\nedit these, then:  mogi check {name}  and  mogi run {name}", err=True)
