"""A folder is a registry: `openai_compatible` holds the class `OpenaiCompatible`.

That is a file or, where one file would hold too much, a folder. What begins with `_` is a helper.

Outsiders name a class of their own as `package.module:Class`.
"""

import ast
import importlib
import inspect
import os
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from simulator.core.clean import visible
from simulator.core.errors import Complaint, InputError
from simulator.core.outcome import MetricInfo

if TYPE_CHECKING:
    from simulator.core.events import Exporter

_EXPORTERS = "mogi.exporters"  # a group of entry points
# The folders in which outsiders' code is looked for while it is only looked at.
_LOOKED_IN: ContextVar[list[Path] | None] = ContextVar("looked_in", default=None)


@cache
def names(room: str) -> tuple[str, ...]:
    """The names of the plugins of a room such as `targets`, sorted."""
    package = importlib.import_module(f"simulator.{room}")
    modules = (m.name for m in pkgutil.iter_modules(package.__path__))
    return tuple(sorted(n for n in modules if not n.startswith("_")))


def find(room: str, name: str) -> type[Any]:
    """The class behind a plugin's name, or behind `package.module:Class`.

    Raises:
        InputError: there is none; the message lists those that are.
    """
    if ":" in name:
        return _stand_in(room, name) if is_unimported() else _outsider(room, name)
    known = names(room)
    if name not in known:
        raise InputError(f"no {room.removesuffix('s')} {name!r}; {suggest(name, known)}")
    return _public_class(importlib.import_module(f"simulator.{room}.{name}"))


def check_exporters(option: str, names: Iterable[str]) -> None:
    """Complain of exporters that neither mogi nor an installed package has. Imports none of them.

    Raises:
        InputError: for each of them, as what was typed behind `option`; the message lists those
            that exist.
    """
    known = tuple(sorted(_exporters()))
    wrong = [name for name in names if name not in known]
    if wrong:
        raise InputError(*(f"{option}: no exporter {n!r}; {suggest(n, known)}" for n in wrong))


def exporter(name: str) -> "type[Exporter]":
    """The exporter of this name, of an installed package or our own.

    Raises:
        InputError: it cannot be imported.
    """
    named = _exporters()[name]
    return _outsider("exporters", named) if named else find("exporters", name)


def _exporters() -> dict[str, str]:
    """Names of exporters, with what packages bring for them: `package.module:Class`, or nothing."""
    from importlib.metadata import entry_points  # late: nearly no run asks for one

    own = dict.fromkeys(names("exporters"), "")
    return own | {entry.name: entry.value for entry in entry_points(group=_EXPORTERS)}


def look_in(*places: Path) -> None:
    """Let outsiders' classes be found in these folders first, from now on.

    A module of the same name that came from elsewhere is forgotten: two clients may each have a
    `my_metric.py`.
    """
    looked_in = _LOOKED_IN.get()
    if looked_in is not None:  # in sys.path a file of theirs could stand in for one of ours
        looked_in[:] = places
        return
    _search_first(places)
    for file in places[0].glob("*.py"):
        _forget_namesake(file.stem, places)


def import_from(name: str, places: Sequence[Path]) -> ModuleType:
    """An outsider's module, looked for in these folders first; they stay in `sys.path`.

    A bot may import its own modules as late as in its first answer. Raises what its code raises.

    Raises:
        InputError: nothing is trusted.
    """
    _check_trust(name)
    _search_first(places)
    _forget_namesake(name, places)
    return importlib.import_module(name)


def _check_trust(name: str) -> None:
    if is_unimported():
        raise InputError(f"the code {name} is only read, not imported")


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
    """`did you mean x? choose from: x, y` for a name that is not known."""
    near = get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}? " if near else ""
    if near and visible(name) == near[0] != name:  # the same text would be offered
        hint = f"{near[0]} is written with an extra space or an invisible character; "
    return f"{hint}choose from: {', '.join(known)}" if known else "there are none"


def _public_class(module: ModuleType) -> type[Any]:
    stem = module.__name__.rpartition(".")[2]
    wanted = "".join(part.capitalize() for part in stem.split("_"))
    plugin = getattr(module, wanted, None)
    if not inspect.isclass(plugin):
        raise InputError(f"{module.__name__} must contain a class named {wanted}")
    return plugin


