import asyncio

import pytest

from simulator.core.plan import ModelCaps
from simulator.core.traffic import Traffic
from simulator.llm.client import Endpoint
from simulator.llm.parameters import Dialect, Rung
from tests.llm.virtual import virtually
from tests.llm.world import call_id

TRACK = Traffic().begin(call_id(), "http://x/v1", "m")


def endpoint(caps: ModelCaps | None = None) -> Endpoint:
    return Endpoint("http://x/v1", "m", "KEY", caps or ModelCaps())


def test_a_late_lesson_about_an_old_dialect_undoes_nothing() -> None:
    known = endpoint()
    no_temperature = Dialect(dropped=frozenset({"temperature"}))
    known.learn(Dialect(), no_temperature)
    known.learn(Dialect(), Dialect(Rung.OBJECT))
    assert no_temperature == known.dialect


def test_the_breaker_opens_at_the_fifth_failure_in_a_row() -> None:
    known = endpoint()
    assert [False] * 4 == [known.failed() for _ in range(4)]
    known.served()
    assert [False, False, False, False, True] == [known.failed() for _ in range(5)]


async def test_without_limits_nobody_waits() -> None:
    known = endpoint()
    for _ in range(1000):
        await known.admit(10**9, TRACK)
        known.settle(10**9, 1)


@pytest.mark.parametrize(
    "caps", [ModelCaps(requests_per_minute=600), ModelCaps(tokens_per_minute=60_000)]
)
def test_calls_pass_at_the_rate_of_the_caps(caps: ModelCaps) -> None:
    async def main() -> list[float]:
        limited = endpoint(caps)
        for _ in range(30):
            await limited.admit(100, TRACK)
        return [asyncio.get_running_loop().time()]

    assert [pytest.approx(2.0, abs=0.1)] == virtually(main())  # ten at once, then ten a second
