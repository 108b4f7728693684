"""Two runs by their headers: which are meant, whether they can be compared, what else differs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from simulator.core.comparison import Doubt, Doubted
from simulator.core.errors import InputError
from simulator.core.outcome import MetricInfo
from simulator.core.run import RunHeader
from simulator.execution.snapshot import differences
from simulator.store.store import PREVIOUS, Store

# The first prefix that fits says what a key of a snapshot is about.
_GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("judge", ("client.judge", "prompts.judge", "prompts.elements", "prompts.form")),
    ("readings", ("words_reader", "client.reader", "prompts.reader", "prompts.claims")),
    ("rubrics", ("rubrics",)),
    ("embedding", ("client.embedding",)),
    ("guidelines", ("client.guidelines",)),
    ("thresholds", ("client.thresholds",)),
    ("metrics", ("client.metrics", "client.score_by")),
    ("knowledge", ("knowledge",)),
    ("users", ("prompts.user", "client.user", "client.seed", "client.max_turns")),
    ("users", ("client.min_turns", "client.assign", "client.repeat")),
    ("personas", ("personas",)),
    ("scenarios", ("scenarios",)),
    ("target", ("client.target", "target_", "prompts")),
    ("language", ("client.language",)),
    ("file", ("file.sha",)),
    ("versions", ("mogi", "sudachi")),
    ("models", ("OPENAI_BASE_URL", "offline")),
)
# What is known by its hash alone: only its name tells anybody something.
_HASHED = ("knowledge", "prompts.", "rubrics.", "personas.", "scenarios.", "target_files.", "file.")
_BY_ID = ("rubrics.", "personas.", "scenarios.")
_OF_TALKING = frozenset({"target", "knowledge", "users", "personas"})
# Not of what is compared: which run was judged again, and how many conversations there are.
_OF_SIZE = ("of", "conversations", "limit")
_YARDSTICKS: Mapping[Doubt, str] = {
    Doubt.JUDGE: "judge",
    Doubt.RUBRICS: "judge",
    Doubt.GUIDELINES: "judge",
    Doubt.EMBEDDING: "embedding",
}
INSTRUMENT_DOUBTS = frozenset((*_YARDSTICKS, Doubt.READINGS))
"""Doubts that leave nothing to be said of the score: it was measured in two ways."""


def headers(store: Store, before: str, after: str) -> tuple[RunHeader, RunHeader]:
    """The headers of the two runs; names as `Store.resolve` takes them.

    For A `previous` is the run before B, as `Store.previous` has it.

    Raises:
        InputError: a run is not there, both are the same, or the two cannot be compared.
    """
    second = store.header(store.resolve(after))
    first = store.header(
        store.resolve_previous(second.id) if before == PREVIOUS else store.resolve(before)
    )
    if first.id == second.id:
        raise InputError(
            f"both arguments refer to run {first.id}; specify two different runs, such as "
            f"`mogi compare {PREVIOUS} {after}` (to list runs: `mogi runs`)"
        )
    if first.is_of_rows != second.is_of_rows:
        talks, rows = (second, first) if first.is_of_rows else (first, second)
        raise InputError(
            f"run {rows.id} has the answers in {rows.options['file']}, run {talks.id} has "
            "conversations; compare two of the same kind"
        )
    return first, second


def score_of(before: RunHeader, after: RunHeader) -> str:
    """The metric that decides: the score of both, or else of B, or of A, if the other has it too.

    Raises:
        InputError: neither has the other's.
    """
    both = {i.name for i in before.metrics} & {i.name for i in after.metrics}
    common = [name for name in (after.score_by, before.score_by) if name in both]
    if not common:
        raise InputError(
            f"run {before.id} is scored by {before.score_by}, run {after.id} by {after.score_by}, "
            f"and neither has the other's metric; rejudge one of them: mogi rejudge {before.id} "
            f"--metric {after.score_by}"
        )
    return common[0]


def check_common(paired: int, first: list[str], second: list[str]) -> None:
    """Refuse to compare two runs that hold conversations, but none of the same name.

    Args:
        paired: How many there are in both.
        first: The keys of those of A alone.
        second: The keys of those of B alone.

    Raises:
        InputError: with a conversation of each.
    """
    if not paired and first and second:
        raise InputError(
            "the two runs have no conversation in common (scenario/persona/repeat): "
            f"one has {first[0]}, the other {second[0]}"
        )


def of_talks(store: Store, header: RunHeader) -> RunHeader:
    """The header, with what the talks were held with where the run has only judged them again."""
    of, snapshot = header, dict(header.snapshot)
    while of.kind == "rejudge":
        of = store.header(of.of)
    if of is header:
        return header
    of_talking = {k: v for k, v in of.snapshot.items() if _group(k) in _OF_TALKING}
    kept = {k: v for k, v in snapshot.items() if _group(k) not in _OF_TALKING}
    return replace(header, snapshot={**of_talking, **kept}, kind=of.kind)


def header_differences(before: RunHeader, after: RunHeader) -> Mapping[str, tuple[str, ...]]:
    """One line for each thing that differs, by group: judge, knowledge, target, users, ….

    Scenarios, personas and rubrics that only one of the runs has are none of them: the
    conversations that have no partner are told anyway.
    """
    by_group: dict[str, list[str]] = defaultdict(list)
    first, second = (
        {k: v for k, v in header.snapshot.items() if v != {}} for header in (before, after)
    )
    for key in sorted({*first, *second} - {*_OF_SIZE}):
        group = _group(key)
        if group is None or first.get(key) == second.get(key) or not _tells(key, before, after):
            continue
        if key.startswith(_HASHED):
            by_group[group].append(key.partition(".")[2] if key.startswith(_BY_ID) else key)
        else:
            by_group[group] += differences(_only(first, key), _only(second, key))
    return {group: tuple(lines) for group, lines in by_group.items()}


def header_doubts(
    before: RunHeader, after: RunHeader, score: str, differs: Mapping[str, tuple[str, ...]]
) -> Iterator[Doubted]:
    """Why the figures may mislead; those of the judge where the score or results rest on it."""
    resting = [i for i in after.metrics if i.name == score or _decides(i, before, after)]
    names = {h.client: None for h in (before, after)}
    if len(names) > 1 and not (before.is_of_file and after.is_of_file):
        yield Doubted(Doubt.CLIENT, tuple(names))
    if before.score_by != after.score_by:
        yield Doubted(Doubt.SCORE_BY, (before.score_by, after.score_by, score))
    for doubt, need in _YARDSTICKS.items():
        if doubt.value in differs and any(need in info.needs for info in resting):
            yield Doubted(doubt, differs[doubt.value])
    if "readings" in differs:
        yield Doubted(Doubt.READINGS, differs["readings"])
    if limits := tuple(_limits(before, after)):
        yield Doubted(Doubt.THRESHOLDS, limits)
    if "scenarios" in differs:
        yield Doubted(Doubt.SCENARIOS, differs["scenarios"])


def doubts_score(doubt: Doubt, score: MetricInfo) -> bool:
    """Whether a doubt is about what measured the score; results may rest on other instruments."""
    if doubt is Doubt.READINGS:
        return not {"judge", "embedding"} & set(score.needs)
    return doubt not in _YARDSTICKS or _YARDSTICKS[doubt] in score.needs


def _decides(info: MetricInfo, before: RunHeader, after: RunHeader) -> bool:
    """Whether results hang on a metric that both runs have: it has a threshold."""
    has_limit = info.name in before.thresholds or info.name in after.thresholds
    return has_limit and info.name in {known.name for known in before.metrics}


def _group(key: str) -> str | None:
    if key.endswith("api_key_env"):  # who pays, not what is measured
        return None
    return next((group for group, prefixes in _GROUPS if key.startswith(prefixes)), None)


def _tells(key: str, before: RunHeader, after: RunHeader) -> bool:
    """Whether a key that differs says something; not if one side has no reason to know it."""
    both = key in before.snapshot and key in after.snapshot
    if key.startswith(_BY_ID):
        return both
    always = key.startswith(("client.judge", "words_reader"))
    return both or before.kind == after.kind or always


def _only(snapshot: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {key: snapshot[key]} if key in snapshot else {}


def _limits(before: RunHeader, after: RunHeader) -> Iterator[str]:
    """The thresholds that differ, of metrics that both runs have."""
    known = {info.name for info in before.metrics}
    for name in (info.name for info in after.metrics if info.name in known):
        first, second = before.thresholds.get(name), after.thresholds.get(name)
        if first != second:
            yield f"{name} {_limit(first)} -> {_limit(second)}"


def _limit(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
