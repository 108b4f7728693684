"""Metrics by their names instead of a client's own: what is computed, and what a judge is asked."""

from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

from simulator import plugins
from simulator.build.plan import plugin_of
from simulator.core.errors import InputError
from simulator.core.outcome import MetricInfo
from simulator.core.rubric import Rubric
from simulator.files.client.loading import LoadedClient
from simulator.files.client.metrics import MetricNames, Metrics

# Formulas that are kept to compare with older figures: scored where somebody names them.
_ONLY_WHEN_NAMED = frozenset({"sudachi_f1_legacy"})
# Without a name from a person, the first of these that there is becomes *the* score of a turn.
_PREFERRED = ("overall", "lexical", "sudachi_f1")
_ANSWERABLE = frozenset({"ground_truth", "elements", "documents", "answerable", "escalate"})


def with_metrics(loaded: LoadedClient, names: Sequence[str]) -> LoadedClient:
    """The client with these metrics instead of its own: plugins, rubrics or their aspects.

    A metric of the client's own is found under what it yields, too. The client's `score_by`
    stays if they bring it; else it is the first of them.

    Raises:
        InputError: for each name that stands for nothing.
    """
    if any(":" in name for name in names):
        plugins.look_in(Path(loaded.client.folder), Path.cwd())
    known = MetricNames(loaded.catalog.rubrics(loaded.client.language), loaded.client.metrics)
    metrics, wrong = known.choose(tuple(names))
    if wrong:
        raise InputError(
            *(
                said if said.file else f"--metric {name}: {said.message}"
                for name, found in wrong.items()
                for said in found
            )
        )
    score_by = loaded.client.score_by
    if score_by not in metrics.yielded:
        score_by = _first(names[0], metrics)
    client = replace(loaded.client, metrics=metrics.named, score_by=score_by)
    return replace(loaded, client=client, rubrics=metrics.rubrics)


def applying(gives: Set[str]) -> tuple[str, ...]:
    """The computed metrics that have something to go by, the usual score first.

    Args:
        gives: what the rows of a file hold, as `files.answers.columns` names it.
    """
    found = []
    for name in plugins.names("metrics"):
        try:
            plugin = plugin_of(name)
        except InputError:  # an optional package is missing, and nobody asked for it
            continue
        infos: Sequence[MetricInfo] = plugin.INFOS if plugin else ()
        if name not in _ONLY_WHEN_NAMED and any(_applies(info, gives) for info in infos):
            found.append(name)
    return tuple(sorted(found, key=lambda name: (_rank(name), name)))


def needs_no_answer(info: MetricInfo) -> bool:
    """Whether a metric looks at what was retrieved alone."""
    return info.needs == ("documents",)


def _applies(info: MetricInfo, gives: Set[str]) -> bool:
    """Whether all that a metric needs is there; one that needs nothing sums up some others."""
    if info.scope != "turn" or ("answer" not in gives and not needs_no_answer(info)):
        return False
    there = {
        "answer": "ground_truth" in gives,
        "elements": "elements" in gives,
        "documents": {"documents", "retrieved"} <= gives,
        "answerable": bool(_ANSWERABLE & gives),
        "escalate": "escalate" in gives,
    }
    if info.needs:
        return all(there.get(need, False) for need in info.needs)
    return there["elements"] or there["documents"] or bool({"answerable", "escalate"} & gives)


def _rank(name: str) -> int:
    return _PREFERRED.index(name) if name in _PREFERRED else len(_PREFERRED)


def _first(name: str, metrics: Metrics) -> str:
    """The metric that a name stands for; of several, the usual score or the first."""
    if name in metrics.yielded:
        return name
    rubric: Rubric | None = next((r for r in metrics.rubrics if r.id == name), None)
    if rubric is None:
        plugin = plugin_of(name)
        yielded: list[str] = [info.name for info in plugin.INFOS] if plugin else []
    else:
        yielded = [aspect.name for aspect in rubric.aspects]
    return min(yielded, key=_rank)
