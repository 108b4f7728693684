import time
from email.utils import formatdate

import pytest

from simulator.retries import Backoff, seconds_to_wait

BACKOFF = Backoff(first=2, most=60, more=1, most_more=10)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": formatdate(1060, usegmt=True)}, 60.0),
        (
            {
                "retry-after": formatdate(5_000_030, usegmt=True),
                "date": formatdate(5_000_000, usegmt=True),
            },
            30.0,
        ),
        ({"retry-after": formatdate(10, usegmt=True)}, 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:17:40 -0000"}, 60.0),  # no zone: UTC
    ],
)
def test_the_wait_that_is_asked_for(
    headers: dict[str, str], seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    assert seconds == seconds_to_wait(headers)


@pytest.mark.parametrize(("attempt", "most"), [(1, 2), (2, 4), (5, 32), (6, 60), (5_000, 60)])
def test_waits_grow_to_a_bound(attempt: int, most: float) -> None:
    waits = [BACKOFF.seconds(attempt, None) for _ in range(200)]
    assert 1 <= min(waits)
    assert most / 2 < max(waits) <= most


@pytest.mark.parametrize(("attempt", "most"), [(1, 1), (3, 4), (9, 10)])
def test_no_wait_is_shorter_than_what_was_asked_for(attempt: int, most: float) -> None:
    waits = [BACKOFF.seconds(attempt, 30) for _ in range(200)]
    assert 30 <= min(waits)
    assert max(waits) <= 30 + most
