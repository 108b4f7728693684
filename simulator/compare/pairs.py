"""Conversations of two runs, paired: what has no partner is kept by name."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import product

from simulator.compare.headers import header_differences
from simulator.compare.side import Claims, Side
from simulator.core.comparison import (
    Apart,
    CellChange,
    Cells,
    Chance,
    Difference,
    FailedOtherwise,
    Flips,
    StateMove,
    Unmeasured,
    WorseCell,
    Worsening,
)
from simulator.core.outcome import Gap, MetricInfo
from simulator.core.result import Result
from simulator.core.run import CellResults
from simulator.statistics import paired
from simulator.statistics.intervals import mean_of
from simulator.statistics.paired import Repeats, expected_by_chance, expected_from_same
from simulator.store.store import Store

HAIR = 1e-9  # means of binary fractions that should be equal are


@dataclass(frozen=True, slots=True)
class Pairs:
    """The places of paired conversations in each run, in the order of A."""

    before: Side
    after: Side
    places: tuple[tuple[int, int], ...]
    apart: Apart

    @classmethod
    def of(cls, before: Side, after: Side) -> "Pairs":
        """Pair by scenario × persona × repeat; a row of a file by its id, if it asks the same.

        A row is known by its place in the file where it has no id: another question there means
        that it is another row. A scenario's first question may be worded anew by its user.
        """
        rows = before.header.is_of_rows
        places, questions = [], []
        for key, place in before.places.items():
            partner = after.places.get(key)
            if partner is None:
                continue
            if rows and before.questions[place] != after.questions[partner]:
                questions.append(key)
            else:
                places.append((place, partner))
        apart = Apart(
            only_before=tuple(k for k in before.places if k not in after.places),
            only_after=tuple(k for k in after.places if k not in before.places),
            questions=tuple(questions),
        )
        return cls(before, after, tuple(places), apart)

    def unmeasured(self) -> tuple[list[Unmeasured], int]:
        """Pairs without a score on one side or both; how many of them it does not apply to."""
        pairs, not_applicable = [], 0
        for a, b in self.places:
            first, second = self.before.unscored.get(a), self.after.unscored.get(b)
            if first == second == Gap.NOT_APPLICABLE:
                not_applicable += 1
            elif first or second:
                pairs.append(Unmeasured(self.before.cells[a].key, first, second))
        return pairs, not_applicable

    def gap_turns(self) -> tuple[int, int]:
        """Turns without a score, of A and of B."""
        before = sum(self.before.gaps[a] for a, _ in self.places)
        return before, sum(self.after.gaps[b] for _, b in self.places)

    def bounded(self) -> tuple[paired.Differences, paired.Differences]:
        """Differences of the score with what is missing at its worst for B, and at its best."""
        worst, best, scenarios = [], [], []
        for a, b in self.places:
            before, after = self.before.bounds(a), self.after.bounds(b)
            if before and after:
                worst.append(after[0] - before[1])
                best.append(after[1] - before[0])
                scenarios.append(self.before.cells[a].scenario)
        reach = self.before.reach
        return (
            paired.by_cluster(worst, scenarios, reach=reach),
            paired.by_cluster(best, scenarios, reach=reach),
        )

    def difference(self, info: MetricInfo, alpha: float) -> Difference:
        """One metric over the pairs that have a value of it on both sides."""
        befores, afters, raws, scenarios = [], [], [], []
        for a, b in self.places:
            first, second = self.before.mean(info.name, a), self.after.mean(info.name, b)
            if first is None or second is None:
                continue
            befores.append(first)
            afters.append(second)
            raws.append((self.before.raw(info.name, a), self.after.raw(info.name, b)))
            scenarios.append(self.before.cells[a].scenario)
        moved = [after - before for before, after in zip(befores, afters, strict=True)]
        differences = paired.by_cluster(moved, scenarios, reach=info.high - info.low)
        test = paired.difference_test(differences)
        return Difference(
            info=info,
            before=mean_of(befores),
            after=mean_of(afters),
            raw_before=mean_of(raw for raw, _ in raws if raw is not None),
            raw_after=mean_of(raw for _, raw in raws if raw is not None),
            value=paired.interval(differences, test, alpha),
            p=test.p if moved else None,
            p_adjusted=None,
            exact=test.exact,
            pairs=len(moved),
            clusters=len(differences.sums),
            changed=test.moved,
            noticeable=paired.noticeable(differences, alpha),
            lower=sum(d < -HAIR for d in moved),
            higher=sum(d > HAIR for d in moved),
        )

    def moved(self, *, fell: bool) -> Sequence[tuple[int, int]]:
        """The pairs whose score fell or rose."""
        sign = -1 if fell else 1
        changes = ((pair, self.change(*pair)) for pair in self.places)
        return [pair for pair, change in changes if change is not None and sign * change > HAIR]

    def change(self, a: int, b: int) -> float | None:
        """The difference of the score; None where either side has none."""
        score = self.before.score
        first, second = self.before.mean(score, a), self.after.mean(score, b)
        return None if first is None or second is None else second - first


_Name = tuple[str, str]  # scenario, persona


@dataclass(frozen=True, slots=True)
class CellPair:
    """The places of a cell's repeats in each run, and what came of them."""

    name: _Name
    places: tuple[Sequence[int], Sequence[int]]
    before: CellResults
    after: CellResults

    @property
    def passed(self) -> tuple[bool | None, bool | None]:
        """Whether most repeats passed, or else failed; None where neither is so."""
        return _most(self.before), _most(self.after)

    @property
    def repeats(self) -> tuple[Repeats, Repeats]:
        """Those that passed or failed, in each run."""
        return _repeats(self.before), _repeats(self.after)

    @property
    def is_repeated(self) -> bool:
        """Whether it was held several times in one of the runs."""
        return max(map(len, self.places)) > 1

    @property
    def is_unsteady(self) -> bool:
        """Whether repeats of a run contradict each other, and most do not say that it changed."""
        mixed = any(0 < repeats.passed < repeats.n for repeats in self.repeats)
        return mixed and self.passed not in ((True, False), (False, True))

    @property
    def is_open(self) -> bool:
        """Whether it passed in A, and what is undecided in B could be most of it failing."""
        (before, after), results = self.passed, self.after
        nothing = not self.repeats[1].n
        may_fail = results.undecided > 0 and results.failed + results.undecided > results.passed
        return before is True and after is not False and (nothing or may_fail)


