"""`mogi compare`: did the last change break something?"""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Generic, Literal, TypeVar

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import (
    INDENT,
    entry,
    figure,
    labelled,
    next_steps,
    paragraph,
    passage,
    spaced,
    table,
)
from simulator.console.layout import fit, fit_unlike, wrap
from simulator.console.output import as_json
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.comparison import (
    BurnIn,
    CellChange,
    Chance,
    Change,
    Comparison,
    Difference,
    Doubted,
    FailedOtherwise,
    Flips,
    Moved,
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
from simulator.core.outcome import Count as Expected
from simulator.core.result import Why
from simulator.core.run import Kind, RunHeader
from simulator.core.verdict import Faults
from simulator.formats.json_contracts import Count, Ordinal, Share, contract, filled
from simulator.view.compare_view import (
    CompareView,
    Matrix,
    Worse,
    cell_name,
    compared_score,
    few,
    p_in_text,
    p_value,
    shown_worse,
    signed,
)
from simulator.view.run_view import local_time, rating, row_name, where
from simulator.view.worst import screen_names
from simulator.words import Words, nested

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
        before=_run_figures(comparison.before, comparison.complete[0]),
        after=_run_figures(comparison.after, comparison.complete[1]),
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
            len(states.worse), states.worse, _move_figures(comparison.worse).conversations
        ),
        changed_beside=states.changed_beside,
        burn_in=states.burn_in,
        listed_by="results" if comparison.by_results else "score",
        fell=_move_figures(comparison.fell),
        rose=_move_figures(comparison.rose),
        not_compared=filled(
            NotCompared, apart, other_question=apart.questions, unscored=apart.unmeasured
        ),
    )


def _run_figures(header: RunHeader, complete: int) -> ComparedRun:
    unfinished = max(0, header.planned - complete)
    return filled(ComparedRun, header, run=header.id, conversations=complete, unfinished=unfinished)


def _difference(kind: type[Differing], of: Difference | People, **more: object) -> Differing:
    """What it is of, with the ends of its interval; of a metric also by what it was clustered."""
    if isinstance(of, Difference):
        more["clustered_by"] = "scenario"
    return filled(kind, of, of.value, difference=of.value.mean, **more)


def _move_figures(moves: Moves) -> MovedConversations:
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


_NAMED = 5
_WIDEST_METRIC = 22
_SECTIONS = ("only_before", "only_after", "questions")
_HEADS = ("metric", "mean_before", "mean_after", "difference", "ci", "p", "p_adjusted", "n")
_UNTOLD = ("knowledge", "guidelines", "file")  # what of them differs tells nobody anything


def figures(view: CompareView, width: int) -> Iterator[RenderableType]:
    """How many went which way, and a line for each metric."""
    comparison, words = view.comparison, view.words
    score = comparison.of_score
    lines = [(words("pairs_label"), Text(words("pairs", n=comparison.paired)))]
    if comparison.by_results:
        lines.append((words("results"), Text(_flips(view))))
    if score.pairs:
        same = score.pairs - score.lower - score.higher
        ways = words("ways", lower=score.lower, higher=score.higher, same=same)
        lines.append((words("scores"), Text(ways)))
    yield labelled(lines)
    if any(metric.pairs for metric in comparison.metrics) or view.people:
        yield from spaced(_table(view, width))


def _flips(view: CompareView) -> str:
    flips, words = view.comparison.flips, view.words
    text = words("flips", **as_json(flips))
    if flips.unknown:
        text += words("flips_unknown", n=flips.unknown)
    return text + (words("flips_p", p=p_in_text(flips.p)) if flips.failing + flips.fixed else "")


