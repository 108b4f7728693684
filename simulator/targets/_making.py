"""`package.module:name` made a bot: an object, or what a function or class of that name makes."""

import importlib.util
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.core.errors import InputError
from simulator.targets._importing import check_takes, complaint_of, load_object


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of bot: the setting that names one, what it can do, and how that is said.

    `setting` is such as `runnable`; `fits` tells such a bot from anything else; `right` ends a
    complaint: "an object with `ainvoke`".
    """

    setting: str
    fits: Callable[[Any], bool]
    right: str


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes a bot when called: a new one each time where `is_factory`, else always the same."""

    name: str
    found: Any
    kind: Kind
    places: Sequence[Path]
    is_factory: bool

    def __call__(self) -> Any:
        """The bot.

        Raises:
            InputError: the factory failed, or returned something else.
        """
        if not self.is_factory:
            return self.found
        try:
            made = self.found()
        except (Exception, SystemExit) as error:
            raise InputError(complaint_of(error, self.places, "making")) from error
        if not self.kind.fits(made):
            if inspect.iscoroutine(made):
                made.close()
            raise InputError(f"{self._where} returned {_kind_of(made)}; right is {self.kind.right}")
        return made

    @property
    def _where(self) -> str:
        return f"target.{self.kind.setting}: {self.name!r}"


def maker(name: str, places: Sequence[Path], kind: Kind) -> Maker:
    """What makes the bot behind `package.module:name`; `places` are searched first.

    A class, and any callable that is no such bot itself, is taken for a factory.

    Raises:
        InputError: it cannot be imported, is not there, or is neither a bot nor makes one without
            arguments.
    """
    found = load_object(name, places, kind.setting)
    is_factory = inspect.isclass(found) or not kind.fits(found)
    if is_factory and not callable(found):
        raise InputError(
            f"target.{kind.setting}: {name!r} is {_kind_of(found)}; "
            f"right is {kind.right}, or a function without arguments that returns one"
        )
    if is_factory:
        check_takes(found, (), kind.setting)
    return Maker(name, found, kind, places, is_factory)


def check_installed(module: str, package: str, extra: str) -> None:
    """Make sure that an optional package is there, without importing it.

    Raises:
        InputError: it is not; the message names the extra that brings it.
    """
    try:
        there = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around a module such as `llama_index.core`
        there = False
    if not there:
        raise InputError(
            f"target.kind is {extra}, but {package} is not installed; "
            f"right is: pip install 'mogi[{extra}]'"
        )


def _kind_of(value: Any) -> str:
    if inspect.iscoroutine(value):
        return "a coroutine (mogi does not await a factory)"
    return "None" if value is None else f"of type {type(value).__name__}"
