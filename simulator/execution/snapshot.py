"""All that must not change between a run and its resume, and what its scores are measured with."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from simulator import config, plugins
from simulator.core.errors import InputError
from simulator.core.health import Rubric
from simulator.core.outcome import MetricInfo
from simulator.core.persona import Language, Persona
from simulator.core.plan import Client, JudgeSpec, ModelSpec, Plan, TargetSpec
from simulator.core.ports import Knowledge
from simulator.core.scenario import Scenario
from simulator.core.talk import Document, document_hashes
from simulator.core.version import __version__
from simulator.execution.plan import is_scripted, plugin_of
from simulator.execution.watched import target_files
from simulator.files.client.folder import LoadedClient
from simulator.reading.reader import WORDS_READER
from simulator.text.ja import sudachi
from simulator.words import Words, counted

# What a run may be resumed with differently: where it stops, not what it measures.
_FREE = (
    *("name", "folder", "timezone", "gate", "limits", "prices", "knowledge", "personas"),
    *("sheets", "review"),  # where a run is shown, and what people are told of it
    "isolated",  # in which process a bot runs
    "tuned",  # what a threshold was found with; the number itself must not change
)


# Metrics that cut Japanese into words whatever the client's language is.
_OF_SUDACHI = frozenset(("rouge_l", "sudachi_f1", "sudachi_f1_legacy"))
# Of users and bots, which take no part where talks are judged that were held already.
_OF_TALKING = (
    "client.target",
    "client.user",
    "client.assign",
    "client.repeat",
    "client.seed",
    "client.max_turns",
    "client.min_turns",
    "conversations",
    "target_files",
    "target_model",
    "prompts.user",
)
_OF_BOT = ("client.target", "target_files", "target_model", "prompts.demo")
_OF_MODELS = (
    "client.user.chat.",
    "client.judge.chat.",
    "client.reader.",
    "client.embedding.",
    "target_model.",
)
# How long a model is waited for, and what sends the requests, is not what it is asked.
_NOT_ASKED = ("timeout_s", "deadline_s", "client")
# Settings of models that stand in a run only where they are set: older runs know none of them.
_SETTINGS = ("max_tokens", "reasoning_effort", "headers", "extra_body", "api_version")
_EXCERPT = 400  # characters of a document
_HASH = 12  # hex digits of a rubric's hash: enough to tell, and short enough to read


def snapshot(plan: Plan, loaded: LoadedClient, written: Collection[str] = ()) -> dict[str, Any]:
    """The identity of a run of this plan, as JSON values; texts and files by their hashes.

    `written`: what the run itself writes in the client's folder, by the paths below it.
    """
    client = asdict(plan.client)
    for key in _FREE:
        client.pop(key)
    if client["target"]["watch"] is None:  # older runs do not know it
        del client["target"]["watch"]
    parts: dict[str, Any] = {
        "mogi": __version__,
        "words_reader": WORDS_READER,
        "offline": plan.offline,
        "limit": plan.limit,
        "client": client,
        "target_model": asdict(plan.target_model) if plan.target_model else None,
        "conversations": _digest(sorted(cell.key for cell in plan.cells())),
        **material(plan.scenarios, plan.personas),
        "prompts": _prompts(plan, loaded),
        "rubrics": {r.id: r.sha for r in loaded.rubrics} if plan.client.judge else {},
        **_of_outsiders(plan.client.metrics),
        "knowledge": _knowledge(loaded.knowledge),
        "target_files": target_files(plan.client, written),
    }
    if plan.client.language == "ja" or _OF_SUDACHI.intersection(plan.client.metrics):
        parts["sudachi"] = sudachi.versions()
    if _asks_the_environment(plan):
        parts["OPENAI_BASE_URL"] = config.openai_base_url()
    return {key: value for key, value in _flat(parts).items() if not _says_nothing(key, value)}


def _says_nothing(key: str, value: Any) -> bool:
    """Whether a setting of a model makes no difference to what it is asked."""
    setting = next((key.removeprefix(of) for of in _OF_MODELS if key.startswith(of)), "")
    return setting in _NOT_ASKED or (not value and setting in _SETTINGS)


def material(
    scenarios: Mapping[str, Scenario], personas: Mapping[str, Persona]
) -> dict[str, dict[str, str]]:
    """The hashes of what talks are about, and of who holds them, by their ids."""
    return {
        "scenarios": {s.id: _digest(s.identity()) for s in scenarios.values()},
        "personas": {p.id: _digest(asdict(p)) for p in personas.values()},
    }


def judged_snapshot(whole: Mapping[str, Any], identity: Mapping[str, Any]) -> dict[str, Any]:
    """The snapshot of a run that judges only, with what tells its talks from others."""
    return {k: v for k, v in whole.items() if not k.startswith(_OF_TALKING)} | dict(identity)


def _prompts(plan: Plan, loaded: LoadedClient) -> dict[str, str]:
    """The prompts that this run uses."""
    client = plan.client
    used = {
        "user": client.user.chat is not None,
        "judge": client.judge is not None,
        "claims": client.judge is not None,
        "reader": client.reader is not None,
        "form": client.user.chat is not None or client.judge is not None,
    }
    kinds = [plugins.find("targets", client.target.kind), *map(plugin_of, client.metrics)]
    of_plugins = [name for kind in kinds for name in getattr(kind, "PROMPTS", ())]
    names = [*(name for name, is_used in used.items() if is_used), *of_plugins]
    return {name: loaded.catalog.prompt(client.language, name).sha for name in names}


def _of_outsiders(metrics: Sequence[str]) -> dict[str, dict[str, str]]:
    """The code of the metrics that are named `module:Class`: the hashes of their files.

    Those of installed packages stand with the package's version as well, since they may lean on
    its other files.
    """
    named = [name for name in metrics if ":" in name]
    if not named:  # nearly always: to look through what is installed takes a while
        return {}
    modules = {n.partition(":")[0] for n in named}
    modules |= {plugins.find("metrics", name).__module__ for name in named}
    files = {module: plugins.file_of(module) for module in modules}
    owners = metadata.packages_distributions()
    packages = {p for module in modules for p in owners.get(module.partition(".")[0], ())}
    return {
        "metric_files": {m: _sha(Path(file).read_bytes()) for m, file in files.items() if file},
        "metric_packages": {package: metadata.version(package) for package in packages},
    }


def _knowledge(knowledge: Knowledge | None) -> str | None:
    if knowledge is None:
        return None
    return _digest([[d.id, d.title, d.text] for d in knowledge.documents()])


def expected_documents(
    scenarios: Iterable[Scenario], documents: Sequence[Document]
) -> dict[str, tuple[str, str]]:
    """Hashes of the documents that scenarios expect, by the ids of those that do.

    No identity of a run: they tell if a verdict still holds.
    """
    by_id = {document.id: document for document in documents}
    return {
        scenario.id: document_hashes([by_id.get(name) for name in scenario.expected.documents])
        for scenario in scenarios
        if documents and scenario.expected.documents
    }


def references(
    scenarios: Iterable[Scenario], documents: Sequence[Document]
) -> dict[str, tuple[str, str]]:
    """Title and beginning of the documents that scenarios expect, for those who judge answers."""
    wanted = {name for scenario in scenarios for name in scenario.expected.documents}
    return {d.id: (d.title, d.text[:_EXCERPT]) for d in documents if d.id in wanted}


def _asks_the_environment(plan: Plan) -> bool:
    judge = plan.client.judge
    client = plan.client
    chats = (client.user.chat, judge.chat if judge else None, client.reader)
    specs = (*chats, client.embedding, plan.target_model)
    return any(spec is not None and spec.base_url is None for spec in specs)


def usual(plan: Plan) -> dict[str, Any]:
    """What keys of a snapshot say where they are null, or lacking as newer ones are in old runs.

    A first message is worded as the personas have it, where all of them have it alike.
    """
    client = asdict(Client("", "", plan.client.language, TargetSpec("")))
    client["judge"] = asdict(JudgeSpec(ModelSpec("")))
    opens = {persona.opens for persona in plan.personas.values()}
    client["user"]["open"] = opens.pop() if len(opens) == 1 else None
    return _flat({"limit": None, "target_model": None, "target_files": {}, "client": client})


def differences(
    before: Mapping[str, Any], now: Mapping[str, Any], usual: Mapping[str, Any] = {}
) -> list[str]:
    """One line for each thing that differs, such as `client.judge.chat.model: "a" -> "b"`.

    What is null or lacking says what is `usual`, if anything is.
    """
    lines = []
    for key in sorted({*before, *now}):
        values = [side.get(key, "(not there)") for side in (before, now)]
        old, new = (usual.get(key, s) if s in (None, "(not there)") else s for s in values)
        if old != new:
            lines.append(f"{key}: {_shown(values[0])} -> {_shown(values[1])}")
    return lines


def bot_differences(
    before: Mapping[str, Any], now: Mapping[str, Any], usual: Mapping[str, Any] = {}
) -> tuple[str, ...]:
    """What differs of the bot, a line each, as `differences` has it."""
    return tuple(line for line in differences(before, now, usual) if line.startswith(_OF_BOT))


def check_same(
    run: str, before: Mapping[str, Any], now: Mapping[str, Any], usual: Mapping[str, Any] = {}
) -> None:
    """Refuse to go on with a run whose config, prompts or models changed.

    Raises:
        InputError: naming each difference, and --force.
    """
    changed = differences(before, now, usual)
    if changed:
        raise InputError(
            f"run {run} can't resume: {counted(len(changed), 'thing')} changed since it started "
            "(start a new run, or use --force)",
            *(f"  {line}" for line in changed),
        )


def _digest(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return _sha(text.encode("utf-8", "surrogatepass"))


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if value != "(not there)" else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        name = f"{prefix}{key}"
        if isinstance(inner, Mapping) and inner:
            flat.update(_flat(inner, f"{name}."))
        else:
            flat[name] = list(inner) if isinstance(inner, tuple) else inner
    return flat


def note(language: Language, key: str, **values: object) -> str:
    """The wording behind a key, with its values filled in."""
    return Words(language, "notes")(key, **values)


@dataclass(frozen=True, slots=True)
class Instrument:
    """The model that was asked, and the hash of the wording; empty where a metric has none.

    `judge` is the judge's model, or the embedding model of a metric that compares vectors;
    `rubric` the first 12 hex digits of the rubric's hash, or of the prompt's where a judged
    metric is no rubric.
    """

    judge: str = ""
    rubric: str = ""


def instrument_of(
    snapshot: Mapping[str, Any], info: MetricInfo, rubrics: Iterable[Rubric]
) -> Instrument:
    """What a run measured a metric with.

    Args:
        snapshot: the run's.
        info: the metric.
        rubrics: those that may be meant; which of them the run had is told by the snapshot.
    """
    if "embedding" in info.needs:
        return Instrument(snapshot.get("client.embedding.model") or "")
    if "judge" not in info.needs:
        return Instrument()
    had = (snapshot.get(f"rubrics.{r.id}") for r in rubrics if info.name in _aspects(r))
    of_prompts = "".join(str(snapshot.get(f"prompts.{name}", "")) for name in _prompts_of(info))
    wording = next((str(sha) for sha in had if sha), of_prompts)
    return Instrument(snapshot.get("client.judge.chat.model") or "", wording[:_HASH])


def instrument_now(loaded: LoadedClient, info: MetricInfo) -> Instrument:
    """What a client's files say now; the judge is empty where they name none."""
    client, catalog = loaded.client, loaded.catalog
    rubrics = catalog.rubrics(client.language)
    mine = {r.id for r in loaded.rubrics}
    wanted = [r for r in rubrics.values() if info.name in _aspects(r)]
    ids = {r.id for r in wanted}
    snapshot = {
        "client.judge.chat.model": client.judge.chat.model if client.judge else "",
        "client.embedding.model": client.embedding.model if client.embedding else "",
        # Two rubrics may have an aspect of one name; a client has only one of these.
        **{f"rubrics.{r.id}": r.sha for r in wanted if r.id in mine or mine.isdisjoint(ids)},
        **{f"prompts.{n}": catalog.prompt(client.language, n).sha for n in _prompts_of(info)},
    }
    return instrument_of(snapshot, info, wanted)


