"""What a run is going to do: a client's settings and the cells that are to be played."""

import hashlib
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal, NamedTuple

from simulator.core.persona import Language, Opening, Persona
from simulator.core.scenario import Scenario

Assign = Literal["all", "random", "round_robin"]


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A chat or embedding model, where it lives and how it is asked. None: the usual.

    `timeout_s`, `deadline_s`: for one attempt, and for all of one call to begin. `headers` may hold
    `${NAME}` of the environment; `extra_body` is what else each request holds. `api_version`:
    Azure's, whose deployments are then called under their own addresses. `client`: what sends the
    requests, mogi itself or the `openai` SDK.
    """

    model: str
    temperature: float | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    timeout_s: float | None = None
    deadline_s: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    api_version: str | None = None
    client: Literal["sdk"] | None = None


@dataclass(frozen=True, slots=True)
class UserSpec:
    """Who speaks. `kind` None: persona_llm where a model is named, else agenda.

    `open`: the first message is the scenario's query, or the same in the persona's style; None: as
    each persona has it. `chat` is None for users that need no model.
    """

    kind: str | None = None
    open: Opening | None = None
    chat: ModelSpec | None = None

    def opening(self, persona: Persona) -> Opening:
        """How this persona's first message is worded."""
        return self.open or persona.opens


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    """Who judges. `votes`: judgements per turn, the median counts."""

    chat: ModelSpec
    calls: Literal["together", "apart"] = "together"
    votes: int = 1


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """The bot under test. `settings` are the keys of its own kind, already validated.

    `files` in the client's folder are what its answers depend on, beside its code. `watch`: more of
    them, as patterns; None: what a bot of Python code may read there.
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    stateful: bool = False
    timeout_s: float = 60.0
    version: str = ""
    watch: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, order=True)
class Reached:
    """Something outside of mogi that a client's files make a run reach.

    `name`: a host with its scheme and port, a variable of the environment, a file that is read or
    written, an address of this machine where mogi listens, a program with its arguments, or
    `module:name`. `goes`: what it is for; of a variable where its value goes. `implied`: the files
    do not name it; such a variable is not sent where nothing is trusted. `method` and `path` are
    those of the requests to a host: the path of each begins so.
    """

    kind: Literal["host", "variable", "file", "written", "port", "program", "code"]
    name: str
    goes: str = ""
    implied: bool = False
    method: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class TargetCaps:
    """Calls to the target at once, and per minute (None: no cap)."""

    concurrency: int = 50
    per_minute: float | None = None


@dataclass(frozen=True, slots=True)
class ModelCaps:
    """Calls to models at once (per role), and requests and tokens per minute (per model).

    `usual` names those per minute that nobody wrote: they do not hold for models on loopback.
    """

    concurrency: int = 50
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    usual: frozenset[str] = field(default=frozenset(), compare=False)

    def at(self, *, loopback: bool) -> "ModelCaps":
        """Those that hold for a model on loopback, or elsewhere."""
        if not loopback:
            return self
        requests, tokens = self.requests_per_minute, self.tokens_per_minute
        return replace(
            self,
            requests_per_minute=None if "requests_per_minute" in self.usual else requests,
            tokens_per_minute=None if "tokens_per_minute" in self.usual else tokens,
        )


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens."""

    input: float
    output: float
    cached: float | None = None


class Spending(NamedTuple):
    """Money and model calls; infinite: as many as one likes."""

    usd: float = 0.0
    calls: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may do at most. `calls` counts model calls."""

    target: TargetCaps = field(default_factory=TargetCaps)
    model: ModelCaps = field(default_factory=ModelCaps)
    budget_usd: float | None = None
    calls: int | None = None

    @property
    def cap(self) -> Spending:
        """What the run may spend in all."""
        return Spending(
            math.inf if self.budget_usd is None else self.budget_usd,
            math.inf if self.calls is None else self.calls,
        )


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a threshold was found with: it holds for scores that are measured in the same way.

    `judge`: the model that was asked; `rubric`: the beginning of its wording's hash; either is
    empty where the metric has none. `verdicts` of people, on `date`.
    """

    judge: str = ""
    rubric: str = ""
    verdicts: int = 0
    date: str = ""


@dataclass(frozen=True, slots=True)
class SheetsSpec:
    """Where people review: the key of a spreadsheet of Google's, and the worksheet of the log."""

    spreadsheet: str
    worksheet: str = "Log"


