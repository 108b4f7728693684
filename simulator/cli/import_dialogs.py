"""`mogi import-dialogs`: recorded talks become scenarios."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import plugins
from simulator.cli import common
from simulator.console.output import as_json, print_json, tell
from simulator.core.clean import visible
from simulator.core.errors import InputError
from simulator.formats.own_files import private
from simulator.words import counted

if TYPE_CHECKING:
    from simulator.core.persona import Language
    from simulator.files.client.keys import ClientEntry
    from simulator.files.dialogs import Dialogs, Imported

NAME = "scenarios.imported.yaml"
_MASKED = {
    "email": ("e-mail address", "e-mail addresses"),
    "phone": ("phone number",),
    "card": ("card number",),
    "name": ("name",),
    "secret": ("password or code", "passwords or codes"),
    "birth": ("date of birth", "dates of birth"),
    "address": ("postal address", "postal addresses"),
    "number": ("personal, account or order number", "personal or order numbers"),
    "handle": ("online account", "online accounts"),
}


@dataclass(frozen=True, slots=True)
class _Typed:
    """What the command line said."""

    file: str
    client: str | None
    output: str | None
    users: tuple[str, ...]
    facts: str
    pairs: tuple[tuple[str, str], ...]
    language: "Language | None"
    limit: int | None
    keep_personal_data: bool


_EXAMPLES = """\
\b
Examples:
  mogi import-dialogs chats.jsonl --client acme
  mogi import-dialogs chats.csv --user Jones -o replay.yaml

\b
A line of chats.jsonl is a conversation:
  {"utterances": [{"speaker": …, "text": …}, …]}
or one message with the ID of its conversation:
  {"conversation": "c1", "speaker": "customer", "text": "How much is it?"}
A line of chats.csv is a message, in columns such as these:
  conversation, speaker, text    (Japanese headers also work; see the docs)
