"""How the results of conversations changed: the matrix of states, and the cells that got worse."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from simulator.compare.cells import CellPair
from simulator.compare.pairs import Pairs
from simulator.compare.side import Claims, Side
from simulator.core.comparison import FailedOtherwise, StateMove, WorseCell, Worsening
from simulator.core.result import Result

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
