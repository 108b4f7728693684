"""Leases: processes that share a run never spend more than it may, and starve nobody."""

import asyncio
import random
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, RunStopped
from simulator.core.plan import Limits, Spending
from simulator.core.run import locks_of
from simulator.llm.budget import Budget, Most
from simulator.store.leases import StoredLender
from simulator.store.store import Store
from tests.store.children import Child
from tests.store.samples import header, record
from tests.waiting import until

PARTS = 3
LOCKS = locks_of("r1", PARTS)
CENT = 0.01


def part_of(conversation: str) -> int:
    return int(conversation.partition("/")[0]) if "/" in conversation else 0


def lender(store: Store, part: int, limits: Limits) -> StoredLender:
    return StoredLender(store, "r1", limits.cap, part, LOCKS, part_of)


@dataclass
class Part:
    """A process that plays a part: it pays calls of a cent at most until it is halted."""

    store: Store
    number: int
    limits: Limits
    halt: Halt = field(default_factory=Halt)
    saving: list[asyncio.Future[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        paid = self.store.ledger("r1", lambda name: part_of(name) == self.number)
        self.lender = lender(self.store, self.number, self.limits)
        self.book = Budget(self.limits, self.halt, paid, self.lender)
        self._made = paid.model_calls

    async def pay(self, usd: float = CENT, wait_s: float = 0.0, *, name: str = "") -> None:
        most = Most(CENT)
        await self.book.reserve(most)
        await asyncio.sleep(wait_s)
        self._made += 1
        made = record(name or f"{self.number}/p/1", self._made, cost_usd=usd)
        self.book.settle(most, made)
        saving = asyncio.ensure_future(self.store.journal("r1", resume=False).record(made))
        self.saving.append(saving)  # it is committed whoever is cancelled
        await asyncio.shield(saving)
        self.book.saved(made)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.llm.budget._AGAIN_S", 0.02)


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(more, marks=pytest.mark.slow) for more in (2, 3))]
)
@pytest.mark.parametrize(
    "limits",
    [Limits(budget_usd=0.6), Limits(calls=70), Limits(budget_usd=0.4, calls=55)],
    ids=["usd", "calls", "both"],
)
async def test_all_is_spent_and_never_more_whoever_is_killed(
    store: Store, limits: Limits, seed: int
) -> None:
    rng = random.Random(seed)
    store.begin(header("r1", shards=PARTS))

    async def play(number: int) -> None:
        while True:
            with store.lock(LOCKS[number - 1]):
                part, lives = Part(store, number, limits), rng.choice([3, 8, 1000])

                async def one(part: Part = part, lives: int = lives) -> None:
                    for _ in range(lives):
                        await part.pay(rng.uniform(0.2, 1) * CENT, rng.choice([0, 0, 0.002]))

                tasks = [asyncio.create_task(one()) for _ in range(4)]
                done, _ = await asyncio.wait(tasks, return_when="FIRST_COMPLETED")
                if any(task.exception() for task in done):
                    assert part.halt.reason is HaltReason.BUDGET
                    await asyncio.gather(*tasks, return_exceptions=True)  # what is in flight ends
                    part.book.close()
                    return
                part.lender._latest = None  # killed: not even a thread goes on
                for task in tasks:  # what it had borrowed is not given back by itself
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await asyncio.gather(*part.saving)

    await asyncio.gather(*map(play, range(1, PARTS + 1)))
    paid = store.ledger("r1")
    usd, calls = paid.cost_usd or 0.0, paid.model_calls
    assert (usd <= limits.cap.usd, calls <= limits.cap.calls) == (True, True)
    assert usd > limits.cap.usd - CENT or calls == limits.cap.calls


async def test_an_idle_part_holds_little_and_what_it_gives_back_is_spent(store: Store) -> None:
    limits = Limits(calls=60)
    store.begin(header("r1", shards=PARTS))
    with store.lock(LOCKS[0]), store.lock(LOCKS[1]):
        idle, busy = Part(store, 1, limits), Part(store, 2, limits)
        await idle.pay()
        paying = asyncio.create_task(all_of(busy))
        await until(lambda: busy.book.ledger.model_calls >= 48)
        await asyncio.sleep(0.1)
        assert not paying.done()  # it waits for what the other one may give back
        idle.book.close()
        await paying
    assert (59, 60) == (busy.book.ledger.model_calls, store.ledger("r1").model_calls)


