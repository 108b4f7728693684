"""Cells of two runs: which newly fail and newly pass, and how many would by chance alone.

That is measured by the repeats of the two runs; or by an A/A pair: one of the two, and another run
of the same bot. Where the two runs do not differ in anything that is known, no other run of the
store is known to be of the same bot either.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from simulator.compare.headers import header_differences
from simulator.compare.pairs import Pairs
from simulator.compare.side import Side
from simulator.core.comparison import CellChange, Cells, Chance, Flips
from simulator.core.result import Result
from simulator.core.run import CellResults
from simulator.statistics import paired
from simulator.statistics.paired import Repeats, expected_by_chance, expected_from_same
from simulator.store.store import Store

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