def stale_thresholds(
    client: Client,
    snapshot: Mapping[str, Any],
    metrics: Iterable[MetricInfo],
    rubrics: Iterable[Rubric],
) -> Iterator[str]:
    """A sentence for each tuned threshold of a run that was found with another instrument.

    Args:
        client: the run's, as its plan has it.
        snapshot: the run's.
        metrics: those of the run.
        rubrics: those of the run.
    """
    every = tuple(rubrics)
    for info in metrics:
        if info.name in client.tuned:
            now = instrument_of(snapshot, info, every)
            yield from _stale(client, info.name, now, "stale", client.language)


def unspoken_turns(plan: Plan, named: str | None, language: Language) -> Iterator[str]:
    """A note that turns of scenarios go unsaid, where nobody chose the users who do not say them.

    `named`: the kind of users that the client's file chooses, None where it does not: whoever wants
    personas to play such scenarios by their goal (those of recorded talks, say) names it.
    """
    kind = plan.client.user.kind or ""
    played = {cell.scenario for cell in plan.cells()}
    n = sum(bool(plan.scenarios[name].turns) for name in played)
    if n and named is None and not is_scripted(kind):
        yield note(language, "unspoken", n=n, kind=kind)


def stale_in_files(loaded: LoadedClient) -> Iterator[str]:
    """The same for the instrument that a client's files name now."""
    client = loaded.client
    for name, tuned in client.tuned.items():
        plugin = plugin_of(name)
        infos: Iterable[MetricInfo] = plugin.INFOS if plugin else ()
        judged = MetricInfo(name, name, needs=("judge",))  # it stands in a rubric
        info = next((i for i in infos if i.name == name), judged)
        now = instrument_now(loaded, info)
        # Whoever names no judge there names one for each run.
        now = Instrument(now.judge or tuned.judge, now.rubric)
        yield from _stale(client, name, now, "stale_in_files", client.language)


