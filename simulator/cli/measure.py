"""`mogi personas --measure`: how the users of a run wrote, beside real customers."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simulator.cli import common
from simulator.core.clean import visible

if TYPE_CHECKING:
    from simulator.checks.realism import Manner
    from simulator.core.run import Interval, RunHeader
    from simulator.files.dialogs import Dialogs

_TONGUES = {"ja": "Japanese", "en": "English"}
C = TypeVar("C", bound=Callable[..., Any])
_OPTIONS = (
    click.option(
        "--measure",
        "run",
        type=common.NAME,
        metavar="RUN",
        help="Instead of the list: how the users of this run wrote (length, politeness …).",
    ),
    click.option(
        "--beside",
        type=common.NAME,
        metavar="FILE",
        help="With --measure: a log of real talks, as `mogi import-dialogs` takes it.",
    ),
    click.option(
        "--user",
        "users",
        type=common.NAME,
        multiple=True,
        metavar="SPEAKER",
        help="With --beside: a speaker who is the customer.  Repeatable.",
    ),
    click.option("--json", "as_json", is_flag=True, help="With --measure: print JSON."),
    common.store_option,
)


def options(command: C) -> C:
    """Give a command the options that `measured` takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def measured(run: str | None, **options: Any) -> bool:
    """Measure a run if one is named; whether it was done.

    Raises:
        UsageError: there are options about it, but no run.
        InputError: there is no such run, or something is wrong with the log.
    """
    if run is not None:
        measure(run, **options)
        return True
    if any(options.values()):
        raise click.UsageError("--beside, --user, --json and --store go with --measure RUN")
    return False


def measure(
    run: str, *, store: str | None, beside: str | None, users: Sequence[str], as_json: bool
) -> None:
    """Print the figures of each persona of a run and, where there is a log, of its customers.

    Raises:
        InputError: there is no such run, or something is wrong with the log.
    """
    from simulator.checks.realism import manners

    dialogs = _dialogs(beside, users) if beside else None
    with common.reading(store) as opened:
        header = opened.header(opened.resolve(run))
        real = _real(dialogs, header, beside or "") if dialogs else None
        found = manners(opened.episodes(header.id), header.language)
    if as_json:
        click.echo(json.dumps(_json(header, found, real), ensure_ascii=False))
        return
    from simulator.console.output import screen, show
    from simulator.screens.measure import table

    console = screen()
    show(table(header, found, real, console.width), console)


def _dialogs(log: str, users: Sequence[str]) -> "Dialogs":
    from simulator.files.dialogs import read_dialogs
    from simulator.files.sources import Source

    return read_dialogs(Source.of(Path.cwd() / log), users=users)


def _real(dialogs: "Dialogs", header: "RunHeader", log: str) -> "Manner":
    from simulator.checks.realism import manner_of
    from simulator.core.errors import InputError
    from simulator.files.dialogs import language_of

    language = language_of(dialogs)
    if language != header.language:
        raise InputError(
            f"{visible(log)}: its talks are in {_TONGUES[language]}, those of run {header.id} in "
            f"{_TONGUES[header.language]}; name a log in the same language"
        )
    talks = ((talk.id, talk.customer_turns) for talk in dialogs.talks)
    return manner_of("real customers", talks, language)


def _json(header: "RunHeader", found: "Sequence[Manner]", real: "Manner | None") -> dict[str, Any]:
    return {
        "run": header.id,
        "client": header.client,
        "language": header.language,
        "user": {
            "kind": header.snapshot.get("client.user.kind"),
            "model": header.snapshot.get("client.user.chat.model"),
        },
        "unit": "characters" if header.language == "ja" else "words",
        "personas": {row.name: _figures(row) for row in found},
        "beside": _figures(real) if real else None,
    }


def _figures(row: "Manner") -> dict[str, Any]:
    intervals = ("length", "plain", "polite", "formal", "questions")
    return {
        "talks": row.talks,
        "turns": row.turns,
        "first": row.first,
        "median": row.median,
        "neither": row.neither,
        "orders": row.orders,
        **{name: _interval(getattr(row, name)) for name in intervals},
    }


def _interval(value: "Interval") -> dict[str, float | None]:
    return {"mean": value.mean, "low": value.low, "high": value.high}
