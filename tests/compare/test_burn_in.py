"""Playing again what changed: what is broken, what was noise, and what of it nobody can tell."""

import asyncio
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from rich.console import Console

from simulator.cli.screens.compare import compare_view
from simulator.compare.comparison import Reruns, compare_runs, since_previous
from simulator.compare.fail_on import FailOn, conclusion
from simulator.console.output import show
from simulator.core.claim import State
from simulator.core.comparison import Comparison, Replayed
from simulator.core.plan import Cell, Gate
from simulator.core.run import Episode
from simulator.reports.html.lead import compared_values
from simulator.store.schema import FIRST_RERUN
from simulator.store.store import Store
from simulator.view.compare_view import compared
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
    folder: Path,
    before: Sequence[Episode],
    after: Sequence[Episode],
    reruns: Sequence[Episode],
    gate: Gate | None = None,
) -> Comparison:
    options = {"rerun_newly_failing": MOST}
    with stored(folder) as store:
        keep(store, "aaaa1111", before, 10)
        keep(store, "bbbb2222", after, 11, options=options, gate=gate)
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
    assert (3, True) == (done.status, "this may be chance" in done.lines[-1])


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
    assert (3, "undecided after 10 more reruns each: 1 case") == (done.status, done.lines[-1])


def test_what_newly_fails_and_may_be_luck_is_undecided_and_it_is_said_why(tmp_path: Path) -> None:
    comparison = compare(tmp_path, runs("b"), runs("a"), again("a", *[True] * 5))
    done = conclusion(comparison, FailOn.of("newly-failing"))
    assert (3, "whether 1 newly fails is undecided: 1 newly fails") == (done.status, done.lines[0])
    assert "this may be chance" in done.lines[1]


def test_both_reasons_are_said_where_some_are_open_and_others_may_be_luck(tmp_path: Path) -> None:
    reruns = [*again("a", *[True] * 8), *again("b", True)]
    done = conclusion(compare(tmp_path, runs("d"), runs("a", "b"), reruns), FailOn.of("worse"))
    assert (3, "undecided after 10 more reruns each: 1 case") == (done.status, done.lines[1])
    assert "this may be chance" in done.lines[2]


@pytest.mark.parametrize("after", [FAILED, OPEN])
def test_what_must_pass_and_was_noise_does_not_fail(
    after: tuple[State, ...], tmp_path: Path
) -> None:
    changed = [talked("a", after, "It is 9 euros."), *runs()[1:]]
    gate = Gate(must_pass=("a",))
    comparison = compare(tmp_path, runs("b"), changed, again("a", False), gate=gate)
    assert [0, 0] == [status(comparison, what) for what in ("newly-failing", "must-pass")]
    assert "passed" == compared(comparison).sign


def test_what_playing_again_says_takes_no_room_from_the_name(tmp_path: Path) -> None:
    name = "where-is-the-parcel-that-was-sent-last-week"
    before, after = (talked(name, states) for states in (PASSED, FAILED))
    gate, plays = Gate(must_pass=(name,)), again(name, *[True] * MOST)
    found = compare(tmp_path, [before], [after], plays, gate=gate)
    screen = io.StringIO()
    show(compare_view(compared(found), 80), Console(file=screen, width=80))
    lines = screen.getvalue().splitlines()
    at = lines.index(f" 1  {name} · calm · 1   passed → failed")
    assert lines[at + 1].startswith("    must pass, rerun: 10 of 10 worse: ")


def test_what_was_noise_is_named_as_such_and_counted_nowhere_else(tmp_path: Path) -> None:
    found = compare(
        tmp_path, runs("d"), runs("a", "b"), again("a", False) + again("b", *[True] * 5)
    )
    view, screen = compared(found), io.StringIO()
    show(compare_view(view, 80), Console(file=screen, width=80))
    first = view.headline[0].plain
    assert first.startswith("1 new failure in 4 conversations compared (1 scenario); ")
    assert ["b · calm · 1"] == [worse.name for worse in view.worse]
    assert {"b/calm": "failing", "d/calm": "passing"} == found.changes
    text = screen.getvalue()
    assert "Noise, not counted above: a/calm" in text.replace("\n", " ")
    assert "a · calm" not in text
    assert "1" == compared_values(view)["tiles"][0]["value"]


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
    assert line.startswith("1 case got worse; rerunning each up to 10 times (and 1 that")
    assert "always fails: 100%" in line


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
