"""Asking again: what time is measured by, how long to wait, and what Retry-After says."""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenacity import RetryCallState


@dataclass(frozen=True, slots=True)
class Clock:
    """Monotonic seconds and sleeps that agree with them; tests bring their own.

    `sleep` holds up the whole thread, `pause` the task that awaits it.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before another attempt, in seconds: at random, and longer each time.

    Between `least` and a bound that begins at `first` and doubles up to `most`. Where somebody says
    how long to wait, that long and a little more: up to `more`, which doubles up to `most_more`.
    """

    first: float
    most: float
    more: float
    most_more: float
    least: float = 1.0

    def seconds(self, attempt: int, asked: float | None) -> float:
        """The wait after the attempt of this number, from 1; `asked` None: nobody says."""
        doubled = 2.0 ** min(attempt - 1, 64)
        if asked is not None:
            return asked + random.uniform(0.0, min(self.most_more, self.more * doubled))
        return random.uniform(self.least, max(self.least, min(self.most, self.first * doubled)))

    def after(
        self, asked: Callable[[BaseException | None], float | None]
    ) -> "Callable[[RetryCallState], float]":
        """The same for tenacity; `asked` reads off an attempt's error how long it says to wait."""

        def seconds(state: "RetryCallState") -> float:
            error = state.outcome.exception() if state.outcome else None
            return self.seconds(state.attempt_number, asked(error))

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
        moment = parsedate_to_datetime(value or "")
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
