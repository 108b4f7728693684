"""`mogi personas`: who can ask; with --measure how the users of a run wrote, beside real people."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import common
from simulator.console.layout import one_liners
from simulator.core.clean import visible
from simulator.core.errors import InputError

if TYPE_CHECKING:
    from simulator.checks.realism import Manner
    from simulator.core.persona import Language
    from simulator.core.run import RunHeader
    from simulator.files.catalog import Catalog
    from simulator.files.dialogs.reading import Dialogs

_TONGUES = {"ja": "Japanese", "en": "English"}
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
@common.text("--client", "NAME", "Whose own personas count, too.")
@common.language("Only that language.")
@common.text(
    "--measure",
    "RUN",
    "Instead of the list: how the users of this run wrote (length, politeness …).",
    "run",
)
@common.text(
    "--beside",
    "FILE",
    "With --measure: a log of real conversations, as `mogi import-dialogs` takes it.",
)
@common.speakers("With --beside: a speaker who is the customer.")
@common.flag("--json", "With --measure: print JSON.", "as_json")
@common.store_option
@common.client_options
def command(
    name: str | None, client: str | None, language: "Language | None", **measuring: Any
) -> None:
    """List the personas there are: the working directory's and the shipped ones.

    With --client: those that this client can name, in its language, its own before all others.

    With NAME: who that is, how this person writes, what it always does, and two short
    conversations.

    With --measure RUN: how each persona of a run wrote, beside real customers.
    """
    run = measuring.pop("run")
    if name is not None and run is not None:
        raise click.UsageError("a persona's NAME and --measure RUN do not go together")
    if client is not None and run is not None:
        raise click.UsageError("--client NAME and --measure RUN do not go together")
    if run is not None:
        _measure(run, **measuring)
        return
    if any(measuring.values()):
        raise click.UsageError("--beside, --user, --json and --store go with --measure RUN")
    catalog, languages = _catalog(client, language)
    if name is not None:
        from simulator.cli.screens.persona import show_persona

        show_persona(name, languages, catalog)
        return
    rows = [
        (persona.id, persona.language, persona.name, persona.description)
        for chosen in languages
        for persona in catalog.personas(chosen).values()
    ]
    one_liners(("id", "language", "name", "what kind of person"), rows)


def _catalog(
    client: str | None, language: "Language | None"
) -> "tuple[Catalog, tuple[Language, ...]]":
    """Where personas are looked for, and in which languages.

    Raises:
        InputError: something is wrong with the client, or it speaks another language.
    """
    from simulator.files.catalog import Catalog

    if client is None:
        return Catalog(None, Path.cwd()), (language,) if language else ("ja", "en")
    loaded = common.client(client)
    own = loaded.client.language
    if language not in (None, own):
        raise InputError(f"--language {language}: the client {client} speaks {own}")
    return loaded.catalog, (own,)


def _measure(
    run: str, *, store: str | None, beside: str | None, users: Sequence[str], as_json: bool
) -> None:
    """Print the figures of each persona of a run and, where there is a log, of its customers.

    Raises:
        InputError: there is no such run, or something is wrong with the log.
    """
    from simulator.checks.realism import manners
    from simulator.cli.screens.measure import manners_json, manners_view
    from simulator.files.dialogs.reading import read_dialogs
    from simulator.formats.sources import Source

    dialogs = read_dialogs(Source.of(Path.cwd() / beside), users=users) if beside else None
    with common.open_store(store) as opened:
        header = opened.header(opened.resolve(run))
        real = _real(dialogs, header, beside or "") if dialogs else None
        of_run = manners(opened.episodes(header.id), header.language)
    common.answer(
        lambda: manners_json(header, of_run, real),
        lambda width: manners_view(header, of_run, real, width),
        as_json=as_json,
    )


def _real(dialogs: "Dialogs", header: "RunHeader", log: str) -> "Manner":
    from simulator.checks.realism import manner_of
    from simulator.files.dialogs.reading import language_of

    language = language_of(dialogs)
    if language != header.language:
        raise InputError(
            f"{visible(log)}: its conversations are in {_TONGUES[language]}, those of run "
            f"{header.id} in {_TONGUES[header.language]}; name a log in the same language"
        )
    talks = ((talk.id, talk.customer_turns) for talk in dialogs.talks)
    return manner_of("real customers", talks, language)
