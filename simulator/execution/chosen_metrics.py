"""Metrics by their names instead of a client's own, and the plan that judges talks held before."""

from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

from simulator import config, plugins
from simulator.core.errors import InputError
from simulator.core.outcome import MetricInfo
from simulator.core.plan import Plan, UserSpec
from simulator.core.rubric import Rubric
from simulator.execution.plan import (
    LEXICAL,
    Options,
    is_judged,
    judge_of,
    plugin_of,
    user_model,
    with_checks,
    with_embedding,
    with_reader,
)
from simulator.files.client.folder import LoadedClient
from simulator.files.client.metrics import MetricNames, Metrics
from simulator.results.verdict import CHECKS

# Other ways to compare with a right answer than sudachi_f1: scored where somebody names them.
_ONLY_WHEN_NAMED = frozenset({"rouge_l", "sudachi_f1_legacy"})
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
    own = [name for name in names if ":" in name]
    if own and config.is_untrusted():
        raise InputError(*(f"--untrusted refuses the code {name} (--metric)" for name in own))
    if own:
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
        "context": "retrieved" in gives,
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


def make_judging_plan(
    loaded: LoadedClient, options: Options, gives: Set[str] | None
) -> tuple[LoadedClient, Plan]:
    """The client with the metrics that are to be scored, and the plan to do so.

    The plan holds no scenarios: they come with the talks.

    Args:
        loaded: the client, with the metrics of `options` if there are any.
        options: what was asked for.
        gives: what there is to score by, as `files.answers.columns` names it; None: scenarios of
            a client, which may hold anything.

    Raises:
        InputError: metrics need a judge or answers that are not there, or nothing applies.
    """
    speaks = user_model(loaded.client, options)
    asked = [metric for metric in loaded.client.metrics if is_judged(metric)]
    if options.judge_model and not asked:
        raise InputError(
            "--judge-model: none of the metrics needs a judge; leave it out, or name one that "
            "does, such as --metric overall"
        )
    judge = judge_of(loaded.client, options, speaks) if asked and not options.offline else None
    if asked and judge is None:
        if options.metrics:
            names = ", ".join(asked)
            raise InputError(f"{names}: only a judge can score that; name one with --judge-model M")
        loaded = _computed(loaded, gives)
    client, dropped = with_embedding(loaded.client, offline=options.offline)
    if dropped and options.metrics:
        raise InputError("--offline calls no model, and a metric that was named needs one")
    loaded = replace(loaded, client=client)
    if dropped:  # perhaps the very one that was the score
        loaded = _computed(loaded, gives)
    if gives is not None and "answer" not in gives:
        _check_without_answers(loaded)
    checks = CHECKS if gives is None else [name for name in applying(gives) if name in CHECKS]
    client = with_checks(loaded.client, checks)
    client = replace(client, judge=judge, user=UserSpec("agenda"))
    client = with_reader(client, offline=options.offline)
    if options.budget_usd is not None:
        client = replace(client, limits=replace(client.limits, budget_usd=options.budget_usd))
    asks = judge or client.reader or client.embedding
    plan = Plan(client, {}, {}, offline=not asks, limit=options.limit)
    return replace(loaded, client=client), plan


def _computed(loaded: LoadedClient, gives: Set[str] | None) -> LoadedClient:
    """The client with what can be scored without a judge."""
    kept = [metric for metric in loaded.client.metrics if not is_judged(metric)]
    names = dict.fromkeys([*(LEXICAL if gives is None else applying(gives)), *kept])
    if not names:
        raise InputError(
            "nothing can be scored: no column says what would be right. Add one named "
            "ground_truth (正解), elements (要素), documents (文書) or answerable (回答可能), "
            "or let a judge score (--judge-model M)"
        )
    return with_metrics(loaded, tuple(names))


def _check_without_answers(loaded: LoadedClient) -> None:
    plugins = [(name, plugin_of(name)) for name in loaded.client.metrics]
    wrong = [
        f"{name}: the file holds no answers that it could score; name a column answer or 回答"
        for name, plugin in plugins
        if plugin is None or not any(map(needs_no_answer, plugin.INFOS))
    ]
    if wrong:
        raise InputError(*wrong)
