"""The JSON of `mogi compare`."""

from collections.abc import Mapping, Sequence
from typing import Generic, Literal, TypeVar

from simulator.core.comparison import (
    BurnIn,
    CellChange,
    Chance,
    Change,
    Difference,
    Doubted,
    FailedOtherwise,
    Flips,
    Moves,
    People,
    StateMove,
    TurnView,
    Undecided,
    Unjudged,
    Unmeasured,
    WorseCell,
    Worsening,
)
from simulator.core.comparison import Count as Expected
from simulator.core.result import Why
from simulator.core.run import Kind, RunHeader
from simulator.core.verdict import Faults
from simulator.formats.json_contracts import Count, Ordinal, Share, contract, filled
from simulator.view.compare_view import CompareView

T = TypeVar("T")
Differing = TypeVar("Differing", bound="MetricDifference | ShareDifference")


@contract
class BothRuns(Generic[T]):
    """Something of each run."""

    before: T
    """Of the run before."""
    after: T
    """Of the run after."""


@contract
class NewCells(Generic[T]):
    """Cells by how they changed."""

    newly_failing: T
    """Newly failing."""
    newly_passing: T
    """Newly passing."""


@contract
class ComparedRun:
    """A run that is compared."""

    run: str
    """The run's id."""
    client: str
    """The client's name."""
    kind: Kind
    """How it came about."""
    of: str
    """The scored file, or the rescored run; otherwise empty."""
    started: str
    """ISO 8601, in UTC."""
    status: str
    """finished, unfinished, or what halted it."""
    score_by: str
    """The metric that is the score."""
    conversations: Count
    """That came to their end."""
    unfinished: Count
    """That did not."""


@contract
class MetricDifference:
    """A metric in both runs."""

    before: float | None
    """Mean before, in 0-1."""
    after: float | None
    """Mean after, in 0-1."""
    raw_before: float | None
    """The mean before, in the same unit."""
    raw_after: float | None
    """The mean after, in the same unit."""
    difference: float | None
    """After less before."""
    low: float | None
    """The lower end of its 95% interval."""
    high: float | None
    """The upper end."""
    p: Share | None
    """Of the test that nothing differs."""
    p_adjusted: Share | None
    """The same, for all metrics together."""
    exact: bool
    """Whether every way was counted, not drawn."""
    pairs: Count
    """Pairs of conversations."""
    clusters: Count
    """Scenarios that they are of."""
    clustered_by: Literal["scenario"]
    """The unit by which conversations are clustered."""
    changed: Count
    """Pairs that differ."""
    noticeable: float | None
    """The smallest difference that this many pairs can detect with 80% power."""
    lower: Count
    """Pairs that fell."""
    higher: Count
    """Pairs that rose."""


@contract
class ScoreDifference(MetricDifference):
    """The score in both runs."""

    worst: float | None
    """The difference if all gaps were the worst for the run after."""
    best: float | None
    """If they were the best."""


@contract
class RepeatCounts:
    """Repeats by what came of them."""

    passed: Count
    """That are passed."""
    failed: Count
    """That are failed."""
    undecided: Count
    """That are undecided."""


@contract
class ChangedCell:
    """A persona with a scenario."""

    cell: str
    """Its name."""
    scenario: str
    """The scenario's id."""
    persona: str
    """The persona's id."""
    why: Why
    """What decided it."""
    must_pass: bool
    """Whether the gate says that it must pass."""
    before: RepeatCounts
    """Its repeats before."""
    after: RepeatCounts
    """Its repeats after."""


@contract
class MovedConversation:
    """A conversation that moved, by the turns that show it."""

    episode: str
    """The conversation's key."""
    scenario: str
    """The scenario's id."""
    persona: str
    """The persona's id."""
    repeat: Ordinal
    """Which repeat."""
    change: float | None
    """Of the score."""
    before: TurnView
    """Before."""
    after: TurnView
    """After."""
    how: Worsening | None
    """How it got worse; null if it didn't."""


@contract
class MovedConversations:
    """The first conversations that moved, and how many did."""

    n: Count
    """How many."""
    conversations: tuple[MovedConversation, ...]
    """The first of them."""


@contract
class WorseConversations:
    """What got worse, the gravest first."""

    n: Count
    """How many cells."""
    cells: tuple[WorseCell, ...]
    """All of them; with one repeat each is a conversation."""
    conversations: tuple[MovedConversation, ...]
    """The first conversations that show them, with their texts."""


