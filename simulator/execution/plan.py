"""Options laid over a client: which models, users, metrics and cells a run has."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self, get_args

from simulator import config, plugins
from simulator.core.bounds import MAX_TALKS
from simulator.core.errors import InputError
from simulator.core.health import Rubric
from simulator.core.outcome import MetricInfo
from simulator.core.persona import Persona
from simulator.core.plan import Assign, Client, JudgeSpec, ModelSpec, Plan, TargetSpec, UserSpec
from simulator.core.scenario import Scenario
from simulator.files.client.folder import LoadedClient
from simulator.files.client.metrics import MetricNames, Metrics, check_embedding, needs_embedding
from simulator.results.verdict import CHECKS

EPISODES_AT_ONCE = 50
LEXICAL = ("lexical", *CHECKS)
# Other ways to compare with a right answer than sudachi_f1: scored where somebody names them.
_ONLY_WHEN_NAMED = frozenset({"rouge_l", "sudachi_f1_legacy"})
# Without a name from a person, the first of these that there is becomes *the* score of a turn.
_PREFERRED = ("overall", "lexical", "sudachi_f1")
_USER_TEMPERATURE = 0.7
_JUDGE_TEMPERATURE = 0.0


@dataclass(frozen=True, slots=True)
class Options:
    """All options of a run. None or an empty value: use the setting in the client's files.

    `limit` is a number of conversations, `concurrency` the number in parallel (None: 50). `reuse`
    names a run whose scores are reused for identical answers. `audit` is the share of distinct
    unflagged answers that reviewers judge (None: 0). `rerun_newly_failing`: rerun each conversation
    that got worse since the previous run up to this many times.

    Raises:
        InputError: a number is out of range, or `assign` is invalid.
    """

    personas: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    limit: int | None = None
    repeat: int | None = None
    max_turns: int | None = None
    assign: Assign | None = None
    seed: int | None = None
    offline: bool = False
    model: str | None = None
    judge_model: str | None = None
    concurrency: int | None = None
    budget_usd: float | None = None
    fail_under: float | None = None
    reuse: str | None = None
    audit: float | None = None
    rerun_newly_failing: int | None = None

    def __post_init__(self) -> None:
        wrong = tuple(_wrong(self))
        if wrong:
            raise InputError(*wrong)

    def chosen(self) -> dict[str, Any]:
        """Those that are not left at their defaults, as JSON values; a resume takes them again."""
        values = ((f.name, getattr(self, f.name), f.default) for f in fields(self))
        return {k: list(v) if isinstance(v, tuple) else v for k, v, usual in values if v != usual}

    def resuming(self, stored: Mapping[str, Any]) -> Self:
        """These options on top of those that the run was started with."""
        chosen, known = {**stored, **self.chosen()}, {f.name for f in fields(self)}
        kept = ((k, v) for k, v in chosen.items() if k in known)
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in kept}
        return type(self)(**values)


def _wrong(options: Options) -> Iterator[str]:
    for name in ("limit", "repeat", "max_turns", "concurrency", "rerun_newly_failing"):
        count = getattr(options, name)
        if count is not None and count < 1:
            yield f"{name} is {count}; use 1 or more"
    budget, assign = options.budget_usd, options.assign
    for name in ("fail_under", "audit"):
        share = getattr(options, name)
        if share is not None and not 0 <= share <= 1:
            yield f"{name} is {share}; use a number from 0 to 1"
    if budget is not None and not budget > 0:
        yield f"budget_usd is {budget}; use an amount above 0"
    if assign is not None and assign not in get_args(Assign):
        yield f"assign is {assign!r}; use all, random or round_robin"


def make_plan(loaded: LoadedClient, options: Options) -> Plan:
    """What a run of this client does when it is started with these options.

    Raises:
        InputError: an option names something that is not there, options contradict each other,
            or nothing is left to play.
    """
    _check_names(loaded, options)
    client = _with_numbers(loaded.client, options)
    speaks = user_model(client, options)
    unnamed = replace(options, metrics=())  # what cannot be scored is left out, whoever named it
    measuring = _measuring(replace(loaded, client=client), unnamed, speaks, None)
    client = with_checks(measuring.client, CHECKS)
    client = replace(client, user=_user(client, speaks, options))
    target_model = _target_model(client, speaks)
    plan = Plan(
        client=client,
        scenarios=_narrowed(loaded, options),
        personas=personas_of(loaded, options.personas) if options.personas else loaded.personas,
        offline=not any(
            (client.judge, client.reader, client.embedding, client.user.chat, target_model)
        ),
        target_model=target_model,
        limit=options.limit,
    )
    if (count := plan.conversations()) > MAX_TALKS:
        raise InputError(
            f"that would be {count:,} conversations, more than the {MAX_TALKS:,} of one run; "
            "select fewer with --scenario, --persona or --limit"
        )
    if not count:
        raise InputError(
            "nothing to run: --persona, --scenario and --tag exclude every conversation; "
            "check `personas:` in the scenarios, too"
        )
    return plan


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
    if options.judge_model and not any(map(is_judged, loaded.client.metrics)):
        raise InputError(
            "--judge-model: none of the metrics needs a judge; remove it, or use one that does, "
            "such as --metric overall"
        )
    loaded = _measuring(loaded, options, speaks, gives)
    if gives is not None and "answer" not in gives:
        _check_without_answers(loaded)
    checks = CHECKS if gives is None else [name for name in applying(gives) if name in CHECKS]
    client = _with_budget(with_checks(loaded.client, checks), options)
    client = replace(client, user=UserSpec("agenda"))
    asks = client.judge or client.reader or client.embedding
    plan = Plan(client, {}, {}, offline=not asks, limit=options.limit)
    return replace(loaded, client=client), plan


def _measuring(
    loaded: LoadedClient, options: Options, speaks: ModelSpec | None, gives: Set[str] | None
) -> LoadedClient:
    """The client with who judges or reads in this run, and with metrics that can be had.

    Where nobody judges it is scored by what can be computed. `speaks` plays the users.

    Raises:
        InputError: a metric that was named cannot be had.
    """
    client, offline = loaded.client, options.offline
    judged = [metric for metric in client.metrics if is_judged(metric)]
    judge = judge_of(client, options, speaks) if judged and not offline else None
    named = ", ".join(judged) if options.metrics and judge is None else ""
    if named:
        raise InputError(f"{named}: only a judge can score that; set one with --judge-model M")
    client = replace(client, judge=judge, reader=None if offline or judge else client.reader)
    client, dropped = with_embedding(client, offline=offline)
    if dropped and options.metrics:
        raise InputError("one of your metrics needs a model, but --offline is set")
    loaded = replace(loaded, client=client)
    return _computed(loaded, gives) if dropped or (judged and judge is None) else loaded


def _computed(loaded: LoadedClient, gives: Set[str] | None) -> LoadedClient:
    """The client with what can be scored without a judge, under its own names."""
    client = loaded.client
    kept = [metric for metric in client.metrics if not is_judged(metric)]
    wanted = [
        m for m in (LEXICAL if gives is None else applying(gives)) if m not in client.left_out
    ]
    names = tuple(dict.fromkeys([*wanted, *kept]))
    if not names:
        raise InputError(
            "nothing to score: no column contains expectations or retrieved text. "
            "Add one named ground_truth (正解), elements (要素), documents (文書), answerable "
            "(回答可能) or context (文脈), or let a judge score (--judge-model M)"
        )
    brought = {info.name for name in names for info in plugins.find("metrics", name).INFOS}
    limits = {name: limit for name, limit in client.thresholds.items() if name in brought}
    return with_metrics(replace(loaded, client=replace(client, thresholds=limits)), names)


def plugin_of(metric: str) -> type[Any] | None:
    """The plugin that a metric's name stands for; None where it stands in a rubric's file.

    Raises:
        InputError: it cannot be used.
    """
    if ":" not in metric and metric not in plugins.names("metrics"):
        return None
    plugin = plugins.find("metrics", metric)
    # The judge's own plugin tells no names: they stand in the rubrics.
    return plugin if plugin.INFOS else None


def is_judged(metric: str) -> bool:
    """Whether a metric's name is one that only a judge can score."""
    plugin = plugin_of(metric)
    return plugin is None or any("judge" in info.needs for info in plugin.INFOS)


