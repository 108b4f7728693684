"""What came of a run: episodes with their outcomes, and the figures over all of them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.core.outcome import MetricInfo, Outcome, Outcomes
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.talk import Exchange, Stop


@dataclass(frozen=True, slots=True)
class Turn:
    """One judged exchange. `flags` names the metrics under their threshold."""

    exchange: Exchange
    outcomes: Mapping[str, Outcome]
    flags: tuple[str, ...] = ()
    flagged: bool = False  # a metric under its threshold, or a failed target
    blame: str | None = None
    soundness: tuple[str, ...] = ()
    judge_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Episode:
    """One conversation that came to its end. Only its target, user and judge may have failed.

    `outcomes` are those of metrics that speak of the whole conversation.
    """

    cell: Cell
    turns: tuple[Turn, ...]
    stop: Stop
    outcomes: Outcomes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunHeader:
    """What is known of a run before its first call. Times are ISO 8601 in UTC.

    `options` is what the command line said, for a resume; `snapshot` what must not change.
    `metrics` are those of this run; `planned` the number of conversations.
    """

    id: str
    client: str
    folder: str
    language: Language
    timezone: str
    started: str
    offline: bool
    score_by: str
    planned: int
    metrics: tuple[MetricInfo, ...]
    thresholds: Mapping[str, float]
    gate: float | None
    version: str
    secret: str
    options: Mapping[str, Any] = field(default_factory=dict)
    snapshot: Mapping[str, Any] = field(default_factory=dict)
    finished: str | None = None
    status: str = "running"  # running | finished | unfinished | the halt's reason
    notes: tuple[str, ...] = ()
    wall_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval; the ends are None below 5 clusters."""

    mean: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over a run. Counts are turns; `worst`/`best` put the gaps at the scale's ends."""

    info: MetricInfo
    value: Interval
    raw_mean: float | None
    worst: float | None
    best: float | None
    scored: int
    unscored: Mapping[str, int]  # without not_applicable
    not_applicable: int
    threshold: float | None
    flagged: int


@dataclass(frozen=True, slots=True)
class CellSummary:
    """The score of one persona × scenario, over its repeats. `mean` None: nothing was scored.

    `flagged` and `gaps` count turns, `scored` the conversations that `mean` is made of.
    """

    mean: float | None
    conversations: int
    flagged: int
    gaps: int
    scored: int = 0


@dataclass(frozen=True, slots=True)
class WeakTurn:
    """A flagged turn as the list of the worst shows it; `score` None where there is none."""

    cell: Cell
    turn: int
    user: str
    assistant: str
    score: float | None
    reason: str
    blame: str | None
    raw: float | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a run paid. `cost_usd` is None when a model was called whose price is not known.

    `calls` of the role target are the questions put to the bot; `model_calls` are those of
    models, whoever they were made for (a demo bot may have one, too).
    """

    calls: Mapping[str, int] = field(default_factory=dict)  # by role
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = 0.0
    model_calls: int = 0


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The figures of a run; `mogi run --json` is made of these."""

    conversations: int
    turns: int
    score: MetricSummary | None
    metrics: Mapping[str, MetricSummary]
    flagged: int
    stops: Mapping[str, int]
    failures: Mapping[str, int]  # target, user, judge, infrastructure
    unfinished: int
    ledger: Ledger
    cells: Mapping[tuple[str, str], CellSummary]  # (persona, scenario)
    weak: tuple[WeakTurn, ...]  # worst first
    soundness: Mapping[str, int] = field(default_factory=dict)  # turns by tag
    blames: Mapping[str, int] = field(default_factory=dict)  # flagged turns by fault, most first


@dataclass(frozen=True, slots=True)
class Run:
    """A run as reports receive it: never all of it in memory, never the store itself."""

    header: RunHeader
    summary: RunSummary
    episodes: Callable[[], Iterator[Episode]]