def _outsider(room: str, name: str) -> type[Any]:
    _check_trust(name)
    module_name, _, class_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise InputError(f"{room}: can't import {module_name!r}: {error}") from error
    except (Exception, SystemExit) as error:  # it is somebody's own code
        what = f"{type(error).__name__}: {error}"
        raise InputError(f"{room}: can't import {module_name!r}: {what}") from error
    plugin = getattr(module, class_name, None)
    if plugin is None:
        own = tuple(
            n
            for n, c in vars(module).items()
            if inspect.isclass(c) and c.__module__ == module.__name__
        )
        raise InputError(
            f"{room}: {module_name!r} has no {class_name!r}; {suggest(class_name, own)}"
        )
    if not inspect.isclass(plugin):
        raise InputError(f"{room}: {name!r} isn't a class")
    return plugin


@contextmanager
def unimported() -> Iterator[None]:
    """Within the block outsiders' code is looked at, as text, and never imported or run.

    `find` then returns a stand-in for a class: with its literals, and with methods that take what
    its own take and do nothing.
    """
    before = _LOOKED_IN.set([])
    try:
        yield
    finally:
        _LOOKED_IN.reset(before)


def is_unimported() -> bool:
    """Whether outsiders' code is only looked at."""
    return _LOOKED_IN.get() is not None


@dataclass(frozen=True, slots=True)
class Place:
    """Where something of an outsider's stands; `sure` False: text alone does not tell all of it.

    `file` is None where there is no source: a module of C, or of Python itself.
    """

    file: Path | None
    line: int = 0
    sure: bool = True


def source_of(module: str, places: Sequence[Path] = ()) -> Path | None:
    """The file of a module that would be imported, found without importing it or its packages.

    Raises:
        ModuleNotFoundError: there is none.
    """
    if module.partition(".")[0] in sys.builtin_module_names:
        return None
    spec, path = None, [*map(str, places), *sys.path]
    for part in module.split("."):
        spec = PathFinder.find_spec(part, path) or _of_others(part, path if spec else None)
        if spec is None:
            break
        path = list(spec.submodule_search_locations or ())
    if spec is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    is_text = spec.origin is not None and spec.origin.endswith(".py")
    return Path(str(spec.origin)) if is_text else None


def file_of(module: str) -> str | None:
    """The file of a module of an outsider's, which is imported or is looked at; None: it has none.

    The same in either case, so that a run is told to be the same.
    """
    if not is_unimported():
        return getattr(sys.modules.get(module), "__file__", None)
    source = source_of(module, _LOOKED_IN.get() or ())
    return str(source) if source else None


def _of_others(name: str, path: list[str] | None) -> ModuleSpec | None:
    """What the finders that are installed here say, such as those of editable packages."""
    specs = (f.find_spec(name, path) for f in sys.meta_path if hasattr(f, "find_spec"))
    return next((spec for spec in specs if spec is not None), None)


def look_up(name: str, places: Sequence[Path] = ()) -> tuple[ast.AST | None, Place]:
    """What stands behind `package.module:name` in the module's text, without importing it.

    None: text does not tell (it is assigned, imported, or made when it is asked for).

    Raises:
        InputError: there is no such module, it is no Python, or nothing of that name is in it.
    """
    module, _, dotted = name.partition(":")
    try:
        file = source_of(module, places)
    except ModuleNotFoundError as error:
        raise InputError(f"can't import {module!r}: {error}") from error
    if file is None:
        return None, Place(None, sure=False)
    body = _parsed(file, module)
    wanted, _, inner = dotted.partition(".")
    named = {bound: node for node in body for bound in _names_bound(node)}
    node = named.get(wanted)
    if node is None and not {"*", "__getattr__"} & named.keys():
        imports = ast.Import, ast.ImportFrom
        own = tuple(sorted(n for n in named if n[0] != "_" and not isinstance(named[n], imports)))
        raise InputError(f"{module!r} has no {wanted!r}; {suggest(wanted, own)}")
    is_sure = isinstance(node, _TOLD) and not inner
    return (node if is_sure else None), Place(file, getattr(node, "lineno", 0), sure=is_sure)


_TOLD = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)
_MOST = 2_000_000  # bytes of a module that is looked at


