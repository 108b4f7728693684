"""What came of a run: episodes with their outcomes, and the figures over all of them.

Also which answers are one to a person who judges them: equal ones (`spoken`) share every verdict;
beyond that, answers are folded which differ in what carries no matter (the persona, the wording of
a later question, greetings, thanks and apologies).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from simulator.core.claim import Reader, Reading, counting
from simulator.core.clean import normal_form, spoken
from simulator.core.health import FollowUps, JudgeHealth, SimulatorSummary
from simulator.core.outcome import Interval, MetricInfo, Outcome, Outcomes
from simulator.core.persona import Language, Persona
from simulator.core.plan import Cell, Gate, ReviewSpec
from simulator.core.result import FaultGroup, Finding, Result, WeakTurn, Why
from simulator.core.scenario import Approval, KnowledgeCoverage, Scenario
from simulator.core.talk import Exchange, Stop, StopReason
from simulator.core.verdict import (
    Audit,
    CorrectedScore,
    Drawn,
    ReviewPlan,
    Sampled,
    Verdict,
    VerdictSummary,
    is_folded,
)

NOBODY = "-"
"""The persona of rows that name none."""
# How a run came about; also the name of the command that takes it up again.
Kind = Literal["run", "score", "rejudge", "judge-check"]
# How the ids of the last kind begin: they hold no conversations, so no list of runs shows them.
CHECK_PREFIX = "check-"


@dataclass(frozen=True, slots=True)
class RecordedTalk:
    """One conversation as it was held. `soundness` are the tags of each turn's user, by turn.

    `scripted`, `logged`: as `Evidence` has them; `rerun_for`: as `Episode` has it.
    """

    cell: Cell
    scenario: Scenario
    persona: Persona
    exchanges: tuple[Exchange, ...]
    stop: Stop = field(default_factory=lambda: Stop(StopReason.MAX_TURNS))
    soundness: tuple[tuple[str, ...], ...] = ()
    scripted: bool = False
    logged: bool = False
    rerun_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One judged exchange. `flags` names the metrics that flag it.

    `blames`: where it is flagged, or shows what cannot be told, whose fault that is, the one to
    read first at their head.
    `asks_back`: the reply only asks the user something, so that it is no answer yet. `closes`: it
    only thanks or takes leave where nothing was asked; False in older runs. `readings`: what
    readers say about the scenario's claims; None in runs from before they were stored.
    `follows_up`: the question leans on the turn before. `content`: the hash of what the reply says,
    greetings, thanks, apologies and closing words aside; empty in runs from before it was stored.
    `key`: what the store calls the answer, the same for equal ones of its run; empty outside of it.
    """

    exchange: Exchange
    outcomes: Mapping[str, Outcome]
    flags: tuple[str, ...] = ()
    flagged: bool = False  # a metric flags it, the target failed, or it shows why the talk did
    blames: tuple[str, ...] = ()
    soundness: tuple[str, ...] = ()
    judge_ms: float = 0.0
    asks_back: bool = False
    closes: bool = False
    readings: tuple[Reading, ...] | None = None
    follows_up: bool = False
    content: str = ""
    key: str = field(default="", compare=False)

    @property
    def blame(self) -> str | None:
        """The first of `blames`, if any."""
        return self.blames[0] if self.blames else None


@dataclass(frozen=True, slots=True)
class Episode:
    """One conversation that came to its end. Only its target, user and judge may have failed.

    `outcomes` are those of metrics that speak of the whole conversation; `scenario` is what it was
    held by, None in older runs. `finding` is not kept: it is found anew whenever a run is read.
    `rerun_for`: the tags for which its first take was thrown away, where the user was not sound;
    this is the second then.
    """

    cell: Cell
    turns: tuple[Turn, ...]
    stop: Stop
    outcomes: Outcomes = field(default_factory=dict)
    scenario: Scenario | None = None
    finding: Finding | None = None
    rerun_for: tuple[str, ...] = ()

    @property
    def takes(self) -> int:
        """How often it was held: once, or twice."""
        return 2 if self.rerun_for else 1


