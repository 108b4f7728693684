"""What a metric's scores are measured with: other scores are not comparable with these."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.build.notes import note
from simulator.build.plan import plugin_of
from simulator.core.outcome import MetricInfo
from simulator.core.persona import Language
from simulator.core.plan import Client
from simulator.core.rubric import Rubric
from simulator.files.client.loading import LoadedClient

_HASH = 12  # hex digits of a rubric's hash: enough to tell, and short enough to read


@dataclass(frozen=True, slots=True)
class Yardstick:
    """The model that was asked, and the hash of the wording; empty where a metric has none.

    `judge` is the judge's model, or the embedding model of a metric that compares vectors;
    `rubric` the first 12 hex digits of the rubric's hash, or of the prompt's where a judged
    metric is no rubric.
    """

    judge: str = ""
    rubric: str = ""


def yardstick_of(
    snapshot: Mapping[str, Any], info: MetricInfo, rubrics: Iterable[Rubric]
) -> Yardstick:
    """What a run measured a metric with.

    Args:
        snapshot: the run's.
        info: the metric.
        rubrics: those that may be meant; which of them the run had is told by the snapshot.
    """
    if "judge" in info.needs:
        model = snapshot.get("client.judge.chat.model") or ""
        return Yardstick(model, _wording(snapshot, info, rubrics)[:_HASH])
    if "embedding" in info.needs:
        return Yardstick(snapshot.get("client.embedding.model") or "")
    return Yardstick()


def yardstick_now(loaded: LoadedClient, info: MetricInfo) -> Yardstick:
    """What a client's files say now; the judge is empty where they name none."""
    client, catalog = loaded.client, loaded.catalog
    rubrics = catalog.rubrics(client.language)
    mine = {r.id for r in loaded.rubrics}
    wanted = [r for r in rubrics.values() if info.name in _aspects(r)]
    snapshot = {
        "client.judge.chat.model": client.judge.chat.model if client.judge else "",
        "client.embedding.model": client.embedding.model if client.embedding else "",
        # Two rubrics may have an aspect of one name; a client has only one of these.
        **{f"rubrics.{r.id}": r.sha for r in wanted if r.id in mine or not mine & _ids(wanted)},
        **{f"prompts.{n}": catalog.prompt(client.language, n).sha for n in _prompts(info)},
    }
    return yardstick_of(snapshot, info, wanted)


def stale(
    client: Client,
    snapshot: Mapping[str, Any],
    metrics: Iterable[MetricInfo],
    rubrics: Iterable[Rubric],
) -> Iterator[str]:
    """A sentence for each tuned threshold of a run that was found with another yardstick.

    Args:
        client: the run's, as its plan has it.
        snapshot: the run's.
        metrics: those of the run.
        rubrics: those of the run.
    """
    asked = tuple(rubrics)
    for info in metrics:
        if info.name in client.tuned:
            now = yardstick_of(snapshot, info, asked)
            yield from _told(client, info.name, now, "stale", client.language)


def stale_in_files(loaded: LoadedClient) -> Iterator[str]:
    """The same for the yardstick that a client's files name now."""
    client = loaded.client
    for name, tuned in client.tuned.items():
        plugin = plugin_of(name)
        infos: Iterable[MetricInfo] = plugin.INFOS if plugin else ()
        judged = MetricInfo(name, name, needs=("judge",))  # it stands in a rubric
        info = next((i for i in infos if i.name == name), judged)
        now = yardstick_now(loaded, info)
        # Whoever names no judge there names one for each run.
        now = Yardstick(now.judge or tuned.judge, now.rubric)
        yield from _told(client, name, now, "stale_in_files", "en")  # a log is in English


def _told(client: Client, name: str, now: Yardstick, key: str, language: Language) -> Iterator[str]:
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


def _wording(snapshot: Mapping[str, Any], info: MetricInfo, rubrics: Iterable[Rubric]) -> str:
    had = (snapshot.get(f"rubrics.{r.id}") for r in rubrics if info.name in _aspects(r))
    of_rubric = next((str(sha) for sha in had if sha), "")
    return of_rubric or "".join(str(snapshot.get(f"prompts.{n}", "")) for n in _prompts(info))


def _prompts(info: MetricInfo) -> tuple[str, ...]:
    """The prompts of a judged metric that has a plugin of its own."""
    plugin = plugin_of(info.name) if "judge" in info.needs else None
    return tuple(getattr(plugin, "PROMPTS", ()))


def _aspects(rubric: Rubric) -> frozenset[str]:
    return frozenset(aspect.name for aspect in rubric.aspects)


def _ids(rubrics: Iterable[Rubric]) -> frozenset[str]:
    return frozenset(rubric.id for rubric in rubrics)
