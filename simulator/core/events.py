"""What happens in a run, as values: who listens to a run gets these, in this order for each turn.

A subscriber is called with one event at a time. It may be asked to `close()` when the run is over.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from simulator.core.claim import Reading
from simulator.core.errors import TargetFault
from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.persona import Language
from simulator.core.plan import GateLine
from simulator.core.ports import Role, Usage
from simulator.core.result import Finding, Result, WeakTurn
from simulator.core.scenario import Expected
from simulator.core.talk import Document, StopReason
from simulator.core.verdict import Verdict

VERSION = 1
"""Of this contract: raised when a field goes or means something else, not when one is added."""


@dataclass(frozen=True, slots=True)
class RunPlanned:
    """The run is planned; mogi has made no calls yet.

    Attributes:
        run: The run's id.
        kind: run, score, rejudge or judge-check: the command that began it.
        planned: Conversations of the run, or of this part of it.
        complete: How many of these were completed by an earlier start.
        rows: The conversations are rows of a file, with one turn each.
        resume: The command that resumes the run.
        started: When it began, ISO 8601 in UTC.
        metrics: What is scored.
    """

    run: str
    client: str
    language: Language
    kind: str
    score_by: str
    planned: int
    complete: int = 0
    rows: bool = False
    resume: str = ""
    started: str = ""
    metrics: tuple[MetricInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationStarted:
    """A take of a conversation began. `take` 1: a retry, because the simulated user was at fault.

    For stored conversations that are rescored, `take` is 0. `query`, `goal` and `expected` come
    from the scenario.
    """

    run: str
    episode: str
    take: int
    scenario: str
    persona: str
    tags: tuple[str, ...] = ()
    query: str = ""
    goal: str = ""
    expected: Expected = field(default_factory=Expected)


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """The bot answered or failed. `turn` counts from 1. `fault` None: it answered.

    `at`: when it answered, in seconds since 1970; 0 if unknown. `trace`: the ID of the bot's trace
    of this turn, if the answer contains one. `error`: the error, if it failed.
    """

    run: str
    episode: str
    take: int
    turn: int
    user: str
    assistant: str
    documents: tuple[Document, ...] = ()
    fault: TargetFault | None = None
    user_ms: float = 0.0
    target_ms: float = 0.0
    at: float = 0.0
    trace: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class TurnScored:
    """A turn was checked and scored.

    `score`: the turn's score by the run's `score_by`; None if it's missing. Flags and causes cover
    only this turn; the end of the conversation may add more.
    """

    run: str
    episode: str
    take: int
    turn: int
    score: float | None
    flagged: bool
    outcomes: Outcomes = field(default_factory=dict)
    readings: tuple[Reading, ...] = ()
    flags: tuple[str, ...] = ()
    blames: tuple[str, ...] = ()
    judge_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class ConversationEnded:
    """A conversation is complete and saved.

    `outcomes`: those of metrics about the whole conversation. Earlier takes are discarded.
    `verdicts`: reviewers' verdicts, oldest first; the result counts them. Empty while the run is in
    progress.
    """

    run: str
    episode: str
    take: int
    turns: int
    stop: StopReason
    result: Result
    finding: Finding | None = None
    outcomes: Outcomes = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run has ended. `status`: finished, unfinished, or the reason why it was halted.

    The figures cover the whole run, including earlier starts. `cost_usd` None: the price is
    unknown. `gate`: the gate's conditions with their results. `worst`: turns that show why
    conversations failed, worst first, as in a report.
    """

    run: str
    status: str
    conversations: int
    turns: int
    flagged: int
    unfinished: int
    results: Mapping[str, int]
    score: float | None
    cost_usd: float | None
    wall_s: float
    gate: tuple[GateLine, ...] = ()
    worst: tuple[WeakTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class CallMade:
    """A call ended, with or without an answer.

    Attributes:
        episode: With take, turn, role and part: identifies the call within the run.
        endpoint: A model's base URL, or the bot's kind or host.
        model: Empty for a call to the bot.
        status: ok, the fault of the response (`ModelFault`), or how the last attempt failed.
        attempts: Number of requests sent.
        latency_ms: Latency of the last attempt.
        waited_ms: Total waiting time in queues and between attempts.
        why: Why it was retried, what it waited for, or why it failed. Contains no text of a
            conversation.
        usage: Tokens, as the endpoint reports them.
        sent: The size of the request in bytes; 0 if unknown.
        cost_usd: None if the price is unknown.
        recalled: The response was paid for earlier and is reused, from this run or another one.
    """

    run: str
    episode: str
    take: int
    turn: int
    role: Role
    part: str
    endpoint: str
    model: str
    status: str
    attempts: int
    latency_ms: float
    waited_ms: float
    why: str
    usage: Usage = field(default_factory=Usage)
    sent: int = 0
    cost_usd: float | None = 0.0
    recalled: bool = False


Event = (
    RunPlanned
    | ConversationStarted
    | TurnPlayed
    | TurnScored
    | ConversationEnded
    | RunEnded
    | CallMade
)
Subscriber = Callable[[Event], object]


@dataclass(frozen=True, slots=True)
class ExportContext:
    """The context of an exporter: the client's name, folder and language.

    `on_request`: someone exports a stored run; otherwise, events arrive during the run.
    """

    client: str
    folder: str
    language: Language
    on_request: bool = False


class Exporter(Protocol):
    """A class in `simulator/exporters`, or in the entry-point group `mogi.exporters` of a package.

    It reads its own settings, for example from the environment. mogi calls it in a separate thread,
    with one event at a time.
    """

    @classmethod
    def open(cls, context: ExportContext) -> Self:
        """The exporter of one run.

        Raises:
            InputError: a setting is missing or wrong; nothing runs.
        """

    def __call__(self, event: Event) -> Any:
        """Take an event; one that it has no use for is ignored. What it raises ends no run."""

    def close(self) -> None:
        """The run is over: send what is left."""
