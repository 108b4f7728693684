"""The one owner of retries: which failures are tried again, after what wait, until when."""

from dataclasses import dataclass
from typing import Protocol, cast

from tenacity import Future, RetryCallState, retry_if_result, wait_random_exponential
from tenacity.asyncio import AsyncRetrying

from simulator.core.halt import Halt
from simulator.llm.replies import Answer, Failure
from simulator.retries import Clock, waiting

_LOOK_UP_S = 0.5  # how often a waiting call looks whether the run was halted


def _asked(outcome: Future) -> float | None:
    failure = outcome.result()
    return failure.retry_after if isinstance(failure, Failure) else None


_WAIT = waiting(
    wait_random_exponential(multiplier=2, min=1, max=60),
    wait_random_exponential(multiplier=1, max=10),
    _asked,
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`deadline_s`: seconds for one call with all its waits; `attempts` None: until then.

    `attempt_s`: seconds for one attempt, from the request to the last byte of the answer.
    """

    deadline_s: float = 300.0
    attempt_s: float = 120.0
    attempts: int | None = None


class Call(Protocol):
    """What is tried, perhaps more than once."""

    async def admit(self) -> None:
        """Return when the rate limits let one more request through."""
        ...

    async def send(self, timeout_s: float) -> Answer | Failure:
        """Make one attempt."""
        ...

    def hopeless(self) -> bool:
        """Whether to give up before the deadline."""
        ...


@dataclass(slots=True)
class _Run:
    """One call's attempts. The deadline counts from its first request, not from the queue."""

    call: Call
    started: float | None = None
    attempts: int = 0
    made: Answer | Failure | None = None


class Retries:
    """The policy as tenacity's values. One object serves all calls of an event loop at once.

    That is safe because no part of the policy suspends, so that tenacity's per-thread state
    is never seen by two calls.
    """

    def __init__(self, policy: RetryPolicy, clock: Clock, halt: Halt) -> None:
        self._policy = policy
        self._clock = clock
        self._halt = halt
        self._retrying = AsyncRetrying(
            retry=retry_if_result(_may_pass),
            wait=_WAIT,
            stop=self._stop,
            sleep=self._sleep,
            retry_error_callback=_result,
        )

    async def __call__(self, call: Call) -> tuple[Answer | Failure, int]:
        """The answer or the last failure, and the number of attempts.

        Raises:
            RunStopped: the run was halted meanwhile.
        """
        run = _Run(call)
        result = await self._attempt(run)
        if _may_pass(result):  # tenacity only for the few: its bookkeeping costs 40 µs a call
            run.made = result
            result = await self._retrying(self._attempt, run)
        return result, run.attempts

    async def _attempt(self, run: _Run) -> Answer | Failure:
        if run.made is not None:  # the first attempt, made before tenacity was asked
            made, run.made = run.made, None
            return made
        await run.call.admit()
        now = self._clock.now()
        run.started = now if run.started is None else run.started
        run.attempts += 1
        left = self._policy.deadline_s - (now - run.started)
        return await run.call.send(min(self._policy.attempt_s, max(1.0, left)))

    def _stop(self, state: RetryCallState) -> bool:
        run = cast("_Run", state.args[0])
        most = self._policy.attempts
        if (most is not None and run.attempts >= most) or run.call.hopeless():
            return True
        spent = self._clock.now() - (run.started or 0.0)
        return spent + state.upcoming_sleep >= self._policy.deadline_s

    async def _sleep(self, seconds: float) -> None:
        until = self._clock.now() + seconds
        while (left := until - self._clock.now()) > 0:
            self._halt.check()
            await self._clock.pause(min(left, _LOOK_UP_S))


def _may_pass(result: Answer | Failure) -> bool:
    return isinstance(result, Failure) and result.trouble.passes


def _result(state: RetryCallState) -> Answer | Failure:
    outcome = cast("Future", state.outcome)  # asked only after an attempt
    return cast("Answer | Failure", outcome.result())
