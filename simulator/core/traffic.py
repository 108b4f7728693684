"""The events of a run on their way to its subscribers, and its calls while it is under way.

No subscriber stops a run or slows it. Each call is an event as it ends; waiting is counted.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, replace
from enum import StrEnum
from queue import Empty, Full, Queue
from threading import Thread
from typing import Self

from simulator.core.errors import ModelError, MogiError, RunStopped
from simulator.core.events import CallMade, Event, Subscriber
from simulator.core.ports import CallId, CallRecord, Usage

_ROOM = 10_000  # events that may wait for one subscriber
_PATIENCE_S = 10.0  # with subscribers, when the run is over


class Stream:
    """Events of one run.

    Attributes:
        run: The id that its events bear; empty until the run has one.
    """

    def __init__(self) -> None:
        self.run = ""
        self._subscriptions: list[_Subscription] = []

    def subscribe(
        self, name: str, subscriber: Subscriber, *, apart: bool = True, again: str = ""
    ) -> None:
        """Let a subscriber have every event from now on.

        Args:
            name: What people know it by.
            subscriber: Called with each event; its `close()`, if it has one, when the run is over.
            apart: In a thread of its own, where some may wait for it (others are dropped,
                and counted); else at once, which has to be quick.
            again: The command that hands it the events once more, with `{run}` for the run's id.
        """
        self._subscriptions.append(_Subscription(name, subscriber, apart=apart, again=again))

    def emit(self, event: Event) -> None:
        """Hand an event to every subscriber. Raises nothing, and waits for nobody."""
        for subscription in self._subscriptions:
            subscription.put(event)

    def close(self) -> list[str]:
        """Let subscribers take what is left, for some seconds; a sentence for each in trouble."""
        until = time.monotonic() + _PATIENCE_S
        subscriptions, self._subscriptions = self._subscriptions, []
        for subscription in subscriptions:
            subscription.end()
        for subscription in subscriptions:
            subscription.wait(max(0.0, until - time.monotonic()))
        return [trouble for each in subscriptions if (trouble := each.trouble(self.run))]


class _Subscription:
    """One subscriber, its queue and thread if it has one, and what went wrong with it."""

    def __init__(self, name: str, subscriber: Subscriber, *, apart: bool, again: str) -> None:
        self._name, self._again = name, again
        self._subscriber = subscriber
        self._queue = Queue[tuple[Context, Event] | None](_ROOM)
        self._failed = self._dropped = 0
        self._why = ""
        self._ending = False
        self._thread = Thread(target=self._work, daemon=True, name=name) if apart else None
        if self._thread:
            self._thread.start()

    def put(self, event: Event) -> None:
        if self._thread is None:
            self._take(event)
            return
        try:
            self._queue.put_nowait((copy_context(), event))
        except Full:
            self._dropped += 1

    def end(self) -> None:
        """No event comes any more."""
        self._ending = True
        if self._thread is None:
            self._close()
            return
        with suppress(Full):  # then it does not wait, and sees that this is the end
            self._queue.put_nowait(None)

    def wait(self, seconds: float) -> None:
        if self._thread is not None:
            self._thread.join(seconds)

    def trouble(self, run: str) -> str:
        """What went wrong, in a sentence, and what to do; empty where nothing did."""
        lost = self._dropped
        pieces = []
        if self._thread is not None and self._thread.is_alive():
            lost += self._queue.qsize()
            pieces.append("was still busy when the run was over")
        if lost:
            pieces.append(f"was too slow: {lost:,} events were dropped")
        if self._failed == 1:
            pieces.append(f"failed: {self._why}")
        elif self._failed:
            pieces.append(f"failed {self._failed:,} times, first with {self._why}")
        if not pieces:
            return ""
        again = f"; send it again:  {self._again.format(run=run)}" if self._again and run else ""
        return f"{self._name} {'; it '.join(pieces)}{again}"

    def _work(self) -> None:
        context = copy_context()
        while queued := self._next():
            context, event = queued  # what a run may not do, its subscribers may not
            context.run(self._take, event)
        context.run(self._close)

    def _next(self) -> tuple[Context, Event] | None:
        if not self._ending:
            return self._queue.get()
        try:
            return self._queue.get_nowait()
        except Empty:
            return None

    def _take(self, event: Event) -> None:
        try:
            self._subscriber(event)
        except (Exception, SystemExit) as error:  # noqa: BLE001  it is somebody's own code
            self._note(error)

    def _close(self) -> None:
        try:
            getattr(self._subscriber, "close", lambda: None)()
        except (Exception, SystemExit) as error:  # noqa: BLE001
            self._note(error)

    def _note(self, error: BaseException) -> None:
        self._failed += 1
        kind = "" if isinstance(error, MogiError) else f"{type(error).__name__}: "
        self._why = self._why or f"{kind}{error}"


_NOTICED_S = 0.001  # shorter waits are a turn of the event loop


class Limit(StrEnum):
    """What a call can wait for, named as the key in client.yaml where there is one."""

    CONCURRENCY = "concurrency"
    PER_MINUTE = "per_minute"  # of the bot
    REQUESTS = "requests_per_minute"
    TOKENS = "tokens_per_minute"
    BUDGET = "budget_usd"
    FIRST_ANSWER = "first_answer"  # until an account gives one, one call at a time goes to it
    RETRY_AFTER = "Retry-After"  # the endpoint said how long
    RETRY = "retry"  # after a failure of which the endpoint did not say how long


_RATES = frozenset({Limit.PER_MINUTE, Limit.REQUESTS, Limit.TOKENS})


@dataclass(frozen=True, slots=True)
class Wait:
    """Calls that wait for one thing. `place`: whose limit it is, for people.

    `until`: when the last of them may go on, by the traffic's clock; None: that is not known.
    """

    limit: Limit
    place: str
    calls: int
    since: float
    until: float | None


@dataclass(slots=True)
class _Queue:
    """How many wait at one place, as `Wait` has it; counted on."""

    since: float
    calls: int = 0
    until: float | None = None


class Traffic:
    """The calls of one run: their events, and what is waited for.

    Args:
        now: Monotonic seconds.

    Attributes:
        events: Gets the event of each call, and all others of the run.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self.events = Stream()
        self._open: dict[tuple[str, Limit], _Queue] = {}
        self._waited: dict[tuple[str, Limit], float] = {}

    def begin(self, call: CallId, endpoint: str, model: str = "") -> "Track":
        """A call is about to be made; `Track.end` is to be called, however it ends."""
        return Track(self, call, endpoint, model)

    def recalled(self, record: CallRecord) -> None:
        """A call was not made: its answer was paid for earlier."""
        self.events.emit(call_event(self.events.run, record, recalled=True))

    def waiting(self, least_s: float = 1.0) -> Wait | None:
        """What most calls wait for, of what has been waited for so many seconds already.

        Who waits for a call that waits for a rate, as all of its place do, waits for that rate.
        """
        now = self.now()
        long = {k: wait for k, wait in self._open.items() if now - wait.since >= least_s}
        calls = {key: wait.calls for key, wait in long.items()}
        for place, limit in long:
            queue = (place, Limit.CONCURRENCY)
            if limit in _RATES and queue in calls:
                calls[place, limit] += calls.pop(queue)
        if not calls:
            return None
        place, limit = key = max(calls, key=calls.__getitem__)
        return Wait(limit, place, calls[key], long[key].since, long[key].until)

    def waited(self) -> Mapping[str, Mapping[str, float]]:
        """Seconds in which any call waited, by whose limit it was and by its name."""
        waits: dict[str, dict[str, float]] = {}
        now = self.now()
        spans = dict(self._waited)
        for key, wait in self._open.items():
            spans[key] = spans.get(key, 0.0) + now - wait.since
        for (place, limit), seconds in spans.items():
            waits.setdefault(place, {})[limit.value] = seconds
        return waits

    def enter(self, place: str, limit: Limit, until: float | None) -> None:
        """One more call waits."""
        wait = self._open.get((place, limit))
        if wait is None:
            wait = self._open[place, limit] = _Queue(self.now())
        wait.calls += 1
        if until is not None:
            wait.until = until if wait.until is None else max(wait.until, until)

    def leave(self, place: str, limit: Limit) -> None:
        """One of them goes on."""
        wait = self._open[place, limit]
        wait.calls -= 1
        if wait.calls:
            return
        del self._open[place, limit]
        span = self.now() - wait.since
        self._waited[place, limit] = self._waited.get((place, limit), 0.0) + span


