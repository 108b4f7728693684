import asyncio

from simulator.rates import Rate, Share
from tests.llm.virtual import virtually


def test_who_waits_follows_the_share_as_it_changes() -> None:
    async def main() -> list[float]:
        share = Share(0.0)
        rate = Rate(120, share)
        loop, passed = asyncio.get_running_loop(), list[float]()

        async def one() -> None:
            await rate.admit()
            passed.append(loop.time())

        waiting = [asyncio.create_task(one()) for _ in range(90)]
        await asyncio.sleep(10)
        assert not passed  # all is with others
        share.grant(0.5)
        await asyncio.sleep(60)
        half = len(passed)
        share.grant(1.0)
        await asyncio.gather(*waiting)
        return [half, passed[-1] - 70]

    half, seconds = virtually(main())
    assert 55 <= half <= 61
    assert 12 <= seconds <= 17  # 30 are left, at 2 a second


def test_a_cancelled_wait_holds_nobody_up() -> None:
    async def main() -> list[float]:
        rate = Rate(60)
        await rate.admit()
        waiting = asyncio.create_task(rate.admit())
        await asyncio.sleep(0.1)
        waiting.cancel()
        await asyncio.wait([waiting])
        await rate.admit()
        return [asyncio.get_running_loop().time()]

    assert virtually(main())[0] < 2.5
