"""The sockets between the rooms: one-method protocols, and the values that pass through them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol

from simulator.core.claim import Claim, Reading, claims_of
from simulator.core.errors import ModelFault
from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.persona import Language, Persona
from simulator.core.plan import Spending
from simulator.core.scenario import Scenario
from simulator.core.talk import Document, Exchange, Reply, Stop, Talk, TargetFailure, Utterance


class User(Protocol):
    """A simulated person in one conversation; made anew for each episode."""

    async def speak(self, talk: Talk) -> Utterance:
        """What is said next.

        Raises:
            UserError: the user could not say anything usable; the bot is not to blame.
            RunStopped: the run was halted before a call.
            ModelError: (see `excuses_the_user`) infrastructure; the episode stays unfinished.
        """


class Speaker(Protocol):
    """A user as the loop knows it: what went wrong with it comes back as a stop."""

    async def speak(self, talk: Talk) -> Utterance:
        """What is said next. Raises only RunStopped and ModelError; see `excuses_the_user`."""

    def unasked(self, talk: Talk) -> tuple[str, ...]:
        """The questions of its goal that this talk ended without, where the user knows that."""


class Answerer(Protocol):
    """A target as the loop knows it: capped, timed, journalled, and its failures are values."""

    async def answer(self, question: str, talk: Talk) -> Reply | TargetFailure:
        """Raises only RunStopped and StoreError."""

    async def leave(self, episode: str) -> None:
        """The talk of this episode is over, however it ended. Raises nothing."""

    async def close(self) -> None:
        """The run is over. Raises nothing."""


class Target(Protocol):
    """The bot under test; one object serves all episodes at once.

    It may have two more methods: `async leave(episode)`, called when a talk is over, where it
    holds something for each talk (a connection, a process); and `async close()`, called once,
    when the run is over.
    """

    async def answer(self, question: str, talk: Talk) -> Reply:
        """The answer to `question`; `talk` holds what was said before it.

        Raises:
            TargetError: the bot failed. Any other exception counts as that, too.
        """


class Knowledge(Protocol):
    """What the bot may know, if it is at hand."""

    def __len__(self) -> int: ...

    def documents(self) -> Sequence[Document]:
        """Every entry, in the files' order; ids are unique."""


class Role(StrEnum):
    """On whose behalf a call is made."""

    USER = "user"
    JUDGE = "judge"
    READER = "reader"
    TARGET = "target"
    EMBEDDING = "embedding"
    GENERATE = "generate"
    PROBE = "probe"


@dataclass(frozen=True, slots=True)
class CallId:
    """The identity of a paid call within its run; `part` tells votes, repairs and items apart.

    `take`: which take of the conversation, as `Talk` has it.
    """

    episode: str
    turn: int
    role: Role
    part: str = ""
    take: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat request."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; `cached` are those of `input` that the provider's cache held.

    `reasoning` are those of `output` that nobody reads; the journal does not keep them.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """The JSON form that an answer has to take. `schema` is strict JSON Schema.

    `instructions` say the same in words. They are appended to the first message where the
    endpoint is not held to the schema (the lower rungs of the ladder), so that what stands
    before them stays the same for a provider's cache. `most`: items of each of its lists.
    """

    name: str
    schema: Mapping[str, Any]
    instructions: str = ""
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer as text, sanitised. `fault`: REFUSED, FILTERED, TRUNCATED or EMPTY."""

    text: str
    usage: Usage = field(default_factory=Usage)
    fault: ModelFault | None = None
    latency_ms: float = 0.0
    finish: str = ""
    """Why it ended, in the endpoint's words."""


class Chat(Protocol):
    """A chat model under one account, with its limits, retries, journal and ledger behind it."""

    async def complete(
        self,
        call: CallId,
        messages: Sequence[Message],
        *,
        form: Form | None = None,
        fence: str = "",
    ) -> Completion:
        """One answer; taken from the journal when this very call was already paid for.

        With a `form` the highest rung of the structured-output ladder that the endpoint bears is
        used; the text is not yet parsed. `fence` is left out of the input's hash.

        Raises:
            ModelError: REJECTED or UNAVAILABLE. (Faults in the model's own words are values.)
            RunStopped: account refused, budget spent, interrupted.
        """


Vector = Sequence[float]
"""Where a text lies in the space of an embedding model; finite numbers, not all of them 0."""


