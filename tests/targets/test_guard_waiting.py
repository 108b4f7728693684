"""A question that waits for its turn is not asked in a run that was stopped meanwhile."""

import asyncio

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, RunStopped
from simulator.core.plan import TargetCaps
from simulator.core.talk import Reply, Talk
from tests.targets.fakes import Scripted, guarded
from tests.waiting import settle


async def test_a_stopped_run_does_not_wait_for_its_rate() -> None:
    async def act(question: str) -> Reply:
        return Reply("a")

    halt, target = Halt(), Scripted(act)
    guard = guarded(target, halt=halt, caps=TargetCaps(concurrency=3, per_minute=1))
    assert isinstance(await guard.answer("first", Talk("a")), Reply)
    waiting = [asyncio.create_task(guard.answer("more", Talk(e))) for e in "bcdef"]
    await settle()
    halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [RunStopped] * 5 == [type(error) for error in ended]
    assert ["first"] == target.asked
    with pytest.raises(RunStopped):
        await guard.answer("late", Talk("g"))