def _table(view: CompareView, width: int) -> Table:
    words = view.words
    score, *others = view.comparison.metrics
    heads = [head for head in _HEADS if head != "p_adjusted" or others]
    columns = table([words(head) for head in heads], gap=2 if width >= 100 else 1, no_wrap=True)
    # *The* score is named beforehand: nothing to adjust for.
    names = screen_names(view.comparison.after)
    rows = [{**_row(score, names), "p_adjusted": ""}, *(_row(each, names) for each in others)]
    if view.people is not None:
        rows.insert(1, _people_row(view.people, words))
    for place, row in enumerate(rows):
        low, high = row["value"].low, row["value"].high
        ends = "" if low is None or high is None else (signed(low), signed(high))
        cells = {
            **row,
            "mean_before": figure(row["before"]),
            "mean_after": figure(row["after"]),
            "difference": signed(row["value"].mean),
            "ci": ends and words("ends", low=ends[0], high=ends[1]),
        }
        columns.add_row(*(cells.get(head, "") for head in heads), style="" if place else BOLD)
    return columns


def _row(metric: Difference, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        **as_json(metric, "before", "after"),
        "metric": fit(names.get(metric.info.name, metric.info.name), _WIDEST_METRIC),
        "value": metric.value,
        "p": p_value(metric.p),
        "p_adjusted": p_value(metric.p_adjusted),
        "n": f"{metric.pairs:,}",
    }


def _people_row(people: People, words: Words) -> dict[str, Any]:
    shares = {"before": people.before, "after": people.after, "value": people.value}
    return {**shares, "metric": words("people"), "n": f"{people.n:,}"}


def faults(table_: Faults | None, words: Words, width: int) -> Iterator[RenderableType]:
    """What people called wrong beside what was blamed, a line for each pair, most first."""
    if table_ is None:
        return
    plain = Words(words.language, "report")
    yield from spaced(Text(words("faults"), BOLD))
    columns = table([words("faults.people"), words("faults.blamed"), words("faults.n")])
    for (named, blamed), n in table_.counts.items():
        columns.add_row(
            plain.name("fault", named) if named else words("faults.own"),
            plain.name("fault", blamed) if blamed else words("faults.none"),
            f"{n:,}",
        )
    yield columns
    if table_.n:
        yield from paragraph(words("faults.agreed", n=table_.n, agreed=table_.agreed), width)


def apart(view: CompareView, plain: Words) -> Iterator[RenderableType]:
    """What could not be compared, by name."""
    comparison, words = view.comparison, view.words
    of = comparison.apart
    named = {name: getattr(of, name) for name in _SECTIONS}
    lines = [
        (words(name), _keys([cell_name(comparison, key) for key in keys], words))
        for name, keys in named.items()
        if keys
    ]
    if of.unmeasured:
        # `a/b/1 (after: judge failed)`; on both sides: `a/b/1 (bot failed → judge failed)`.
        missing = []
        for each in of.unmeasured:
            reasons = {"before": each.before, "after": each.after}
            why = [f"{words(k)}: {_reason(v, plain)}" for k, v in reasons.items() if v]
            missing.append(f"{cell_name(comparison, each.key)} ({words.comma.join(why)})")
        lines.append((words("unmeasured"), _keys(missing, words)))
    if of.not_applicable:
        lines.append((words("not_applicable"), Text(f"{of.not_applicable:,}")))
    if lines:
        yield from spaced(Text(words("apart"), BOLD))
        yield labelled([(f"  {label}", text) for label, text in lines])


def _keys(keys: Sequence[str], words: Words) -> Text:
    shown, more = words.comma.join(map(visible, keys[:_NAMED])), len(keys) - _NAMED
    key = "keys_more" if more > 0 else "keys"
    return Text(words(key, n=len(keys), keys=shown, more=more))


def _reason(why: str, plain: Words) -> str:
    return plain.find(f"gap.{why}") or plain.name("stop", why)


def differs(view: CompareView) -> Iterator[RenderableType]:
    """What else is not the same, but for what was warned of."""
    comparison, words = view.comparison, view.words
    warned = {doubted.doubt.value for doubted in comparison.doubts}
    groups = {name: lines for name, lines in comparison.differs.items() if name not in warned}
    yield Text("")
    if not groups:
        yield Text(words("differs_none"), DIM)
        return
    yield Text(words("differs"), BOLD)
    rows = []
    for name, lines in groups.items():
        keys = [line.removeprefix("client.").replace(" -> ", " → ") for line in lines]
        text = words("changed") if name in _UNTOLD else few(keys, words)
        rows.append((f"  {words(f'group.{name}')}", Text(text)))
    yield labelled(rows)