def is_scripted(kind: str) -> bool:
    """Whether users of a kind say what is written down, whatever is answered."""
    if kind not in plugins.names("users"):  # an outsider's, perhaps of a run from elsewhere
        return False
    return bool(getattr(plugins.find("users", kind), "SCRIPTED", False))


def with_embedding(client: Client, *, offline: bool) -> tuple[Client, bool]:
    """The client with an embedding model only where it is called, and whether metrics were dropped.

    Offline no model is called: the metrics that need one are left out, like those of a judge.

    Raises:
        InputError: a metric needs an embedding model, and none is named.
    """
    if not any(map(needs_embedding, client.metrics)):
        return replace(client, embedding=None), False
    check_embedding(client)
    if not offline:
        return client, False
    kept = tuple(m for m in client.metrics if not needs_embedding(m))
    return replace(client, metrics=kept, embedding=None), True


def _with_numbers(client: Client, options: Options) -> Client:
    numbers = {
        name: value
        for name in ("repeat", "max_turns", "assign", "seed")
        if (value := getattr(options, name)) is not None
    }
    client = _with_budget(replace(client, **numbers), options)
    return replace(client, min_turns=min(client.min_turns, client.max_turns))


def _with_budget(client: Client, options: Options) -> Client:
    if options.budget_usd is None:
        return client
    return replace(client, limits=replace(client.limits, budget_usd=options.budget_usd))