@dataclass(frozen=True, slots=True)
class RunHeader:
    """What is known of a run before its first call. Times are ISO 8601 in UTC.

    `options` is what the command line said, for a resume; `snapshot` what must not change.
    `metrics` are those of this run; `planned` the number of conversations. `fail_on`: what fails a
    conversation by itself, beside what always does (unsupported, late). `kind`: talks were held
    (run), answers of a file were scored (score), the talks of a run were judged again (rejudge),
    or the judge was tried on known answers (judge-check); `of` names that file as people see it,
    or is that run's id. `audit`: which unflagged answers people look at as well. `coverage` is None
    where no knowledge base is at hand. `waits`: seconds in which any call waited, by whose limit it
    was (a model, a bot) and by the limit's name. `expected_documents`: hashes of the documents
    that a scenario expects, by its id: of their texts, then with their titles (older runs: only
    that one, as a text, or none); none where rows of a file are scored.
    `references`: title and beginning of each of these documents, by the document's id;
    `personas`: their names by their ids (neither is in older runs). `review`: what people are told.
    `review_plan`: which answers people judge; none: flagged turns and the audit sample. `shards`:
    in how many parts processes play it together; 0: one plays all of it.
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
    gate: Gate | None
    version: str
    secret: str = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    snapshot: Mapping[str, Any] = field(default_factory=dict)
    finished: str | None = None
    status: str = "running"  # running | broken_off | finished | unfinished | a halt's reason
    notes: tuple[str, ...] = ()
    wall_s: float = 0.0
    kind: Kind = "run"
    of: str = ""
    audit: Audit = field(default_factory=Audit)
    fail_on: tuple[str, ...] = ()
    coverage: KnowledgeCoverage | None = None
    waits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    expected_documents: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    references: Mapping[str, Sequence[str]] = field(default_factory=dict)
    personas: Mapping[str, str] = field(default_factory=dict)
    review: ReviewSpec = field(default_factory=ReviewSpec)
    review_plan: ReviewPlan | None = None
    shards: int = 0

    @property
    def locks(self) -> tuple[str, ...]:
        """What is held by who plays all of it; who plays one part of it holds one of them."""
        return locks_of(self.id, self.shards)

    def sampled(self, episode: Episode, turn: Turn) -> Sampled | None:
        """Why people are shown this turn; None where they are not.

        What an invalid user was answered says nothing of the bot, so it is shown to nobody.
        """
        if episode.stop.reason is StopReason.USER_INVALID:
            return None
        place = episode.cell.key, turn.exchange.turn
        if self.review_plan is not None:
            return self.review_plan.shown.get(place)
        if turn.flagged:
            return Sampled.FLAGGED
        if self.audit.shows(place):
            return Sampled.AUDIT
        return Sampled.OPEN if self.decided_by_people(episode, turn.exchange.turn) else None

    @staticmethod
    def decided_by_people(episode: Episode, turn: int) -> bool:
        """Whether a word on this turn, by its number, would decide an episode: nothing else does.

        It shows why that did not pass, or is undecided; where nothing is known of that, False.
        """
        finding = episode.finding
        if finding is None or finding.why in (Why.UNSOUND, Why.SAID_NG, Why.DIFFER):
            return False
        open_ = (Result.FAILED, Result.UNDECIDED)
        return finding.result in open_ and turn == (finding.turn or len(episode.turns))

    def drawn(self, episode: Episode, turn: Turn) -> Drawn:
        """For which turns a word on this one speaks, and how likely it was to be asked for.

        Of different answers that holds for every turn with one of them, whichever is shown.
        """
        place = episode.cell.key, turn.exchange.turn
        if self.review_plan is not None:
            return self.review_plan.drawn.get(place, (Sampled.AUDIT, None))
        sampled = self.sampled(episode, turn)
        if turn.flagged:
            return Sampled.FLAGGED, 1.0 if sampled else None
        if self.audit.answers is not None:
            return self.audit.answers.drawn.get(place, (Sampled.AUDIT, None))
        return Sampled.AUDIT, self.audit.share if sampled is Sampled.AUDIT else None

    @property
    def is_drawn(self) -> bool:
        """Whether people were shown a random sample of what is not flagged."""
        return bool(self.audit.share) or self.review_plan is not None

    @property
    def is_of_rows(self) -> bool:
        """Whether its conversations are rows of a file: one turn each, and no simulated users."""
        return "file" in self.options

    @property
    def is_of_file(self) -> bool:
        """Whether it is of a file without a client, which has only the file's name for one."""
        return self.is_of_rows and self.options.get("client") is None

    @property
    def resume(self) -> str:
        """The command that goes on with this run."""
        return f"mogi {self.kind} --resume {self.id}"


