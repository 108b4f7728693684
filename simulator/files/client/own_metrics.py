"""A client's own Python metric, looked at before it is used: has it all that a metric needs?"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from simulator import plugins
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.outcome import MetricInfo
from simulator.formats.complaints import shown
from simulator.formats.sources import Source

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# What a method is given after `self`, by the scope of the metric's infos.
_GIVEN: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "turn": ("score", ("evidence",)),
    "talk": ("score_talk", ("evidence", "stop")),
}


def metric_class(name: str) -> type[Any]:
    """The class of a shipped metric, or of `module:Class` with all that a metric needs.

    Raises:
        InputError: there is none, it cannot be imported, or it lacks something; the complaints
            name the file and the line of the class.
    """
    found = plugins.find("metrics", name)
    if ":" in name:
        raise_all([complaint_about(found, problem) for problem in _problems(found)])
    return found


def complaint_about(kind: type[Any], message: str) -> Complaint:
    """A complaint at the place where the class stands."""
    try:
        path, line = inspect.getsourcefile(kind), inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        path, line = None, 0
    if path is None:
        return Complaint("", 0, f"{kind.__module__}: {message}")
    return Source.of(Path(path)).complaint(line, message)


def opened(kind: type[Any], context: Any) -> Any:
    """The metric, ready to score.

    Raises:
        InputError: somebody's own class cannot be opened, or what comes of it is no metric.
    """
    if kind.__module__.startswith("simulator."):
        return kind.open(context)
    try:
        metric = kind.open(context)
    except InputError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        message = f"{kind.__name__} cannot be opened ({said}); mend its open or its __init__"
        raise InputError(complaint_about(kind, message)) from error
    if not _are_infos(getattr(metric, "infos", None)):
        message = (
            f"what {kind.__name__}.open returns has no infos; "
            "write self.infos = self.INFOS into its __init__"
        )
        raise InputError(complaint_about(kind, message))
    return metric


def _problems(kind: type[Any]) -> Iterator[str]:
    name = kind.__name__
    infos = getattr(kind, "INFOS", None)
    right = f'write INFOS = (MetricInfo("{_HUMP.sub("_", name).lower()}", "{name}"),) into it'
    if infos is None:
        yield f"{name} has no INFOS; {right}"
    elif not _are_infos(infos):
        found = "is empty" if infos in ((), []) else "is no tuple of MetricInfo"
        yield f"INFOS of {name} {found}; {right}"
    else:
        yield from _of_infos(name, infos)
    yield from _of_method(kind, "open", ("context",), "@classmethod def open(cls, context)")
    if not hasattr(kind, "section"):  # that is asked in the judge's call, and scores nothing itself
        # Of a class whose INFOS are wrong: the usual one.
        scopes = dict.fromkeys(i.scope for i in infos) if _are_infos(infos) else ["turn"]
        for method, given in (_GIVEN[scope] for scope in scopes if scope in _GIVEN):
            wanted = f"async def {method}(self, {', '.join(given)})"
            yield from _of_method(kind, method, ("self", *given), wanted)


def _of_infos(name: str, infos: tuple[MetricInfo, ...]) -> Iterator[str]:
    names = [info.name for info in infos]
    for info in infos:
        if not (isinstance(info.name, str) and info.name.strip()):
            yield f'INFOS of {name}: {shown(info.name)} is no name; write text, such as "short"'
        if info.scope not in _GIVEN:
            yield f"INFOS of {name}: scope: {shown(info.scope)} is none; write turn or talk"
    for twice in sorted({str(n) for n in names if names.count(n) > 1}):
        yield f"INFOS of {name}: the name {shown(twice)} stands there twice; write it once"


def _of_method(kind: type[Any], name: str, given: tuple[str, ...], wanted: str) -> Iterator[str]:
    method = getattr(kind, name, None)
    if not callable(method):
        yield f"{kind.__name__} has no {name}; write {wanted}"
        return
    if wanted.startswith("async") and not inspect.iscoroutinefunction(inspect.unwrap(method)):
        yield f"{name} of {kind.__name__} is not async; write {wanted}"
    if not _takes(method, given):
        yield f"{name} of {kind.__name__} does not take {', '.join(given)}; write {wanted}"


def _takes(method: Callable[..., Any], given: tuple[str, ...]) -> bool:
    try:
        inspect.signature(method).bind(*given)
    except (TypeError, ValueError) as error:
        return isinstance(error, ValueError)  # nobody can say
    return True


def _are_infos(infos: object) -> TypeGuard[tuple[MetricInfo, ...]]:
    is_list = isinstance(infos, (tuple, list)) and bool(infos)
    return is_list and all(isinstance(info, MetricInfo) for info in infos)  # type: ignore[attr-defined]
