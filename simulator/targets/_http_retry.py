"""Asking again, where that does no harm: the bot never gets a question twice."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import (
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_random_exponential,
)
from tenacity.asyncio import AsyncRetrying

from simulator.core.errors import TargetError
from simulator.targets._http_errors import Trouble

T = TypeVar("T")

_BACKOFF = wait_random_exponential(multiplier=0.5, max=8)
_JITTER = wait_random_exponential(multiplier=0.2, max=2)  # above what the bot asked for

# Methods of which a second one changes nothing: RFC 9110, section 9.2.2.
REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"})


class Retries:
    """How often and how long a call is tried.

    A call is tried again where no connection came about, or the bot said that it did not begin
    (429 or 503 with Retry-After); a repeatable one also where the connection broke and where it
    answered 429, 502, 503 or 504. Never earlier than the bot asks for, and never when the wait
    would go beyond the target's timeout.
    """

    def __init__(self, attempts: int, timeout_s: float) -> None:
        """`attempts` counts the first one; `timeout_s`: seconds for all of them and their waits."""
        self._attempts = attempts
        self._timeout_s = timeout_s

    async def __call__(
        self, attempt: Callable[[], Awaitable[T]], *, repeatable: bool
    ) -> tuple[T, tuple[str, ...]]:
        """What the last attempt brought, and what went wrong with those before it.

        Raises:
            TargetError: none brought anything.
        """
        troubles: list[str] = []

        async def tried() -> T:
            try:
                return await attempt()
            except Trouble as trouble:
                troubles.append(str(trouble))
                raise

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: _may_pass(error, repeatable=repeatable)),
            wait=_wait,
            stop=stop_after_attempt(self._attempts) | stop_before_delay(self._timeout_s),
            reraise=True,
        )
        try:
            return await retrying(tried), tuple(troubles)
        except Trouble as trouble:
            tries = f" (tried {len(troubles)} times)" if len(troubles) > 1 else ""
            raise TargetError(trouble.error.fault, f"{trouble}{tries}") from None


def _may_pass(error: BaseException, *, repeatable: bool) -> bool:
    return isinstance(error, Trouble) and error.passes and (repeatable or not error.done)


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, Trouble) and error.wait_s is not None:
        return error.wait_s + _JITTER(state)
    return _BACKOFF(state)
