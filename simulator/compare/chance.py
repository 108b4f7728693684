"""How many cells would newly fail by chance alone, where that was measured; and what people say.

Measured by the repeats of the two runs; or by an A/A pair: one of the two, and another run of the
same bot. Where the two runs do not differ in anything that is known, no other run of the store is
known to be of the same bot either.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from simulator.compare.cells import CellPair, cell_pairs, flips_of
from simulator.compare.headers import header_differences
from simulator.compare.pairs import Pairs
from simulator.core.comparison import Chance, Corrected, People
from simulator.statistics import paired
from simulator.statistics.chance import expected_by_chance, expected_from_same
from simulator.statistics.intervals import mean_of
from simulator.statistics.ppi import difference
from simulator.store.store import Store

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
        others = cell_pairs(side, side.alike(store, other, last.id))
        flips = flips_of([cell for cell in others if "/".join(cell.name) in names])
        if not flips.known:
            return None
        count = expected_from_same(flips.failing, flips.fixed, flips.known)
        return Chance(count, count, flips.known, (side.header.id, other.id))
    return None


def _only_the_seed(differs: _Differs) -> bool:
    return all(line.startswith(_SEED) for lines in differs.values() for line in lines)


def people_of(pairs: Pairs, alpha: float) -> People | None:
    """What people said of the pairs that they judged on both sides; None where there are none."""
    befores, afters, scenarios = [], [], []
    for a, b in pairs.places:
        first, second = pairs.before.accepted(a), pairs.after.accepted(b)
        if first is not None and second is not None:
            befores.append(first)
            afters.append(second)
            scenarios.append(pairs.before.cells[a].scenario)
    before, after = mean_of(befores), mean_of(afters)
    if before is None or after is None:
        return None
    moved = [b - a for a, b in zip(befores, afters, strict=True)]
    found = paired.by_cluster(moved, scenarios)
    value = paired.interval(found, paired.difference_test(found), alpha)
    return People(before, after, value, len(moved))


def corrected_of(pairs: Pairs) -> Corrected | None:
    """The corrected scores of two runs, and their difference; None where one has none."""
    a, b = pairs.before.corrected(), pairs.after.corrected()
    if a is None or b is None or a.value.mean is None or b.value.mean is None:
        return None
    return Corrected(a.value.mean, b.value.mean, difference(a, b))