def locks_of(run: str, shards: int) -> tuple[str, ...]:
    """The names of the locks of a run, or of its parts in their order."""
    return tuple(f"{run}~{number}" for number in range(1, shards + 1)) or (run,)


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over a run. Counts are turns; `worst`/`best` put the gaps at the scale's ends.

    `unscored_why` is what was said most often of the gaps; empty where nothing was.
    """

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
    unscored_why: str = ""


@dataclass(frozen=True, slots=True)
class ResultSummary:
    """The results of a run's conversations.

    `counts` by result, `decided` by the weakest reader that the results needed, `whys` by the line
    that decided. `pass_rate` is passed / (passed + failed); `worst` and `best` are the same if all
    that is undecided failed, or passed. Of `scenarios` with
    anything to check, `passing` have no conversation that failed or is undecided, and in `failing`
    every one failed; in `mixed` some failed and some did not, and in `left_open` none failed and
    some are undecided: the four sum to `scenarios`. In `silent` others nothing could be checked.
    `repaired` conversations passed though their first answer refused. `must_failed` and
    `must_open` are the keys of those that the gate says must pass, and that failed or did not pass
    otherwise; `must_idle`: none of these was played (rows of a file are no scenarios, and never).
    `pass_power`: of each k from 2 up to the number of repeats pass^k, over the cells where it is
    known: so many repeats passed or failed, or so many failed that no k can pass.
    `pass_power_cells`: for so many cells it is known for the largest of these.
    """

    counts: Mapping[str, int]
    pass_rate: Interval
    worst: float | None
    best: float | None
    whys: Mapping[Why, int]
    scenarios: int
    passing: int
    failing: int
    mixed: int = 0
    left_open: int = 0
    silent: int = 0
    repaired: int = 0
    must_failed: tuple[str, ...] = ()
    must_open: tuple[str, ...] = ()
    must_idle: bool = False
    decided: Mapping[Reader, int] = field(default_factory=dict)
    pass_power: Mapping[int, float] = field(default_factory=dict)
    pass_power_cells: int = 0

    def __getitem__(self, result: Result) -> int:
        """How many conversations have this result."""
        return self.counts.get(result.value, 0)


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What a model or a person could decide of a run, and what that would cost.

    Attributes:
        talks: conversations that readings or verdicts would decide.
        answers: the different answers that leave them undecided.
        seconds: in which a person judges these.
        calls: of a model that reads every claim that words leave unknown, in each answer once.
        expectations: scenarios with generated expectations that nobody has confirmed.
    """

    talks: int = 0
    answers: int = 0
    seconds: float = 0.0
    calls: int = 0
    expectations: int = 0


class CellResults(NamedTuple):
    """How many repeats of one persona × scenario passed, failed and are undecided."""

    passed: int = 0
    failed: int = 0
    undecided: int = 0


