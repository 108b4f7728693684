"""A folder is a registry: `openai_compatible.py` holds the class `OpenaiCompatible`.

Outsiders name a class of their own as `package.module:Class`.
"""

import importlib
import inspect
import pkgutil
import sys
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
    wanted = [str(place) for place in dict.fromkeys(places)]
    sys.path[:] = [*wanted, *(entry for entry in sys.path if entry not in wanted)]
    for file in places[0].glob("*.py"):
        known = getattr(sys.modules.get(file.stem), "__file__", None)
        if known and Path(known) != file:
            del sys.modules[file.stem]
    importlib.invalidate_caches()


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


def _is_own_class(found: object, module: ModuleType) -> bool:
    return inspect.isclass(found) and found.__module__ == module.__name__


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
        own = tuple(n for n, c in vars(module).items() if _is_own_class(c, module))
        raise InputError(
            f"{room}: {module_name!r} has no {class_name!r}; {suggest(class_name, own)}"
        )
    if not inspect.isclass(found):
        raise InputError(f"{room}: {name!r} is not a class")
    return found
