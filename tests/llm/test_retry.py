import time
from collections.abc import Callable
from typing import Any

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, RunStopped
from simulator.core.plan import ModelSpec
from simulator.core.traffic import Traffic
from simulator.llm.caller import Attempts, Caller, RetryPolicy
from simulator.llm.replies import Failure, FailureKind, ModelAnswer
from tests.llm.world import FakeTime, call_id

BUSY = Failure(FailureKind.SERVER, "503: busy")
OK = ModelAnswer("ok")


class Asked(Attempts):
    """Is answered by the time of the fake clock, and notes when it asked."""

    def __init__(
        self,
        time: FakeTime,
        answer: Callable[[float], ModelAnswer | Failure],
        policy: RetryPolicy | None = None,
        *,
        halt: Halt | None = None,
        queue_s: float = 0.0,
        gives_up: bool = False,
    ) -> None:
        nobody: Any = None
        policy, halt = policy or RetryPolicy(), halt or Halt()
        caller = Caller(nobody, nobody, nobody, policy, time.clock, halt, nobody, nobody)
        super().__init__(caller, nobody, 0, Traffic().begin(call_id(), "http://m", "m"))
        self.time, self.answer, self.queue_s, self.gives_up = time, answer, queue_s, gives_up
        self.asked: list[float] = []
        self.timeouts: list[float] = []

    async def admit(self) -> None:
        await self.time.sleep(self.queue_s)

    async def send(self, timeout_s: float) -> ModelAnswer | Failure:
        self.asked.append(self.time.seconds - 1000)
        self.timeouts.append(timeout_s)
        return self.answer(self.asked[-1])

    def hopeless(self, failure: Failure) -> bool:
        return self.gives_up


async def test_an_answer_takes_one_attempt_and_no_wait() -> None:
    clock = FakeTime()
    call = Asked(clock, lambda at: OK)
    assert OK == await call.to_the_last()
    assert 1 == call.track.attempts
    assert 0.0 == clock.slept


@pytest.mark.parametrize("trouble", [t for t in FailureKind if t.passes])
async def test_what_may_pass_is_tried_again(trouble: FailureKind) -> None:
    clock = FakeTime()
    call = Asked(clock, lambda at: OK if at else Failure(trouble, "x"))
    assert OK == await call.to_the_last()
    assert 2 == call.track.attempts
    assert 1.0 <= clock.slept


@pytest.mark.parametrize("trouble", [t for t in FailureKind if not t.passes])
async def test_what_cannot_pass_is_tried_once(trouble: FailureKind) -> None:
    clock = FakeTime()
    failure = Failure(trouble, "x")
    call = Asked(clock, lambda at: failure)
    assert failure == await call.to_the_last()
    assert 1 == call.track.attempts


async def test_a_minute_of_503_is_survived() -> None:
    for _ in range(50):
        clock = FakeTime()
        call = Asked(clock, lambda at: BUSY if at < 60 else OK)
        assert OK == await call.to_the_last()
        waits = [b - a for a, b in zip(call.asked, call.asked[1:], strict=False)]
        assert call.track.attempts == len(waits) + 1
        assert all(1 <= wait <= 60.001 for wait in waits)
        assert waits[0] <= 2.001  # grows from 1–2 s


@pytest.mark.parametrize("told", [0.0, 0.25, 1.0, 7.0, 90.0])
async def test_no_attempt_comes_earlier_than_the_endpoint_asked(told: float) -> None:
    for _ in range(20):
        clock = FakeTime()
        crowded = Failure(FailureKind.CROWDED, "429", retry_after=told)
        call = Asked(clock, lambda at, crowded=crowded: OK if at else crowded)  # type: ignore[misc]
        await call.to_the_last()
        assert told <= call.asked[1] <= told + 1.001


