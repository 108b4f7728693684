"""`package.module:name` made a callable or a bot; every way in which that fails is a sentence."""

import ast
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from pydantic import BaseModel

from simulator import config, plugins
from simulator.core.errors import Complaint, InputError
from simulator.core.plan import Reached
from simulator.plugins import suggest
from simulator.targets._shapes import described


class PythonBot:
    """A bot of Python code, which the setting `OF_PYTHON` names as `package.module:name`."""

    LOCAL: ClassVar[bool] = True
    OF_PYTHON: ClassVar[str]

    @classmethod
    def reaches(cls, settings: BaseModel) -> Iterator[Reached]:
        """The code that is imported and run."""
        key = cls.OF_PYTHON
        yield Reached("code", getattr(settings, key), f"target.{key}")

    @classmethod
    def keeps_talk(cls, settings: BaseModel) -> bool:
        """Whether it keeps the talk itself."""
        return bool(getattr(settings, "session", False))


def load_function(name: str, places: Sequence[Path]) -> Callable[..., Any]:
    """The callable behind `package.module:name`, where `name` may be dotted.

    `places` (the client's folder, the working directory) come first in `sys.path` from now on: a
    bot may import its own modules as late as in its first answer.

    Raises:
        InputError: it cannot be imported, is not there or cannot be called.
    """
    function: Callable[..., Any] = load_object(name, places, "function")
    if inspect.isclass(function) or not callable(function):
        kind = "a class" if inspect.isclass(function) else _kind_of(function)
        raise InputError(f"target.function: {name!r} is {kind}; use a function")
    return function


def load_object(name: str, places: Sequence[Path], what: str) -> Any:
    """Whatever stands behind `package.module:name`; `what` is the setting that names it.

    Raises:
        InputError: it cannot be imported, or is not there.
    """
    if config.is_untrusted():
        raise InputError(f"--untrusted blocks the code {name} (target.{what})")
    module_name, colon, attribute = name.partition(":")
    if not (module_name and colon and attribute):
        raise InputError(f'target.{what}: {name!r} isn\'t the name of a {what}; use "module:name"')
    value: Any = _module(module_name, places, what)
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise InputError(_missing(value, part, module_name, what))
        value = getattr(value, part)
    return value


def check_takes(
    function: Callable[..., Any], arguments: Sequence[str], what: str = "function"
) -> None:
    """Make sure that a function can be called with so many positional arguments.

    Raises:
        InputError: it cannot; the message shows its signature.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables written in C tell nothing of themselves
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        called = f"({', '.join(arguments)})"
        name = getattr(function, "__qualname__", type(function).__qualname__)
        raise InputError(
            f"target.{what}: mogi calls it as {called}, but it is {name}{signature}: {error}"
        ) from error


def _module(name: str, places: Sequence[Path], what: str) -> ModuleType:
    try:
        return plugins.import_from(name, places)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise InputError(_not_found(name, error.name, places, what)) from error
        raise InputError(complaint_of(error, places)) from error
    except (Exception, SystemExit) as error:
        raise InputError(complaint_of(error, places)) from error


def _not_found(name: str, missing: str, places: Sequence[Path], what: str) -> str:
    looked = " and ".join(map(str, dict.fromkeys(places)))
    text = f"target.{what}: no module {missing!r} in {looked} or in the installed packages"
    if missing != name.partition(".")[0]:
        return text
    modules = {
        path.stem
        for place in places
        for path in place.glob("*")
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    below = [os.path.relpath(f) for p in places for f in sorted(p.glob(f"*/{missing}.py"))]
    where = f"{below[0]} is there" if below else "if it's in another folder"
    folder = os.path.dirname(below[0]) if below else "FOLDER"
    return (
        f"{text}; {suggest(missing, tuple(sorted(modules)))}; {where}: PYTHONPATH={folder} mogi ..."
    )


def _missing(holder: Any, part: str, module: str, what: str) -> str:
    """That an attribute is not there, and which ones there are that could be meant."""
    own = vars(holder).items() if hasattr(holder, "__dict__") else ()
    names = (key for key, value in own if key[0] != "_" and _may_be_meant(value, what))
    return f"target.{what}: {module!r} has no {part!r}; {suggest(part, tuple(sorted(names)))}"


def _may_be_meant(value: Any, what: str) -> bool:
    if inspect.isclass(value) or inspect.ismodule(value):
        return False
    return what != "function" or callable(value)


def complaint_of(
    error: BaseException, places: Sequence[Path], doing: str = "importing"
) -> Complaint:
    """An error inside the bot's module, at the bot's own line that led to it."""
    what = f"{doing} the bot failed: {described(error)}"
    if isinstance(error, SyntaxError) and error.filename:
        return Complaint(_short(error.filename), error.lineno or 0, what)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if _is_theirs(f.filename)]
    own = [f for f in frames if any(Path(f.filename).is_relative_to(p) for p in places)]
    for frame in (own or frames)[-1:]:
        return Complaint(_short(frame.filename), frame.lineno or 0, what)
    return Complaint("", 0, what)


def _is_theirs(file: str) -> bool:
    return "importlib" not in file and file not in (__file__, plugins.__file__)


def _short(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


@dataclass(frozen=True, slots=True)
class BotKind:
    """A kind of bot: the setting that names one, what it can do, and how that is said.

    `setting` is such as `runnable`; `fits` tells such a bot from anything else; `right` ends a
    complaint: "an object with `ainvoke`".
    """

    setting: str
    fits: Callable[[Any], bool]
    right: str


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes a bot when called: a new one each time where `is_factory`, else always the same.

    `loaded` is what stands behind `name`: the factory, or the bot itself.
    """

    name: str
    loaded: Any
    kind: BotKind
    places: Sequence[Path]
    is_factory: bool

    def __call__(self) -> Any:
        """The bot.

        Raises:
            InputError: the factory failed, or returned something else.
        """
        if not self.is_factory:
            return self.loaded
        try:
            bot = self.loaded()
        except (Exception, SystemExit) as error:
            raise InputError(complaint_of(error, self.places, "making")) from error
        if not self.kind.fits(bot):
            if inspect.iscoroutine(bot):
                bot.close()
            where, right = f"target.{self.kind.setting}: {self.name!r}", self.kind.right
            raise InputError(f"{where} returned {_kind_of(bot)}; expected {right}")
        return bot


