"""What several commands share: options, where the store is, a client by its name, a stored run."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.console.output import print_json, show_view, tell
from simulator.core.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simulator.compare.fail_on import FailOn
    from simulator.core.run import Kind, Run, RunHeader
    from simulator.files.client.folder import LoadedClient
    from simulator.store.store import Store

Decorator = Callable[[Any], Any]


class _Name(click.ParamType[str]):
    """Text that names something; an empty one is a shell variable that was not set."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text; nothing but white space is complained about."""
        text = str(value)
        return text if text.strip() else self.fail("it is empty; is a shell variable not set?")


class _Count(click.IntRange):
    """A whole number within bounds."""

    name = "integer"


class Number(click.FloatRange):
    """A number within bounds; `nan` and `inf` are none."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; anything else is complained about."""
        number = super().convert(value, param, ctx)
        return number if isfinite(number) else self.fail(f"{value} is not a number.", param, ctx)


class Parsed(click.ParamType[Any]):
    """What a function makes of a text; its ValueError says what is wrong with it."""

    name = "text"

    def __init__(self, parse: Callable[[str], Any]) -> None:
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What was typed; anything else is complained about."""
        try:
            return self._parse(value) if isinstance(value, str) else value
        except ValueError as error:
            return self.fail(str(error), param, ctx)


def _parse_fail_on(text: str) -> "FailOn":
    from simulator.compare.fail_on import FailOn

    try:
        return FailOn.of(text)
    except ValueError as error:
        raise ValueError(f"{error}.") from error


NAME = _Name()


def text(name: str, metavar: str | None, about: str, *others: str, **more: Any) -> Decorator:
    """An option that names something; `others`: further spellings, and the parameter's name."""
    return click.option(name, *others, type=NAME, metavar=metavar, help=about, **more)


def texts(name: str, metavar: str, about: str, *others: str, **more: Any) -> Decorator:
    """An option that names one thing each time that it is written."""
    return text(name, metavar, f"{about}  (repeatable)", *others, multiple=True, **more)


def count(
    name: str, about: str, *others: str, least: int = 1, default: int | None = None
) -> Decorator:
    """An option that takes a whole number."""
    return click.option(
        name,
        *others,
        type=_Count(least),
        metavar="N",
        help=about,
        default=default,
        show_default=default is not None,
    )


def flag(name: str, about: str, *others: str, **more: Any) -> Decorator:
    """An option that is there or not."""
    return click.option(name, *others, is_flag=True, help=about, **more)


def language(about: str) -> Decorator:
    """--language."""
    return click.option("--language", type=click.Choice(["ja", "en"]), help=about)


def budget(about: str = "Maximum cost of all model calls.") -> Decorator:
    """--budget."""
    least = Number(0, min_open=True)
    return click.option("--budget", "budget_usd", type=least, metavar="USD", help=about)


def fail_under(about: str = "Exit with 1 if the score is below X.") -> Decorator:
    """--fail-under."""
    return click.option("--fail-under", type=Number(0, 1), metavar="X", help=about)


def speakers(name: str = "Name") -> Decorator:
    """--user, a customer of a log."""
    about = f"{name} of the customer in the log, if mogi can't tell customers from agents."
    return texts("--user", "SPEAKER", about, "users")


def mapping() -> Decorator:
    """--map, where a column is in records of a form that is not known."""
    about = "Map a column to a path in your JSON, such as question=inputs.question."
    return click.option(
        "--map",
        "pairs",
        type=Parsed(_parse_pair),
        metavar="COLUMN=PATH",
        help=f"{about}  (repeatable)",
        multiple=True,
    )


def _parse_pair(text: str) -> tuple[str, str]:
    from simulator.formats.records import mapped

    name, _, path = text.partition("=")
    return mapped(name.strip(), path.strip())


def fail_on(about: str) -> Decorator:
    """--fail-on."""
    about = f"{about}: worse[=N], newly-failing[=N], regression or must-pass."
    return click.option("--fail-on", type=Parsed(_parse_fail_on), metavar="WHAT", help=about)


