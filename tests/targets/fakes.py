"""What the tests of targets share: a journal in memory, a watcher, a clock that leaps."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from simulator.core.concurrency import Halt
from simulator.core.errors import StoreError
from simulator.core.events import CallMade, Event
from simulator.core.plan import TargetCaps
from simulator.core.ports import CallId, CallRecord, Target
from simulator.core.talk import Reply, Talk, Utterance
from simulator.core.traffic import Traffic
from simulator.targets._guard import TargetGuard


@dataclass
class MemoryJournal:
    """Remembers for as long as the test lasts; `broken` cannot save."""

    records: dict[CallId, CallRecord] = field(default_factory=dict)
    committed: int = 0
    broken: bool = False

    def recall(self, call: CallId, digest: str) -> CallRecord | None:
        record = self.records.get(call)
        return record if record is not None and record.digest == digest else None

    async def record(self, record: CallRecord) -> None:
        await asyncio.sleep(0)
        if self.broken:
            raise StoreError("the disk is full")
        self.records[record.call] = record
        self.committed += 1


@dataclass
class Watcher:
    """A subscriber that keeps the calls of its traffic."""

    calls: list[CallMade] = field(default_factory=list)
    traffic: Traffic = field(default_factory=Traffic)

    def __post_init__(self) -> None:
        self.traffic.events.subscribe("watcher", self, apart=False)

    def __call__(self, event: Event) -> None:
        assert isinstance(event, CallMade)
        self.calls.append(event)


@dataclass
class Scripted:
    """A target that does what a function of the question does, on mogi's own loop."""

    act: Callable[[str], Awaitable[Any]]
    asked: list[str] = field(default_factory=list)

    async def answer(self, question: str, talk: Talk) -> Reply:
        self.asked.append(question)
        reply: Reply = await self.act(question)
        return reply


def guarded(
    target: Target,
    *,
    timeout_s: float | None = 20.0,
    caps: TargetCaps | None = None,
    halt: Halt | None = None,
    journal: MemoryJournal | None = None,
    stateful: bool = False,
    watcher: Watcher | None = None,
) -> TargetGuard:
    return TargetGuard(
        target,
        timeout_s=timeout_s,
        caps=caps or TargetCaps(),
        halt=halt or Halt(),
        journal=journal or MemoryJournal(),
        stateful=stateful,
        traffic=(watcher or Watcher()).traffic,
    )


def talk_of(*pairs: tuple[str, str], episode: str = "e/p/1") -> Talk:
    talk = Talk(episode)
    for said, answer in pairs:
        talk = talk.with_exchange(Utterance(said), Reply(answer))
    return talk


class _LeapingSelector(selectors.DefaultSelector):
    """Waits for nothing: the time that was to be waited has passed, and a microsecond more.

    Without that microsecond a rounding error in a limiter would stop the clock.
    """

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.now += (timeout or 0.0) + 1e-6
        return super().select(0 if timeout is not None else None)


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock leaps to the next thing to do. Not for tests with threads."""

    def __init__(self) -> None:
        self._leaping = _LeapingSelector()
        super().__init__(self._leaping)

    def time(self) -> float:
        return self._leaping.now


def run_leaping(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        runner.run(work)