SHOWN = 10  # scenarios
_USER_LINES, _BOT_LINES, _WHY_LINES, _OTHER_LINES = 2, 3, 2, 2
_MARGIN = 4  # cells before what an entry says


def compare_view(view: CompareView, width: int) -> Iterator[RenderableType]:
    """All that a comparison has to say; `width` is the screen's, in cells."""
    comparison, words = view.comparison, view.words
    plain = Words(words.language, "report")
    yield from _head(comparison, words)
    yield from _lines(view.doubts, width)
    yield from _block((*view.headline[:1], *view.ways), width)
    yield from _worse(view, width)
    yield from _block((*view.headline[1:], *view.states), width)
    if view.matrix is not None:
        yield from spaced(_matrix(view.matrix))
    yield from _block(view.verdict, width)
    yield from _block(view.people_unknown, width)
    if comparison.by_results:
        yield from _moves(
            view, shown_worse(comparison), len(comparison.states.lasting), "worst", width
        )
        yield from _moves(view, comparison.rose.shown, comparison.rose.n, "fixed", width)
    else:
        yield from _moves(view, comparison.fell.shown, comparison.fell.n, "fell", width)
        yield from _moves(view, comparison.rose.shown, comparison.rose.n, "rose", width)
    yield from spaced(*figures(view, width))
    yield from faults(comparison.faults, words, width)
    yield from apart(view, plain)
    yield from differs(view)
    yield from next_steps(plain("next"), _commands(comparison, words), width)


def _block(texts: Sequence[Text], width: int) -> Iterator[Text]:
    if texts:
        yield from spaced(*_lines(texts, width))


def _lines(texts: Iterable[Text], width: int) -> Iterator[Text]:
    for text in texts:
        yield from paragraph(text.plain, width, text.style)


def _worse(view: CompareView, width: int) -> Iterator[Text]:
    """A few lines for each scenario: from what to what, and the words that show it."""
    words, shown = view.words, view.worse[:SHOWN]
    for number, worse in enumerate(shown, 1):
        yield from spaced() if number == 1 else ()
        more = words("more_cells", n=worse.others) if worse.others else ""
        must = words("must_pass") if worse.must_pass else ""
        yield entry(number, worse.name, (worse.way, BAD), width, more)
        if note := words.comma.join(filter(None, (must, worse.replays))):
            yield Text(" " * _MARGIN + fit(note, width - _MARGIN), DIM)
        yield Text(" " * _MARGIN + _shows(worse, words, width - _MARGIN))
    left = len(view.worse) - len(shown) + view.worse_left
    if left:
        yield Text(words("worse_left", n=left), DIM)


def _shows(worse: Worse, words: Words, width: int) -> str:
    """Why, and in at most half of the line the words of the answer that show it."""
    answer = ""
    if worse.answer:
        room = width // 2 - Text(words("quoted", text="")).cell_len
        answer = words("quoted", text=nested(fit_unlike(worse.answer, worse.why, room)))
    why = fit_unlike(worse.why, worse.answer, width - Text(answer).cell_len - 2 * bool(answer))
    return ": ".join(filter(None, (why, answer)))


def _matrix(matrix: Matrix) -> RenderableType:
    """From which result to which."""
    columns = table(matrix.heads)
    for row in matrix.rows:
        columns.add_row(*row)
    return columns


def _head(comparison: Comparison, words: Words) -> Iterator[RenderableType]:
    headers = (comparison.before, comparison.after)
    yield Text(" → ".join(dict.fromkeys(visible(header.client) for header in headers)), BOLD)
    sides = zip(("before", "after"), headers, comparison.complete, strict=True)
    yield labelled([(words(side), _run(header, done, words)) for side, header, done in sides])


