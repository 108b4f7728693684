"""Playing changed cells again: which are broken, which were noise (statistics/sequential.py).

Cells that got worse are played again until a sequential test decides. So are those that got better:
some of them may be as bad as before and have passed by luck. As many as that may have passed by
luck in the run before, and fail now though nothing is wrong with the bot. A cell that was played
four times or more before, in that run and in earlier ones, and was never so bad, passed by no
luck.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from simulator.compare.cells import CellPair
from simulator.compare.headers import INSTRUMENT_DOUBTS, header_differences
from simulator.compare.pairs import Pairs
from simulator.compare.side import Side
from simulator.compare.states import CellState, WorseAt, worse_of, worsening
from simulator.core.comparison import BurnIn, Replayed, Replays
from simulator.core.plan import Cell
from simulator.statistics.sequential import BROKEN, NOISE, Sprt
from simulator.store.store import Store
from simulator.words import counted

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
        cells = counted(len(self.worse), "cell")
        return (
            f"{cells} got worse; playing each again up to {self.most} times (and "
            f"{len(self.better)} that got better, to see how many passed by luck). A cell that is "
            f"always bad is found with {always.broken:.0%}, one that is bad in {BROKEN:.0%} of its "
            f"plays with {broken.broken:.0%}; one that is bad in half of them is called noise with "
            f"{noise.noise:.0%} and broken with {noise.broken:.1%}"
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