class Track:
    """One call under way: who makes it notes here what happens to it."""

    def __init__(self, traffic: Traffic, call: CallId, endpoint: str, model: str) -> None:
        self.attempts = 0
        self.latency_ms = 0.0
        self.sent = 0
        self._traffic = traffic
        self.call = call
        self._endpoint = endpoint
        self._model = model
        self._waits: dict[Limit, float] = {}
        self._failures: list[str] = []

    @property
    def waited_ms(self) -> float:
        """In queues and between attempts, up to now."""
        return 1000 * sum(self._waits.values())

    def wait(self, limit: Limit, seconds: float | None = None) -> "_Waiting":
        """While the block lasts the call waits; for so many seconds, where that is known."""
        return _Waiting(self._traffic, self._model or self._endpoint, limit, self._waits, seconds)

    def failed(self, why: str) -> None:
        """An attempt failed; there may be another."""
        if why not in self._failures:
            self._failures.append(why)

    def end(self, status: str, usage: Usage | None = None, cost_usd: float | None = 0.0) -> None:
        """The call ended."""
        record = CallRecord(
            self.call,
            digest="",
            response="",
            model=self._model,
            usage=usage or Usage(),
            cost_usd=cost_usd,
            latency_ms=self.latency_ms,
            attempts=self.attempts,
            endpoint=self._endpoint,
            waited_ms=self.waited_ms,
        )
        waits = (f"waited for {name}" for name, s in self._waits.items() if s >= _NOTICED_S)
        why = "; ".join([*self._failures, *waits])
        events = self._traffic.events
        made = call_event(events.run, record)
        events.emit(replace(made, status=status, why=why, sent=self.sent))


