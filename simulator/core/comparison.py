"""Two runs side by side: what changed between them, and what can be said of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from simulator.core.outcome import Count, Interval, MetricInfo
from simulator.core.plan import Cell
from simulator.core.result import Result, Why
from simulator.core.run import CellResults, RunHeader
from simulator.core.verdict import Faults


class Change(StrEnum):
    """What became of the score, after the test."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    NO_DIFFERENCE = "no_difference"  # none was seen
    UNDECIDED = "undecided"


class Undecided(StrEnum):
    """Why nothing can be said."""

    NOTHING = "nothing"  # no pair of conversations has a score on both sides
    FEW = "few"  # scenarios changed: so few that the test cannot tell
    GAPS = "gaps"  # the missing scores decide
    YARDSTICK = "yardstick"  # the two runs were not judged by the same


class Doubt(StrEnum):
    """Why a comparison may mislead."""

    JUDGE = "judge"
    RUBRICS = "rubrics"
    GUIDELINES = "guidelines"
    EMBEDDING = "embedding"
    SCORE_BY = "score_by"
    THRESHOLDS = "thresholds"
    SCENARIOS = "scenarios"
    CLIENT = "client"
    QUESTIONS = "questions"
    HEALTH = "health"
    READINGS = "readings"  # other readers, or a run from before readings were stored


@dataclass(frozen=True, slots=True)
class Doubted:
    """One reason for doubt, and the names of what it is about."""

    doubt: Doubt
    names: tuple[str, ...] = ()


class Worsening(StrEnum):
    """How a conversation got worse, the gravest first."""

    PASSED_FAILED = "passed_failed"
    NEWLY_VIOLATED = "newly_violated"  # failed in both, and violates a claim that it did not
    UNDECIDED_FAILED = "undecided_failed"
    PASSED_UNDECIDED = "passed_undecided"


class Replayed(StrEnum):
    """What further plays of a conversation that changed say."""

    BROKEN = "broken"
    NOISE = "noise"
    OPEN = "open"  # too few plays to tell


@dataclass(frozen=True, slots=True)
class StateMove:
    """The pairs of conversations that went from one result to another, or kept it.

    `conversations` are their keys (`Cell.key`), `unchanged` those with the same first answer; both
    are empty where the result is the same.
    """

    before: Result
    after: Result
    n: int
    conversations: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """What decided a result: the line of the verdict table; its claim's id and metric, if any."""

    why: Why
    claim: str = ""
    metric: str = ""


@dataclass(frozen=True, slots=True)
class FailedOtherwise:
    """A conversation that failed in both runs, for another reason or by other violated claims.

    `newly_violated` and `no_longer_violated` are ids of claims that both scenarios make.
    """

    conversation: str
    before: Reason
    after: Reason
    newly_violated: tuple[str, ...] = ()
    no_longer_violated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replays:
    """Further plays of a cell: `bad` of `plays` were as bad as what made it be played again.

    `steady`: it was played at least four times before, and was never so bad.
    """

    plays: int
    bad: int
    replayed: Replayed
    steady: bool = False


@dataclass(frozen=True, slots=True)
class WorseCell:
    """A cell that got worse; with one repeat, a conversation.

    A cell that was played several times is what most of its repeats are. `conversation`: the key of
    a repeat that shows it. `why`: the line that decided it in B. `newly_violated`: ids of claims.
    `must_pass`: the gate of B's client says so. `replays`: None where it was not played again.
    """

    scenario: str
    persona: str
    how: Worsening
    conversation: str
    why: Why
    newly_violated: tuple[str, ...] = ()
    must_pass: bool = False
    replays: Replays | None = None

    @property
    def name(self) -> str:
        """Such as `login-fails/angry`."""
        return f"{self.scenario}/{self.persona}"

    @property
    def was_noise(self) -> bool:
        """Whether playing it again says so."""
        return self.replays is not None and self.replays.replayed is Replayed.NOISE


@dataclass(frozen=True, slots=True)
class BurnIn:
    """What playing changed cells again says.

    Attributes:
        most: how often a cell is played again at most.
        cells: how many got worse.
        conversations: how many were played.
        lucky: cells that got better at their first play, and were as bad as before when they were
            played again: so many passed by luck, and as many may have before.
        chance: how likely a cell that is as bad in half of its plays is called broken.
    """

    most: int
    cells: int
    conversations: int
    lucky: int
    chance: float


