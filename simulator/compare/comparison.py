"""Two runs of a store, compared: their episodes stream by, and of each only numbers are kept."""

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import TypeVar

from simulator.compare.burn_in import OPTION, Candidates, burned_in
from simulator.compare.cells import (
    CellPair,
    cell_pairs,
    cells_of,
    chance_of,
    flips_of,
)
from simulator.compare.headers import (
    INSTRUMENT_DOUBTS,
    check_common,
    doubts_score,
    header_differences,
    header_doubts,
    headers,
    of_talks,
    score_of,
)
from simulator.compare.moves import moves, worse_moves
from simulator.compare.pairs import Pairs
from simulator.compare.people import PeopleTally, designs, people_of
from simulator.compare.side import Side
from simulator.compare.states import WorseAt, changed_beside, failed_otherwise, moves_of
from simulator.core.comparison import (
    Change,
    Comparison,
    Difference,
    Doubt,
    Doubted,
    States,
    Undecided,
)
from simulator.core.errors import InputError
from simulator.core.outcome import Interval, MetricInfo
from simulator.core.run import RunHeader
from simulator.statistics import paired
from simulator.statistics.paired import holm
from simulator.store.store import Store

T = TypeVar("T")


def change_of(
    score: Difference,
    bounds: tuple[paired.Differences, paired.Differences],
    alpha: float,
    doubts: Set[Doubt],
) -> tuple[Change, Undecided | None]:
    """What can be said of the score at `alpha`, and why where nothing can.

    As a gate is: it holds only if it holds whatever the missing scores would have been. The test
    is made with the gaps at their worst for B and at their best; where these two say different
    things, or see nothing where the interval of what was scored excludes 0, the gaps decide. Turns
    on which the bot failed stand at the low end in both.

    Args:
        score: the pairs that have a score on both sides.
        bounds: the differences with the gaps at their worst and at their best.
        alpha: of the test, two-sided.
        doubts: one that is about the instrument leaves nothing to be said.
    """
    changes = {_tested(each, alpha) for each in bounds}
    if None in changes:
        nothing = score.pairs == 0
        return Change.UNDECIDED, Undecided.NOTHING if nothing else Undecided.FEW
    if doubts & INSTRUMENT_DOUBTS:
        return Change.UNDECIDED, Undecided.YARDSTICK
    if len(changes) > 1 or (changes == {Change.NO_DIFFERENCE} and _excludes_zero(score.value)):
        nothing = score.pairs == 0
        return Change.UNDECIDED, Undecided.NOTHING if nothing else Undecided.GAPS
    change = changes.pop()
    return (Change.UNDECIDED, Undecided.NOTHING) if change is None else (change, None)


def _tested(differences: paired.Differences, alpha: float) -> Change | None:
    """What the test says; None where so few scenarios changed that it cannot tell.

    Where none of enough scenarios changed, there is nothing that a test would have to tell.
    """
    if differences.mean is None:
        return None
    test = paired.difference_test(differences)
    if not test.can_tell(alpha):
        enough = 2.0 ** (1 - len(differences.sums)) <= alpha
        return Change.NO_DIFFERENCE if enough and not test.moved else None
    if test.p > alpha:
        return Change.NO_DIFFERENCE
    return Change.REGRESSED if differences.mean < 0 else Change.IMPROVED


def _excludes_zero(value: Interval) -> bool:
    return value.low is not None and value.high is not None and not value.low <= 0 <= value.high


def compare_runs(store: Store, before: str, after: str, alpha: float = 0.05) -> Comparison:
    """Run `after` beside run `before`, conversation by conversation.

    Args:
        store: holds both.
        before: A: an id, a unique prefix of one, `latest`, or `previous` (see `headers.headers`).
        after: B: likewise; there `previous` is the run before the latest.
        alpha: of the test that decides, two-sided; 0–1.

    Raises:
        InputError: a run is not there, or the two cannot be compared.
    """
    pairs, infos = pairs_of(store, before, after, by_people=True)
    first, second, apart = pairs.before.header, pairs.after.header, pairs.apart
    unmeasured, not_applicable = pairs.unmeasured()
    metrics = _adjusted([pairs.difference(info, alpha) for info in infos])
    bounds = pairs.bounded()
    differs = header_differences(of_talks(store, first), of_talks(store, second))
    doubted = [*header_doubts(first, second, infos[0].name, differs)]
    if of := tuple(s.header.id for s in (pairs.before, pairs.after) if s.doubted):
        doubted.append(Doubted(Doubt.HEALTH, of))
    if apart.questions:
        doubted.append(Doubted(Doubt.QUESTIONS, apart.questions))
    of_score = {d.doubt for d in doubted if doubts_score(d.doubt, infos[0])}
    change, why = change_of(metrics[0], bounds, alpha, of_score)
    worst, best = bounds[0].mean, bounds[1].mean
    cells = cell_pairs(pairs.before, pairs.after, apart.questions)
    flips = flips_of(cells)
    by_results = flips.known > 0
    states, worse = states_of(store, pairs, cells)
    return Comparison(
        before=first,
        after=second,
        complete=(len(pairs.before.cells), len(pairs.after.cells)),
        paired=len(pairs.places),
        alpha=alpha,
        change=change,
        why=why,
        score=infos[0].name,
        bounds=None if worst is None or best is None else (worst, best),
        gap_turns=pairs.gap_turns(),
        metrics=metrics,
        flips=flips,
        cells=cells_of(cells, pairs.after),
        chance=chance_of(store, pairs, cells),
        people=people_of(pairs.before.people, pairs.after.people),
        faults=pairs.after.faults.summary(pairs.before.faults),
        by_results=by_results,
        fell=moves(store, pairs, cells, fell=True, by_results=by_results),
        rose=moves(store, pairs, cells, fell=False, by_results=by_results),
        worse=worse_moves(store, pairs, worse),
        states=states,
        apart=replace(apart, unmeasured=tuple(unmeasured), not_applicable=not_applicable),
        repeated=any(cell.is_repeated for cell in cells),
        doubts=tuple(doubted),
        differs=differs,
        gap_texts=(pairs.before.gap_texts.most, pairs.after.gap_texts.most),
    )