"""


@click.command(epilog=_EXAMPLES)
@click.argument("file", type=common.NAME)
@common.text("--client", "NAME", "Write into this client's folder.")
@common.text("-o", "FILE", f"Output file.  [default: ./{NAME}]", "--output")
@common.speakers()
@common.text(
    "--facts", "PATH", "Path to the customer's facts in each conversation, such as meta.conditions."
)
@common.mapping()
@common.language("Language of the conversations.  [default: the client's, or detected]")
@common.count("--limit", "Use only the first N conversations.")
@common.flag(
    "--keep-personal-data", "Don't mask names, addresses, numbers, dates of birth and passwords."
)
@common.flag("--json", "Print a summary as JSON.", "as_json")
@common.client_options
def command(*, as_json: bool, **options: Any) -> None:
    """Convert the conversations in FILE (.jsonl, .json, .csv, .yaml) into scenarios.

    Each scenario has the customer's messages, to replay them word for word (`user: {kind:
    scripted}`), and a goal with known facts, for simulated users that choose their own words. mogi
    doesn't treat the agent's answers as correct, but keeps expected answers from RAGAS, DeepEval,
    promptfoo and OpenAI Evals. mogi never overwrites scenarios: if the client already has some, it
    writes a second file.
    """
    from simulator.formats.sources import Source

    typed = _Typed(**options)
    dialogs, language, path = _read(typed)
    imported = _write(typed, dialogs, language, path)
    name = Source.of(path).name
    if as_json:
        print_json({"file": name, **_summary(typed, dialogs, imported)})
        return
    tell(name)
    folder = _personas_folder(typed, language, path)
    for line in [
        *_figures(typed, dialogs, imported, folder),
        "",
        *_next_steps(typed, imported, path),
    ]:
        tell(line, err=True)


def _read(typed: _Typed) -> "tuple[Dialogs, Language, Path]":
    """The dialogs, their language, and the file that is going to be made of them."""
    from simulator.files.dialogs import language_of, read_dialogs
    from simulator.formats.row_files import paths_for
    from simulator.formats.sources import Source

    if typed.client and typed.output:
        raise InputError("--client and --output both set the output file; use one of them")
    language, path = typed.language, Path.cwd() / (typed.output or NAME)
    log, mapping = Source.of(Path.cwd() / typed.file), dict(typed.pairs)
    if typed.client:
        entry, path = _of_client(typed.client)
        language = language or entry.language
        mapping = {**paths_for(log, entry.import_), **mapping}
    if path.exists():
        raise Source.of(path).error(0, "already exists; use another file with -o, or move this one")
    dialogs = read_dialogs(log, users=typed.users, facts=typed.facts or "", mapping=mapping)
    for note in dialogs.notes:
        tell(f"{log.name}: {note}", err=True)
    return dialogs, language or language_of(dialogs), path


def _of_client(name: str) -> "tuple[ClientEntry, Path]":
    """A client's own file, and the scenarios file that it lacks: its only one, or a second."""
    from simulator.files.catalog import CLIENT_FILE, find_client
    from simulator.files.client.client_yaml import read_client_file
    from simulator.files.scenarios.expected import NAMES
    from simulator.formats.sources import Source, inside

    folder = find_client(name, Path.cwd())
    with plugins.unimported():  # its language and its `import:` are asked for, no code
        file = read_client_file(Source.of(folder / CLIENT_FILE, within=inside(folder)))
    if file.wrong & {"language", "import"}:
        raise InputError(*file.complaints)
    has_any = any((folder / known).exists() for known in NAMES)
    return file.entry, folder / (NAME if has_any else NAMES[0])


def _write(typed: _Typed, dialogs: "Dialogs", language: "Language", path: Path) -> "Imported":
    """The scenarios of the talks, written."""
    from simulator.files.dialogs import scenarios_of
    from simulator.formats.sources import Source
    from simulator.formats.yaml.writing import yaml_text

    source, talks = Source.of(Path.cwd() / typed.file), dialogs.talks[: typed.limit]
    imported = scenarios_of(talks, language, keep_personal_data=typed.keep_personal_data)
    if not imported.entries:
        raise source.error(0, "the customers only exchange courtesies; nothing to create")
    _put(path, imported.text(source.path.name, language))
    for name, persona in imported.personas.items():
        file = _personas_folder(typed, language, path) / f"{name}.yaml"
        if not file.exists():  # its name is made of what it says
            file.parent.mkdir(parents=True, exist_ok=True)
            _put(file, yaml_text(persona))
    return imported


def _personas_folder(typed: _Typed, language: "Language", path: Path) -> Path:
    """The folder of the client's own personas, or of those for all clients."""
    return path.parent / "personas" if typed.client else Path.cwd() / "personas" / language


def _put(path: Path, text: str) -> None:
    from simulator.formats.sources import Source

    try:
        with open(path, "x", encoding="utf-8", newline="\n", opener=private) as file:
            file.write(text)
    except OSError as error:
        complaint = f"can't be written ({error.strerror or error}); use another file"
        raise Source.of(path).error(0, complaint) from error


def _figures(
    typed: _Typed, dialogs: "Dialogs", imported: "Imported", folder: Path
) -> Iterator[str]:
    from simulator.formats.sources import Source

    customers = [visible(name) for name in dialogs.customers]
    more = f" and {len(customers) - 3} more" if len(customers) > 3 else ""
    yield (
        f"{counted(len(imported.entries), 'scenario')} with {counted(imported.turns, 'turn')} of "
        f"customers ({', '.join(customers[:3])}{more}), {imported.goals:,} with a goal, "
        f"{counted(imported.facts, 'known fact')}"
    )
    if imported.silent:
        talks = counted(imported.silent, "conversation")
        yield f"skipped {talks}: the customer only exchanges courtesies"
    if imported.personas:
        yield f"{counted(len(imported.personas), 'persona')} in {Source.of(folder).name}"
    masked = [counted(n, *_MASKED[kind]) for kind, n in sorted(imported.masked.items())]
    if typed.keep_personal_data:
        yield "nothing was masked: the file contains personal data"
    else:
        yield (
            f"masked: {', '.join(masked) or 'nothing'}; check the file: mogi can't detect names "
            "on their own, passwords without digits, unexplained numbers, or details about "
            "health or work"
        )


def _next_steps(typed: _Typed, imported: "Imported", path: Path) -> Iterator[str]:
    from simulator.files.dialogs import TAG
    from simulator.files.scenarios.expected import NAMES
    from simulator.formats.sources import Source

    where = typed.client or "NAME"
    yield f"review it, then add to {where}'s client.yaml:"
    if path.name not in NAMES:
        yield f"  scenarios: {path.name}"
    yield f"  max_turns: {imported.longest}      # the longest one; default: 3"
    yield "  user: {kind: scripted}      # word for word; other users follow goal and known"
    yield f"and:  mogi check {where}  and  mogi run {where} --tag {TAG} --assign round_robin"
    if not imported.expecting:
        yield "there's no `expected`, so text matching can't score these: use --judge-model M"
    else:
        expecting = counted(imported.expecting, "scenario")
        yield f"{expecting} with `expected` from {Source.of(Path(typed.file)).name}: review it"


def _summary(typed: _Typed, dialogs: "Dialogs", imported: "Imported") -> dict[str, Any]:
    return {
        "scenarios": len(imported.entries),
        **as_json(imported, "turns", "longest", "goals", "facts", "expecting"),
        "personas": list(imported.personas),
        "left_out": imported.silent,
        **as_json(dialogs, "customers", "others"),
        "masked": None if typed.keep_personal_data else dict(imported.masked),
    }
