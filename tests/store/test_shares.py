"""Shares: processes that play parts of one run never have more than its limits together."""

import random
from contextlib import ExitStack

import pytest

from simulator.core.run import locks_of
from simulator.store.shares import StoredShare
from simulator.store.store import Store
from tests.store.samples import header

PARTS = 4
LOCKS = locks_of("r1", PARTS)


class Process:
    """One that plays a part: it holds the lock of the part, and goes by its latest share."""

    def __init__(self, store: Store, number: int, at_once: int | None) -> None:
        self.lock = ExitStack()
        self.lock.enter_context(store.lock(LOCKS[number - 1]))
        self.stored = StoredShare(store, "r1", "today", number, LOCKS, at_once)
        self.share = 0.0

    def renew(self) -> None:
        self.share = self.stored.renew()

    def end(self, *, killed: bool = False) -> None:
        if not killed:
            self.stored.leave()
        self.lock.close()


@pytest.mark.parametrize("at_once", [None, PARTS])
@pytest.mark.parametrize("seed", range(3))
def test_together_never_more_than_all_whoever_ends_or_is_killed(
    store: Store, seed: int, at_once: int | None
) -> None:
    store.begin(header("r1", shards=PARTS))
    rng, at_work = random.Random(seed), dict[int, Process]()
    for _ in range(60):
        number = rng.randint(1, PARTS)
        process = at_work.get(number)
        if process is None:
            at_work[number] = Process(store, number, at_once)
        elif rng.random() < 0.3:
            process.end(killed=rng.random() < 0.5)
            del at_work[number]
        else:
            process.renew()
        assert sum(p.share for p in at_work.values()) <= 1 + 1e-9
    for _ in range(2):
        for process in at_work.values():
            process.renew()
    shares = [process.share for process in at_work.values()]
    assert shares == pytest.approx([1 / len(shares)] * len(shares))
    for process in at_work.values():
        process.end()


def test_what_parts_elsewhere_may_need_is_kept_until_they_begin_here(store: Store) -> None:
    store.begin(header("r1", shards=PARTS))
    first = Process(store, 1, None)
    first.renew()
    first.renew()
    assert first.share == 1 / PARTS
    second = Process(store, 2, None)
    second.renew()
    assert second.share == 1 / PARTS
    second.end()
    first.renew()
    assert first.share == 2 / PARTS  # the second has ended; two have not begun here
    first.end()


def test_workers_that_use_one_store_have_all(store: Store) -> None:
    store.begin(header("r1", shards=PARTS))
    one, two = Process(store, 1, 2), Process(store, 2, 2)
    one.renew()
    two.renew()
    assert (one.share, two.share) == (0.5, 0.5)
    two.end(killed=True)
    one.renew()
    assert one.share == 1.0
    three = Process(store, 3, 2)
    three.renew()
    assert three.share == 0.0  # until the first has left half of it
    one.renew()
    three.renew()
    assert (one.share, three.share) == (0.5, 0.5)
    one.end()
    three.end()


def test_a_run_that_begins_anew_with_the_same_id_knows_nothing_of_the_old_one(store: Store) -> None:
    store.begin(header("r1", shards=PARTS))
    old = Process(store, 1, None)
    old.renew()
    old.end()
    new = StoredShare(store, "r1", "tomorrow", 2, LOCKS)
    with store.lock(LOCKS[1]):
        new.renew()
        assert new.renew() == 1 / PARTS
