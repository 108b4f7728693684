"""A folder is a registry: `openai_compatible` holds the class `OpenaiCompatible`.

That is a file or, where one file would hold too much, a folder. What begins with `_` is a helper.

Outsiders name a class of their own as `package.module:Class`.
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from simulator.core.errors import InputError


@cache
def names(room: str) -> tuple[str, ...]:
    """The names of the plugins of a room such as `targets`, sorted."""
    package = importlib.import_module(f"simulator.{room}")
    found = (m.name for m in pkgutil.iter_modules(package.__path__))
    return tuple(sorted(n for n in found if not n.startswith("_")))


def find(room: str, name: str) -> type[Any]:
    """The class behind a plugin's name, or behind `package.module:Class`.

    Raises:
        InputError: there is none; the message lists those that are.
    """
    if ":" in name:
        return _outsider(room, name)
    known = names(room)
    if name not in known:
        raise InputError(f"no {room.removesuffix('s')} {name!r}; {suggest(name, known)}")
    return _public_class(importlib.import_module(f"simulator.{room}.{name}"))


def look_in(*places: Path) -> None:
    """Let outsiders' classes be found in these folders first, from now on.

    A module of the same name that came from elsewhere is forgotten: two clients may each have a
    `my_metric.py`.
    """
    _search_first(places)
    for file in places[0].glob("*.py"):
        _forget_namesake(file.stem, places)


def import_from(name: str, places: Sequence[Path]) -> ModuleType:
    """An outsider's module, looked for in these folders first; they stay in `sys.path`.

    A bot may import its own modules as late as in its first answer. Raises what its code raises.
    """
    _search_first(places)
    _forget_namesake(name, places)
    return importlib.import_module(name)


def _search_first(places: Sequence[Path]) -> None:
    wanted = [str(place) for place in dict.fromkeys(places)]
    sys.path[:] = [*wanted, *(entry for entry in sys.path if entry not in wanted)]
    importlib.invalidate_caches()


def _forget_namesake(name: str, places: Sequence[Path]) -> None:
    """Forget a module of this name that came from elsewhere: two clients may have a `rag.py` each.

    Python would hand out the first client's for the second client.
    """
    path = Path(*name.split("."))
    home = next((place.resolve() for place in places if _holds(place, path)), None)
    if home is None:
        return
    top = name.partition(".")[0]
    cached = {n: m for n, m in sys.modules.items() if n.partition(".")[0] == top}
    files = (getattr(module, "__file__", None) for module in cached.values())
    if not all(file is None or Path(file).resolve().is_relative_to(home) for file in files):
        for module in cached:
            del sys.modules[module]


def _holds(place: Path, module: Path) -> bool:
    return (place / f"{module}.py").is_file() or (place / module / "__init__.py").is_file()


def suggest(name: str, known: tuple[str, ...]) -> str:
    """`did you mean x? there are: x, y` for a name that is not known."""
    near = get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{hint}there are: {', '.join(known) or 'none'}"


def _public_class(module: ModuleType) -> type[Any]:
    stem = module.__name__.rpartition(".")[2]
    wanted = "".join(part.capitalize() for part in stem.split("_"))
    found = getattr(module, wanted, None)
    if not inspect.isclass(found):
        raise InputError(f"{module.__name__} has to hold a class named {wanted}")
    return found


def _outsider(room: str, name: str) -> type[Any]:
    module_name, _, class_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise InputError(f"{room}: cannot import {module_name!r}: {error}") from error
    except (Exception, SystemExit) as error:  # it is somebody's own code
        said = f"{type(error).__name__}: {error}"
        raise InputError(f"{room}: cannot import {module_name!r}: {said}") from error
    found = getattr(module, class_name, None)
    if found is None:
        own = tuple(
            n
            for n, c in vars(module).items()
            if inspect.isclass(c) and c.__module__ == module.__name__
        )
        raise InputError(
            f"{room}: {module_name!r} has no {class_name!r}; {suggest(class_name, own)}"
        )
    if not inspect.isclass(found):
        raise InputError(f"{room}: {name!r} is not a class")
    return found