@dataclass(slots=True)
class _Waiting:
    """A block that waits; a class, since each call has several, and a generator costs thrice.

    Who is let in before the block ends says so (`close`).
    """

    traffic: Traffic
    place: str
    limit: Limit
    waits: dict[Limit, float]
    seconds: float | None
    began: float = 0.0
    is_over: bool = False

    def __enter__(self) -> Self:
        self.began = self.traffic.now()
        until = None if self.seconds is None else self.began + self.seconds
        self.traffic.enter(self.place, self.limit, until)
        return self

    def __exit__(self, *_: object) -> None:
        if not self.is_over:
            self.close()

    def close(self) -> None:
        """The wait is over."""
        self.is_over = True
        self.traffic.leave(self.place, self.limit)
        spent = self.traffic.now() - self.began
        self.waits[self.limit] = self.waits.get(self.limit, 0.0) + spent


def call_event(run: str, record: CallRecord, *, recalled: bool = False) -> CallMade:
    """The event of a call that brought an answer, as far as its record tells."""
    call = record.call
    return CallMade(
        run,
        call.episode,
        call.take,
        call.turn,
        call.role,
        call.part,
        endpoint=record.endpoint or "",
        model=record.model,
        status="ok",
        attempts=record.attempts,
        latency_ms=record.latency_ms,
        waited_ms=record.waited_ms or 0.0,
        why="",
        usage=record.usage,
        cost_usd=record.cost_usd,
        recalled=recalled or record.reused,
    )


def status_of(error: BaseException) -> str:
    """How a call ended that brought no answer, in a word."""
    if isinstance(error, ModelError):
        return error.fault.value
    return error.reason.value if isinstance(error, RunStopped) else "broken_off"