def _stale(
    client: Client, name: str, now: Instrument, key: str, language: Language
) -> Iterator[str]:
    tuned = client.tuned[name]
    changes = [*_differs("judge", tuned.judge, now.judge, language)]
    if not (tuned.rubric and now.rubric.startswith(tuned.rubric)):
        changes += _differs("rubric", tuned.rubric, now.rubric, language)
    if changes:
        between = note(language, "and")
        was, is_ = (between.join(words) for words in zip(*changes, strict=True))
        limit, command = f"{client.thresholds[name]:g}", f"mogi tune {client.name} --metric {name}"
        yield note(language, key, name=name, limit=limit, was=was, now=is_, command=command)


def _differs(what: str, tuned: str, now: str, language: Language) -> list[tuple[str, str]]:
    """What it was and what it is, where that is known of a threshold and is another one."""
    if not tuned or tuned == now:
        return []
    now_is = note(language, what, name=now) if now else note(language, f"no_{what}")
    return [(note(language, what, name=tuned), now_is)]


def _prompts_of(info: MetricInfo) -> tuple[str, ...]:
    """The prompts of a judged metric that has a plugin of its own."""
    plugin = plugin_of(info.name) if "judge" in info.needs else None
    return tuple(getattr(plugin, "PROMPTS", ()))


def _aspects(rubric: Rubric) -> frozenset[str]:
    return frozenset(aspect.name for aspect in rubric.aspects)