def cell_pairs(before: Side, after: Side, other: Sequence[str] = ()) -> list[CellPair]:
    """The cells that both runs have, in the order of A; without those of the keys in `other`."""
    left_out = set(other)
    first, second = _by_cell(before), _by_cell(after)
    return [
        CellPair(name, (places, second[name]), _count(before, places), _count(after, second[name]))
        for name, places in first.items()
        if name in second and left_out.isdisjoint(before.cells[place].key for place in places)
    ]


def flips_of(pairs: Sequence[CellPair]) -> Flips:
    """Cells by whether they passed, before and after."""
    known = [pair for pair in pairs if None not in pair.passed]
    counts = Counter(pair.passed for pair in known)
    failing, fixed = counts[True, False], counts[False, True]
    moved = [float(pair.passed == (False, True)) - (pair.passed == (True, False)) for pair in known]
    differences = paired.by_cluster(moved, [pair.name[0] for pair in known])
    return Flips(
        failing=failing,
        fixed=fixed,
        failing_still=counts[False, False],
        passing_still=counts[True, True],
        unknown=len(pairs) - len(known),
        p=paired.sign_flip(differences).p if known else None,
        p_mcnemar=paired.mcnemar(failing, fixed) if known else None,
    )


def cells_of(pairs: Sequence[CellPair], after: Side) -> Cells:
    """The cells whose results changed, and those that leave it open."""
    wanted = (True, False), (False, True)
    newly = [[pair for pair in pairs if pair.passed == change] for change in wanted]
    unsteady = [pair for pair in pairs if pair.is_unsteady]
    left_open = [pair for pair in pairs if pair.is_open]
    groups = (*newly, unsteady, left_open)
    return Cells(*(tuple(_change(pair, after) for pair in group) for group in groups))


def shown_repeats(pair: CellPair, before: Side, after: Side) -> tuple[int, int]:
    """A repeat in each run that tells of the change: the same one, where there is such a one."""
    first, second = (
        list(_of(side, places, Result.PASSED if passed else Result.FAILED))
        for side, places, passed in zip((before, after), pair.places, pair.passed, strict=True)
    )
    by_repeat = {after.cells[place].repeat: place for place in second}
    same = ((a, by_repeat[r]) for a in first if (r := before.cells[a].repeat) in by_repeat)
    return next(same, (first[0], second[0]))


def _change(pair: CellPair, after: Side) -> CellChange:
    places = pair.places[1]
    failed = next(_of(after, places, Result.FAILED), places[0])
    passed = next(_of(after, places, Result.PASSED), places[0])
    return CellChange(
        *pair.name,
        before=pair.before,
        after=pair.after,
        why=after.why(passed if pair.passed[1] else failed),
        must_pass=not after.must_pass.isdisjoint(places),
    )


def _of(side: Side, places: Sequence[int], result: Result) -> Iterator[int]:
    return (place for place in places if side.result(place) is result)


