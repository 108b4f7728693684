"""Playing again what changed: what is broken, what was noise, and what of it nobody can tell."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from simulator.compare.burn_in import Reruns
from simulator.compare.comparison import compare_runs, since_previous
from simulator.compare.fail_on import FailOn, conclusion
from simulator.core.comparison import Comparison, Replayed
from simulator.core.plan import Cell
from simulator.core.run import Episode
from simulator.store.schema import FIRST_RERUN
from simulator.store.store import Store
from tests.compare.stored import keep
from tests.compare.test_states import FAILED, OPEN, PASSED, talked

SCENARIOS = ("a", "b", "c", "d")
MOST = 10


def runs(*names: str, text: str = "So it is.") -> list[Episode]:
    """A run in which the scenarios of these names fail."""
    return [talked(s, FAILED if s in names else PASSED, text) for s in SCENARIOS]


def again(name: str, *plays: bool) -> list[Episode]:
    """Further plays of a scenario; True: it failed."""
    return [talked(name, FAILED if bad else PASSED, repeat=n) for n, bad in enumerate(plays, 2)]


def stored(folder: Path) -> Store:
    return Store.create(f"sqlite:///{folder / 'mogi.db'}")


def play(store: Store, episodes: Iterable[Episode]) -> None:
    async def save() -> None:
        for n, each in enumerate(episodes):
            await store.save_episode("bbbb2222", FIRST_RERUN + n, each)

    asyncio.run(save())


def compare(
    folder: Path, before: Sequence[Episode], after: Sequence[Episode], reruns: Sequence[Episode]
) -> Comparison:
    options = {"rerun_newly_failing": MOST}
    with stored(folder) as store:
        keep(store, "aaaa1111", before, 10)
        keep(store, "bbbb2222", after, 11, options=options)
        play(store, reruns)
        return compare_runs(store, "aaaa1111", "bbbb2222")


def status(comparison: Comparison, what: str = "worse") -> int:
    return conclusion(comparison, FailOn.of(what)).status


def test_what_passes_when_it_is_played_again_was_noise(tmp_path: Path) -> None:
    comparison = compare(tmp_path, runs("b"), runs("a"), again("a", False))
    (cell,) = comparison.states.worse
    assert cell.replays is not None
    assert (Replayed.NOISE, 1, 0) == (cell.replays.replayed, cell.replays.plays, cell.replays.bad)
    assert [0, 0] == [status(comparison, what) for what in ("worse", "newly-failing")]


def test_no_figure_counts_what_was_played_again(tmp_path: Path) -> None:
    comparison = compare(tmp_path, runs("b"), runs("a"), again("a", *[True] * 5))
    assert ((4, 4), 4, 1) == (
        comparison.complete,
        comparison.paired,
        len(comparison.cells.newly_failing),
    )
    with stored(tmp_path) as store:
        assert 4 == len(store.keys("bbbb2222")) == len([*store.episodes("bbbb2222")])
        assert ["a/calm/2", "a/calm/6"] == store.keys("bbbb2222", reruns=True)[::4]


def test_one_cell_that_passed_once_before_may_have_passed_by_luck(tmp_path: Path) -> None:
    comparison = compare(tmp_path, runs("b"), runs("a"), again("a", *[True] * 5))
    (cell,) = comparison.states.worse
    assert cell.replays is not None
    assert Replayed.BROKEN is cell.replays.replayed
    done = conclusion(comparison, FailOn.of("worse"))
    assert (3, True) == (done.status, "may have been by luck" in done.lines[-1])


def test_what_passed_in_three_runs_more_before_is_broken(tmp_path: Path) -> None:
    with stored(tmp_path) as store:
        keep(store, "cccc3333", runs("b"), 3)
        keep(store, "cccc1111", runs("b"), 1)
        keep(store, "cccc2222", runs("b", "c"), 2)
    comparison = compare(tmp_path, runs("b"), runs("a"), again("a", *[True] * 5))
    assert [1, 1] == [status(comparison, what) for what in ("worse", "newly-failing")]


def test_what_failed_before_as_well_is_not_steady(tmp_path: Path) -> None:
    with stored(tmp_path) as store:
        keep(store, "cccc3333", runs("b"), 3)
        keep(store, "cccc1111", runs("b"), 1)
        keep(store, "cccc2222", runs("a"), 2)
    assert 3 == status(compare(tmp_path, runs("b"), runs("a"), again("a", *[True] * 5)))


def test_three_broken_cells_are_more_than_luck(tmp_path: Path) -> None:
    names = "abc"
    reruns = [e for name in names for e in again(name, *[True] * 8)]
    comparison = compare(tmp_path, runs("d"), runs(*names), reruns)
    assert [1, 3, 3] == [status(comparison, f"worse={n}") for n in (1, 2, 3)]


def test_a_cell_that_is_not_played_to_its_end_is_undecided(tmp_path: Path) -> None:
    comparison = compare(tmp_path, runs("b"), runs("a"), again("a", True, True))
    done = conclusion(comparison, FailOn.of("worse"))
    assert (3, "undecided after 10 more plays each: 1 cell") == (done.status, done.lines[-1])


def test_what_must_pass_and_was_noise_does_not_fail(tmp_path: Path) -> None:
    comparison = compare(tmp_path, runs("b"), runs("a"), again("a", False))
    assert 0 == status(comparison, "newly-failing")


def test_reruns_follow_the_repeats_and_end_where_all_is_decided(tmp_path: Path) -> None:
    lines: list[str] = []
    with stored(tmp_path) as store:
        keep(store, "aaaa1111", runs("b"), 1)
        keep(store, "bbbb2222", runs("a"), 2)
        reruns = Reruns(MOST, since_previous, lines.append)
        assert [Cell("a", "calm", 2), Cell("b", "calm", 2)] == reruns(store, "bbbb2222")
        play(store, [*again("a", True), *again("b", False)])
        assert [Cell("a", "calm", 3)] == reruns(store, "bbbb2222")
        play(store, [*again("a", True, True, True, True, True), *again("b", False)])
        assert [] == reruns(store, "bbbb2222")
    (line,) = lines
    assert line.startswith("1 cell got worse; playing each again up to 10 times (and 1 that")
    assert "found with 100%" in line


def test_nothing_is_played_again_without_a_run_before_or_a_change(tmp_path: Path) -> None:
    with stored(tmp_path) as store:
        keep(store, "bbbb2222", runs(), 1)
        assert () == Reruns(MOST, since_previous, print)(store, "bbbb2222")
        keep(store, "cccc2222", runs(), 2)
        assert () == Reruns(MOST, since_previous, print)(store, "cccc2222")


def test_a_play_that_nobody_can_decide_is_as_bad_for_what_passed(tmp_path: Path) -> None:
    reruns = [talked("a", OPEN, repeat=n) for n in range(2, 7)]
    (cell,) = compare(tmp_path, runs("b"), runs("a"), reruns).states.worse
    assert cell.replays is not None
    assert 5 == cell.replays.bad
