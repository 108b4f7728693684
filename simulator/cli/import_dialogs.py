"""`mogi import-dialogs`: recorded talks become scenarios."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import common
from simulator.core.counting import counted

if TYPE_CHECKING:
    from simulator.core.persona import Language
    from simulator.files.dialogs.reading import Dialog, Dialogs
    from simulator.files.dialogs.scenarios import Imported

NAME = "scenarios.imported.yaml"
_MASKED = {
    "email": ("e-mail address", "e-mail addresses"),
    "phone": ("phone number",),
    "card": ("card number",),
    "name": ("name",),
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the command line said."""

    log: str
    client: str | None
    out: str | None
    users: tuple[str, ...]
    facts: str
    language: "Language | None"
    limit: int | None
    keep_personal_data: bool


_EXAMPLES = """\
\b
Examples:
  mogi import-dialogs talks.jsonl --client acme
  mogi import-dialogs talks.csv --user 田中 -o replay.yaml

\b
A line of talks.jsonl is a dialog:
  {"utterances": [{"speaker": …, "text": …}, …]}
or one utterance that names its conversation:
  {"conversation": "c1", "speaker": "customer", "text": "送料はいくらですか"}
A line of talks.csv is an utterance, in columns such as these:
  conversation, speaker, text    or  会話ID, 話者, 発言
"""


@click.command(epilog=_EXAMPLES)
@click.argument("file", type=common.NAME)
@click.option("--client", type=common.NAME, metavar="NAME", help="Write into this client's folder.")
@click.option(
    "-o", "--output", type=common.NAME, metavar="FILE", help=f"Where to write.  [default: ./{NAME}]"
)
@click.option(
    "--user",
    "users",
    type=common.NAME,
    multiple=True,
    metavar="SPEAKER",
    help="A speaker who is the customer, where the names do not say it.  Repeatable.",
)
@click.option(
    "--facts",
    type=common.NAME,
    metavar="PATH",
    help="Where a dialog lists its customer's facts, such as meta.conditions.",
)
@click.option(
    "--language",
    type=click.Choice(["ja", "en"]),
    help="Of the talks.  [default: the client's, else what they are written in]",
)
@click.option("--limit", type=common.Count(1), metavar="N", help="The first N talks only.")
@click.option(
    "--keep-personal-data",
    is_flag=True,
    help="Do not mask e-mail addresses, phone and card numbers, and names.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(*, as_json: bool, **typed: Any) -> None:
    """Turn the talks in FILE (.jsonl, .json, .csv) into scenarios that can be replayed.

    The customers' words become the script of a scripted user, and a goal with known facts for
    the other users. What an operator answered is not taken for right. Nothing is overwritten:
    a client that has scenarios gets a second file beside them.
    """
    asked = _Asked(log=typed.pop("file"), out=typed.pop("output"), **typed)
    dialogs, language, path = _read(asked)
    made = _written(asked, dialogs.talks, language, path)
    if as_json:
        click.echo(json.dumps(_summary(asked, dialogs, made, path), ensure_ascii=False))
        return
    click.echo(_shown(path))
    for line in [*_told(asked, dialogs, made), "", *_next_steps(asked, made, path)]:
        click.echo(line, err=True)


def _read(asked: _Asked) -> "tuple[Dialogs, Language, Path]":
    """The dialogs, their language, and the file that is going to be made of them."""
    from simulator.core.errors import InputError
    from simulator.files.dialogs.reading import language_of, read_dialogs
    from simulator.formats.sources import Source

    if asked.client and asked.out:
        raise InputError("--client and --output both say where to write; keep one of them")
    language, path = asked.language, Path.cwd() / (asked.out or NAME)
    if asked.client:
        own, path = _of_client(asked.client)
        language = language or own
    if path.exists():
        raise Source.of(path).error(
            0, "is there already; name another file with -o, or move this one"
        )
    log = Source.of(Path.cwd() / asked.log)
    dialogs = read_dialogs(log, users=asked.users, facts=asked.facts or "")
    return dialogs, language or language_of(dialogs), path


def _of_client(name: str) -> "tuple[Language, Path]":
    """A client's language, and the scenarios file that it lacks: its only one, or a second."""
    from simulator.core.errors import InputError
    from simulator.files.catalog import CLIENT_FILE, find_client
    from simulator.files.client.file import read_client_file
    from simulator.files.scenarios.entries import NAMES
    from simulator.formats.sources import Source

    folder = find_client(name, Path.cwd())
    file = read_client_file(Source.of(folder / CLIENT_FILE))
    if "language" in file.wrong:
        raise InputError(*file.complaints)
    has_any = any((folder / known).exists() for known in NAMES)
    return file.entry.language, folder / (NAME if has_any else NAMES[0])


def _written(
    asked: _Asked, talks: "Sequence[Dialog]", language: "Language", path: Path
) -> "Imported":
    """The scenarios of the talks, written."""
    from simulator.files.dialogs.scenarios import scenarios_of
    from simulator.formats.sources import Source

    source = Source.of(Path.cwd() / asked.log)
    made = scenarios_of(talks[: asked.limit], language, keep_personal_data=asked.keep_personal_data)
    if not made.entries:
        raise source.error(0, "the customers say nothing but courtesies; there is nothing to make")
    text = made.text(source.path.name, language)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Source.of(path).error(
            0, f"cannot be written ({reason}); name another place"
        ) from error
    return made


def _told(asked: _Asked, dialogs: "Dialogs", made: "Imported") -> Iterator[str]:
    yield (
        f"{counted(len(made.entries), 'scenario')} with {counted(made.turns, 'turn')} of customers "
        f"({_names(dialogs.customers)}), {made.goals:,} with a goal, "
        f"{counted(made.facts, 'known fact')}"
    )
    if made.silent:
        yield f"{counted(made.silent, 'talk')} left out: the customer says nothing but courtesies"
    masked = [counted(n, *_MASKED[kind]) for kind, n in sorted(made.masked.items())]
    if asked.keep_personal_data:
        yield "nothing was masked: personal data is in the file as it was said"
    else:
        yield (
            f"masked: {', '.join(masked) or 'nothing'}; not every name can be told, and addresses "
            "and order numbers stay: look through the file"
        )


def _names(customers: "dict[str, int] | Any") -> str:
    from simulator.core.clean import visible

    names = [visible(name) for name in customers]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _next_steps(asked: _Asked, made: "Imported", path: Path) -> Iterator[str]:
    from simulator.files.dialogs.scenarios import TAG
    from simulator.files.scenarios.entries import NAMES

    where = asked.client or "NAME"
    yield f"read it, then write into {where}'s client.yaml:"
    if path.name not in NAMES:
        yield f"  scenarios: {path.name}"
    yield f"  max_turns: {made.longest}      # as many as the longest talk has; 3 by default"
    yield "  user: {kind: scripted}      # word for word; without it the users go by goal and known"
    yield f"and:  mogi check {where}  and  mogi run {where} --tag {TAG} --assign round_robin"
    yield "no `expected` is written: a judge scores such talks (--judge-model M), words do not"


def _summary(asked: _Asked, dialogs: "Dialogs", made: "Imported", path: Path) -> dict[str, Any]:
    return {
        "file": _shown(path),
        "scenarios": len(made.entries),
        "turns": made.turns,
        "longest": made.longest,
        "goals": made.goals,
        "facts": made.facts,
        "left_out": made.silent,
        "customers": dict(dialogs.customers),
        "others": dict(dialogs.others),
        "masked": None if asked.keep_personal_data else dict(made.masked),
    }


def _shown(path: Path) -> str:
    from simulator.formats.sources import Source

    return Source.of(path).name
