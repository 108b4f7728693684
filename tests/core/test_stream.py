"""Subscribers get every event, and none of them stops a run or slows it."""

import threading

import pytest

from simulator.core import traffic as streams
from simulator.core.events import CallMade, Event, RunEnded
from simulator.core.ports import Role
from simulator.core.traffic import Stream
from tests.waiting import until_now

ENDED = RunEnded("r", "finished", 1, 2, 0, 0, {"passed": 1}, 0.5, None, 1.0)


def call(turn: int) -> CallMade:
    return CallMade("r", "e", 0, turn, Role.USER, "", "x", "m", "ok", 1, 2.0, 0.0, "")


class Subscriber:
    """Keeps what it gets; `act` is called first, and may raise or wait."""

    def __init__(self, act: object = None) -> None:
        self.taken: list[Event] = []
        self.threads: set[str] = set()
        self.closed = 0
        self._act = act

    def __call__(self, event: Event) -> None:
        if callable(self._act):
            self._act(event)
        self.threads.add(threading.current_thread().name)
        self.taken.append(event)

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("apart", [True, False])
def test_every_event_arrives_in_order_and_then_the_subscriber_is_closed(*, apart: bool) -> None:
    stream, subscriber = Stream(), Subscriber()
    stream.subscribe("mine", subscriber, apart=apart)
    events: list[Event] = [*map(call, range(100)), ENDED]
    for event in events:
        stream.emit(event)
    assert [] == stream.close()
    assert (events, 1) == (subscriber.taken, subscriber.closed)
    assert {"mine" if apart else "MainThread"} == subscriber.threads
    stream.emit(ENDED)
    assert (101, []) == (len(subscriber.taken), stream.close())


@pytest.mark.parametrize("apart", [True, False])
def test_one_that_raises_is_named_once_and_gets_the_next_event(*, apart: bool) -> None:
    def act(event: Event) -> None:
        if event != ENDED:
            raise ValueError(f"no place for {type(event).__name__}")

    stream, raises, other = Stream(), Subscriber(act), Subscriber()
    stream.subscribe("bad", raises, apart=apart)
    stream.subscribe("good", other, apart=apart)
    for event in (call(1), call(2), ENDED):
        stream.emit(event)
    assert ["bad failed 2 times, first with ValueError: no place for CallMade"] == stream.close()
    assert ([ENDED], 3) == (raises.taken, len(other.taken))


def test_events_for_which_a_slow_one_has_no_room_are_dropped_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "_ROOM", 2)
    begun, go_on = threading.Event(), threading.Event()

    def act(event: Event) -> None:
        begun.set()
        go_on.wait()

    stream, slow = Stream(), Subscriber(act)
    stream.subscribe("slow", slow)
    stream.emit(call(0))
    assert begun.wait(60)
    for turn in range(1, 8):
        stream.emit(call(turn))  # waits for nobody
    go_on.set()
    assert ["slow was too slow: 5 events were dropped"] == stream.close()
    assert [call(0), call(1), call(2)] == slow.taken


def test_one_that_never_returns_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_PATIENCE_S", 0.01)
    go_on = threading.Event()
    stream, hangs = Stream(), Subscriber(lambda _: go_on.wait())
    stream.subscribe("hangs", hangs)
    for turn in range(3):
        stream.emit(call(turn))
    until_now(lambda: bool(hangs.threads) or stream._subscriptions[0]._queue.qsize() == 2)
    [trouble] = stream.close()
    assert "hangs was still busy when the run was over; it was too slow: " in trouble
    go_on.set()