def _run(header: RunHeader, done: int, words: Words) -> Text:
    parts = [header.id, local_time(header)]
    file = PurePath(header.options["file"]).name if header.is_of_rows else header.client
    parts += [visible(file)] if file != header.client else []
    parts += [words("of_run", of=header.of)] if header.kind == "rejudge" else []
    text = Text("  ".join([*parts, ""]))
    if done < header.planned:
        return text.append(words("done_of", n=done, planned=header.planned), WARN)
    return text.append(words("done", n=done))


def _moves(
    view: CompareView, shown: Sequence[Moved], n: int, head: str, width: int
) -> Iterator[Text]:
    if not n:
        return
    comparison, words, fell = view.comparison, view.words, head in ("worst", "fell")
    yield Text("")
    yield Text(words(head, n=n, score=compared_score(comparison)), BOLD)
    # What is to be mended is a scenario: those of one stand together, where its first does.
    groups: dict[str, list[Moved]] = {}
    for moved in shown:
        groups.setdefault(moved.cell.scenario, []).append(moved)
    left = n
    for number, (worst, *others) in enumerate(list(groups.values())[:SHOWN], 1):
        yield from spaced(_title(comparison, number, worst, words, width, fell=fell))
        yield from _texts(comparison, worst, words, width, fell=fell)
        if others:
            names = " · ".join(_name(moved, words) for moved in others)
            yield from passage(words("others"), wrap(names, width - INDENT, _OTHER_LINES))
        left -= 1 + len(others)
    if left:
        yield from spaced(Text(words("left", n=left), DIM))


def _name(moved: Moved, words: Words) -> str:
    cell = moved.cell
    repeat = f" ({words('repeat', n=cell.repeat)})" if cell.repeat > 1 else ""
    return f"{visible(cell.persona)}{repeat} {_values(moved)}"


def _values(moved: Moved) -> str:
    return f"{figure(moved.before.score)} → {figure(moved.after.score)}"


def _title(
    comparison: Comparison, number: int, moved: Moved, words: Words, width: int, *, fell: bool
) -> Text:
    info, value = comparison.of_score.info, _values(moved)
    before, after = rating(info, moved.before.raw), rating(info, moved.after.raw)
    if before and after:
        value += f" ({words('rating', before=before, after=after)})"
    if comparison.after.is_of_rows:
        place = row_name(moved.cell)
    else:
        turn = (moved.after if fell else moved.before).turn
        place = where(moved.cell, turn, Words(words.language, "report"))
    return entry(number, place, (value, BAD if fell else GOOD), width)


def _texts(
    comparison: Comparison, moved: Moved, words: Words, width: int, *, fell: bool
) -> Iterator[Text]:
    """What was asked once where it is the same, and both answers."""
    plain, room = Words(words.language, "report"), width - INDENT
    weak = moved.after if fell else moved.before
    question = None
    for label, side in (("before", moved.before), ("after", moved.after)):
        if side.turn and visible(side.user) != question:
            question = visible(side.user)
            yield from passage(plain("user"), wrap(side.user, room, _USER_LINES))
        answer = wrap(side.assistant or plain("no_answer"), room, _BOT_LINES)
        yield from passage(words(label), answer, width=width, weak=side.failed)
    if weak.reason:
        label = plain("why") if fell else words("why_before")
        yield from passage(label, wrap(weak.reason, room, _WHY_LINES))


def _commands(comparison: Comparison, words: Words) -> list[tuple[str, str]]:
    before, after = comparison.before, comparison.after
    commands = []
    moved = shown_worse(comparison) or comparison.fell.shown or comparison.rose.shown
    for first in moved[:1]:
        sides = (before, first.before, "show"), (after, first.after, "show_after")
        for header, view, what in sides:
            key = shlex.quote(visible(view.episode))
            commands.append((f"mogi show {header.id} {key}", words(what)))
    return [*commands, (f"mogi compare {before.id} {after.id} --json", words("json"))]