def user_model(client: Client, options: Options) -> ModelSpec | None:
    """The model that plays the users, whether or not this client's kind of user needs one."""
    if options.offline:
        if options.model or options.judge_model:
            raise InputError(
                "you can't set a model with --offline; remove --offline, or --model and "
                "--judge-model (a resumed run keeps its original settings)"
            )
        return None
    named = client.user.chat
    if options.model is not None:
        return replace(named, model=options.model) if named else ModelSpec(options.model)
    return named


def _target_model(client: Client, speaks: ModelSpec | None) -> ModelSpec | None:
    """The model that a bot of ours asks; most kinds of targets have none."""
    kind = plugins.find("targets", client.target.kind)
    if not hasattr(kind, "model"):
        return None
    model: ModelSpec | None = kind.model(kind.Settings(**client.target.settings), speaks)
    written = client.target.timeout_s
    if model is None or written == TargetSpec("").timeout_s:
        return model
    return replace(model, timeout_s=written)  # a bot that is a model is given as much time


def _user(client: Client, model: ModelSpec | None, options: Options) -> UserSpec:
    kind = client.user.kind or ("persona_llm" if model else "agenda")
    if not getattr(plugins.find("users", kind), "CALLS_MODEL", False):
        return replace(client.user, kind=kind, chat=None)
    if options.offline:
        return replace(client.user, kind="agenda", chat=None)
    if model is None:
        raise InputError(
            f"user.kind is {kind}, but no model is set; "
            "set user.model in client.yaml, or use --model M or --offline"
        )
    if model.temperature is None:
        model = replace(model, temperature=_USER_TEMPERATURE)
    return replace(client.user, kind=kind, chat=model)


def judge_of(client: Client, options: Options, speaks: ModelSpec | None) -> JudgeSpec | None:
    """The client's own judge, or else the model that plays the users, or none."""
    judge, name = client.judge, options.judge_model
    if judge is None:
        chat = speaks or (ModelSpec(name) if name else None)
        if chat is None:
            return None
        judge = JudgeSpec(replace(chat, temperature=None, max_tokens=None))
    if name is not None:
        judge = replace(judge, chat=replace(judge.chat, model=name))
    if judge.chat.temperature is None:
        judge = replace(judge, chat=replace(judge.chat, temperature=_JUDGE_TEMPERATURE))
    return judge


