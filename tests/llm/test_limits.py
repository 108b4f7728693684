import asyncio
import itertools
from typing import Any

import pytest

from simulator.llm.client import Gate, TokenRate
from simulator.rates import Rate
from tests.llm.virtual import virtually


async def passed(admit: Any, amounts: list[float]) -> list[float]:
    loop = asyncio.get_running_loop()
    times = []
    for amount in amounts:
        await admit(amount)
        times.append(loop.time())
    return times


@pytest.mark.parametrize("per_minute", [6.0, 30.0, 60.0, 500.0, 12_000.0])
def test_no_minute_sees_more_requests_than_allowed(per_minute: float) -> None:
    async def main() -> list[float]:
        return await passed(Rate(per_minute).admit, [1.0] * int(per_minute * 2))

    times = virtually(main())
    first_second = [t for t in times if t < 1.0]
    assert len(first_second) <= 2 * max(1.0, per_minute / 60)  # no whole minute's share at once
    at_last = times[-1]
    assert 2 * 60 * 0.9 <= at_last + 1 + 60 / per_minute
    assert at_last <= 2 * 60 * 1.02  # what may pass at once comes off what drips


def test_a_call_of_more_tokens_than_a_seconds_share_passes() -> None:
    async def main() -> list[float]:
        return await passed(TokenRate(6_000).admit, [1_000.0] * 3)  # 100 a second

    times = virtually(main())
    assert pytest.approx([9, 19, 29], abs=0.5) == times


def test_tokens_are_settled_by_use() -> None:
    async def main() -> list[float]:
        rate = TokenRate(6_000)
        await rate.admit(100)
        rate.settle(100, 600)  # 500 more than estimated: the next one pays
        await rate.admit(100)
        first = asyncio.get_running_loop().time()
        rate.settle(100, 0)
        await rate.admit(100)  # 100 less: this one is free
        return [first, asyncio.get_running_loop().time() - first]

    assert pytest.approx([6.0, 0.0], abs=0.2) == virtually(main())


def test_calls_that_wait_pass_one_after_the_other() -> None:
    async def main() -> list[float]:
        rate = TokenRate(6_000)  # 100 a second
        times: list[float] = []

        async def one() -> None:
            await rate.admit(1_000)
            times.append(asyncio.get_running_loop().time())

        await asyncio.gather(*(one() for _ in range(5)))
        return times

    assert pytest.approx([9, 19, 29, 39, 49], abs=0.9) == virtually(main())


def test_what_is_given_back_never_makes_a_burst() -> None:
    async def main() -> list[float]:
        rate = TokenRate(6_000)
        for _ in range(5):
            await rate.admit(1_000)
        for _ in range(5):
            rate.settle(1_000, 0)
        start = asyncio.get_running_loop().time()
        times = await passed(rate.admit, [100.0] * 5)
        return [t - start for t in times]

    times = virtually(main())
    assert times[-1] >= 3.0  # one second's share came back, not fifty


async def hold(gate: Gate, count: int) -> list[asyncio.Task[None]]:
    async def one() -> None:
        async with gate:
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(one()) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


async def run_through(gate: Gate, calls: int) -> int:
    busy = peak = 0

    async def one() -> None:
        nonlocal busy, peak
        async with gate:
            busy += 1
            peak = max(peak, busy)
            await asyncio.sleep(0)
            gate.went_well()
            busy -= 1

    await asyncio.gather(*(one() for _ in range(calls)))
    return peak


async def test_the_cap_is_never_passed() -> None:
    assert 5 == await run_through(Gate(5), 200)


async def test_it_starts_small_and_grows_while_calls_wait() -> None:
    gate = Gate(100, start=4)
    await run_through(gate, 500)
    assert 100 == gate.width


async def test_it_does_not_grow_when_nobody_waits() -> None:
    gate = Gate(100, start=4)
    for _ in range(50):
        async with gate:
            gate.went_well()
    assert 4 == gate.width


async def test_a_burst_of_429_cuts_once() -> None:
    gate = Gate(50, start=50)
    epoch = gate.epoch
    for _ in range(20):
        gate.crowded(epoch)
    assert 40 == gate.width
    gate.crowded(gate.epoch)
    assert 32 == gate.width


async def test_after_a_cut_it_grows_by_one_a_round() -> None:
    gate = Gate(50, start=50)
    gate.crowded(gate.epoch)
    await run_through(gate, 40 + 41)
    assert 40 < gate.width <= 43


async def test_it_never_closes() -> None:
    gate = Gate(3)
    for _ in range(20):
        gate.crowded(gate.epoch)
    assert 1 == gate.width
    async with gate:
        pass


async def test_cancelled_waiters_leave_no_hole() -> None:
    gate = Gate(2)
    held = await hold(gate, 2)
    waiting = await hold(gate, 3)
    for task in itertools.chain(waiting[:2], held):
        task.cancel()  # a place is given to a waiter in the very moment it is cancelled
    await asyncio.gather(*held, *waiting[:2], return_exceptions=True)
    assert 2 == await run_through(gate, 1) + 1
    waiting[2].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert 2 == await run_through(gate, 20)


async def test_a_place_given_to_a_cancelled_waiter_goes_to_the_next() -> None:
    gate = Gate(1)
    (held,) = await hold(gate, 1)
    (waiting,) = await hold(gate, 1)
    held.cancel()
    await asyncio.sleep(0)  # the held place is left and given to the waiter …
    waiting.cancel()  # … that does not want it any more
    await asyncio.gather(held, waiting, return_exceptions=True)
    assert 1 == await run_through(gate, 3)
