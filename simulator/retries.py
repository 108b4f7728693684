"""Asking again: what time is measured by, how long to wait, and what Retry-After says."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from tenacity import Future, RetryCallState, wait_random_exponential

Wait = Callable[[RetryCallState], float]


@dataclass(frozen=True, slots=True)
class Clock:
    """Monotonic seconds and sleeps that agree with them; tests bring their own.

    `sleep` holds up the whole thread, `pause` the task that awaits it.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep


def waiting(
    backoff: wait_random_exponential,
    jitter: wait_random_exponential,
    asked: Callable[[Future], float | None],
) -> Wait:
    """How long tenacity waits: longer each time, or as long as was asked for and a little more.

    Args:
        backoff: Where nothing was asked for.
        jitter: What is added where something was.
        asked: The seconds that the last attempt's outcome asks to wait; None: none.
    """

    def seconds(state: RetryCallState) -> float:
        least = asked(state.outcome) if state.outcome else None
        return backoff(state) if least is None else least + jitter(state)

    return seconds


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """The wait that `retry-after-ms` or `retry-after` (seconds or a date) ask for, in seconds.

    A date is taken relative to the response's own `date`, so that no clock has to agree.
    """
    millis = finite(headers.get("retry-after-ms"))
    if millis is not None:
        return max(0.0, millis / 1000)
    after = headers.get("retry-after")
    seconds = finite(after)
    if seconds is not None:
        return max(0.0, seconds)
    moment = _moment(after)
    if moment is None:
        return None
    return max(0.0, moment - (_moment(headers.get("date")) or time.time()))


def finite(value: Any) -> float | None:
    """The number that a value is or spells, if it is a finite one."""
    if not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _moment(value: str | None) -> float | None:
    try:
        return parsedate_to_datetime(value or "").timestamp()
    except (ValueError, OverflowError):
        return None
