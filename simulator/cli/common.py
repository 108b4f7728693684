"""What several commands share: where the store is, a client by its name, a run for a report."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config

if TYPE_CHECKING:
    from simulator.core.run import Kind, Run, RunHeader
    from simulator.files.client import LoadedClient
    from simulator.store.store import Store


class _Name(click.ParamType[str]):
    """Text that names something; an empty one is a shell variable that was not set."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text; nothing but white space is complained about."""
        text = str(value)
        return text if text.strip() else self.fail("it is empty; is a shell variable not set?")


class Count(click.IntRange):
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


NAME = _Name()

store_option = click.option(
    "--store",
    type=NAME,
    metavar="URL",
    help="Where runs are kept.  [default: MOGI_STORE or sqlite:///mogi.db]",
)


def client(where: str) -> "LoadedClient":
    """The client of this name or folder, with all its files read.

    Raises:
        InputError: everything that is wrong with it.
    """
    from simulator.files.client import load_client

    return load_client(where, cwd=Path.cwd())


@contextmanager
def reading(url: str | None) -> Iterator["Store"]:
    """An existing store, for reading."""
    from simulator.store.store import Store

    with Store.read(url or config.store_url()) as store:
        yield store


def resumed(url: str | None, name: str, kind: "Kind") -> "RunHeader":
    """The header of the run that is to be taken up; `name` as `Store.resolve` takes it.

    Raises:
        InputError: there is no such run, or another command began it.
    """
    from simulator.execution.request import check_kind

    with reading(url) as store:
        header = store.header(store.resolve(name))
    check_kind(header, kind)
    return header


def stored(store: "Store", name: str) -> "Run":
    """A run of the store as reports receive it; `name` as `Store.resolve` takes it."""
    from simulator.figures.stored import stored_run

    return stored_run(store, store.header(store.resolve(name)))
