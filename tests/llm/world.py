"""A run's surroundings for tests of the model client: journal, subscriber, clock, accounts."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from simulator.core.concurrency import Halt
from simulator.core.events import CallMade, Event
from simulator.core.plan import Client, Limits, ModelSpec, Price, TargetSpec
from simulator.core.ports import CallId, CallRecord, Message, Role
from simulator.core.run import Ledger
from simulator.core.traffic import Traffic
from simulator.llm.accounts import Accounts
from simulator.llm.caller import RetryPolicy
from simulator.retries import Clock

MESSAGES = [Message("system", "you are kind"), Message("user", "hello")]


def call_id(turn: int = 1, role: Role = Role.USER, part: str = "") -> CallId:
    return CallId("faq/calm/1", turn, role, part)


@dataclass
class Watch:
    """A journal in memory, and a subscriber."""

    records: dict[CallId, CallRecord] = field(default_factory=dict)
    seen: list[CallMade] = field(default_factory=list)
    fails: Exception | None = None

    def recall(self, call: CallId, digest: str) -> CallRecord | None:
        record = self.records.get(call)
        return record if record and record.digest == digest else None

    async def record(self, record: CallRecord) -> None:
        await asyncio.sleep(0)
        if self.fails:
            raise self.fails
        self.records[record.call] = record

    def __call__(self, event: Event) -> None:
        assert isinstance(event, CallMade)
        self.seen.append(event)


@dataclass
class FakeTime:
    """Seconds that pass only when somebody sleeps."""

    seconds: float = 1000.0
    slept: float = 0.0

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        self.slept += seconds
        await asyncio.sleep(0)

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.seconds, pause=self.sleep)


@dataclass
class World:
    """Everything around `Accounts`, and the means to make one."""

    watch: Watch = field(default_factory=Watch)
    halt: Halt = field(default_factory=Halt)
    time: FakeTime = field(default_factory=FakeTime)
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    limits: Limits = field(default_factory=Limits)
    prices: dict[str, Price] = field(default_factory=dict)

    def accounts(self, *, paid: Ledger | None = None, **more: Any) -> Accounts:
        client = Client(
            name="acme",
            folder="/acme",
            language="ja",
            target=TargetSpec("demo"),
            limits=self.limits,
            prices=self.prices,
        )
        more.setdefault("traffic", Traffic()).events.subscribe("watch", self.watch, apart=False)
        return Accounts(
            client=client,
            journal=self.watch,
            halt=self.halt,
            paid=paid or Ledger(),
            policy=self.policy,
            clock=self.time.clock,
            **more,
        )


def spec(base_url: str, model: str = "m", temperature: float | None = None) -> ModelSpec:
    return ModelSpec(model, temperature, base_url)