def maker(name: str, places: Sequence[Path], kind: BotKind) -> Maker:
    """What makes the bot behind `package.module:name`; `places` are searched first.

    A class, and any callable that is no such bot itself, is taken for a factory.

    Raises:
        InputError: it cannot be imported, is not there, or is neither a bot nor makes one without
            arguments.
    """
    loaded = load_object(name, places, kind.setting)
    is_factory = inspect.isclass(loaded) or not kind.fits(loaded)
    if is_factory and not callable(loaded):
        raise InputError(
            f"target.{kind.setting}: {name!r} is {_kind_of(loaded)}; "
            f"expected {kind.right}, or a function without arguments that returns one"
        )
    if is_factory:
        check_takes(loaded, (), kind.setting)
    return Maker(name, loaded, kind, places, is_factory)


def check_installed(module: str, package: str, extra: str) -> None:
    """Make sure that an optional package is there, without importing it.

    Raises:
        InputError: it is not; the message names the extra that brings it.
    """
    try:
        is_installed = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around a module such as `llama_index.core`
        is_installed = False
    if not is_installed:
        raise InputError(
            f"target.kind is {extra}, but {package} isn't installed; "
            f"run: pip install 'mogi[{extra}]'"
        )


def _kind_of(value: Any) -> str:
    if inspect.iscoroutine(value):
        return "a coroutine (mogi doesn't await factory functions)"
    return "None" if value is None else f"of type {type(value).__name__}"


_OURS = __name__.partition(".")[0]
_LARGEST = 2_000_000  # bytes of a module that is looked at


def files_of(name: str, places: Sequence[Path]) -> dict[str, Path]:
    """The files of a bot's own Python: its module, and what that imports from the same places.

    They are read and not imported; a module that is installed stands there alone, and mogi's own
    are nobody's bot, wherever they stand. Keys are the paths below the place, or the module's name.
    """
    files: dict[str, Path] = {}
    left, seen = [name.partition(":")[0]], set[str]()
    while left:
        module = left.pop()
        if module in seen or module.partition(".")[0] == _OURS:
            continue
        seen.add(module)
        for place in places:
            if file := _file_of(module, place):
                files.setdefault(file.relative_to(place).as_posix(), file)
                left += _imported(file, module)
                break
    if not files and (installed := _installed(name.partition(":")[0])):
        files[name.partition(":")[0]] = installed
    return files


def _file_of(module: str, place: Path) -> Path | None:
    base = place.joinpath(*module.split("."))
    files = (base.with_name(f"{base.name}.py"), base / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def _imported(file: Path, module: str) -> Iterator[str]:
    """The modules that a file may import, wherever it does so; those it cannot be told are not."""
    try:
        with file.open("rb") as source:
            tree = ast.parse(source.read(_LARGEST))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
    yield from (".".join(package[:n]) for n in range(1, len(package) + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (part for part in [base] if part)
            yield from (f"{base}.{a.name}".lstrip(".") for a in node.names if a.name != "*")


def _installed(module: str) -> Path | None:
    loaded = getattr(sys.modules.get(module), "__file__", None)
    if loaded:
        return Path(loaded)
    with suppress(Exception):  # whoever cannot be found now is complained of when it is opened
        top = importlib.util.find_spec(module.partition(".")[0])
        if top is not None and top.origin:
            home = Path(top.origin).parent
            return _file_of(module, home.parent if top.submodule_search_locations else home)
    return None
