"""`mogi personas`: who can ask."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import common, measure
from simulator.console.lists import one_liners

if TYPE_CHECKING:
    from simulator.core.persona import Language
    from simulator.files.shelf import Shelf

_EXAMPLES = """\
\b
Examples:
  mogi personas angry
  mogi personas --language en
  mogi personas --client demo
  mogi personas --measure latest --beside talks.jsonl
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", type=common.NAME, required=False)
@click.option("--client", type=common.NAME, metavar="NAME", help="Whose own personas count, too.")
@click.option("--language", type=click.Choice(["ja", "en"]), help="Only that language.")
@measure.options
def command(
    name: str | None, client: str | None, language: "Language | None", **measuring: Any
) -> None:
    """List the personas there are: the working directory's and the shipped ones.

    With --client: those that this client can name, in its language, its own before all others.

    With NAME: who that is, how this person writes, what it always does, and two short talks.

    With --measure RUN: how each persona of a run wrote, beside real customers.
    """
    if name is not None and measuring["run"] is not None:
        raise click.UsageError("a persona's NAME and --measure RUN do not go together")
    if client is not None and measuring["run"] is not None:
        raise click.UsageError("--client NAME and --measure RUN do not go together")
    if measure.measured(**measuring):
        return
    shelf, languages = _shelf(client, language)
    if name is not None:
        from simulator.screens.persona import show_persona

        show_persona(name, languages, shelf)
        return
    rows = [
        (persona.id, persona.language, persona.name, persona.description)
        for chosen in languages
        for persona in shelf.personas(chosen).values()
    ]
    one_liners(("id", "language", "name", "what kind of person"), rows)


def _shelf(client: str | None, language: "Language | None") -> "tuple[Shelf, tuple[Language, ...]]":
    """Where personas are looked for, and in which languages.

    Raises:
        InputError: something is wrong with the client, or it speaks another language.
    """
    from simulator.core.errors import InputError
    from simulator.files.shelf import Shelf

    if client is None:
        return Shelf(None, Path.cwd()), (language,) if language else ("ja", "en")
    loaded = common.client(client)
    own = loaded.client.language
    if language not in (None, own):
        raise InputError(f"--language {language}: the client {client} speaks {own}")
    return loaded.shelf, (own,)
