"""The guard tells a target when a talk and the run are over."""

import asyncio
from typing import Any

import pytest

from simulator.targets import _guard
from tests.targets.fakes import Scripted, guarded


async def _nothing(act: str) -> Any: ...


class Holding(Scripted):
    """A target that holds something for each talk."""

    async def leave(self, episode: str) -> None:
        self.asked.append(f"left {episode}")
        await self.act("leave")

    async def close(self) -> None:
        self.asked.append("closed")
        await self.act("close")


async def test_a_target_is_told_that_a_talk_and_the_run_are_over() -> None:
    target = Holding(_nothing)
    guard = guarded(target)
    await guard.leave("e/p/1")
    await guard.close()
    assert ["left e/p/1", "closed"] == target.asked


async def test_a_target_that_holds_nothing_need_not_part() -> None:
    guard = guarded(Scripted(_nothing))
    await guard.leave("e/p/1")
    await guard.close()


async def test_a_target_that_cannot_part_spoils_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def raises(act: str) -> Any:
        raise ConnectionError(act)

    async def sleeps(act: str) -> Any:
        await asyncio.sleep(60)

    monkeypatch.setattr(_guard, "PARTING_S", 0.01)
    for act in (raises, sleeps):
        guard = guarded(Holding(act))
        await guard.leave("e/p/1")
        await guard.close()
