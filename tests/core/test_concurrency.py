import asyncio

import pytest

from simulator.core.concurrency import all_done


async def test_results_come_in_the_order_of_the_calls() -> None:
    async def after(seconds: float, value: int) -> int:
        await asyncio.sleep(seconds)
        return value

    assert [1, 2, 3] == await all_done([after(0.01, 1), after(0, 2), after(0.005, 3)])
    assert [4] == await all_done([after(0, 4)])
    assert [] == await all_done([])


async def test_an_error_waits_for_those_that_are_paid_for() -> None:
    ended: list[str] = []

    async def fails() -> None:
        raise ValueError("first")

    async def pays() -> None:
        await asyncio.sleep(0.01)
        ended.append("paid")

    with pytest.raises(ValueError, match="first"):
        await all_done([fails(), pays()])
    assert ["paid"] == ended


async def test_a_cancelled_wait_cancels_them_all() -> None:
    started = asyncio.Event()

    async def forever() -> None:
        started.set()
        await asyncio.sleep(60)

    before = asyncio.all_tasks()
    task = asyncio.create_task(all_done([forever(), forever()]))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert before == asyncio.all_tasks()