def _people(
    store: Store, before: RunHeader, after: RunHeader
) -> tuple[PeopleTally | None, PeopleTally | None]:
    """What counts people's words on each run; None where nobody said any."""
    if not (store.said(before.client) or store.said(after.client)):
        return None, None
    paired = frozenset(store.keys(before.id)) & frozenset(store.keys(after.id))
    first, second = designs(store, before, after)
    tally = PeopleTally(first, paired)
    return tally, PeopleTally(second, paired, tally)


def pairs_of(
    store: Store, before: str, after: str, *, by_people: bool = False
) -> tuple[Pairs, Sequence[MetricInfo]]:
    """The conversations of two runs side by side, and the metrics that both have.

    Where `by_people`, what people say of all answers is counted as well.

    Raises:
        InputError: as `compare_runs`.
    """
    first, second = headers(store, before, after)
    infos = _infos(first, second, score_of(first, second))
    limits = _limits(first, second, infos)
    people = _people(store, first, second) if by_people else (None, None)
    before_side = Side(first, infos, limits, second, people[0]).filled(store, second.id)
    after_side = Side(second, infos, limits, second, people[1]).filled(store, first.id)
    pairs = Pairs.of(before_side, after_side)
    apart = pairs.apart
    common = len(pairs.places) + len(apart.questions)
    check_common(common, list(apart.only_before), list(apart.only_after))
    return pairs, infos


def states_of(
    store: Store, pairs: Pairs, cells: Sequence[CellPair]
) -> tuple[States, list[WorseAt]]:
    """How results changed, and the cells that got worse with the places that show it."""
    most = pairs.after.header.options.get(OPTION, 1)
    candidates = Candidates.of(cells, pairs.before, pairs.after, most)
    burn_in, worse = burned_in(store, pairs, candidates)
    states = States(
        moves=moves_of(pairs),
        failed_otherwise=tuple(failed_otherwise(pairs)),
        worse=tuple(at.cell for at in worse),
        changed_beside=changed_beside(pairs, worse),
        burn_in=burn_in,
    )
    return states, worse


def since_previous(store: Store, run: str) -> tuple[Pairs, Sequence[CellPair]] | None:
    """A run beside the one before it; None where there is none that it can be compared with."""
    both = beside_previous(store, run, pairs_of)
    if both is None:
        return None
    pairs, _ = both
    return pairs, cell_pairs(pairs.before, pairs.after, pairs.apart.questions)


def beside_previous(store: Store, run: str, compare: Callable[[Store, str, str], T]) -> T | None:
    """What `compare` says of the run before this one and of this one; None if it cannot."""
    before = store.previous(run)
    if before is None:
        return None
    try:
        return compare(store, before, run)
    except InputError:  # nothing in common
        return None


def _infos(before: RunHeader, after: RunHeader, score: str) -> list[MetricInfo]:
    """The metrics that both have, as B knows them; the score first."""
    known = {info.name for info in before.metrics}
    both = [info for info in after.metrics if info.name in known]
    return sorted(both, key=lambda info: info.name != score)


def _limits(before: RunHeader, after: RunHeader, infos: Sequence[MetricInfo]) -> dict[str, float]:
    """The thresholds of B, and of A where B has none: one and the same for both runs."""
    thresholds = {**before.thresholds, **after.thresholds}
    return {info.name: thresholds[info.name] for info in infos if info.name in thresholds}


def _adjusted(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """Holm's adjustment over the metrics that are looked at beside the one that decides."""
    score, *others = differences
    tested = [d.p for d in others if d.p is not None]
    adjusted = iter(holm(tested))
    beside = [replace(d, p_adjusted=None if d.p is None else next(adjusted)) for d in others]
    return (replace(score, p_adjusted=score.p), *beside)
