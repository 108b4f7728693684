import asyncio
from pathlib import Path
from typing import Any

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import (
    HaltReason,
    InputError,
    ModelError,
    ModelFault,
    RunStopped,
    StoreError,
)
from simulator.core.plan import Cell
from simulator.core.run import Episode
from simulator.core.talk import Stop, StopReason
from simulator.execution import episodes as local
from simulator.execution.cast import Cast
from simulator.execution.episodes import Work, play_all
from simulator.execution.plan import Options, make_plan
from tests.execution.clients import client
from tests.execution.played import Watcher
from tests.waiting import settle

KEYS = ["shipping/angry/1", "shipping/calm/1", "returns/angry/1", "returns/calm/1"]


class Shelf:
    """As much of a store as episodes need."""

    def __init__(self) -> None:
        self.saved: dict[int, str] = {}
        self.full = False

    async def save_episode(self, run: str, ordinal: int, episode: Episode) -> None:
        if self.full:
            raise StoreError("the disk is full")
        self.saved[ordinal] = episode.cell.key


@pytest.fixture
def plays(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What happens in an episode, by its key: an exception to raise, or an event to wait for."""
    acts: dict[str, Any] = {}

    async def play(cell: Cell, cast: Cast, events: object) -> Episode:
        act = acts.get(cell.key)
        if isinstance(act, BaseException):
            raise act
        await (act.wait() if act else asyncio.sleep(0))
        return Episode(cell, (), Stop(StopReason.DONE))

    monkeypatch.setattr(local, "play", play)
    return acts


class Playing:
    """One call of `play_all`, and what came of it."""

    def __init__(self, cwd: Path, complete: frozenset[str] = frozenset()) -> None:
        self.store, self.halt, self.watcher = Shelf(), Halt(), Watcher()
        plan = make_plan(client(cwd), Options())
        nobody: Any = None
        self._cast = Cast(plan, nobody, nobody, nobody)
        store: Any = self.store
        self._work = Work("r1", store, self.halt, self.watcher.traffic.events, complete)

    async def all(self, concurrency: int = 2) -> None:
        await play_all(self._cast, self._work, concurrency)


async def test_every_conversation_is_saved_at_its_place_in_the_plan(
    tmp_path: Path, plays: dict[str, Any]
) -> None:
    playing = Playing(tmp_path)
    await playing.all()
    assert dict(enumerate(KEYS)) == playing.store.saved
    assert sorted(KEYS) == sorted(playing.watcher.ended)


async def test_those_that_are_complete_are_passed_over_and_keep_their_places(
    tmp_path: Path, plays: dict[str, Any]
) -> None:
    playing = Playing(tmp_path, frozenset(KEYS[:3]))
    await playing.all()
    assert {3: KEYS[3]} == playing.store.saved


async def test_no_more_are_held_at_once_than_was_said(
    tmp_path: Path, plays: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = most = 0
    play: Any = vars(local)["play"]

    async def counted(*args: Any) -> Episode:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        episode: Episode = await play(*args)
        at_once -= 1
        return episode

    monkeypatch.setattr(local, "play", counted)
    await Playing(tmp_path).all(3)
    assert 3 == most


async def test_after_a_halt_nothing_more_is_begun(tmp_path: Path, plays: dict[str, Any]) -> None:
    playing = Playing(tmp_path)
    plays[KEYS[0]] = asyncio.Event()
    plays[KEYS[1]] = RunStopped(HaltReason.ACCOUNT, "no such key")
    task = asyncio.create_task(playing.all(2))
    await settle()
    playing.halt.throw(HaltReason.ACCOUNT, "no such key")
    plays[KEYS[0]].set()
    await task
    assert {0: KEYS[0]} == playing.store.saved  # in flight: it may end


async def test_what_infrastructure_broke_is_passed_over(
    tmp_path: Path, plays: dict[str, Any]
) -> None:
    playing = Playing(tmp_path)
    plays[KEYS[1]] = ModelError(ModelFault.UNAVAILABLE, "nobody answers")
    await playing.all(1)
    assert [0, 2, 3] == sorted(playing.store.saved)
    assert (None, "nobody answers") == (playing.halt.reason, playing.halt.trouble)


async def test_a_store_that_cannot_save_stops_the_run(
    tmp_path: Path, plays: dict[str, Any]
) -> None:
    playing = Playing(tmp_path)
    playing.store.full = True
    await playing.all(1)
    assert (HaltReason.STORE, "the disk is full") == (playing.halt.reason, playing.halt.message)
    assert [] == playing.watcher.ended


async def test_wrong_input_that_shows_on_the_way_stops_the_run_with_its_own_words(
    tmp_path: Path, plays: dict[str, Any]
) -> None:
    playing = Playing(tmp_path)
    plays[KEYS[1]] = InputError("this user needs turns")
    await playing.all(1)  # no InputError: that would say that nothing ran
    assert {0: KEYS[0]} == playing.store.saved
    assert (HaltReason.INTERNAL, "this user needs turns") == (
        playing.halt.reason, playing.halt.message,
    )  # fmt: skip


async def test_a_fault_of_our_own_is_raised_when_the_others_have_ended(
    tmp_path: Path, plays: dict[str, Any]
) -> None:
    playing = Playing(tmp_path)
    plays[KEYS[0]] = asyncio.Event()
    plays[KEYS[1]] = ZeroDivisionError("ours")
    task = asyncio.create_task(playing.all(2))
    await settle()
    assert not task.done()
    plays[KEYS[0]].set()
    with pytest.raises(ZeroDivisionError):
        await task
    assert ({0: KEYS[0]}, HaltReason.INTERNAL) == (playing.store.saved, playing.halt.reason)


async def test_a_cancelled_run_leaves_no_task_behind(tmp_path: Path, plays: dict[str, Any]) -> None:
    before = asyncio.all_tasks()
    plays.update(dict.fromkeys(KEYS, asyncio.Event()))
    task = asyncio.create_task(Playing(tmp_path).all(2))
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert before == asyncio.all_tasks()
