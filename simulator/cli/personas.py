"""`mogi personas`: who can ask."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import common, measure
from simulator.cli.tables import one_liners

if TYPE_CHECKING:
    from simulator.core.persona import Language

_EXAMPLES = """\
\b
Examples:
  mogi personas angry
  mogi personas --language en
  mogi personas --measure latest --beside talks.jsonl
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", type=common.NAME, required=False)
@click.option("--language", type=click.Choice(["ja", "en"]), help="Only that language.")
@measure.options
def command(name: str | None, language: "Language | None", **measuring: Any) -> None:
    """List the personas there are: the working directory's and the shipped ones.

    With NAME: who that is, how this person writes, what it always does, and two short talks.

    With --measure RUN: how each persona of a run wrote, beside real customers.
    """
    if name is not None and measuring["run"] is not None:
        raise click.UsageError("a persona's NAME and --measure RUN do not go together")
    if measure.measured(**measuring):
        return
    if name is not None:
        from simulator.cli.persona_view import show_persona

        show_persona(name, language, Path.cwd())
        return
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