def together(*options: Decorator) -> Decorator:
    """Several options, in this order, as one decorator."""

    def give(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return give


_WHERE = "Store to use.  [default: MOGI_STORE or sqlite:///mogi.db]"
store_option = text("--store", "URL", _WHERE)
json_option = flag("--json", "Print one JSON object on stdout.", "as_json")
dry_run_option = flag("--dry-run", "Estimate the cost without calling a model or the bot.")
quiet_option = flag("--quiet", "Print no progress and no summary.")


_MODEL = "Model for the simulated user and the judge. client.yaml's judge takes precedence."


def model_option(about: str = _MODEL) -> Decorator:
    """--model; `about` says what it is for."""
    return text("--model", "M", about)


judge_model_option = text(
    "--judge-model", "M", "Model for the judge.  [default: the client's, or --model]"
)


def _untrust(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    ctx.meta[f"mogi.{param.name}"] = value
    if value:
        ctx.with_resource(config.untrusting())


def _allow(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    ctx.meta[f"mogi.{param.name}"] = value
    ctx.with_resource(config.allowing(value))


def _allow_hosts(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    ctx.meta[f"mogi.{param.name}"] = value
    for host in value:
        if not re.fullmatch(r"[^/@\s]+:[0-9]{1,5}", host):
            raise click.BadParameter(f"{host!r} isn't a HOST:PORT, such as 127.0.0.1:8000")
    ctx.with_resource(config.reaching_only(value))


# Of every command that opens a client's folder; eager: whatever else is said is read after them.
client_options = together(
    flag(
        "--untrusted",
        "Treat client files as untrusted: block code, programs, environment variables and "
        "hosts.  [MOGI_UNTRUSTED]",
        expose_value=False,
        is_eager=True,
        callback=_untrust,
    ),
    texts(
        "--allow",
        "PATH",
        "Also let the client read files in this folder.  [MOGI_ALLOW]",
        expose_value=False,
        is_eager=True,
        callback=_allow,
    ),
    texts(
        "--allow-host",
        "HOST:PORT",
        "Contact only this host; with --untrusted, it must be a loopback host.  [MOGI_ALLOW_HOST]",
        expose_value=False,
        is_eager=True,
        callback=_allow_hosts,
    ),
)

# Of commands that show what a store has, and of those that open a client's folder for it as well.
of_store_options = together(store_option, json_option)
of_client_options = together(of_store_options, client_options)


def client(where: str, *, scenarios: bool = True) -> "LoadedClient":
    """The client of this name or folder, with all its files read; or all but its scenarios.

    Raises:
        InputError: everything that is wrong with it.
    """
    from simulator.files.client.folder import load_client

    return load_client(where, cwd=Path.cwd(), scenarios=scenarios)


def confirm_reach(loaded: "LoadedClient") -> None:
    """Have a person at a terminal confirm once what a client reaches; elsewhere, say a line of it.

    Raises:
        InputError: they did not.
    """
    from simulator.files.client import reach as manifest

    lines = manifest.unconfirmed(loaded)
    if not lines:
        return
    from simulator.cli.screens.estimates import show_reach
    from simulator.files.client.reach import reach_of
    from simulator.words import Words

    words, name = Words(loaded.client.language, "reach"), loaded.client.name
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        tell(words("unconfirmed", client=name, n=len(lines)), err=True)
        return
    show_reach(reach_of(loaded), loaded.client.language, err=True)
    if manifest.was_confirmed(loaded):
        tell("\n".join(("", words("new"), *(f"  {line}" for line in lines))), err=True)
    tell(err=True)
    if not click.confirm(words("ask"), default=False, show_default=False, err=True):
        raise InputError(words("declined", client=name))
    manifest.confirm(loaded)


def client_of(header: "RunHeader", named: str | None) -> "LoadedClient":
    """The client that is named, or the one in the folder that a run was held for.

    Raises:
        InputError: its files are wrong, or the folder is gone.
    """
    try:
        return client(named or header.folder)
    except InputError as error:
        if named is not None or Path(header.folder).is_dir():
            raise
        hint = f"run {header.id} belongs to {header.client}; set its folder with --client"
        raise InputError(*error.complaints, hint) from error


@contextmanager
def open_store(url: str | None) -> Iterator["Store"]:
    """An existing store, for reading."""
    from simulator.store.store import Store

    with Store.read(url or config.store_url()) as store:
        yield store


def open_to_write(url: str | None) -> "Store":
    """A store, made where there is none."""
    from simulator.store.store import Store

    return Store.create(url or config.store_url())


def header_named(url: str | None, name: str) -> "RunHeader":
    """The header of a run; `name` as `Store.resolve` takes it."""
    with open_store(url) as store:
        return store.header(store.resolve(name))


def header_of(url: str | None, name: str, kind: "Kind") -> "RunHeader":
    """The header of the run that is to be taken up; `name` as `Store.resolve` takes it.

    Raises:
        InputError: there is no such run, or another command began it.
    """
    from simulator.execution.request import check_kind

    header = header_named(url, name)
    check_kind(header, kind)
    return header


def load_run(store: "Store", name: str) -> "Run":
    """A run of the store as reports receive it; `name` as `Store.resolve` takes it."""
    from simulator.view.stored_run import stored_run

    return stored_run(store, store.header(store.resolve(name)))


def answer(
    figures: "Callable[[], object]",
    view: "Callable[[int], Iterable[RenderableType]]",
    *,
    as_json: bool,
) -> None:
    """Print what a command found: with --json its figures, else a view of the screen's width."""
    if as_json:
        print_json(figures())
    else:
        show_view(view)


def answer_line(figures: object, text: str, *, as_json: bool) -> None:
    """Print what a command did: with --json its figures, else a sentence."""
    if as_json:
        print_json(figures)
    else:
        tell(text)