async def test_a_wait_beyond_the_deadline_fails_at_once() -> None:
    clock = FakeTime()
    crowded = Failure(FailureKind.CROWDED, "429", retry_after=300.0)
    call = Asked(clock, lambda at: crowded)
    assert crowded == await call.to_the_last()
    assert 1 == call.track.attempts
    assert 0.0 == clock.slept


async def test_the_deadline_ends_it() -> None:
    clock = FakeTime()
    call = Asked(clock, lambda at: BUSY, RetryPolicy(deadline_s=100))
    assert BUSY == await call.to_the_last()
    assert call.track.attempts == len(call.asked) > 3
    assert call.asked[-1] < 100


async def test_time_in_the_queue_before_the_first_request_is_not_held_against_a_call() -> None:
    clock = FakeTime()
    policy = RetryPolicy(deadline_s=1100)
    call = Asked(clock, lambda at: BUSY if at < 1001 else OK, policy, queue_s=1000.0)
    assert OK == await call.to_the_last()
    assert 2 == call.track.attempts


async def test_attempts_are_a_setting() -> None:
    clock = FakeTime()
    call = Asked(clock, lambda at: BUSY, RetryPolicy(attempts=6, deadline_s=10_000))
    assert BUSY == await call.to_the_last()
    assert 6 == call.track.attempts


async def test_a_hopeless_call_ends_early() -> None:
    clock = FakeTime()
    call = Asked(clock, lambda at: BUSY, gives_up=True)
    assert BUSY == await call.to_the_last()
    assert 1 == call.track.attempts


async def test_a_later_attempt_has_as_much_time_as_the_first() -> None:
    clock = FakeTime()

    def slow(at: float) -> Failure:
        clock.seconds += 100
        return Failure(FailureKind.TIMEOUT, "slow", retry_after=0.0)

    call = Asked(clock, slow, RetryPolicy(deadline_s=250, attempt_s=120))
    await call.to_the_last()
    assert [120, 120, 120] == call.timeouts
    short = Asked(clock, slow, RetryPolicy(deadline_s=50, attempt_s=120))
    await short.to_the_last()
    assert [50] == short.timeouts


@pytest.mark.parametrize(
    ("spec", "policy"),
    [
        (ModelSpec("m"), RetryPolicy(300, 120)),
        (ModelSpec("m", timeout_s=20), RetryPolicy(300, 20)),
        (ModelSpec("m", timeout_s=600), RetryPolicy(1200, 600)),
        (ModelSpec("m", timeout_s=600, deadline_s=60), RetryPolicy(60, 600)),
        (ModelSpec("m", deadline_s=900), RetryPolicy(900, 120)),
    ],
)
def test_a_model_may_have_times_of_its_own(spec: ModelSpec, policy: RetryPolicy) -> None:
    assert policy == RetryPolicy().of(spec)


async def test_a_halted_run_does_not_wait() -> None:
    clock, halt = FakeTime(), Halt()

    def busy_and_halted(at: float) -> Failure:
        halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
        return Failure(FailureKind.CROWDED, "429", retry_after=200.0)

    with pytest.raises(RunStopped, match="Ctrl-C"):
        await Asked(clock, busy_and_halted, halt=halt).to_the_last()
    assert 0.0 == clock.slept


async def test_a_jump_of_the_wall_clock_changes_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeTime()
    wall = iter(range(10**9, 0, -(10**8)))
    monkeypatch.setattr(time, "time", lambda: float(next(wall)))
    crowded = Failure(FailureKind.CROWDED, "429", retry_after=5.0)
    call = Asked(clock, lambda at: OK if at >= 5 else crowded)
    assert OK == await call.to_the_last()
    assert 2 == call.track.attempts


async def test_what_a_call_raises_is_raised() -> None:
    def broken(at: float) -> ModelAnswer:
        raise RunStopped(HaltReason.BUDGET, "spent")

    clock = FakeTime()
    with pytest.raises(RunStopped, match="spent"):
        await Asked(clock, broken).to_the_last()