def _parsed(file: Path, module: str) -> list[ast.AST]:
    """The statements of a module, those inside of its `if` and `try` as well."""
    try:
        with file.open("rb") as opened:
            tree = ast.parse(opened.read(_MOST))
    except SyntaxError as error:
        why = f"SyntaxError: {error.msg}"
        place = Path(os.path.relpath(file)) if file.is_relative_to(Path.cwd()) else file
        raise InputError(Complaint(place.as_posix(), error.lineno or 0, why)) from error
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"can't import {module!r}: {type(error).__name__}: {error}") from error
    statements: list[ast.AST] = []
    left: list[ast.AST] = list(reversed(tree.body))
    while left:
        node = left.pop()
        statements.append(node)
        if isinstance(node, _BLOCKS):
            left += reversed(list(ast.iter_child_nodes(node)))
        elif isinstance(node, ast.ExceptHandler):
            left += reversed(node.body)
    return statements


def _names_bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, _TOLD):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((a.asname or a.name).partition(".")[0] for a in node.names)
    elif isinstance(node, ast.stmt):
        yield from (
            inner.id
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        )


def _stand_in(room: str, name: str) -> type[Any]:
    """The class behind `package.module:Class` as far as its text tells."""
    module, _, class_name = name.partition(":")
    places = tuple(_LOOKED_IN.get() or ())
    try:
        node, place = look_up(name, places)
    except InputError as error:
        wrong = [c if c.file else f"{room}: {c.message}" for c in error.complaints]
        raise InputError(*wrong) from error
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        raise InputError(f"{room}: {name!r} isn't a class")
    members: dict[str, Any] = {"__module__": module}
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            members |= dict(_member(inner))
        # What it inherits or is decorated with is not looked for.
        place = replace(place, sure=not (node.bases or node.keywords or node.decorator_list))
    if not place.sure:
        usual = ("open", "score", "score_talk")
        members = {**dict.fromkeys(usual, _anything), "INFOS": _UNTOLD, **members}
    if members.get("INFOS") is _UNTOLD:
        place = replace(place, sure=False)
        members["INFOS"] = (MetricInfo(class_name, class_name),)
    literals = {n: _anything if value is _UNTOLD else value for n, value in members.items()}
    return type(class_name, (), {"Settings": _anything_goes(), **literals, "PLACE": place})


@cache
def _anything_goes() -> type:
    """Stands for settings that only their own code could check."""
    from pydantic import ConfigDict, create_model

    return create_model("_Anything", __config__=ConfigDict(extra="allow"))


def stand_in_of(node: ast.AST) -> Any:
    """A function that takes what that of a text takes, and does nothing; a class for a class."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _method(node)
    return type


async def _anything(*_: Any, **__: Any) -> None:
    """Stands for a method of which the text does not tell what it takes."""


_UNTOLD = object()


def _member(node: ast.stmt) -> Iterator[tuple[str, Any]]:
    """What of a class's body is told: methods by what they take, and literals."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name, _method(node)
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, _value(node.value)


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Tuple | ast.List):
        values = tuple(map(_value, node.elts))
        return _UNTOLD if _UNTOLD in values else values
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("MetricInfo"):
        try:
            plain = [ast.literal_eval(each) for each in node.args]
            named = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords}
            return MetricInfo(*plain, **named)
        except (ValueError, TypeError):
            return _UNTOLD
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _UNTOLD


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
    """A method that takes the same and does nothing: of the text only the names are compiled."""
    known = [d for d in node.decorator_list if ast.unparse(d) in ("classmethod", "staticmethod")]
    if len(known) < len(node.decorator_list):
        return _anything  # a decorator may change what it takes
    none, args = ast.Constant(None), node.args
    plain = ast.arguments(
        posonlyargs=[ast.arg(a.arg) for a in args.posonlyargs],
        args=[ast.arg(a.arg) for a in args.args],
        vararg=args.vararg and ast.arg(args.vararg.arg),
        kwonlyargs=[ast.arg(a.arg) for a in args.kwonlyargs],
        kw_defaults=[d and none for d in args.kw_defaults],
        kwarg=args.kwarg and ast.arg(args.kwarg.arg),
        defaults=[none for _ in args.defaults],
    )
    made = type(node)(name="method", args=plain, body=[ast.Pass()], decorator_list=[])
    names: dict[str, Any] = {}
    tree = ast.fix_missing_locations(ast.Module([made], []))
    exec(compile(tree, "<looked at>", "exec"), {"__builtins__": {}}, names)  # noqa: S102
    wrap = {"classmethod": classmethod, "staticmethod": staticmethod}
    return wrap[ast.unparse(known[0])](names["method"]) if known else names["method"]
