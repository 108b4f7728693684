"""The way of events from a run to its subscribers; none of them stops a run or slows it."""

import time
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Thread

from simulator.core.errors import MogiError
from simulator.core.events import Event, Subscriber

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
        self._queue = Queue[Event | None](_ROOM)
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
            self._queue.put_nowait(event)
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
        while event := self._next():
            self._take(event)
        self._close()

    def _next(self) -> Event | None:
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
