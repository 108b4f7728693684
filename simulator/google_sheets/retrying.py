"""Which calls of Google are tried again, after what wait, and how many there may be a minute."""

from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from google.auth.exceptions import RefreshError, TransportError
from gspread.exceptions import APIError
from requests import ConnectTimeout, RequestException
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_random_exponential,
)

from simulator.google_sheets.clock import Clock

_ATTEMPTS = 8
_LONGEST_WAIT_S = 300.0  # what an endpoint asks for beyond it is not waited for
_BACKOFF = wait_random_exponential(multiplier=1, min=1, max=64)
_JITTER = wait_random_exponential(multiplier=0.5, max=5)  # above what the endpoint asked for
_PER_MINUTE = 60  # reads, and as many writes, of one account (Google: usage limits)
_MINUTE_S = 60.0


@dataclass(slots=True)
class Quota:
    """So many calls a minute, in any 60 seconds."""

    clock: Clock
    most: int = _PER_MINUTE
    _made: deque[float] = field(default_factory=deque)

    def admit(self) -> None:
        """Return when one more call may be made, and count it."""
        while len(self._made) >= self.most:
            left = self._made[0] + _MINUTE_S - self.clock.now()
            if left <= 0:
                self._made.popleft()
            else:
                self.clock.sleep(left)
        self._made.append(self.clock.now())


def retrying(clock: Clock, *, repeatable: bool) -> Retrying:
    """The policy for one call; `repeatable`: done twice it comes to the same as done once.

    The last error is raised as it came.
    """
    return Retrying(
        retry=retry_if_exception(lambda error: _may_pass(error, repeatable=repeatable)),
        wait=_wait,
        stop=_stop,
        sleep=clock.sleep,
        reraise=True,
    )


def is_lost(error: BaseException) -> bool:
    """Whether a call may have been carried out although it failed."""
    if isinstance(error, APIError):
        return int(error.response.status_code) >= 500
    return isinstance(error, RequestException) and not isinstance(error, ConnectTimeout)


def _may_pass(error: BaseException, *, repeatable: bool) -> bool:
    if isinstance(error, APIError) and error.response.status_code == 429:
        return True
    if isinstance(error, RefreshError):
        return bool(error.retryable)
    if isinstance(error, TransportError | ConnectTimeout):  # it was not even asked
        return True
    return repeatable and is_lost(error)


def _stop(state: RetryCallState) -> bool:
    return stop_after_attempt(_ATTEMPTS)(state) or state.upcoming_sleep > _LONGEST_WAIT_S


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = _retry_after(error.response) if isinstance(error, APIError) else None
    return _BACKOFF(state) if asked is None else asked + _JITTER(state)


def _retry_after(response: Any) -> float | None:
    """The seconds that Retry-After names, as a number or as a date."""
    said = str(response.headers.get("Retry-After", "")).strip()
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
