"""Which cells newly fail and newly pass: their results in both runs, over their repeats."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from simulator.compare.side import Side
from simulator.core.comparison import CellChange, Cells, Flips
from simulator.core.result import Result
from simulator.core.run import CellResults
from simulator.statistics import paired
from simulator.statistics.chance import Repeats

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
        mixed = any(0 < found.passed < found.n for found in self.repeats)
        return mixed and self.passed not in ((True, False), (False, True))

    @property
    def is_open(self) -> bool:
        """Whether it passed in A, and what is undecided in B could be most of it failing."""
        (before, after), found = self.passed, self.after
        nothing = not self.repeats[1].n
        may_fail = found.undecided > 0 and found.failed + found.undecided > found.passed
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
    found = paired.by_cluster(moved, [pair.name[0] for pair in known])
    return Flips(
        failing=failing,
        fixed=fixed,
        failing_still=counts[False, False],
        passing_still=counts[True, True],
        unknown=len(pairs) - len(known),
        p=paired.sign_flip(found).p if known else None,
        p_mcnemar=paired.mcnemar(failing, fixed) if known else None,
    )


def cells_of(pairs: Sequence[CellPair], after: Side) -> Cells:
    """The cells whose results changed, and those that leave it open."""
    wanted = (True, False), (False, True)
    newly = [[pair for pair in pairs if pair.passed == change] for change in wanted]
    unsteady = [pair for pair in pairs if pair.is_unsteady]
    left_open = [pair for pair in pairs if pair.is_open]
    found = (tuple(_change(pair, after) for pair in some) for some in (*newly, unsteady, left_open))
    return Cells(*found)


def shown(pair: CellPair, before: Side, after: Side) -> tuple[int, int]:
    """A repeat in each run that tells of the change: the same one, where there is such a one."""
    first, second = (
        list(_of(side, places, Result.PASSED if passed else Result.FAILED))
        for side, places, passed in zip((before, after), pair.places, pair.passed, strict=True)
    )
    there = {after.cells[place].repeat: place for place in second}
    same = ((a, there[r]) for a in first if (r := before.cells[a].repeat) in there)
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
    found: defaultdict[_Name, list[int]] = defaultdict(list)
    for place, cell in enumerate(side.cells):
        found[cell.scenario, cell.persona].append(place)
    return found


def _count(side: Side, places: Sequence[int]) -> CellResults:
    counts = Counter(map(side.result, places))
    return CellResults(*(counts[r] for r in (Result.PASSED, Result.FAILED, Result.UNDECIDED)))


def _repeats(found: CellResults) -> Repeats:
    return Repeats(found.passed, found.passed + found.failed)


def _most(found: CellResults) -> bool | None:
    return None if found.passed == found.failed else found.passed > found.failed
