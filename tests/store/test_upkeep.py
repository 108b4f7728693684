"""Runs that move between stores, shards that become one, and stores that are looked through."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from simulator.core.errors import InputError, StoreError
from simulator.core.verdict import Verdict, Word
from simulator.store import upkeep
from simulator.store.schema import calls, episodes, runs
from simulator.store.store import Store
from tests.store.samples import HEADER, episode, record

LATER = replace(HEADER, id="later", started="2026-11-22T06:00:00+00:00", secret="5e")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    with Store.create(f"sqlite:///{tmp_path / 'other.db'}") as opened:
        yield opened


def verdict(word: Word, at: str) -> Verdict:
    return Verdict("login/angry/1", 1, word, "田中", "a.xlsx", at)


async def filled(store: Store, *names: str) -> None:
    store.begin(HEADER)
    journal = store.journal(HEADER.id, resume=False)
    for ordinal, name in enumerate(names):
        await journal.record(record(f"{name}/angry/1"))
        await store.save_episode(HEADER.id, ordinal, episode(name))


def all_of(store: Store) -> list[object]:
    run = HEADER.id
    return [store.runs(), list(store.reviewed(run)), store.ledger(run), list(store.calls(run))]


async def test_a_copied_run_is_the_same_there(store: Store, other: Store) -> None:
    await filled(store, "login", "fee")
    journal = store.journal(HEADER.id, resume=True)
    await journal.record(record("login/angry/1", digest="again"))  # the first one was paid, too
    store.add_verdicts(HEADER.id, [verdict(Word.NG, "2026-11-21T06:00:00+00:00")])
    store.rename_reviewer("田中", "田中太郎", "2026-11-21T07:00:00+00:00")
    store.finish(HEADER, {"score": 0.5})
    copied = upkeep.copy(store, other)
    assert upkeep.Copied(new=(HEADER.id,), conversations=2, verdicts=1) == copied
    assert all_of(store) == all_of(other)
    assert {"田中": "田中太郎"} == other.renamed_reviewers()


async def test_copying_again_adds_nothing(store: Store, other: Store) -> None:
    await filled(store, "login")
    await store.journal(HEADER.id, resume=False).record(record("login/angry/1", digest="again"))
    upkeep.copy(store, other)
    before = all_of(other)
    assert upkeep.Copied(same=(HEADER.id,)) == upkeep.copy(store, other)
    assert before == all_of(other)


async def test_the_parts_of_a_run_become_one(store: Store, other: Store) -> None:
    await filled(store, "login")
    await filled(other, "fee")
    assert upkeep.Copied(merged=(HEADER.id,), conversations=1) == upkeep.copy(store, other)
    assert {"login/angry/1", "fee/angry/1"} == set(other.keys(HEADER.id))
    assert 2 == other.ledger(HEADER.id).calls["user"]


async def test_the_latest_word_counts_though_an_earlier_one_came_from_elsewhere(
    store: Store, other: Store
) -> None:
    for place, word, at in ((store, Word.NG, "01"), (other, Word.OK, "02")):
        await filled(place, "login")
        place.add_verdicts(HEADER.id, [verdict(word, f"2026-11-21T{at}:00:00+00:00")])
    upkeep.copy(store, other)
    assert [Word.NG, Word.OK] == [given.word for given in other.verdicts(HEADER.id)]


async def test_only_what_is_asked_for_is_copied(store: Store, other: Store) -> None:
    store.begin(HEADER)
    store.begin(LATER)
    assert ("later",) == upkeep.copy(store, other, ["later"]).new
    assert ["later"] == [row.id for row in other.runs()]


def test_another_run_of_the_same_id_is_refused(store: Store, other: Store) -> None:
    store.begin(HEADER)
    other.begin(replace(HEADER, secret="of another run"))
    with pytest.raises(InputError, match=f"has another run of the id {HEADER.id}"):
        upkeep.copy(store, other)


async def test_a_sound_store_is_called_so(store: Store) -> None:
    await filled(store, "login")
    found = upkeep.check(store)
    assert [] == found.wrong
    assert {"runs": 1, "episodes": 1, "calls": 1} == {
        name: found.rows[name] for name in ("runs", "episodes", "calls")
    }


async def test_all_that_cannot_be_used_is_named(store: Store) -> None:
    await filled(store, "login", "fee")

    def spoil(connection: Connection) -> None:
        at = episodes.c.episode == "fee/angry/1"
        connection.execute(episodes.update().where(at).values(data="{"))
        connection.execute(calls.update().values(run="gone"))
        connection.execute(runs.update().values(header="[]"))

    store.transaction(spoil)
    header, talk, stray = upkeep.check(store).wrong
    assert f"the header of run {HEADER.id} can't be read" in header
    assert f"conversation fee/angry/1 of run {HEADER.id} can't be read" in talk
    assert "2 rows in calls belong to run gone, which doesn't exist" == stray


@pytest.mark.slow
async def test_what_was_replaced_gives_its_room_back(store: Store) -> None:
    await filled(store, *(f"s{n}" for n in range(300)))
    store.transaction(lambda connection: connection.execute(episodes.delete()))
    before, after = store.location.vacuum()
    assert after < before
    assert HEADER.id == store.runs()[0].id


async def test_words_of_other_runs_keep_their_order(store: Store, other: Store) -> None:
    other.begin(LATER)
    words = [verdict(Word.OK, "2026-11-25"), verdict(Word.NG, "2026-11-20")]  # an old sheet, late
    for given in words:
        other.add_verdicts(LATER.id, [given])
    for place, at in ((store, "01"), (other, "02")):
        await filled(place, "login")
        place.add_verdicts(HEADER.id, [verdict(Word.OK, f"2026-11-21T{at}:00:00+00:00")])
    upkeep.copy(store, other)
    assert words == list(other.verdicts(LATER.id))


def test_names_hold_in_the_order_in_which_they_were_given(store: Store, other: Store) -> None:
    store.rename_reviewer("A", "B", "2026-01-01T00:00:00+00:00")
    other.rename_reviewer("B", "C", "2026-02-01T00:00:00+00:00")
    upkeep.copy(store, other)
    assert {"A": "C", "B": "C"} == other.renamed_reviewers()


async def test_the_end_of_a_run_comes_along_later(store: Store, other: Store) -> None:
    await filled(store, "login")
    upkeep.copy(store, other)
    store.finish(replace(HEADER, status="finished"), {"score": 0.5})
    assert (HEADER.id,) == upkeep.copy(store, other).merged
    assert [("finished", {"score": 0.5})] == [(row.status, row.digest) for row in other.runs()]


async def test_a_run_whose_calls_were_made_anew_is_not_copied_over_them(
    store: Store, other: Store
) -> None:
    await filled(store, "login")
    upkeep.copy(store, other)
    journal = store.journal(HEADER.id, resume=False)
    await journal.record(record("login/angry/1", digest="again"))
    before = all_of(other)
    with pytest.raises(InputError, match="repeated a call of login/angry/1"):
        upkeep.copy(store, other)
    assert before == all_of(other)


def test_a_run_that_is_being_played_is_not_written(store: Store, other: Store) -> None:
    sharded = replace(HEADER, shards=2)
    for place in (store, other):
        place.begin(sharded)
    with other.lock(sharded.locks[1]), pytest.raises(StoreError, match="is in use"):
        upkeep.copy(store, other)