@dataclass(frozen=True, slots=True)
class CellSummary:
    """The score of one persona × scenario, over its repeats. `mean` None: nothing was scored.

    `flagged` and `gaps` count turns, `scored` the conversations that `mean` is made of.
    `pass_power`: pass^k of as many repeats as the run has; None where it is not known.
    """

    mean: float | None
    conversations: int
    flagged: int
    gaps: int
    scored: int = 0
    results: CellResults = field(default_factory=CellResults)
    pass_power: float | None = None

    @property
    def all_pass(self) -> bool:
        """Whether every conversation of it passed, and there is one."""
        return 0 < self.conversations == self.results.passed


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
    results: ResultSummary
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
    verdicts: VerdictSummary | None = None  # None: nobody said anything
    corrected: CorrectedScore | None = None  # None: nothing was drawn, or nobody said anything
    judge_health: JudgeHealth | None = None  # None: nothing was judged
    simulator: SimulatorSummary = field(default_factory=SimulatorSummary)
    follow_ups: FollowUps = field(default_factory=FollowUps)
    found: frozenset[str] = frozenset()  # ids of the documents that came with any reply
    unknown_id: str = ""  # such as the bot has; empty where an entry came, or nothing was to find
    undecided: tuple[WeakTurn, ...] = ()  # the turns that show why
    unsettled: Unsettled = field(default_factory=Unsettled)
    bugs: int = 0  # turns, and conversations as a whole, on which a check of ours crashed
    bug: str = ""  # the first: which check, where, and what it raised
    fault_groups: tuple[FaultGroup, ...] = ()  # most conversations first
    approvals: Mapping[Approval, int] = field(default_factory=dict)  # where anything is expected


@dataclass(frozen=True, slots=True)
class Run:
    """A run as reports receive it: never all of it in memory, never the store itself.

    `reviewed` yields the same episodes as `episodes`, each with people's verdicts on its turns in
    the order in which they were given. `on_claims`: what they say of single claims, likewise.
    """

    header: RunHeader
    summary: RunSummary
    episodes: Callable[[], Iterator[Episode]]
    reviewed: Callable[[], Iterator[tuple[Episode, tuple[Verdict, ...]]]]
    on_claims: Callable[[], Iterable[Verdict]] = tuple


Unit = tuple[str, ...]
"""The name of what a person judges at once."""


def equal_in_run(episode: Episode, turn: int) -> Unit:
    """The name of an answer that its equals in the same run share; `turn` counts from 1."""
    key = episode.turns[turn - 1].key
    return ("key", key) if key else ("spoken", *spoken(episode, turn))


def unit_of(episode: Episode, turn: int) -> Unit:
    """The name of the answers that a verdict on this one is written on; `turn` counts from 1.

    They are of the same scenario, the first answer or later ones, with the same content and the
    same state of every claim. Answers without a stored content are one with their equals alone.
    """
    of_turn = episode.turns[turn - 1]
    if not of_turn.content:
        return equal_in_run(episode, turn)
    readings = (r for r in of_turn.readings or () if r.reader is not Reader.PERSON)
    states = sorted(f"{claim}={reading.state}" for claim, reading in counting(readings).items())
    when = "first" if turn == 1 else "later"
    return ("content", episode.cell.scenario, when, of_turn.content, *states)


def content_of(episode: Episode, turn: int) -> str:
    """The same for answers with the same content, whatever they were asked: judged in a row."""
    of_turn = episode.turns[turn - 1]
    return of_turn.content or normal_form(of_turn.exchange.assistant)


class AnswerNumbers:
    """Numbers answers: equal ones have one number, and so have those that share a verdict."""

    def __init__(self) -> None:
        self._numbers: dict[Unit, int] = {}

    def of(self, episode: Episode, turn: int, verdicts: Iterable[Verdict]) -> int:
        """The number of an answer, from 0, by all verdicts on its conversation.

        One that is judged by folding alone has the number of the answer that people looked at.
        """
        unit, count = unit_of(episode, turn), len(self._numbers)
        if is_folded(verdicts, turn):
            return self._numbers.setdefault(unit, count)
        number = self._numbers.setdefault(equal_in_run(episode, turn), count)
        self._numbers.setdefault(unit, number)
        return number
