"""Options laid over a client: which models, users, metrics and cells a run has."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from simulator import plugins
from simulator.build.options import Options
from simulator.core.errors import InputError
from simulator.core.plan import Client, JudgeSpec, ModelSpec, Plan, UserSpec
from simulator.core.scenario import Scenario
from simulator.files.client import LoadedClient

LEXICAL = ("lexical", "elements_lexical", "retrieval_hit", "refusal")
_LEXICAL_THRESHOLD = 0.5
_USER_TEMPERATURE = 0.7
_JUDGE_TEMPERATURE = 0.0


def make_plan(loaded: LoadedClient, options: Options) -> Plan:
    """What a run of this client does when it is started with these options.

    Raises:
        InputError: an option names something that is not there, or nothing is left to play.
    """
    client = _with_numbers(loaded.client, options)
    client, demo_model = _with_models(client, options)
    offline = client.judge is None and client.user.chat is None and demo_model is None
    if client.judge is None:
        client = _with_lexical(client)
    plan = Plan(
        client=client,
        scenarios=_narrowed(loaded, options),
        personas={p: loaded.personas[p] for p in _personas(loaded, options)},
        offline=offline,
        demo_model=demo_model,
        limit=options.limit,
    )
    if not plan.conversations():
        raise InputError(
            "nothing to play: no scenario takes any of these personas; "
            "look at --persona, --limit and at `personas:` in the scenarios"
        )
    return plan


def is_judged(metric: str) -> bool:
    """Whether a metric's name is one that only a judge can score."""
    return metric not in plugins.names("metrics") and ":" not in metric


def _with_numbers(client: Client, options: Options) -> Client:
    said = {
        name: value
        for name in ("repeat", "max_turns", "assign", "seed")
        if (value := getattr(options, name)) is not None
    }
    client = replace(client, **said)
    if options.budget_usd is not None:
        client = replace(client, limits=replace(client.limits, budget_usd=options.budget_usd))
    return replace(client, min_turns=min(client.min_turns, client.max_turns))


def _with_models(client: Client, options: Options) -> tuple[Client, ModelSpec | None]:
    """The client with its models settled, and the model that words the demo bot's answers."""
    if options.offline:
        kind = "agenda" if client.user.kind in (None, "persona_llm") else client.user.kind
        return replace(client, user=replace(client.user, kind=kind, chat=None), judge=None), None
    speaks = _user_model(client, options)
    judge = _judge(client, options, speaks)
    demo = speaks if client.target.kind == "demo" else None
    return replace(client, user=_user(client, speaks), judge=judge), demo


def _user_model(client: Client, options: Options) -> ModelSpec | None:
    """The model that plays the users, whether or not this client's kind of user needs one."""
    named = client.user.chat
    if options.model is not None:
        return replace(named, model=options.model) if named else ModelSpec(options.model)
    return named


def _user(client: Client, model: ModelSpec | None) -> UserSpec:
    kind = client.user.kind or ("persona_llm" if model else "agenda")
    if kind != "persona_llm":
        return replace(client.user, kind=kind, chat=None)
    if model is None:
        raise InputError(
            "user.kind is persona_llm, but no model is named; "
            "write user.model in client.yaml, or run with --model M, or with --offline"
        )
    if model.temperature is None:
        model = replace(model, temperature=_USER_TEMPERATURE)
    return replace(client.user, kind=kind, chat=model)


def _judge(client: Client, options: Options, speaks: ModelSpec | None) -> JudgeSpec | None:
    name = options.judge_model or (None if client.judge else options.model)
    if client.judge is not None:
        judge = client.judge
        if options.judge_model or options.model:
            chosen = options.judge_model or options.model or judge.chat.model
            judge = replace(judge, chat=replace(judge.chat, model=chosen))
    elif name is not None:
        judge = JudgeSpec(replace(speaks, model=name) if speaks else ModelSpec(name))
    elif speaks is not None:
        judge = JudgeSpec(speaks)
    else:
        return None
    if client.judge is None or judge.chat.temperature is None:
        judge = replace(judge, chat=replace(judge.chat, temperature=_JUDGE_TEMPERATURE))
    return judge


def _with_lexical(client: Client) -> Client:
    """The client with what can be scored without a judge, under its own names."""
    kept = [m for m in client.metrics if not is_judged(m)]
    metrics = tuple(dict.fromkeys([*LEXICAL, *kept]))
    score_by = client.score_by if client.score_by in metrics else "lexical"
    thresholds = {m: t for m, t in client.thresholds.items() if m in metrics}
    thresholds.setdefault("lexical", _LEXICAL_THRESHOLD)
    return replace(client, metrics=metrics, score_by=score_by, thresholds=thresholds)


def _personas(loaded: LoadedClient, options: Options) -> tuple[str, ...]:
    return _chosen("persona", options.personas, tuple(loaded.personas)) or tuple(loaded.personas)


def _narrowed(loaded: LoadedClient, options: Options) -> Mapping[str, Scenario]:
    ids = _chosen("scenario", options.scenarios, tuple(loaded.scenarios))
    tags = {tag for s in loaded.scenarios.values() for tag in s.tags}
    _chosen("tag", options.tags, tuple(sorted(tags)))
    keep: Callable[[Scenario], bool] = lambda s: (  # noqa: E731
        (not ids or s.id in ids) and (not options.tags or bool(set(s.tags) & set(options.tags)))
    )
    return {s.id: s for s in loaded.scenarios.values() if keep(s)}


def _chosen(what: str, wanted: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    missing = [name for name in wanted if name not in known]
    if missing:
        raise InputError(
            *(f"--{what}: no {what} {name!r}; {plugins.suggest(name, known)}" for name in missing)
        )
    return wanted
