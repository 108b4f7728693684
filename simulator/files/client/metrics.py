"""A client's metrics against those that there are, its own Python classes among them."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeGuard

from simulator import plugins
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.health import Rubric
from simulator.core.outcome import MetricInfo
from simulator.core.plan import Client
from simulator.files.client.client_yaml import ClientFile
from simulator.files.client.keys import find_kind
from simulator.formats.sources import Source, hint, shown

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
    kind = plugins.find("metrics", name)
    if ":" in name:
        raise_all([complaint_about(kind, problem) for problem in _problems(kind)])
    return kind


def complaint_about(kind: type[Any], message: str) -> Complaint:
    """A complaint at the place where the class stands."""
    place: plugins.Place | None = getattr(kind, "PLACE", None)
    if place is not None and place.file is not None:
        return Source.of(place.file).complaint(place.line, message)
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
    if hasattr(kind, "PLACE"):  # it is only looked at
        return SimpleNamespace(infos=kind.INFOS)
    try:
        metric = kind.open(context)
    except InputError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        message = f"{kind.__name__} can't be opened ({problem}); fix its open or its __init__"
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
        problem = "is empty" if infos in ((), []) else "isn't a tuple of MetricInfo"
        yield f"INFOS of {name} {problem}; {right}"
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
            yield f'INFOS of {name}: {shown(info.name)} isn\'t a name; use text, such as "short"'
        if info.scope not in _GIVEN:
            yield f"INFOS of {name}: scope: {shown(info.scope)} isn't valid; write turn or talk"
    for twice in sorted({str(n) for n in names if names.count(n) > 1}):
        yield f"INFOS of {name}: the name {shown(twice)} appears twice; write it once"


def _of_method(kind: type[Any], name: str, given: tuple[str, ...], wanted: str) -> Iterator[str]:
    method = getattr(kind, name, None)
    if not callable(method):
        yield f"{kind.__name__} has no {name}; write {wanted}"
        return
    if wanted.startswith("async") and not inspect.iscoroutinefunction(inspect.unwrap(method)):
        yield f"{name} of {kind.__name__} isn't async; write {wanted}"
    if not _takes(method, given):
        yield f"{name} of {kind.__name__} doesn't take {', '.join(given)}; write {wanted}"


def _takes(method: Callable[..., Any], given: tuple[str, ...]) -> bool:
    try:
        inspect.signature(method).bind(*given)
    except (TypeError, ValueError) as error:
        return isinstance(error, ValueError)  # nobody can say
    return True


def _are_infos(infos: object) -> TypeGuard[tuple[MetricInfo, ...]]:
    is_list = isinstance(infos, (tuple, list)) and bool(infos)
    return is_list and all(isinstance(info, MetricInfo) for info in infos)  # type: ignore[attr-defined]


# The judge's own plugin: its metrics are the aspects of the rubrics.
_JUDGED = "rubrics"


@dataclass(frozen=True, slots=True)
class Metrics:
    """What naming metrics brings: plugins to compute them, rubrics to ask, names that result.

    `named` holds plugins, aspects and rubrics as a run wants them: one result of a plugin that
    yields several stands under the plugin's own name.
    """

    named: tuple[str, ...]
    rubrics: tuple[Rubric, ...]
    yielded: frozenset[str]


def check_metrics(
    file: ClientFile, rubrics: Mapping[str, Rubric]
) -> tuple[Metrics, list[Complaint]]:
    """What a client's metrics bring, and what is wrong with the names it uses."""
    entry, marked = file.entry, file.marked
    names = MetricNames(rubrics, entry.metrics)
    metrics, wrong = names.choose(entry.metrics)
    complaints = [
        # What is wrong in a metric's own file is told with its place there.
        said if said.file else marked.complaint(("metrics", index), said.message)
        for index, name in enumerate(entry.metrics)
        for said in wrong.get(name, ())
    ]
    written = marked.data.get("thresholds")  # a wrong number does not hide a wrong name
    own = [name for name in entry.metrics if ":" in name]
    if not all(name not in wrong and _is_known(name) for name in own):  # nor its metrics' names
        return metrics, complaints
    for name in written if isinstance(written, dict) else ():
        if name not in metrics.yielded and name not in (known := names.all()):
            message = f"thresholds: no metric {shown(name)}; {hint(name, known)}"
            complaints.append(marked.complaint(("thresholds", name), message))
    if not wrong and not file.wrong & {"metrics", "score_by"}:
        complaints += _of_score_by(file, metrics, names)
    return metrics, complaints


def _is_known(metric: str) -> bool:
    """Whether the metrics of somebody's own class are known for sure."""
    place = getattr(plugins.find("metrics", metric), "PLACE", None)
    return place is None or place.sure


def _of_score_by(file: ClientFile, metrics: Metrics, names: "MetricNames") -> list[Complaint]:
    name, brought = file.entry.score_by, sorted(metrics.yielded)
    if name in brought:
        return []
    if "score_by" not in file.entry.model_fields_set:
        message = (
            f'metrics don\'t include "{name}", the default main score; add {name}, or write '
            f"score_by: {' or '.join(brought)}"
        )
        return [file.marked.complaint(("metrics",), message)]
    if name in names.all():
        message = f'score_by: "{name}" isn\'t in metrics; add it'
    else:
        message = f"score_by: no metric {shown(name)}; {hint(name, brought)}"
    return [file.marked.complaint(("score_by",), message)]


