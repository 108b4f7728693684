"""What changed since the run before, as the first screen tells it: each cell once."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from simulator.compare.comparison import KEPT, since_previous, states_of
from simulator.compare.pairs import Pairs, WorseAt, failed_otherwise, reworded
from simulator.compare.side import Side
from simulator.core.comparison import Worsening
from simulator.core.result import Result
from simulator.core.run import NOBODY
from simulator.store.store import Store
from simulator.view.faults import group_of
from simulator.view.first_screen import Changes
from simulator.view.results import with_causes
from simulator.view.worst import Group


def changes_of(store: Store, run: str) -> Changes | None:
    """What changed since the run before; None where there is none to compare with."""
    since = since_previous(store, run)
    if since is None:
        return None
    pairs, cells = since
    if not cells:  # all of their questions differ
        return None
    _, worse = states_of(store, pairs, cells)
    failing = [at for at in worse if at.cell.how is Worsening.PASSED_FAILED]
    compared = {cell.name for cell in cells}
    before, after = (_by_cell(side) for side in (pairs.before, pairs.after))
    added = after.keys() - compared
    told = {at.pair.name for at in worse}
    kinds = {
        "newly_passing": {cell.name for cell in cells if cell.passed == (False, True)},
        "unjudged": _unjudged(pairs),
        "failed_otherwise": _failed_otherwise(pairs),
        "decided_otherwise": {name for name in compared if before[name] != after[name]},
        "reworded": reworded(pairs),
    }
    counts = {}
    for kind, names in kinds.items():
        counts[kind] = len((names & compared) - told)
        told |= names
    return Changes(
        before=pairs.before.header.id,
        compared=len(cells),
        newly_failing=tuple(at.cell.name.removesuffix(f"/{NOBODY}") for at in failing),
        groups=tuple(_groups(store, pairs, failing)),
        otherwise_worse=len(worse) - len(failing),
        **counts,
        added=len(added),
        added_failed=sum(Result.FAILED in after[name] for name in added),
        missing=len(before.keys() - compared),
    )


def _unjudged(pairs: Pairs) -> set[tuple[str, str]]:
    """The cells of which a conversation failed and is undecided now."""
    before, after = pairs.before, pairs.after
    return {
        (before.cells[a].scenario, before.cells[a].persona)
        for a, b in pairs.places
        if (before.result(a), after.result(b)) == (Result.FAILED, Result.UNDECIDED)
    }


def _failed_otherwise(pairs: Pairs) -> set[tuple[str, str]]:
    """The cells of which a conversation fails in both runs, for another reason."""
    keys = {f.conversation for f in failed_otherwise(pairs) if not f.newly_violated}
    return {(c.scenario, c.persona) for c in pairs.before.cells if c.key in keys}


def _by_cell(side: Side) -> dict[tuple[str, str], Counter[Result]]:
    """How often each result came of the repeats of each cell of a run."""
    results = defaultdict[tuple[str, str], Counter[Result]](Counter)
    for place, cell in enumerate(side.cells):
        results[cell.scenario, cell.persona][side.result(place)] += 1
    return results


def _groups(store: Store, pairs: Pairs, failing: Sequence[WorseAt]) -> Iterator[Group]:
    """The groups of failures that what newly fails belongs to."""
    before, after = pairs.before.header.id, pairs.after
    keys = [after.cells[at.shown[1]].key for at in failing[:KEPT]]
    for episode, verdicts in store.reviewed(after.header.id, keys, before):
        caused = with_causes(episode, verdicts)
        if group := group_of(caused, after.finding(caused, verdicts)):
            yield group
