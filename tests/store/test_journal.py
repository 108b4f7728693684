"""The journal: what was paid for once is known, and every payment stays in the ledger."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.core.errors import StoreError
from simulator.core.ports import CallId, CallRecord, Role, Usage
from simulator.core.run import Ledger
from simulator.store.store import Store
from tests.store.samples import episode, exchanged, record

# A NUL is kept by one store and not by the other.
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
counts = st.integers(0, 2**60)
records = st.builds(
    CallRecord,
    call=st.builds(CallId, texts, st.integers(0, 99), st.sampled_from(Role), texts),
    digest=texts,
    response=texts,
    model=texts,
    usage=st.builds(Usage, counts, counts, counts),
    cost_usd=st.none() | st.floats(0, 1e9),
    latency_ms=st.floats(0, 1e12),
    attempts=st.integers(0, 99),
    reused=st.booleans(),
)


async def test_a_resumed_run_knows_the_calls_of_its_unfinished_episodes(store: Store) -> None:
    journal = store.journal("r1", resume=False)
    done, half = record("a/angry/1"), record("b/angry/1")
    for made in (done, half, record("b/angry/1", 2)):
        await journal.record(made)
    await store.save_episode("r1", 0, episode("a"))
    resumed = store.journal("r1", resume=True)
    assert half == resumed.recall(half.call, half.digest)
    assert None is resumed.recall(done.call, done.digest)


async def test_a_call_with_another_input_is_not_known(store: Store) -> None:
    await store.journal("r1", resume=False).record(record())
    resumed = store.journal("r1", resume=True)
    assert None is resumed.recall(record().call, "another digest")
    for call in (
        replace(record().call, turn=2),
        replace(record().call, part="repair"),
        replace(record().call, role=Role.JUDGE),
        replace(record().call, episode="login/calm/1"),
    ):
        assert None is resumed.recall(call, record().digest)


async def test_runs_know_nothing_of_each_other(store: Store) -> None:
    await store.journal("r1", resume=False).record(record())
    await store.save_episode("r2", 0, episode("login"))
    assert None is store.journal("r2", resume=True).recall(record().call, record().digest)
    assert None is store.journal("r1", resume=False).recall(record().call, record().digest)
    assert record() == store.journal("r1", resume=True).recall(record().call, record().digest)
    assert Ledger() == store.ledger("r2")


@given(st.lists(records, max_size=5, unique_by=lambda made: made.call))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_record_comes_back(store: Store, made: list[CallRecord]) -> None:
    async def all_of_them() -> None:
        for one in made:
            await store.journal(str(id(made)), resume=False).record(one)

    asyncio.run(all_of_them())
    resumed = store.journal(str(id(made)), resume=True)
    assert made == [resumed.recall(one.call, one.digest) for one in made]


async def test_a_replaced_call_was_paid_as_well(store: Store) -> None:
    await store.journal("r1", resume=False).record(record())
    again = record(digest="d2", usage=Usage(100, 50, 20), cost_usd=0.5)
    resumed = store.journal("r1", resume=True)
    await resumed.record(again)
    assert Ledger({"user": 2}, 110, 55, 22, 0.75, 2) == store.ledger("r1")
    third = store.journal("r1", resume=True)
    assert again == third.recall(again.call, "d2")
    assert None is third.recall(again.call, "d1")


async def test_even_a_call_that_was_replaced_unawares_was_paid(store: Store) -> None:
    journal = store.journal("r1", resume=False)
    for _ in range(3):
        await journal.record(record())
    assert Ledger({"user": 3}, 30, 15, 6, 0.75, 3) == store.ledger("r1")


async def test_a_recorded_call_is_no_longer_known_from_before(store: Store) -> None:
    await store.journal("r1", resume=False).record(record())
    resumed = store.journal("r1", resume=True)
    await resumed.record(record(digest="d2"))
    assert None is resumed.recall(record().call, "d1")


async def test_the_ledger_adds_up_by_role(store: Store) -> None:
    journal = store.journal("r1", resume=False)
    await journal.record(record(turn=1))
    await journal.record(record(turn=2, usage=Usage(1, 2, 0), cost_usd=0.5))
    await journal.record(exchanged("login/angry/1", 1, "q"))
    expected = Ledger({"user": 2, "target": 1}, 11, 7, 2, 0.75, 2)
    assert expected == store.ledger("r1")


async def test_a_model_that_words_the_bots_answers_is_no_second_question_to_it(
    store: Store,
) -> None:
    journal = store.journal("r1", resume=False)
    for turn in (1, 2):
        await journal.record(record(call=CallId("e", turn, Role.TARGET, "wording")))
        await journal.record(exchanged("e", turn, "q"))
    assert Ledger({"target": 2}, 20, 10, 4, 0.5, 2) == store.ledger("r1")


async def test_one_call_without_a_price_leaves_the_sum_unknown(store: Store) -> None:
    journal = store.journal("r1", resume=False)
    await journal.record(record(turn=1, cost_usd=None))
    await journal.record(record(turn=2, call=CallId("e", 2, Role.JUDGE)))
    assert None is store.ledger("r1").cost_usd
    assert 20 == store.ledger("r1").input_tokens


async def test_a_replaced_call_without_a_price_leaves_the_sum_unknown(store: Store) -> None:
    journal = store.journal("r1", resume=False)
    await journal.record(record(cost_usd=None))
    await journal.record(record())
    assert None is store.ledger("r1").cost_usd


async def test_a_reused_judgement_cost_this_run_nothing(store: Store) -> None:
    journal = store.journal("r1", resume=False)
    taken = record(call=CallId("e", 1, Role.JUDGE), cost_usd=None, reused=True)
    await journal.record(taken)
    assert Ledger() == store.ledger("r1")
    assert taken == store.journal("r1", resume=True).recall(taken.call, "d1")


async def test_the_judgements_of_a_run_by_what_was_shown(store: Store) -> None:
    journal = store.journal("r1", resume=False)
    judged = record(call=CallId("e", 1, Role.JUDGE), digest="seen")
    await journal.record(judged)
    await journal.record(record())
    await store.journal("r2", resume=False).record(replace(judged, digest="other"))
    assert {("", "seen"): judged} == store.judgements("r1")


async def test_a_record_that_cannot_be_kept_raises_and_the_next_one_is_kept(
    url: str, store: Store
) -> None:
    journal = store.journal("r1", resume=False)
    with pytest.raises(StoreError, match="half of a character"):
        await journal.record(record(response="\ud83d"))
    await journal.record(record(response="\0 \u202e 語"))
    resumed = store.journal("r1", resume=True).recall(record().call, "d1")
    assert resumed is not None
    kept = "\0" if url.startswith("sqlite") else "\ufffd"
    assert f"{kept} \u202e 語" == resumed.response


def test_a_journal_needs_a_store_that_can_be_written(url: str, store: Store) -> None:
    with Store.read(url) as reader, pytest.raises(StoreError, match="opened for reading only"):
        reader.journal("r1", resume=True)
