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
    """Everything is open, and nothing was called yet.

    Attributes:
        run: The run's id.
        kind: run, score, rejudge or judge-check: the command that began it.
        planned: Conversations of the run, or of this part of it.
        complete: How many of these an earlier start has completed.
        rows: They are rows of a file, of one turn each.
        resume: The command that goes on with the run.
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
    """A take of a conversation began; `take` 1: once more, because its user was not sound.

    Of talks that were held before and are judged now, `take` is 0. `query`, `goal` and `expected`
    are those of the scenario.
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
    """The bot has answered, or failed. `turn` counts from 1; `fault` None: it answered.

    `at`: when it answered, in seconds since 1970; 0 where that is not known. `trace`: the id of the
    trace in which the bot recorded it, where its answer names one. `error`: how it failed.
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
    """A turn was read and scored.

    `score` is that of the run's `score_by`, None where it is missing. Flags and
    causes are those of the turn alone; the end of the conversation may add some.
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

    `outcomes` are those of metrics that speak of all of it. Of an earlier `take` nothing is kept.
    `verdicts`: what people said of it, in that order; the result counts them. None while it runs.
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
    """The run has ended, as `status` says: finished, unfinished, or why it was halted.

    Figures are those of the whole run, with what earlier starts did. `cost_usd` None: no price is
    known. `gate`: what was asked of the run, and what came of it. `worst`: turns that show why
    conversations failed, worst first; the list of a report.
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
        episode: With take, turn, role and part the call's identity within the run.
        endpoint: Where it went: a model's base URL, or the bot's kind or host.
        model: Empty where a bot was called.
        status: ok; what is wrong with the answer (`ModelFault`); or how the last attempt failed.
        attempts: Requests that were sent; 0: none was.
        latency_ms: Of the last attempt.
        waited_ms: In queues and between attempts, all together.
        why: Why it was tried again, what it waited for, why it failed. Holds no text of a talk.
        usage: Tokens, as the endpoint tells them.
        sent: The length of what was sent, in bytes; 0 where that is not known.
        cost_usd: None where no price is known.
        recalled: The answer was paid for earlier: it is taken from the journal or from another run.
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
    """Of what an exporter is opened: the client's name, its folder and its language.

    `on_request`: a person wants a stored run to be sent; else it is sent while it is played.
    """

    client: str
    folder: str
    language: Language
    on_request: bool = False


class Exporter(Protocol):
    """A class of `simulator/exporters`, or of a package's entry-point group `mogi.exporters`.

    It reads its own settings, from the environment for example. Called from one thread of its own,
    one event at a time.
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