def with_checks(client: Client, checks: Iterable[str]) -> Client:
    """The client with the computed checks on which results rest, but for those it leaves out."""
    wanted = (check for check in checks if check not in client.left_out)
    return replace(client, metrics=tuple(dict.fromkeys([*client.metrics, *wanted])))


def _narrowed(loaded: LoadedClient, options: Options) -> Mapping[str, Scenario]:
    ids, tags = set(options.scenarios), set(options.tags)
    return {
        s.id: s
        for s in loaded.scenarios.values()
        if (not ids or s.id in ids) and (not tags or tags.intersection(s.tags))
    }


def personas_of(loaded: LoadedClient, names: Iterable[str]) -> Mapping[str, Persona]:
    """The personas of these names, the client's own or any other of its language."""
    language = loaded.client.language
    return {p: loaded.personas.get(p) or loaded.catalog.persona(language, p) for p in names}


def _check_names(loaded: LoadedClient, options: Options) -> None:
    """Everything that is named and not there, at once."""
    tags = sorted({tag for s in loaded.scenarios.values() for tag in s.tags})
    kinds = (
        ("persona", options.personas, loaded.catalog.persona_ids(loaded.client.language)),
        ("scenario", options.scenarios, tuple(loaded.scenarios)),
        ("tag", options.tags, tuple(tags)),
    )
    wrong = [
        f"--{what}: no {what} {name!r}; {plugins.suggest(name, known)}"
        for what, named, known in kinds
        for name in named
        if name not in known
    ]
    if wrong:
        raise InputError(*wrong)


def with_metrics(loaded: LoadedClient, names: Sequence[str]) -> LoadedClient:
    """The client with these metrics instead of its own: plugins, rubrics or their aspects.

    A metric of the client's own is found under what it yields, too. The client's `score_by`
    stays if they bring it; else it is the first of them.

    Raises:
        InputError: for each name that stands for nothing.
    """
    own = [name for name in names if ":" in name]
    if own and config.is_untrusted():
        raise InputError(*(f"--untrusted blocks the code {name} (--metric)" for name in own))
    if own:
        plugins.look_in(Path(loaded.client.folder), Path.cwd())
    known = MetricNames(loaded.catalog.rubrics(loaded.client.language), loaded.client.metrics)
    metrics, wrong = known.choose(tuple(names))
    if wrong:
        raise InputError(
            *(
                complaint if complaint.file else f"--metric {name}: {complaint.message}"
                for name, complaints in wrong.items()
                for complaint in complaints
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
    applicable = []
    for name in plugins.names("metrics"):
        try:
            plugin = plugin_of(name)
        except InputError:  # an optional package is missing, and nobody asked for it
            continue
        infos: Sequence[MetricInfo] = plugin.INFOS if plugin else ()
        if name not in _ONLY_WHEN_NAMED and any(_applies(info, gives) for info in infos):
            applicable.append(name)
    return tuple(sorted(applicable, key=lambda name: (_rank(name), name)))


def needs_no_answer(info: MetricInfo) -> bool:
    """Whether a metric looks at what was retrieved alone."""
    return info.needs == ("documents",)


def _applies(info: MetricInfo, gives: Set[str]) -> bool:
    """Whether all that a metric needs is there; one that needs nothing sums up some others."""
    if info.scope != "turn" or ("answer" not in gives and not needs_no_answer(info)):
        return False
    available = {
        "answer": "ground_truth" in gives,
        "elements": "elements" in gives,
        "documents": {"documents", "retrieved"} <= gives,
        "context": "context" in gives,
        "answerable": True,  # a refusal shows by itself
        "escalate": "escalate" in gives,
    }
    if info.needs:
        return all(available.get(need, False) for need in info.needs)
    return (
        available["elements"] or available["documents"] or bool({"answerable", "escalate"} & gives)
    )


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


def _check_without_answers(loaded: LoadedClient) -> None:
    plugins = [(name, plugin_of(name)) for name in loaded.client.metrics]
    wrong = [
        f"{name}: the file has no answers to score; call a column answer or 回答"
        for name, plugin in plugins
        if plugin is None or not any(map(needs_no_answer, plugin.INFOS))
    ]
    if wrong:
        raise InputError(*wrong)
