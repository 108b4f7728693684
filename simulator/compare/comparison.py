"""Two runs of a store, compared: their episodes stream by, and of each only numbers are kept."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

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
from simulator.compare.pairs import (
    CellPair,
    CellState,
    Pairs,
    WorseAt,
    cell_pairs,
    cells_of,
    chance_of,
    changed_beside,
    failed_otherwise,
    flips_of,
    moves_of,
    shown_repeats,
    worse_of,
    worsening,
)
from simulator.compare.side import PeopleTally, Side, designs, people_of
from simulator.core.clean import cut, visible
from simulator.core.comparison import (
    BurnIn,
    Change,
    Comparison,
    Difference,
    Doubt,
    Doubted,
    Moved,
    Moves,
    Replayed,
    Replays,
    States,
    TurnView,
    Undecided,
)
from simulator.core.errors import InputError
from simulator.core.outcome import Interval, MetricInfo, Score
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.talk import TargetFailure
from simulator.core.verdict import Verdict
from simulator.statistics import paired
from simulator.statistics.paired import holm
from simulator.statistics.sequential import BROKEN, NOISE, Sprt
from simulator.store.store import Store
from simulator.view.results import with_causes
from simulator.view.worst import flag_reason, quote_of, screen_names, spread, why_text
from simulator.words import Words, counted

KEPT = 200  # conversations that are shown with their texts
_TEXT = 2_000  # characters of each text
_Reviewed = Mapping[str, tuple[Episode, Sequence[Verdict]]]


def moves(
    store: Store, pairs: Pairs, cells: Sequence[CellPair], *, fell: bool, by_results: bool
) -> Moves:
    """How many went down or up, and the first of them with their texts, furthest first.

    With `by_results` those of the cells that newly fail or pass, else those whose score changed.
    What must pass comes before all others, then what has no score: there the bot failed.
    """

    def rank(pair: tuple[int, int]) -> tuple[bool, bool, float, str]:
        change = pairs.change(*pair)
        least = pair[1] not in pairs.after.must_pass
        far = (change or 0.0) if fell else -(change or 0.0)
        return least, change is not None, far, pairs.before.cells[pair[0]].key

    moved = pairs.moved(fell=fell)
    if by_results:
        newly = [cell for cell in cells if cell.passed == (fell, not fell)]
        moved = [shown_repeats(cell, pairs.before, pairs.after) for cell in newly]
    ordered = sorted(moved, key=rank)
    chosen = spread(ordered, lambda pair: pairs.before.cells[pair[0]].scenario, KEPT)
    read = _read(store, pairs, chosen)
    shown = (_moved(read, pairs, *pair, fell=fell, by_results=by_results) for pair in chosen)
    return Moves(len(ordered), tuple(shown))


def worse_moves(store: Store, pairs: Pairs, worse: Sequence[WorseAt]) -> Moves:
    """The conversations that show what got worse, in its order, with their texts."""
    chosen = spread(worse, lambda at: at.cell.scenario, KEPT)
    read = _read(store, pairs, [at.shown for at in chosen])
    shown = (_moved(read, pairs, *at.shown, fell=True, by_results=True, at=at) for at in chosen)
    return Moves(len(worse), tuple(shown))


def _read(
    store: Store, pairs: Pairs, chosen: Sequence[tuple[int, int]]
) -> tuple[_Reviewed, _Reviewed]:
    """The conversations at these places, of each run."""
    before, after = pairs.before, pairs.after
    first = store.reviewed(
        before.header.id, [before.cells[a].key for a, _ in chosen], after.header.id
    )
    second = store.reviewed(
        after.header.id, [after.cells[b].key for _, b in chosen], before.header.id
    )
    return _by_key(first), _by_key(second)


def _by_key(reviewed: Iterable[tuple[Episode, Sequence[Verdict]]]) -> _Reviewed:
    return {episode.cell.key: (episode, verdicts) for episode, verdicts in reviewed}


def _moved(  # noqa: PLR0913  what is moved, and how it is looked at
    read: Sequence[_Reviewed],
    pairs: Pairs,
    a: int,
    b: int,
    *,
    fell: bool,
    by_results: bool,
    at: WorseAt | None = None,
) -> Moved:
    sides, places = (pairs.before, pairs.after), (a, b)
    episodes, finds = [], []
    for side, place, reviewed in zip(sides, places, read, strict=True):
        episode, verdicts = reviewed[side.cells[place].key]
        episodes.append(episode)
        finds.append(_finding(side, episode, verdicts) if by_results else None)
    if at is not None and at.cell.newly_violated:
        finds[1] = pairs.after.violation(*read[1][at.cell.conversation], at.cell.newly_violated)
    weak = 1 if fell else 0
    shown = _weak_turn(sides[weak], episodes[weak], episodes[1 - weak], finds[weak])
    turns = [_beside(shown, episodes[1 - weak], finds[1 - weak])] * 2
    turns[weak] = shown
    before, after = (_turn_view(*each) for each in zip(sides, places, turns, finds, strict=True))
    how = at.cell.how if at is not None else None
    return Moved(pairs.before.cells[a], pairs.change(a, b), before, after, how)


def _finding(side: Side, episode: Episode, verdicts: Sequence[Verdict]) -> Finding:
    """The result; of an answer that people call NG with the cause that they name."""
    finding = side.finding(episode, verdicts)
    if finding.why is not Why.SAID_NG or finding.turn is None:
        return finding
    if not any(v.turn == finding.turn and v.error_type for v in verdicts):
        return finding
    words = Words(side.header.language, "report")
    blames = with_causes(episode, verdicts).turns[finding.turn - 1].blames
    return replace(finding, about=tuple(words.find(f"fault.{b}") or b for b in blames))


def _weak_turn(
    side: Side, episode: Episode, other: Episode, finding: Finding | None
) -> Turn | None:
    """The turn that shows why it failed; else the worst, with the same question on both sides.

    From the first different reply on users say different things, so later turns are of two talks.
    """
    if finding is not None and finding.turn is not None:
        return episode.turns[finding.turn - 1]
    turns = sorted(episode.turns, key=lambda turn: _rank(side, turn))
    questions = [visible(turn.exchange.user) for turn in other.turns]
    for turn in turns:
        n = turn.exchange.turn
        if questions[n - 1 : n] == [visible(turn.exchange.user)]:
            return turn
    return turns[0] if turns else None


def _rank(side: Side, turn: Turn) -> tuple[bool, float, int]:
    failed = isinstance(turn.exchange.reply, TargetFailure)
    outcome = turn.outcomes.get(side.score)
    value = outcome.value if isinstance(outcome, Score) else 1.0
    return not failed, value, turn.exchange.turn


def _beside(turn: Turn | None, episode: Episode, finding: Finding | None) -> Turn | None:
    """The turn of the same number, or the last one; the one that decided, where that says the same.

    Two conversations may begin alike, and only a later answer makes one of them pass.
    """
    if turn is None or not episode.turns:
        return None
    beside = episode.turns[min(turn.exchange.turn, len(episode.turns)) - 1]
    is_same = beside.exchange.assistant == turn.exchange.assistant
    if is_same and finding is not None and finding.turn is not None:
        return episode.turns[finding.turn - 1]
    return beside


def _turn_view(side: Side, place: int, turn: Turn | None, finding: Finding | None) -> TurnView:
    key = side.cells[place].key
    score, raw = side.mean(side.score, place), side.raw(side.score, place)
    failed = finding is not None and finding.result is Result.FAILED
    if turn is None:
        why = why_text(finding, side.header.language, screen_names(side.header)) if finding else ""
        return TurnView(key, score, raw, 0, "", "", why, failed=failed)
    exchange = turn.exchange
    return TurnView(
        episode=key,
        score=score,
        raw=raw,
        turn=exchange.turn,
        user=cut(exchange.user, _TEXT),
        assistant=cut(exchange.assistant, _TEXT),
        reason=cut(_why(side, turn, finding), _TEXT),
        failed=failed,
        quote=cut(quote_of(turn, finding), _TEXT),
    )


def _why(side: Side, turn: Turn, finding: Finding | None) -> str:
    """The line that decided, with the words that show it, or what the metric says of them."""
    outcome = turn.outcomes.get(finding.metric if finding else side.score)
    comment = outcome.comment if isinstance(outcome, Score) else ""
    if finding is None:
        return flag_reason(side.header, turn) or comment
    shown = comment if finding.why is Why.SCORED_LOW else quote_of(turn, finding)
    return ": ".join(
        filter(None, (why_text(finding, side.header.language, screen_names(side.header)), shown))
    )


OPTION = "rerun_newly_failing"
"""Among the options of a run: how often a cell that changed is played again at most."""
_STEADY = 4  # plays
_EARLIER = 5  # runs that are looked at
_Name = tuple[str, str]  # scenario, persona


@dataclass(frozen=True)
class Candidates:
    """The cells that are played again at most so often, by what their first plays say."""

    worse: Sequence[WorseAt]
    better: Sequence[WorseAt]  # from B to A
    most: int

    @classmethod
    def of(cls, pairs: Sequence[CellPair], before: Side, after: Side, most: int) -> "Candidates":
        """Those of two runs."""
        worse = worse_of(pairs, before, after)
        names = {_of(at) for at in worse}
        turned = (CellPair(p.name, p.places[::-1], p.after, p.before) for p in pairs)
        others = [pair for pair in turned if pair.name not in names]
        return cls(worse, worse_of(others, after, before), most)

    @cached_property
    def test(self) -> Sprt:
        """Of the cells that got worse."""
        return Sprt(max(1, len(self.worse)), self.most)

    @cached_property
    def test_of_luck(self) -> Sprt:
        """Of those that got better."""
        return Sprt(max(1, len(self.better)), self.most)

    def following(self, side: Side, reruns: Side) -> Iterator[Cell]:
        """What to play next: a play more of each cell that is still open."""
        last = {_name(cell): cell.repeat for cell in sorted(side.cells)}
        again = plays_again((*self.worse, *self.better), reruns)
        for cells, test in ((self.worse, self.test), (self.better, self.test_of_luck)):
            for at in cells:
                plays, name = again[_of(at)], _of(at)
                if len(plays) < self.most and test.decide(plays) is Replayed.OPEN:
                    yield Cell(*name, last[name] + len(plays) + 1)

    def power(self) -> str:
        """What so many plays can tell, as a line for people."""
        broken, noise = self.test.chances(BROKEN), self.test.chances(NOISE)
        always = self.test.chances(1.0)
        cases = counted(len(self.worse), "case")
        return (
            f"{cases} got worse; rerunning each up to {self.most} times (and {len(self.better)} "
            f"that got better, to see how many passed by chance). Probability of finding a case "
            f"that always fails: {always.broken:.0%}; one that fails in {BROKEN:.0%} of its runs: "
            f"{broken.broken:.0%}. One that fails in half of them is called noise with "
            f"{noise.noise:.0%} and broken with {noise.broken:.1%} probability"
        )


def plays_again(cells: Sequence[WorseAt], reruns: Side) -> Mapping[_Name, list[bool]]:
    """Of each cell, by scenario and persona, its further plays in their order; True: a bad one."""
    wanted, plays = {_of(at): at for at in cells}, defaultdict[_Name, list[bool]](list)
    for cell in sorted(reruns.cells):
        if at := wanted.get(_name(cell)):
            play = CellState.of(reruns, [reruns.places[cell.key]])
            plays[_name(cell)].append(worsening(at.before, play) is not None)
    return plays


def burned_in(
    store: Store, pairs: Pairs, candidates: Candidates
) -> tuple[BurnIn | None, list[WorseAt]]:
    """What playing again says, and the cells that got worse with it; noise stands last.

    None where nothing was played again.
    """
    reruns = pairs.after.reruns(store, pairs.before.header.id)
    if not reruns.cells:
        return None, [*candidates.worse]
    test, luck = candidates.test, candidates.test_of_luck
    again = plays_again((*candidates.worse, *candidates.better), reruns)
    decided = {_of(at): test.decide(again[_of(at)]) for at in candidates.worse}
    broken = [at for at in candidates.worse if decided[_of(at)] is Replayed.BROKEN]
    steady = _steady(store, pairs, broken)

    def with_replays(at: WorseAt) -> WorseAt:
        plays, name = again[_of(at)], _of(at)
        replays = Replays(len(plays), sum(plays), decided[name], name in steady)
        return replace(at, cell=replace(at.cell, replays=replays))

    worse = [with_replays(at) for at in candidates.worse]
    result = BurnIn(
        most=candidates.most,
        cells=len(worse),
        conversations=len(reruns.cells),
        lucky=sum(luck.decide(again[_of(at)]) is Replayed.BROKEN for at in candidates.better),
        chance=test.chances(NOISE).broken,
    )
    return result, sorted(worse, key=lambda at: at.cell.was_noise)


def _steady(store: Store, pairs: Pairs, cells: Sequence[WorseAt]) -> Collection[_Name]:
    """Those of the cells that were never so bad before, in four plays or more."""
    before, last = pairs.before, pairs.after.header.id
    wanted = {_of(at): at for at in cells}
    earlier = (
        (run, [k for k in store.keys(run) if tuple(k.rsplit("/", 2)[:2]) in wanted])
        for run in (_earlier(store, before) if cells else ())
    )
    sides = [before.alike(store, store.header(r), last, keys) for r, keys in earlier if keys]
    good: defaultdict[_Name, list[bool]] = defaultdict(list)
    for side in (before, *sides):
        for place, cell in enumerate(side.cells):
            if at := wanted.get(_name(cell)):
                better = worsening(CellState.of(side, [place]), at.after) is not None
                good[_of(at)].append(better)
    return {name for name, plays in good.items() if all(plays) and len(plays) >= _STEADY}


def _earlier(store: Store, side: Side) -> Iterator[str]:
    """The last runs before this one of the same client, read and judged in the same way."""
    rows, wanted = store.runs(), (side.header.client, "run", "finished")
    place = next((n for n, row in enumerate(rows) if row.id == side.header.id), len(rows))
    alike = (row.id for row in rows[place + 1 :] if (row.client, row.kind, row.status) == wanted)
    left = _EARLIER
    for run in alike:
        differs = header_differences(store.header(run), side.header)
        if left and differs.keys().isdisjoint(INSTRUMENT_DOUBTS):
            left -= 1
            yield run


class Reruns:
    """Says which cells of a run are played again, and once how much that can tell.

    Args:
        most: how often each cell at most.
        sides: the run before and this one, conversations and cells paired; None: there is none
            before it that it can be compared with.
        say: told of the power of the test.
    """

    def __init__(
        self,
        most: int,
        sides: Callable[[Store, str], tuple[Pairs, Sequence[CellPair]] | None],
        say: Callable[[str], None],
    ) -> None:
        self._most, self._sides, self._say = most, sides, say
        self._after: Side | None = None
        self._candidates: Candidates | None = None
        self._before = ""

    def __call__(self, store: Store, run: str) -> Sequence[Cell]:
        """The cells to play now; none where all is decided."""
        if self._candidates is None and not self._begin(store, run):
            return ()
        candidates, after = self._candidates, self._after
        if candidates is None or after is None:
            return ()
        return [*candidates.following(after, after.reruns(store, self._before))]

    def _begin(self, store: Store, run: str) -> bool:
        sides = self._sides(store, run)
        if sides is None:
            return False
        pairs, cells = sides
        self._before, self._after = pairs.before.header.id, pairs.after
        self._candidates = Candidates.of(cells, pairs.before, pairs.after, self._most)
        if self._candidates.worse:
            self._say(self._candidates.power())
        return bool(self._candidates.worse)


def _of(at: WorseAt) -> _Name:
    return at.cell.scenario, at.cell.persona


def _name(cell: Cell) -> _Name:
    return cell.scenario, cell.persona


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