@dataclass(frozen=True, slots=True)
class ReviewSpec:
    """What people are told to call OK, and whether they judge before they see score and reason."""

    policy: str = ""
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Gate:
    """What a run has to reach: a score, a pass rate (both 0-1), conversations that must pass.

    `must_pass` names tags and scenarios; `sure`: the lower ends of the intervals have to reach it.
    """

    score: float | None = None
    pass_rate: float | None = None
    must_pass: tuple[str, ...] = ()
    sure: bool = False


@dataclass(frozen=True, slots=True)
class GateLine:
    """One thing that was asked of a run, and what came of it.

    `value` is the score or the pass rate, from `worst` to `best` where something is missing or
    undecided; `sure`: the ends of the interval count. `cases` are the conversations that must pass
    and did not, by their keys; none where none of them was played. `passed` None: it cannot be
    said. `doubted`: it would be reached, but by a judge that is in doubt.
    """

    name: str  # score, pass_rate, must_pass
    passed: bool | None
    wanted: float | None = None
    value: float | None = None
    worst: float | None = None
    best: float | None = None
    sure: bool = False
    cases: tuple[str, ...] = ()
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class Client:
    """Everything of one client but its scenarios and personas. `folder` is absolute.

    `tuned` are those of the thresholds that verdicts of people were found to speak for.
    `left_out`: computed checks that it does not want. `fail_on`: of `unsupported` and `late`, what
    fails a conversation by itself. `isolated`: a bot of Python code has a process of its own.
    """

    name: str
    folder: str
    language: Language
    target: TargetSpec
    timezone: str = "Asia/Tokyo"
    knowledge: str | None = None
    user: UserSpec = field(default_factory=UserSpec)
    judge: JudgeSpec | None = None
    reader: ModelSpec | None = None
    embedding: ModelSpec | None = None
    guidelines: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    assign: Assign = "all"
    repeat: int = 1
    seed: int = 42
    max_turns: int = 3
    min_turns: int = 1
    metrics: tuple[str, ...] = ("overall",)
    score_by: str = "overall"
    thresholds: Mapping[str, float] = field(default_factory=dict)
    gate: Gate | None = None
    fail_on: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Price] = field(default_factory=dict)
    tuned: Mapping[str, Tuned] = field(default_factory=dict)
    review: ReviewSpec = field(default_factory=ReviewSpec)
    sheets: SheetsSpec | None = None
    isolated: bool = True


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One conversation to hold: persona × scenario, and which repeat (from 1)."""

    scenario: str
    persona: str
    repeat: int = 1

    @property
    def key(self) -> str:
        """The episode's name within its run, such as `login-fails/angry/1`."""
        return f"{self.scenario}/{self.persona}/{self.repeat}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A client, its scenarios and personas, narrowed to what this run plays.

    `offline`: no model is called; `target_model` is one that the
    target itself asks, where that is a bot of ours.
    `limit`: at most so many conversations.
    """

    client: Client
    scenarios: Mapping[str, Scenario]
    personas: Mapping[str, Persona]
    offline: bool
    target_model: ModelSpec | None = None
    limit: int | None = None

    def cells(self) -> Iterator[Cell]:
        """Every conversation of the run, repeats last, in the files' order."""
        return islice(self._all_cells(), self.limit)

    def conversations(self) -> int:
        """How many cells there are."""
        each = sum(len(self._assigned(s, n)) for n, s in enumerate(self.scenarios.values()))
        count = each * self.client.repeat
        return count if self.limit is None else min(count, self.limit)

    def _all_cells(self) -> Iterator[Cell]:
        for repeat in range(1, self.client.repeat + 1):
            for index, scenario in enumerate(self.scenarios.values()):
                for persona in self._assigned(scenario, index):
                    yield Cell(scenario.id, persona, repeat)

    def _assigned(self, scenario: Scenario, index: int) -> tuple[str, ...]:
        wanted = [p for p in self.personas if not scenario.personas or p in scenario.personas]
        if self.client.assign == "all" or not wanted:
            return tuple(wanted)
        if self.client.assign == "round_robin":
            return (wanted[index % len(wanted)],)
        return (random.Random(seed_of(self.client.seed, scenario.id)).choice(wanted),)


def seed_of(seed: int, *names: str | int) -> int:
    """A 63-bit seed that depends on nothing but the run's seed and the names."""
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