@dataclass(frozen=True, slots=True)
class States:
    """How the results of conversations changed between the two runs.

    Attributes:
        moves: all pairs, by their result before and after.
        failed_otherwise: those that failed in both, and not for the same reason.
        worse: the cells that got worse, the gravest first.
        changed_beside: pairs that did not get worse, and whose first answer or result is another
            one all the same: where there are none, the bot is not noisy.
        burn_in: None where nothing was played again.
    """

    moves: tuple[StateMove, ...] = ()
    failed_otherwise: tuple[FailedOtherwise, ...] = ()
    worse: tuple[WorseCell, ...] = ()
    changed_beside: int = 0
    burn_in: BurnIn | None = None

    @property
    def lasting(self) -> tuple[WorseCell, ...]:
        """What got worse, but for what was noise when it was played again."""
        return tuple(cell for cell in self.worse if not cell.was_noise)

    @property
    def unjudged(self) -> StateMove:
        """The failures of before that are undecided now."""
        way = Result.FAILED, Result.UNDECIDED
        moves = (move for move in self.moves if (move.before, move.after) == way)
        return next(moves, StateMove(*way, 0))

    @property
    def noise(self) -> frozenset[str]:
        """The names of the cells that got worse, and were noise when they were played again."""
        return frozenset(cell.name for cell in self.worse if cell.was_noise)


@dataclass(frozen=True, slots=True)
class TurnView:
    """One side of a conversation as people read it: its score, and one turn of it.

    `episode` is the conversation's key in its run. `score` is its mean, `raw` that of what was
    said; None where there is none. `assistant` is empty where the bot failed. `failed`: this turn
    shows why the conversation failed. `quote`: the words of it that show why.
    """

    episode: str
    score: float | None
    raw: float | None
    turn: int
    user: str
    assistant: str
    reason: str
    failed: bool
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """A conversation that went up or down; `change` is that of its score.

    `how`: in which way it got worse; None where it is not listed for that.
    """

    cell: Cell
    change: float | None
    before: TurnView
    after: TurnView
    how: Worsening | None = None


@dataclass(frozen=True, slots=True)
class Moves:
    """Conversations that went the same way: how many, and the first of them, furthest first."""

    n: int = 0
    shown: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True)