def _by_cell(side: Side) -> dict[_Name, list[int]]:
    by_cell: defaultdict[_Name, list[int]] = defaultdict(list)
    for place, cell in enumerate(side.cells):
        by_cell[cell.scenario, cell.persona].append(place)
    return by_cell


def _count(side: Side, places: Sequence[int]) -> CellResults:
    counts = Counter(map(side.result, places))
    return CellResults(*(counts[r] for r in (Result.PASSED, Result.FAILED, Result.UNDECIDED)))


def _repeats(results: CellResults) -> Repeats:
    return Repeats(results.passed, results.passed + results.failed)


def _most(results: CellResults) -> bool | None:
    return None if results.passed == results.failed else results.passed > results.failed


_SEED = "client.seed"
_Differs = Mapping[str, Sequence[str]]


def chance_of(store: Store, pairs: Pairs, cells: Sequence[CellPair]) -> Chance | None:
    """How many cells newly fail and newly pass where nothing changed; None: it is not known."""
    repeats = [cell.repeats for cell in cells]
    failing = expected_by_chance(repeats)
    passing = expected_by_chance([(b, a) for a, b in repeats])
    if failing is not None and passing is not None:
        return Chance(failing, passing, sum(1 for a, b in repeats if a.n and b.n))
    return _of_same_bot(store, pairs, {"/".join(cell.name) for cell in cells})


def _of_same_bot(store: Store, pairs: Pairs, names: AbstractSet[str]) -> Chance | None:
    """By one of the two runs and another run of the same bot, with the cells of these names."""
    before, after = pairs.before.header, pairs.after.header
    differs = header_differences(before, after)
    if before.kind != "run" or _only_the_seed(differs):
        return None
    reseeded = before.snapshot.get(_SEED) != after.snapshot.get(_SEED)
    wanted = before.client, "run", "finished"
    last = max(before, after, key=lambda header: header.started)
    for row in store.runs():
        if row.id in (before.id, after.id) or (row.client, row.kind, row.status) != wanted:
            continue
        other = store.header(row.id)
        differing = ((s, header_differences(s.header, other)) for s in (pairs.before, pairs.after))
        same = (s for s, by in differing if _only_the_seed(by) and (by or not reseeded))
        side = next(same, None)
        # Its conversations are long, their names are not: most runs are told by these.
        if side is None or not names <= {key.rpartition("/")[0] for key in store.keys(other.id)}:
            continue
        until = max(last, other, key=lambda header: header.started).id  # verdicts count in both
        at_last = side if until == last.id else side.alike(store, side.header, until)
        others = cell_pairs(at_last, side.alike(store, other, until))
        flips = flips_of([cell for cell in others if "/".join(cell.name) in names])
        if not flips.known:
            return None
        count = expected_from_same(flips.failing, flips.fixed, flips.known)
        return Chance(count, count, flips.known, (side.header.id, other.id))
    return None


def _only_the_seed(differs: _Differs) -> bool:
    return all(line.startswith(_SEED) for lines in differs.values() for line in lines)


_ORDER = tuple(Worsening)
_GRADED = (Result.PASSED, Result.FAILED, Result.UNDECIDED)


@dataclass(frozen=True, slots=True)
class CellState:
    """What a cell is in one run: the result of most of its plays, and its claims."""

    result: Result
    claims: Claims

    @classmethod
    def of(cls, side: Side, places: Sequence[int]) -> "CellState":
        """What most plays of a run say; undecided where no result has most of them."""
        counts = Counter(result for place in places if (result := side.result(place)) in _GRADED)
        if not counts:
            return cls(Result.UNCHECKED, Claims())
        first, n = counts.most_common(1)[0]
        result = first if 2 * n > counts.total() else Result.UNDECIDED
        claims = [side.claims(place) for place in places]
        violated = Counter(claim for each in claims for claim in each.violated)
        most = frozenset(claim for claim, n in violated.items() if 2 * n > len(places))
        return cls(result, Claims(frozenset().union(*(each.every for each in claims)), most))


def worsening(before: CellState, after: CellState) -> Worsening | None:
    """How it got worse; None where it did not."""
    way = before.result, after.result
    if way == (Result.PASSED, Result.FAILED):
        return Worsening.PASSED_FAILED
    if way == (Result.UNDECIDED, Result.FAILED):
        return Worsening.UNDECIDED_FAILED
    if way == (Result.PASSED, Result.UNDECIDED):
        return Worsening.PASSED_UNDECIDED
    is_new = way == (Result.FAILED,) * 2 and after.claims.newly_violated(before.claims)
    return Worsening.NEWLY_VIOLATED if is_new else None


