"""A plan's names become live objects: the target, the users, the judge."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from simulator import plugins
from simulator.core.errors import InputError
from simulator.core.outcome import MetricInfo
from simulator.core.plan import Cell, JudgeSpec, ModelSpec, Plan, TargetSpec, seed_of
from simulator.core.ports import (
    Answerer,
    Chat,
    Embedder,
    Metric,
    Role,
    Speaker,
    TalkMetric,
    Target,
)
from simulator.core.scenario import Brief
from simulator.execution.plan import plugin_of
from simulator.execution.scoring import Readers, Scorer
from simulator.files.catalog import CLIENT_FILE
from simulator.files.client.folder import LoadedClient
from simulator.files.client.metrics import opened
from simulator.files.prompts import Prompt
from simulator.formats.sources import Source
from simulator.llm.accounts import Accounts
from simulator.metrics._context import MetricContext
from simulator.metrics.rubrics import Rubrics
from simulator.reading.model import ModelReader
from simulator.targets import _guard as target_guard
from simulator.targets import _isolated
from simulator.targets._context import TargetContext
from simulator.text.bm25 import Nearest
from simulator.users import _guard as user_guard
from simulator.users._context import UserContext


@dataclass(frozen=True, slots=True)
class Cast:
    """Who takes part in a run's conversations. `speaker` makes a user for one of them.

    Where that is held again, it is told what was not sound about the user before.
    """

    plan: Plan
    target: Answerer
    speaker: Callable[[Cell, tuple[str, ...]], Speaker]
    judge: Scorer


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the live objects of one run share. `target` replaces the client's own."""

    loaded: LoadedClient
    accounts: Accounts
    secret: str = field(repr=False)
    target: Target | None = None


def make_cast(plan: Plan, around: Surroundings) -> Cast:
    """Open everything that a run needs.

    Raises:
        InputError: a target cannot be opened, a key is missing, a metric cannot be had.
    """
    return Cast(
        plan, make_target(plan, around), make_speakers(plan, around), make_judge(plan, around)
    )


def metric_infos(plan: Plan, loaded: LoadedClient) -> tuple[MetricInfo, ...]:
    """What the run's metrics are, without opening anything."""
    metrics = _metrics(plan, _metric_context(plan, loaded, chat=None, secret=""))
    return tuple(info for metric in metrics for info in metric.infos)


def judge_rubrics(plan: Plan, loaded: LoadedClient) -> Rubrics:
    """All that the judge is asked in a run, to be looked at and not to be called."""
    return Rubrics.open(_metric_context(plan, loaded, chat=None, secret=""))


def _prompts(loaded: LoadedClient) -> Callable[[str], Prompt]:
    return cache(lambda name: loaded.catalog.prompt(loaded.client.language, name))


def make_target(plan: Plan, around: Surroundings) -> target_guard.TargetGuard:
    """Open the bot alone, behind its guard.

    Raises:
        InputError: it cannot be opened, or a key is missing.
    """
    client = plan.client
    target = around.target or _opened_target(plan, around)
    return target_guard.TargetGuard(
        target,
        # A bot of ours that a model words has that model's deadline: its retries and rate limits
        # must not count as the bot's failure.
        timeout_s=None if plan.target_model else client.target.timeout_s,
        caps=client.limits.target,
        halt=around.accounts.halt,
        journal=around.accounts.journal,
        stateful=client.target.stateful,
        traffic=around.accounts.traffic,
        place=_place(client.target),
        scenarios=len({cell.scenario for cell in plan.cells()}),
        share=around.accounts.share,
    )


def _place(target: TargetSpec) -> str:
    """Where a bot is, for people: its host, or its kind; paths and queries may hold keys."""
    for name in ("url", "base_url"):
        url = urlsplit(str(target.settings.get(name) or ""))
        if url.hostname:
            return f"{url.scheme}://{url.netloc.rpartition('@')[2]}"
    return target.kind


