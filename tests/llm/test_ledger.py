import asyncio
import random

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, RunStopped
from simulator.core.plan import Limits, Spending
from simulator.core.ports import CallRecord, Lease, Role, Usage
from simulator.core.run import Ledger
from simulator.llm.budget import Budget, Most, Written
from tests.llm.world import call_id


def record(cost: float | None, role: Role = Role.USER, usage: Usage | None = None) -> CallRecord:
    return CallRecord(call_id(role=role), "d", "{}", usage=usage or Usage(), cost_usd=cost)


def book(
    limits: Limits | None = None, halt: Halt | None = None, paid: Ledger | None = None
) -> Budget:
    return Budget(limits or Limits(), halt or Halt(), paid or Ledger())


async def paid_for(
    kept: Budget, most: Most, record: CallRecord | None = None, written: int = 0
) -> None:
    """A call that ends at once; without a record it comes to nothing."""
    await kept.reserve(most)
    if record is None:
        kept.release(most)
    else:
        kept.settle(most, record, written)


async def test_calls_tokens_and_money_are_counted_by_role() -> None:
    kept = book()
    await paid_for(kept, Most(0.0), record(0.25, usage=Usage(10, 2, 4)))
    await paid_for(kept, Most(0.0), record(0.5, Role.JUDGE, Usage(100, 20)))
    await paid_for(kept, Most(0.0), None)
    assert Ledger({"user": 1, "judge": 1}, 110, 22, 4, 0.75, 2) == kept.ledger


async def test_a_model_that_words_the_bots_answers_counts_as_a_model_call_only() -> None:
    kept = book()
    await paid_for(kept, Most(0.0), record(0.25, Role.TARGET, Usage(10, 2)))
    assert Ledger({}, 10, 2, 0, 0.25, 1) == kept.ledger


async def test_an_unknown_price_makes_the_sum_unknown() -> None:
    kept = book()
    await paid_for(kept, Most(0.0), record(0.25))
    await paid_for(kept, Most(0.0), record(None))
    assert kept.ledger.cost_usd is None


async def test_a_resumed_run_goes_on_with_what_was_paid() -> None:
    paid = Ledger({"user": 3}, 30, 6, 0, 0.9, 3)
    halt = Halt()
    kept = book(Limits(budget_usd=1.0), halt, paid)
    await paid_for(kept, Most(0.1), record(0.05, usage=Usage(1, 1)))
    assert Ledger({"user": 4}, 31, 7, 0, 0.9 + 0.05, 4) == kept.ledger
    with pytest.raises(RunStopped):
        await kept.reserve(Most(0.1))
    assert HaltReason.BUDGET is halt.reason


async def test_200_calls_at_once_never_overspend() -> None:
    rng = random.Random(3)
    halt = Halt()
    kept = book(Limits(budget_usd=1.0), halt)
    in_flight = peak = served = 0

    async def one() -> None:
        nonlocal in_flight, peak, served
        most = Most(rng.uniform(0.001, 0.02))
        await kept.reserve(most)
        in_flight += 1
        peak = max(peak, in_flight)
        await asyncio.sleep(0)
        in_flight -= 1
        kept.settle(most, record(rng.uniform(0.2, 1.0) * most.usd))
        served += 1

    results = await asyncio.gather(*(one() for _ in range(400)), return_exceptions=True)
    spent = kept.ledger.cost_usd
    assert spent is not None
    assert 0.97 < spent <= 1.0
    assert peak > 50
    assert {RunStopped} == {type(r) for r in results if r is not None}
    assert served == results.count(None)
    assert HaltReason.BUDGET is halt.reason
    assert "1 USD" in halt.message


async def test_an_answer_that_is_too_long_is_found_out_by_one_call() -> None:
    """Which of 200 calls is the first to be longer than it was told to be, nobody knows."""
    written, kept = Written(), book(Limits(budget_usd=1.0))
    most = Most(0.0, 1000, 1e-6, written)  # 0.001 USD at most, if that is heeded

    async def one() -> None:
        await kept.reserve(most)
        await asyncio.sleep(0)
        kept.settle(most, record(0.004), 4000)

    results = await asyncio.gather(*(one() for _ in range(400)), return_exceptions=True)
    assert 0.99 < (kept.ledger.cost_usd or 0.0) <= 1.0
    assert {RunStopped} == {type(r) for r in results if r is not None}