@contract
class ChanceFigures:
    """How many cells would differ though the bot is the same."""

    newly_failing: Expected
    """Newly failing."""
    newly_passing: Expected
    """Newly passing."""
    cells: Count
    """Cells that it was measured on."""
    measured_by: Literal["same_bot", "repeats"]
    """What tells it."""
    runs: tuple[str, ...]
    """Runs of the same bot that tell it."""


@contract
class ShareDifference:
    """A share in both runs."""

    before: Share | None
    """Before."""
    after: Share | None
    """After."""
    difference: float | None
    """After less before."""
    low: float | None
    """The lower end of its 95% interval."""
    high: float | None
    """The upper end."""


@contract
class PeopleDifference(ShareDifference):
    """The share of all answers that people would call OK."""

    n: Count
    """Different answers of either run that they judged."""


@contract
class PeopleUnknown:
    """Why that is not known, and what would change it."""

    why: Unjudged
    """What lacks verdicts."""
    answers: Count
    """Answers without one."""
    judge: Count
    """How many of them to judge."""
    seconds: float
    """That this is likely to take."""
    command: str
    """The command that chooses them; empty if there are none."""


@contract
class FaultPair:
    """A reviewer's error type and mogi's cause."""

    people: str | None
    """Their error type; null: in words of their own."""
    blamed: str | None
    """The blame; null: nothing was."""
    n: Count
    """Different answers."""


@contract
class FaultTable:
    """Answers that people called wrong, by what they and mogi blame."""

    n: Count
    """With a fault of the vocabulary."""
    agreed: Count
    """Of these blamed for it."""
    table: tuple[FaultPair, ...]
    """How often which met which."""

    @classmethod
    def of(cls, faults: Faults | None) -> "FaultTable | None":
        """The same as a table; None if no reviewer gave an error type."""
        if faults is None:
            return None
        pairs = faults.counts.items()
        table = (FaultPair(named or None, blamed or None, n) for (named, blamed), n in pairs)
        return cls(faults.n, faults.agreed, tuple(table))


@contract
class NotCompared:
    """What has nothing to be compared with."""

    only_before: tuple[str, ...]
    """Conversations only in the run before."""
    only_after: tuple[str, ...]
    """Conversations only in the run after."""
    other_question: tuple[str, ...]
    """Conversations whose scenario has a different question."""
    unscored: tuple[Unmeasured, ...]
    """Conversations without a score on one side."""
    not_applicable: Count
    """Conversations in which there was nothing to score."""


@contract
class CompareFigures:
    """What `mogi compare A B --json` prints; differences are after less before."""

    before: ComparedRun
    """The run before."""
    after: ComparedRun
    """The run after."""
    change: Change
    """The conclusion about the score."""
    undecided: Undecided | None
    """Why there's no conclusion; null if there is one."""
    alpha: Share
    """How often no difference may be called one."""
    score_by: str
    """The metric that is compared as the score."""
    score: ScoreDifference
    """The score."""
    gap_turns: BothRuns[Count]
    """Turns without a score."""
    gap_why: BothRuns[str]
    """The most frequent reason."""
    metrics: Mapping[str, MetricDifference]
    """All that both runs have, by name."""
    pairs: Count
    """Pairs of conversations."""
    newly_failing: tuple[ChangedCell, ...]
    """Cells that passed and fail."""
    newly_passing: tuple[ChangedCell, ...]
    """Cells that failed and pass."""
    unsteady: tuple[ChangedCell, ...]
    """Cells whose repeats differ too much to tell."""
    left_open: tuple[ChangedCell, ...]
    """Cells that are undecided in one of the runs."""
    scenarios: NewCells[Count]
    """Scenarios that these are of."""
    expected_by_chance: ChanceFigures | None
    """How many conversations would differ by chance; null if unknown."""
    regressed: bool | None
    """Whether the score fell; null if undecided."""
    people: PeopleDifference | None
    """The share of all answers that reviewers would call OK; null if unknown."""
    people_unknown: PeopleUnknown | None
    """Why `people` is null; otherwise null."""
    faults: FaultTable | None
    """Reviewers' error types compared with mogi's causes; null if no reviewer gave one."""
    score_corrected: ShareDifference | None
    """The same as `people`."""
    flips: Flips
    """Conversations by their results."""
    states: tuple[StateMove, ...]
    """Pairs of conversations by their result before and after, with names if these differ."""
    failed_otherwise: tuple[FailedOtherwise, ...]
    """Conversations that failed in both runs, for another reason or by other violated claims."""
    worse: WorseConversations
    """What got worse."""
    changed_beside: Count
    """Pairs that did not get worse, and whose first answer or result is another one."""
    burn_in: BurnIn | None
    """The result of replays; null if there were none."""
    listed_by: Literal["results", "score"]
    """What the next two go by."""
    fell: MovedConversations
    """Conversations that fell."""
    rose: MovedConversations
    """Conversations that rose."""
    not_compared: NotCompared
    """What has nothing to be compared with."""
    doubts: tuple[Doubted, ...]
    """Other differences between the runs."""
    differs: Mapping[str, tuple[str, ...]]
    """Differences between the two runs, in words, by their location."""