async def all_of(part: Part) -> None:
    with suppress(RunStopped):
        while True:
            await part.pay()


async def test_what_a_killed_process_holds_comes_back_with_its_lock(store: Store, url: str) -> None:
    limits = Limits(calls=30)
    store.begin(header("r1", shards=PARTS))
    with Child("borrow", url, "30") as child, store.lock(LOCKS[1]):
        assert "5 paid" == child.line()
        part = Part(store, 2, limits)
        paying = asyncio.create_task(all_of(part))
        await until(lambda: part.book.ledger.model_calls >= 18)
        await asyncio.sleep(0.1)
        assert not paying.done()
        child.kill()
        await asyncio.wait_for(paying, 60)
    assert (25, 30) == (part.book.ledger.model_calls, store.ledger("r1").model_calls)
    assert part.halt.message.startswith("30 model calls were made, the limit")


async def test_what_was_paid_while_no_part_was_played_counts(store: Store) -> None:
    """A run without a shard, or calls that came from another store."""
    store.begin(header("r1", shards=PARTS))
    first = lender(store, 1, Limits(calls=10))
    assert await first.lease(Spending(), Spending(), Spending(0, 1))
    first.settle(Spending(0.0, 1))
    journal = store.journal("r1", resume=False)
    for turn in range(6):
        await journal.record(record("1/p/1", turn))
    await journal.record(record("document", 1))
    part = Part(store, 2, Limits(calls=10))
    with store.lock(LOCKS[1]):
        await all_of(part)
    assert 3 == part.book.ledger.model_calls


async def test_the_share_of_a_part_that_may_use_another_store_is_kept_for_it(store: Store) -> None:
    limits = Limits(calls=11)
    store.begin(header("r1", shards=PARTS))
    await store.journal("r1", resume=False).record(record("document", 1))  # of no part

    async def made(number: int) -> int:
        with store.lock(LOCKS[number - 1]):
            part = Part(store, number, limits)
            part.book._lender = replace(lender(store, number, limits), is_shared=False)
            await all_of(part)
            part.book.close()
            is_last = "have not begun in this store" not in part.halt.message
            assert is_last == (number == PARTS), part.halt.message
            return part.book.ledger.model_calls

    assert [2, 4, 4] == [await made(1), await made(2), await made(3)]


async def test_a_cancelled_loan_is_not_written_over_a_later_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(budget_usd=1.0)
    store.begin(header("r1", shards=PARTS))
    with store.lock(LOCKS[0]), store.lock(LOCKS[1]):
        first, second = Part(store, 1, limits).book, Part(store, 2, limits).book
        await first.reserve(Most(CENT))
        begun, late, ended = threading.Event(), threading.Event(), threading.Event()
        borrowed = StoredLender._borrowed

        def slow(*order: object) -> object:
            monkeypatch.undo()
            begun.set()
            late.wait(10)
            try:
                return borrowed(*order)  # type: ignore[arg-type]
            finally:
                ended.set()

        monkeypatch.setattr(StoredLender, "_borrowed", slow)
        reserving = asyncio.create_task(first.reserve(Most(0.27)))
        await until(begun.is_set)
        reserving.cancel()
        await asyncio.gather(reserving, return_exceptions=True)
        await first.reserve(Most(0.60))
        late.set()
        await until(ended.is_set)
        with suppress(RunStopped, TimeoutError):
            while True:
                await asyncio.wait_for(second.reserve(Most(0.05)), 1)
    assert first._reserved + second._reserved <= 1.0


async def test_what_a_living_process_paid_for_no_conversation_counts_once(store: Store) -> None:
    limits = Limits(calls=60)
    store.begin(header("r1", shards=PARTS))
    with store.lock(LOCKS[0]), store.lock(LOCKS[1]):
        first, second = Part(store, 1, limits), Part(store, 2, limits)
        for _ in range(30):
            await first.pay(name="document")
        await first.pay()
        late = await lender(store, 3, limits).lease(Spending(), Spending(), Spending(0, 1))
        assert late.elsewhere.calls <= 31
        first.book.close()
        await all_of(second)
    assert 60 - 31 == second.book.ledger.model_calls