def _opened_target(plan: Plan, around: Surroundings) -> Target:
    spec = plan.client.target
    kind = plugins.find("targets", spec.kind)
    chat = around.accounts.chat(plan.target_model, Role.TARGET) if plan.target_model else None
    context = TargetContext(
        folder=Path(plan.client.folder),
        language=plan.client.language,
        knowledge=around.loaded.knowledge,
        chat=chat,
        prompts=_prompts(around.loaded),
        questions=tuple(dict.fromkeys(plan.scenarios[c.scenario].query for c in plan.cells())),
        timeout_s=spec.timeout_s,
        stateful=spec.stateful,
    )
    try:
        target: Target
        if plan.client.isolated and hasattr(kind, "OF_PYTHON") and _isolated.POSSIBLE:
            target = _isolated.Isolated(spec.kind, spec.settings, context)
        else:
            target = kind.open(kind.Settings(**spec.settings), context)
    except InputError as error:
        where = Source.of(context.folder / CLIENT_FILE).name
        complaints = (c if c.file else replace(c, file=where) for c in error.complaints)
        raise InputError(*complaints) from error
    return target


def make_speakers(plan: Plan, around: Surroundings) -> Callable[[Cell, tuple[str, ...]], Speaker]:
    """What makes the user of a conversation; see `Cast`.

    Raises:
        InputError: a key is missing.
    """
    client = plan.client
    spec = client.user
    kind = plugins.find("users", spec.kind or "agenda")
    chat = around.accounts.chat(spec.chat, Role.USER) if spec.chat else None
    context = UserContext(chat, _prompts(around.loaded), around.secret)

    def speaker(cell: Cell, faults: tuple[str, ...] = ()) -> Speaker:
        brief = Brief.of(
            plan.scenarios[cell.scenario],
            plan.personas[cell.persona],
            max_turns=client.max_turns,
            min_turns=client.min_turns,
            # A user of rules would do the same again.
            seed=seed_of(client.seed, cell.key, *(["again"] if faults else [])),
        )
        brief = replace(brief, faults=faults)
        opening = spec.opening(brief.persona)
        return user_guard.UserGuard(kind.open(brief, context), brief, opening)

    return speaker


def make_judge(plan: Plan, around: Surroundings) -> Scorer:
    """Open the judge alone.

    Raises:
        InputError: a metric cannot be had, or a key is missing.
    """
    spec, vectors = plan.client.judge, plan.client.embedding
    chat = around.accounts.chat(spec.chat, Role.JUDGE) if spec else None
    embedder = around.accounts.embedder(vectors) if vectors else None
    reading = plan.client.reader
    reader = around.accounts.chat(reading, Role.READER) if reading else None
    secret = around.secret
    return judge_asking(chat, plan, around.loaded, secret, reader=reader, embedder=embedder)


def judge_asking(
    judge: Chat | None,
    plan: Plan,
    loaded: LoadedClient,
    secret: str,
    *,
    reader: Chat | None = None,
    embedder: Embedder | None = None,
) -> Scorer:
    """The judge of a run, asking these models: who judges, who reads without a judge, and vectors.

    Raises:
        InputError: a metric cannot be had.
    """
    context = _metric_context(plan, loaded, chat=judge, secret=secret)
    metrics = _metrics(plan, replace(context, embedder=embedder))
    rubrics = next((metric for metric in metrics if isinstance(metric, Rubrics)), None)
    model = ModelReader(reader, context.prompts, secret) if reader else None
    return Scorer(
        metrics,
        plan.client.thresholds,
        plan.client.score_by,
        fail_on=plan.client.fail_on,
        readers=Readers(judge=rubrics, model=model, knowledge=loaded.knowledge),
    )


def _metric_context(
    plan: Plan, loaded: LoadedClient, *, chat: Chat | None, secret: str
) -> MetricContext:
    spec = plan.client.judge or JudgeSpec(ModelSpec(""))
    return MetricContext(
        chat=chat,
        prompts=_prompts(loaded),
        rubrics=loaded.rubrics if plan.client.judge else (),
        votes=spec.votes,
        calls=spec.calls,
        secret=secret,
        language=plan.client.language,
        joining=tuple(p for p in _plugins(plan) if hasattr(p, "section")),
        nearest=Nearest(loaded.knowledge, plan.client.language) if loaded.knowledge else None,
        reads_claims=plan.client.judge is not None,
    )


def _metrics(plan: Plan, context: MetricContext) -> list[Metric | TalkMetric]:
    metrics: list[Metric | TalkMetric] = [
        opened(plugin, context) for plugin in _plugins(plan) if plugin not in context.joining
    ]
    if plan.client.judge or context.rubrics or context.joining:
        metrics.append(Rubrics.open(context))
    return metrics


def _plugins(plan: Plan) -> list[type[Any]]:
    return [plugin for name in plan.client.metrics if (plugin := plugin_of(name))]