class Embedder(Protocol):
    """An embedding model under one account, with the same behind it as a `Chat` has."""

    async def embed(self, call: CallId, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector for each text, all of one length, in the order of the texts.

        All texts go in one request. What was embedded before in this run is not asked for again;
        a call that was already paid for is taken from the journal.

        Raises:
            ModelError: REJECTED or UNAVAILABLE; FILTERED; UNPARSABLE where what came are not
                vectors that can be compared.
            RunStopped: account refused, budget spent, interrupted.
        """


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call that was paid for, as the journal keeps it; journal and ledger in one.

    `response` is JSON text; what it holds is the caller's own business.
    `cost_usd` None: no price is known. `reused`: taken from another run, nothing was paid.
    `endpoint`: where it went; `waited_ms`: in queues and between attempts. Both are None in runs
    of before they were kept.
    """

    call: CallId
    digest: str
    response: str
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    latency_ms: float = 0.0
    attempts: int = 1
    reused: bool = False
    endpoint: str | None = None
    waited_ms: float | None = None


class Journal(Protocol):
    """The memory of calls, of one run."""

    def recall(self, call: CallId, digest: str) -> CallRecord | None:
        """The record of this call if it was made with this very input, else None."""

    async def record(self, record: CallRecord) -> None:
        """Returns when the record is committed to disk.

        Raises:
            StoreError: it could not be saved.
        """


class Lease(NamedTuple):
    """What a process may spend in all by now, and what the others of its run have paid.

    `most` could be allowed now; `may_return`: others hold pieces that they may give back.
    """

    allowed: Spending
    most: Spending
    elsewhere: Spending = Spending()
    may_return: bool = False


class Lender(Protocol):
    """Lends pieces of a run's budget to the processes that share it."""

    async def lease(self, paid: Spending, kept: Spending, needed: Spending) -> Lease:
        """Give back all but what is `kept`, and borrow at least what is `needed`, if that is free.

        All are of the whole part: what it has paid, what it may have to pay for calls in flight,
        and what it wants to be allowed to pay.
        """

    def saved(self, record: CallRecord) -> None:
        """A call that was paid is in the ledger, where other processes see it."""

    def settle(self, paid: Spending) -> None:
        """Give back all but what is `paid`: this process has ended."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known about one turn when it is scored; `talk` ends with that turn.

    `scripted`: what its user says was written down before, or nobody spoke at all, so that the end
    of the talk does not tell whether anybody was content. `logged`: an answer of a file, of which
    a scenario that expects nothing tells nothing else. `soundness`: the tags of its user, where
    they were found when it spoke. `readings`: those of this answer so far, for metrics.
    `checks_support`: whether the client fails answers that their documents do not support.
    """

    language: Language
    persona: Persona
    scenario: Scenario
    talk: Talk
    guidelines: tuple[str, ...] = ()
    scripted: bool = False
    logged: bool = False
    soundness: tuple[str, ...] | None = None
    readings: tuple[Reading, ...] = ()
    checks_support: bool = False

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the answer is checked against."""
        return claims_of(self.scenario.expected, supported=self.checks_support)

    @property
    def exchange(self) -> Exchange:
        """The turn that is scored."""
        return self.talk.last


class Metric(Protocol):
    """One kind of number (or several that come together)."""

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """What it yields; `score` returns an outcome for each of these names."""

    async def score(self, evidence: Evidence) -> Outcomes:
        """An outcome for each of its names; a metric that cannot tell says so (Unscored)."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says about one turn, in one call.

    `out_of_role`: the words of the user that no user would say; empty where it is in its role, or
    nobody could tell.
    """

    outcomes: Outcomes
    readings: tuple[Reading, ...] = ()
    out_of_role: str = ""


class Judge(Protocol):
    """A metric that also reads claims, and the user."""

    async def judge(self, evidence: Evidence) -> Judgement:
        """Its outcomes, and the readings of the claims in `evidence`. Raises what metrics raise."""


class ClaimReader(Protocol):
    """Reads claims; one object serves all episodes of a run at once."""

    async def read(self, evidence: Evidence) -> tuple[Reading, ...]:
        """The readings of the claims in `evidence`, of its last answer.

        Raises:
            ModelError: (UNAVAILABLE only) infrastructure.
            RunStopped: the run was halted before a call.
        """


class TalkMetric(Protocol):
    """One kind of number about a whole conversation; its infos have the scope `talk`."""

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """What it yields; `score_talk` returns an outcome for each of these names."""

    async def score_talk(self, evidence: Evidence, stop: Stop) -> Outcomes:
        """An outcome for each of its names; `evidence.talk` is the whole conversation."""
