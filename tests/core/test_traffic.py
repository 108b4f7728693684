from contextlib import ExitStack

from simulator.core.errors import HaltReason, ModelError, ModelFault, RunStopped
from simulator.core.events import CallMade, Event
from simulator.core.ports import CallId, Role, Usage
from simulator.core.traffic import Limit, Track, Traffic, Wait, status_of

CALL = CallId("faq/calm/1", 2, Role.USER)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def track(traffic: Traffic, model: str = "m") -> Track:
    return traffic.begin(CALL, "http://x/v1", model)


def test_a_call_is_told_as_it_ended() -> None:
    clock = Clock()
    traffic, told = Traffic(clock), list[Event]()
    traffic.events.run = "r"
    traffic.events.subscribe("told", told.append, apart=False)
    call = track(traffic)
    with call.wait(Limit.TOKENS):
        clock.now += 2
    call.attempts = 2
    call.failed("crowded (429)")
    call.failed("crowded (429)")
    with call.wait(Limit.RETRY_AFTER, 3):
        clock.now += 3
    with call.wait(Limit.REQUESTS):
        pass
    call.latency_ms = 12.5
    call.end("ok", Usage(10, 5, 2))
    why = "crowded (429); waited for tokens_per_minute; waited for Retry-After"
    ended = CallMade(
        run="r",
        episode="faq/calm/1",
        take=0,
        turn=2,
        role=Role.USER,
        part="",
        endpoint="http://x/v1",
        model="m",
        status="ok",
        attempts=2,
        latency_ms=12.5,
        waited_ms=5000,
        why=why,
        usage=Usage(10, 5, 2),
    )
    assert [ended] == told


def test_what_most_calls_wait_for_is_told_after_a_second() -> None:
    clock = Clock()
    traffic = Traffic(clock)
    first, second, third = track(traffic), track(traffic), track(traffic, "other")
    with first.wait(Limit.TOKENS), second.wait(Limit.TOKENS), third.wait(Limit.RETRY_AFTER, 30):
        assert traffic.waiting() is None
        clock.now += 1
        assert Wait(Limit.TOKENS, "m", 2, 100.0, None) == traffic.waiting()
    with third.wait(Limit.RETRY_AFTER, 30), first.wait(Limit.RETRY, 1):
        clock.now += 2
        with second.wait(Limit.TOKENS), third.wait(Limit.RETRY_AFTER, 60):
            assert Wait(Limit.RETRY_AFTER, "other", 2, 101.0, 163.0) == traffic.waiting()
    assert traffic.waiting() is None


def test_a_place_is_waited_for_by_whoever_waits_for_a_call_that_waits_for_a_rate() -> None:
    clock = Clock()
    traffic = Traffic(clock)
    calls = [track(traffic, "") for _ in range(4)]
    with calls[0].wait(Limit.PER_MINUTE), ExitStack() as queue:
        for call in calls[1:]:
            queue.enter_context(call.wait(Limit.CONCURRENCY))
        clock.now += 2
        told = traffic.waiting()
        assert Wait(Limit.PER_MINUTE, "http://x/v1", 4, 100.0, None) == told
        with track(traffic, "other").wait(Limit.TOKENS):
            assert told == traffic.waiting()


def test_seconds_are_those_in_which_any_call_waited() -> None:
    clock = Clock()
    traffic = Traffic(clock)
    first, second = track(traffic), track(traffic)
    with first.wait(Limit.TOKENS):
        clock.now += 2
        with second.wait(Limit.TOKENS):
            clock.now += 3
    clock.now += 10
    with second.wait(Limit.TOKENS):
        clock.now += 1
        assert {"m": {"tokens_per_minute": 6.0}} == traffic.waited()


def test_how_a_call_without_an_answer_ended_is_a_word() -> None:
    assert "rejected" == status_of(ModelError(ModelFault.REJECTED, "400"))
    assert "account" == status_of(RunStopped(HaltReason.ACCOUNT, "401"))
    assert "broken_off" == status_of(KeyboardInterrupt())