def moves_of(pairs: Pairs) -> tuple[StateMove, ...]:
    """All pairs by their results, in the order of the results; with names where these differ."""
    ways: defaultdict[tuple[Result, Result], list[str]] = defaultdict(list)
    unchanged = set()
    for a, b in pairs.places:
        key = pairs.before.cells[a].key
        ways[pairs.before.result(a), pairs.after.result(b)].append(key)
        if pairs.before.answers[a] == pairs.after.answers[b]:
            unchanged.add(key)
    moves = []
    for before, after in product(Result, Result):
        keys = ways[before, after]
        named = () if before is after else tuple(keys)
        same = tuple(key for key in named if key in unchanged)
        moves += [StateMove(before, after, len(keys), named, same)] if keys else []
    return tuple(moves)


def failed_otherwise(pairs: Pairs) -> Iterator[FailedOtherwise]:
    """The conversations that failed in both runs, and not for the same reason."""
    for a, b in pairs.places:
        if not pairs.before.result(a) is pairs.after.result(b) is Result.FAILED:
            continue
        before, after = pairs.before.reason(a), pairs.after.reason(b)
        was, now = pairs.before.claims(a), pairs.after.claims(b)
        new, gone = now.newly_violated(was), was.newly_violated(now)
        if before != after or new or gone:
            yield FailedOtherwise(pairs.before.cells[a].key, before, after, new, gone)


def reworded(pairs: Pairs) -> set[tuple[str, str]]:
    """The cells with the same result, for the same reason, and another first answer."""
    others = {failed.conversation for failed in failed_otherwise(pairs)}
    before, after = pairs.before, pairs.after
    return {
        (before.cells[a].scenario, before.cells[a].persona)
        for a, b in pairs.places
        if before.result(a) is after.result(b) and before.answers[a] != after.answers[b]
        if before.cells[a].key not in others
    }


@dataclass(frozen=True, slots=True)
class WorseAt:
    """A cell that got worse, with what it is in each run, and the places of a repeat in each."""

    cell: WorseCell
    pair: CellPair
    before: CellState
    after: CellState
    shown: tuple[int, int]


def worse_of(pairs: Sequence[CellPair], before: Side, after: Side) -> list[WorseAt]:
    """The cells that got worse: what must pass first, then the gravest, and the worst drop."""

    def rank(at: WorseAt) -> tuple[bool, int, float]:
        scores = [s.mean(s.score, p) for s, p in zip((before, after), at.shown, strict=True)]
        was, now = (-1.0 if score is None else score for score in scores)
        return not at.cell.must_pass, _ORDER.index(at.cell.how), now - was

    return sorted(filter(None, (_worse(pair, before, after) for pair in pairs)), key=rank)


def changed_beside(pairs: Pairs, worse: Iterable[WorseAt]) -> int:
    """Pairs that did not get worse, and were answered or judged differently all the same.

    Only first answers to the same question tell; later ones depend on the answers before.
    """
    before, after = pairs.before, pairs.after
    names = {(at.cell.scenario, at.cell.persona) for at in worse}
    return sum(
        (before.cells[a].scenario, before.cells[a].persona) not in names
        and before.questions[a] == after.questions[b]
        and (before.answers[a] != after.answers[b] or before.result(a) is not after.result(b))
        for a, b in pairs.places
    )


def _worse(pair: CellPair, before: Side, after: Side) -> WorseAt | None:
    first, second = pair.places
    was, now = CellState.of(before, first), CellState.of(after, second)
    how = Worsening.PASSED_FAILED if pair.passed == (True, False) else worsening(was, now)
    if how is None:
        return None
    new = now.claims.newly_violated(was.claims) if how is Worsening.NEWLY_VIOLATED else ()
    shown = _shown(pair, before, after, how, new)
    scenario, persona = pair.name
    cell = WorseCell(
        scenario,
        persona,
        how,
        after.cells[shown[1]].key,
        after.why(shown[1]),
        new,
        must_pass=not after.must_pass.isdisjoint(second),
    )
    return WorseAt(cell, pair, was, now, shown)


def _shown(
    pair: CellPair, before: Side, after: Side, how: Worsening, new: Sequence[str]
) -> tuple[int, int]:
    """The repeats that show how it got worse, or else the gravest; the same one where it can be.

    Where claims are `new`ly violated, these repeats newly violate one of them.
    """

    def rank(places: tuple[int, int]) -> tuple[bool, bool, int, bool, int]:
        a, b = places
        way = worsening(CellState.of(before, [a]), CellState.of(after, [b]))
        grave = len(_ORDER) if way is None else _ORDER.index(way)
        violated = after.claims(b).violated - before.claims(a).violated
        other = bool(new) and violated.isdisjoint(new)
        was, now = before.cells[a].repeat, after.cells[b].repeat
        return other, way is not how, grave, was != now, now

    first, second = pair.places
    return min(((a, b) for a in first for b in second), key=rank)
