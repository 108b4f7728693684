"""`mogi personas`: who can ask; with --measure how simulated users write, beside real ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import common
from simulator.console.layout import one_liners
from simulator.core.clean import visible
from simulator.core.errors import InputError
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.core.persona import Language
    from simulator.files.catalog import Catalog

_TONGUES = {"ja": "Japanese", "en": "English"}
_EXAMPLES = """\
\b
Examples:
  mogi personas angry
  mogi personas --language en
  mogi personas --client demo-en
  mogi personas --measure chats.jsonl
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", type=common.NAME, required=False)
@common.text("--client", "NAME", "Include this client's own personas.")
@common.language("List only personas in this language.")
@common.text(
    "--measure",
    "LOG",
    "Compare a run's users with the real customers in this log (a file that `mogi "
    "import-dialogs` reads).",
    "log",
)
@common.text("--run", "RUN", "With --measure: run to compare.  [default: latest]")
@common.speakers("With --measure: name")
@common.flag("--json", "With --measure: print JSON.", "as_json")
@common.store_option
@common.client_options
def command(
    name: str | None, client: str | None, language: "Language | None", **measuring: Any
) -> None:
    """List available personas: built-in ones and those in the working directory.

    With --client, list the personas available to this client in its language, with its own first.

    With NAME, show a description, the writing style, typical behavior and two sample conversations.

    With --measure LOG, compare each persona's writing style with that of real customers, and
    show how well a classifier tells them apart (AUC; 0.5 = not at all).
    """
    log = measuring.pop("log")
    if log is not None and (name, client) != (None, None):
        raise click.UsageError("--measure LOG can't be combined with a persona's NAME or --client")
    if log is not None:
        _measure(log, **measuring)
        return
    if any(measuring.values()):
        raise click.UsageError("--run, --user, --json and --store require --measure LOG")
    catalog, languages = _catalog(client, language)
    if name is not None:
        from simulator.cli.screens.personas import show_persona

        show_persona(name, languages, catalog)
        return
    rows = [
        (persona.id, persona.language, persona.name, persona.description)
        for chosen in languages
        for persona in catalog.personas(chosen).values()
    ]
    words = Words(config.locale(), "persona")
    one_liners([words(f"head.{key}") for key in ("id", "language", "name", "description")], rows)


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
        raise InputError(f"--language {language}: the language of the client {client} is {own}")
    return loaded.catalog, (own,)


def _measure(
    log: str, *, store: str | None, run: str | None, users: Sequence[str], as_json: bool
) -> None:
    """Print the figures of each persona of a run and of the customers of a log.

    Raises:
        InputError: there is no such run, something is wrong with the log, or its language differs.
    """
    from simulator.checks.realism import realism
    from simulator.cli.screens.personas import realism_json, realism_view
    from simulator.files.dialogs import language_of, read_dialogs
    from simulator.formats.sources import Source

    dialogs = read_dialogs(Source.of(Path.cwd() / log), users=users)
    language = language_of(dialogs)
    with common.open_store(store) as opened:
        header = opened.header(opened.resolve(run or "latest"))
        if language != header.language:
            raise InputError(
                f"{visible(log)}: its conversations are in {_TONGUES[language]}, those of run "
                f"{header.id} in {_TONGUES[header.language]}; use a log in the same language"
            )
        real = ((talk.id, talk.customer_turns) for talk in dialogs.talks)
        measured = realism(opened.episodes(header.id), real, language)
    common.answer(
        lambda: realism_json(header, measured),
        lambda width: realism_view(header, measured, width),
        as_json=as_json,
    )