async def test_after_a_cost_beyond_what_was_set_aside_calls_in_flight_count_for_more() -> None:
    written, kept = Written(), book(Limits(budget_usd=0.016))
    most = Most(0.0, 1000, 1e-6, written)
    for _ in range(2):
        await paid_for(kept, most, record(0.001), 1000)
    for _ in range(4):
        await kept.reserve(most)
    kept.settle(most, record(0.004), 4000)
    assert pytest.approx(0.005) == most.usd
    alone = asyncio.create_task(kept.reserve(most))
    for _ in range(3):
        await asyncio.sleep(0)
        assert not alone.done()  # each in flight may cost as much
        kept.settle(most, record(0.001), 1000)
    await alone


async def test_no_more_are_in_flight_than_twice_as_many_as_went_well() -> None:
    written, kept = Written(), book(Limits(budget_usd=1.0))
    most = Most(0.0, 10, 1e-6, written)
    rounds = []
    for _ in range(5):
        holds: list[asyncio.Task[None]] = []
        while not holds or holds[-1].done():
            holds.append(asyncio.create_task(kept.reserve(most)))
            await asyncio.sleep(0)
        holds.pop().cancel()
        await asyncio.sleep(0)
        rounds.append(len(holds))
        for _ in holds:
            kept.settle(most, record(1e-6), 1)
    assert [1, 2, 6, 18, 54] == rounds


async def test_a_call_waits_while_others_hold_the_money() -> None:
    kept = book(Limits(budget_usd=1.0))
    first = Most(0.8)
    await kept.reserve(first)
    second = asyncio.create_task(kept.reserve(Most(0.8)))
    await asyncio.sleep(0)
    assert not second.done()
    kept.settle(first, record(0.1))
    await second
    assert 0.1 == kept.ledger.cost_usd


async def test_a_halt_ends_the_wait_for_money() -> None:
    halt = Halt()
    kept = book(Limits(budget_usd=1.0), halt)
    first = Most(0.8)
    await kept.reserve(first)
    second = asyncio.create_task(kept.reserve(Most(0.8)))
    await asyncio.sleep(0)
    halt.throw(HaltReason.INTERRUPTED, "Ctrl-C")
    kept.release(first)
    with pytest.raises(RunStopped, match="Ctrl-C"):
        await second


async def test_a_cancelled_wait_leaves_the_others_waiting() -> None:
    kept = book(Limits(budget_usd=1.0))
    first = Most(1.0)
    await kept.reserve(first)
    waiting = [asyncio.create_task(kept.reserve(Most(0.5))) for _ in range(2)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.sleep(0)
    kept.release(first)
    await waiting[1]
    assert waiting[0].cancelled()


async def test_a_call_dearer_than_the_whole_budget_stops_the_run() -> None:
    with pytest.raises(RunStopped, match="may cost 2"):
        await book(Limits(budget_usd=1.0)).reserve(Most(2.0))


async def test_the_number_of_calls_is_a_limit_too() -> None:
    halt = Halt()
    kept = book(Limits(calls=3), halt, Ledger({"target": 50}, model_calls=1))
    await paid_for(kept, Most(0.0), None)
    await kept.reserve(Most(0.0))
    with pytest.raises(RunStopped, match="3 model calls"):
        await kept.reserve(Most(0.0))
    assert HaltReason.BUDGET is halt.reason


async def test_no_rounding_is_left_of_what_was_set_aside() -> None:
    kept = book(Limits(budget_usd=0.08))
    holds = [Most(usd) for usd in (0.01, 0.01, 0.06)]
    for most in holds:
        await kept.reserve(most)
    for most in holds:
        kept.release(most)  # 0.08 - 0.01 - 0.01 - 0.06 is not 0 in floating point
    await paid_for(kept, Most(0.08), None)


async def test_a_loan_refused_while_a_call_in_flight_cost_less_is_asked_for_again() -> None:
    class SlowLender:
        """Lends 3 in all; a call in flight ends while it refuses."""

        async def lease(self, paid: Spending, kept: Spending, needed: Spending) -> Lease:
            if needed.usd > 3:
                budget.settle(first, record(1.0))
                return Lease(kept, Spending(3))
            return Lease(needed, Spending(3))

        def saved(self, record: CallRecord) -> None: ...

        def settle(self, paid: Spending) -> None: ...

    budget = Budget(Limits(budget_usd=3), Halt(), Ledger(), SlowLender())
    first = Most(2.0)
    await budget.reserve(first)
    await budget.reserve(Most(2.0))
    assert 1.0 == budget.ledger.cost_usd
