"""`mogi personas`: who can ask."""

from pathlib import Path

import click

from simulator.cli.tables import one_liners


@click.command(epilog="Example:  mogi personas --language en")
@click.option("--language", type=click.Choice(["ja", "en"]), help="Only those of one language.")
def command(language: str | None) -> None:
    """List the personas there are: the working directory's and the shipped ones."""
    from simulator.core.persona import Language
    from simulator.files.shelf import Shelf

    shelf = Shelf(None, Path.cwd())
    languages: tuple[Language, ...] = ("ja", "en")
    rows = [
        (persona.id, persona.language, persona.name, persona.description)
        for chosen in languages
        if language in (None, chosen)
        for persona in shelf.personas(chosen).values()
    ]
    one_liners(("id", "language", "name", "what kind of person"), rows)