class MetricNames:
    """All names that a client file may use, and what each of them brings.

    `own` are metrics as a client names them; those of its own classes, `file:Class`, are found
    under what they yield as well.
    """

    def __init__(self, rubrics: Mapping[str, Rubric], own: Iterable[str] = ()) -> None:
        self._rubrics = rubrics
        shipped = (n for n in plugins.names("metrics") if n != _JUDGED)
        self._plugins = tuple(dict.fromkeys([*shipped, *(n for n in own if ":" in n)]))

    def all(self) -> tuple[str, ...]:
        """Every metric that a threshold or `score_by` can speak of, sorted."""
        aspects = {a.name for r in self._rubrics.values() for a in r.aspects}
        return tuple(sorted(aspects.union(*map(self._yields_if_usable, self._plugins))))

    def yields(self, plugin: str) -> frozenset[str]:
        """The metrics of a plugin.

        Raises:
            InputError: it cannot be used: an optional package is missing, or it is no metric.
        """
        return frozenset(info.name for info in metric_class(plugin).INFOS)

    def choose(self, names: tuple[str, ...]) -> tuple[Metrics, dict[str, tuple[Complaint, ...]]]:
        """What `names` bring together, and what is wrong with each name that is.

        Complaints without a file are about the name itself.
        """
        wrong: dict[str, tuple[Complaint, ...]] = {}
        rubrics_by_id = {n: self._rubrics[n] for n in names if n in self._rubrics}
        brought_by = {n: n for n in rubrics_by_id}
        computed: dict[str, str] = {}
        for name in names:
            try:
                if plugin := self._plugin(name):
                    computed |= dict.fromkeys(self.yields(plugin), plugin)
                elif name not in rubrics_by_id:
                    rubric = self._rubric_of(name, rubrics_by_id)
                    rubrics_by_id[rubric.id] = rubric
                    brought_by.setdefault(rubric.id, name)
            except InputError as error:
                wrong[name] = error.complaints
        rubrics = tuple(rubrics_by_id.values())
        for rubric_id, message in _clashes(rubrics, computed):
            wrong.setdefault(brought_by[rubric_id], (Complaint("", 0, message),))
        kept = tuple(dict.fromkeys(self._plugin(n) or n for n in names))
        aspects = frozenset(a.name for r in rubrics for a in r.aspects)
        return Metrics(kept, rubrics, aspects | computed.keys()), wrong

    def _plugin(self, name: str) -> str | None:
        if name in self._plugins or ":" in name:
            return name
        if name in self._rubrics or self._having(name):
            return None
        return next((p for p in self._plugins if name in self._yields_if_usable(p)), None)

    def _yields_if_usable(self, plugin: str) -> frozenset[str]:
        try:
            return self.yields(plugin)
        except InputError:  # an optional package is missing, and nobody may have asked for it
            return frozenset() if ":" in plugin else frozenset({plugin})

    def _having(self, aspect: str) -> list[str]:
        return [r.id for r in self._rubrics.values() if aspect in (a.name for a in r.aspects)]

    def _rubric_of(self, aspect: str, asked: Mapping[str, Rubric]) -> Rubric:
        having = self._having(aspect)
        already = [name for name in having if name in asked]
        if not having:
            known = sorted({*self.all(), *self._rubrics})
            raise InputError(f"no metric {shown(aspect)}; {hint(aspect, known)}")
        if len(having) > 1 and not already:
            raise InputError(
                f'"{aspect}" is in the rubrics {" and ".join(having)}; use the name of the rubric'
            )
        return self._rubrics[(already or having)[0]]


def _clashes(rubrics: tuple[Rubric, ...], computed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(rubric, complaint) where two sources would yield one and the same metric."""
    first = {name: f"the metric {plugin}" for name, plugin in computed.items()}
    for rubric in rubrics:
        for aspect in rubric.aspects:
            other = first.setdefault(aspect.name, f"the rubric {rubric.id}")
            if other != f"the rubric {rubric.id}":
                both = f"{other} and the rubric {rubric.id}"
                yield rubric.id, f'{both} both produce "{aspect.name}"; remove one of them'


LACKING = "needs an embedding model; write embedding: {model: …} in client.yaml"


def needs_embedding(metric: str) -> bool:
    """Whether an embedding model is called for this metric, by its name or its plugin's.

    What stands in a rubric, and what cannot be found, needs none.
    """
    try:
        infos = getattr(find_kind("metrics", metric), "INFOS", ())
    except InputError:
        return False
    return any("embedding" in info.needs for info in infos)


def lacking_embedding(file: ClientFile) -> list[Complaint]:
    """A complaint for each metric that needs an embedding model where the file names none."""
    if file.entry.embedding is not None or file.wrong & {"embedding", "metrics"}:
        return []
    return [
        file.marked.complaint(("metrics", index), f"{name} {LACKING}")
        for index, name in enumerate(file.entry.metrics)
        if needs_embedding(name)
    ]


def check_embedding(client: Client) -> None:
    """The same of metrics that were named on the command line.

    Raises:
        InputError: for each metric that lacks a model.
    """
    lacking = [m for m in client.metrics if needs_embedding(m)] if not client.embedding else []
    if lacking:
        raise InputError(*(f"--metric {name}: {name} {LACKING}" for name in lacking))