def compare_json(view: CompareView) -> CompareFigures:
    """What `mogi compare --json` prints. Means are 0-1, differences after - before, or None."""
    comparison, states = view.comparison, view.comparison.states
    cells, apart, change = comparison.cells, comparison.apart, comparison.change
    people = view.people
    worst, best = comparison.bounds or (None, None)
    return filled(
        CompareFigures,
        comparison,
        before=_run(comparison.before, comparison.complete[0]),
        after=_run(comparison.after, comparison.complete[1]),
        undecided=comparison.why,
        score_by=comparison.score,
        score=_difference(ScoreDifference, comparison.of_score, worst=worst, best=best),
        gap_turns=BothRuns(*comparison.gap_turns),
        gap_why=BothRuns(*comparison.gap_texts),
        metrics={m.info.name: _difference(MetricDifference, m) for m in comparison.metrics},
        pairs=comparison.paired,
        newly_failing=_cells(cells.newly_failing),
        newly_passing=_cells(cells.newly_passing),
        unsteady=_cells(cells.unsteady),
        left_open=_cells(cells.left_open),
        scenarios=NewCells(view.failing_scenarios, view.passing_scenarios),
        expected_by_chance=_chance(comparison.chance),
        regressed=None if change is Change.UNDECIDED else change is Change.REGRESSED,
        people=people and _difference(PeopleDifference, people),
        faults=FaultTable.of(comparison.faults),
        people_unknown=None if people else filled(PeopleUnknown, comparison.people),
        score_corrected=people and _difference(ShareDifference, people),
        states=states.moves,
        failed_otherwise=states.failed_otherwise,
        worse=WorseConversations(
            len(states.worse), states.worse, _moves(comparison.worse).conversations
        ),
        changed_beside=states.changed_beside,
        burn_in=states.burn_in,
        listed_by="results" if comparison.by_results else "score",
        fell=_moves(comparison.fell),
        rose=_moves(comparison.rose),
        not_compared=filled(
            NotCompared, apart, other_question=apart.questions, unscored=apart.unmeasured
        ),
    )


def _run(header: RunHeader, complete: int) -> ComparedRun:
    unfinished = max(0, header.planned - complete)
    return filled(ComparedRun, header, run=header.id, conversations=complete, unfinished=unfinished)


def _difference(kind: type[Differing], of: Difference | People, **more: object) -> Differing:
    """What it is of, with the ends of its interval; of a metric also by what it was clustered."""
    if isinstance(of, Difference):
        more["clustered_by"] = "scenario"
    return filled(kind, of, of.value, difference=of.value.mean, **more)


def _moves(moves: Moves) -> MovedConversations:
    moved = (filled(MovedConversation, m, m.cell, episode=m.cell.key) for m in moves.shown)
    return MovedConversations(moves.n, tuple(moved))


def _cells(cells: Sequence[CellChange]) -> tuple[ChangedCell, ...]:
    return tuple(
        filled(
            ChangedCell,
            cell,
            cell=cell.name,
            before=RepeatCounts(*cell.before),
            after=RepeatCounts(*cell.after),
        )
        for cell in cells
    )


def _chance(chance: Chance | None) -> ChanceFigures | None:
    if chance is None:
        return None
    measured_by: Literal["same_bot", "repeats"] = "same_bot" if chance.runs else "repeats"
    return ChanceFigures(chance.failing, chance.passing, chance.cells, measured_by, chance.runs)