class Flips:
    """Cells by whether they passed or failed, before and after.

    `unknown`: on one side nothing was decided, or as many repeats passed as failed. `p` is that of
    the test which flips clusters, `p_mcnemar` that of exact McNemar, which takes cells as
    independent; None where no cell is known on both sides.
    """

    failing: int  # newly
    fixed: int  # newly
    failing_still: int
    passing_still: int
    unknown: int
    p: float | None
    p_mcnemar: float | None

    @property
    def known(self) -> int:
        """How many cells are known on both sides."""
        return self.failing + self.fixed + self.failing_still + self.passing_still


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell (persona × scenario, or a row of a file) in both runs; with one repeat, a talk.

    `why`: the line that decided its result in B. `must_pass`: the gate of B's client says so.
    """

    scenario: str
    persona: str
    before: CellResults
    after: CellResults
    why: Why
    must_pass: bool = False

    @property
    def name(self) -> str:
        """Such as `login-fails/angry`."""
        return f"{self.scenario}/{self.persona}"


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells whose results changed, or may have.

    A cell newly fails if most of its repeats in A passed and most in B failed, among those that did
    either. `unsteady`: repeats of one run contradict each other, and it neither newly fails nor
    newly passes. `left_open`: it passed in A, and in B nothing was decided, or what is undecided
    there could be most of it failing; it may be unsteady as well.
    """

    newly_failing: tuple[CellChange, ...] = ()
    newly_passing: tuple[CellChange, ...] = ()
    unsteady: tuple[CellChange, ...] = ()
    left_open: tuple[CellChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Chance:
    """How many of `cells` newly fail and newly pass where nothing changed, as it was measured.

    By the repeats of the two runs, or by two `runs` of the same bot.
    """

    failing: Count
    passing: Count
    cells: int
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class People:
    """The share of all answers that people would call OK, estimated of both runs.

    One that they are unsure of counts half. `value` is the difference with its 95 % interval,
    paired by scenario (statistics/ppi.py); `n`: different answers of either run that are judged.
    """

    before: float
    after: float
    value: Interval
    n: int


class Unjudged(StrEnum):
    """Why what people say of two runs cannot be compared."""

    NOTHING = "nothing"  # nobody judged anything
    FEW_BEFORE = "few_before"  # too few answers of A that were drawn at random, or all, are judged
    FEW_AFTER = "few_after"  # the same of B
    NEW = "new"  # none, or too few, of B's new answers are judged


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why people's words cannot be compared, and what would change that.

    `answers`: how many answers lack a verdict; `judge`: how many of them to judge, in `seconds`;
    `command` queues these.
    """

    why: Unjudged
    answers: int = 0
    judge: int = 0
    seconds: float = 0.0
    command: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric over the pairs of conversations that have a value of it on both sides.

    `before` and `after` are means over these pairs, `value` their difference with its 95 %
    interval. `p_adjusted` is Holm's over the metrics that are not *the* score; the score's own is
    its `p`. `clusters`: scenarios; `changed`: those of them that went up or down. `noticeable`: the
    smallest true difference that would have been seen four times in five. `lower` and `higher`:
    pairs that went down and up.
    """

    info: MetricInfo
    before: float | None
    after: float | None
    raw_before: float | None
    raw_after: float | None
    value: Interval
    p: float | None
    p_adjusted: float | None
    exact: bool
    pairs: int
    clusters: int
    changed: int
    noticeable: float | None
    lower: int
    higher: int


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A pair of conversations without a score on one side or both, and why not; None: it has."""

    key: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Apart:
    """Conversations that could not be compared, by their keys.

    `not_applicable` counts those that the score does not apply to on either side. `questions` have
    another question under the same key.
    """

    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    unmeasured: tuple[Unmeasured, ...] = ()
    not_applicable: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that `mogi compare` has to say.

    Attributes:
        before: the earlier run, A.
        after: the later run, B.
        complete: how many conversations of A and of B there are.
        paired: how many of them are of the same cell (or row) and question.
        alpha: of the test.
        change: what became of the score.
        why: why that is undecided; None where it is not.
        score: the metric that decides; it is the first of `metrics`.
        bounds: the mean difference if all missing scores were the worst for B and the best for A,
            and the other way round; None where nothing is paired.
        gap_turns: turns of A and of B without a score, among the pairs.
        gap_texts: the reason that was given most often for these, of A and of B; or empty.
        metrics: every metric that both runs have.
        flips: cells by their results, which are found by the thresholds of B on both sides.
        cells: those whose results changed.
        chance: how many that would be where nothing changed; None: it is not known.
        people: what people would say of all answers of both, or why that is not known.
        faults: what people called wrong in either run, beside what was blamed; None: nothing.
        states: how the results of conversations changed.
        by_results: `fell` and `rose` are the cells that newly fail and newly pass; where no cell
            has a result on both sides, the conversations whose score fell and rose.
        worse: the conversations that show what got worse.
        apart: what could not be compared.
        repeated: a cell was held several times in one of the runs.
        doubts: why the figures may mislead.
        differs: what else differs between the two, by group.
    """

    before: RunHeader
    after: RunHeader
    complete: tuple[int, int]
    paired: int
    alpha: float
    change: Change
    why: Undecided | None
    score: str
    bounds: tuple[float, float] | None
    gap_turns: tuple[int, int]
    metrics: tuple[Difference, ...]
    flips: Flips
    cells: Cells
    chance: Chance | None
    people: People | Unknown
    faults: Faults | None
    by_results: bool
    fell: Moves
    rose: Moves
    worse: Moves
    states: States
    apart: Apart
    repeated: bool = False
    doubts: tuple[Doubted, ...] = ()
    differs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gap_texts: tuple[str, str] = ("", "")

    @property
    def of_score(self) -> Difference:
        """The difference of the metric that decides."""
        return self.metrics[0]

    @property
    def changes(self) -> dict[str, str]:
        """By the names of cells: failing or passing newly, worse otherwise, or failed and open."""
        newly = {"failing": self.newly_failing, "passing": self.cells.newly_passing}
        named = {cell.name: change for change, some in newly.items() for cell in some}
        otherwise = (cell.name for cell in self.states.lasting)
        move = self.states.unjudged
        unjudged = (key.rpartition("/")[0] for key in (*move.unchanged, *move.conversations))
        changes = {**dict.fromkeys(unjudged, "unjudged"), **dict.fromkeys(otherwise, "otherwise")}
        return {**changes, **named}

    @property
    def newly_failing(self) -> tuple[CellChange, ...]:
        """The cells that newly fail, but for what was noise when it was played again."""
        noise = self.states.noise
        return tuple(cell for cell in self.cells.newly_failing if cell.name not in noise)
