"""Runs and episodes: remembered, found by name, read back in order and without much memory."""

import asyncio
import os
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError, StoreError
from simulator.store import codec, engine
from simulator.store.journal import OpenEpisode
from simulator.store.schema import RunRow, episodes, runs
from simulator.store.store import Store
from tests.store.samples import episode, exchanged, header, record


def test_a_run_is_remembered_before_its_first_call(store: Store) -> None:
    began = "2026-11-21T06:00:00+00:00"
    row = RunRow("r1", "demo", began, None, "running", "run", "Asia/Tokyo", "ja", {})
    with store.lock("r1"):
        store.begin(header("r1"))
        assert header("r1") == store.header("r1")
        assert [row] == store.runs()


def test_a_finished_run_has_its_figures(store: Store) -> None:
    store.begin(header("r1"))
    ended = header("r1", status="finished", finished="2026-11-21T06:01:00+00:00", wall_s=60.0)
    store.finish(ended, {"score": 0.75, "score_by": "指標", "flagged": None})
    assert ended == store.header("r1")
    [row] = store.runs()
    assert ("finished", "2026-11-21T06:01:00+00:00") == (row.status, row.finished)
    assert {"score": 0.75, "score_by": "指標", "flagged": None} == row.digest


def test_a_run_that_is_taken_up_again_is_running(store: Store) -> None:
    store.finish(header("r1", status="budget"), {"score": 0.5})
    with store.lock("r1"):
        store.begin(header("r1"))
        [row] = store.runs()
    assert ("running", {}) == (row.status, row.digest)


def test_a_path_that_is_no_text_is_remembered(store: Store) -> None:
    place = os.fsdecode(b"/clients/\xff")
    odd = header("r1", folder=place, options={"client": "\udcff"}, status="unfinished")
    store.begin(odd)
    assert odd == store.header("r1")
    assert ["run"] == [row.kind for row in store.runs()]


def test_a_client_whose_name_is_no_text_is_refused_in_words(store: Store) -> None:
    with pytest.raises(StoreError, match="half of a character"):
        store.begin(header("r1", client="\udcff"))
    assert [] == store.runs()


def test_runs_are_listed_newest_first(store: Store) -> None:
    for run, second in (("b", 1), ("c", 3), ("a", 2), ("z", 2), ("d", 2)):
        store.begin(header(run, started=f"2026-11-21T06:00:0{second}+00:00"))
    store.finish(header("a", started="2026-11-21T06:00:02+00:00"), {})
    assert ["c", "d", "z", "a", "b"] == [row.id for row in store.runs()]
    assert "c" == store.resolve("latest")


def test_a_run_is_found_by_its_id_or_the_beginning_of_it(store: Store) -> None:
    for run in ("a1b2", "a1c3", "a1", "latest2"):
        store.begin(header(run))
    assert "a1b2" == store.resolve("a1b")
    assert "a1c3" == store.resolve("a1c3")
    assert "a1" == store.resolve("a1")
    assert "latest2" == store.resolve("latest2")
    with pytest.raises(InputError, match=r"'a' is ambiguous: a1, a1c3, a1b2; write more of the ID"):
        store.resolve("a")


@pytest.mark.parametrize("name", ["x", "", "A1B2", "a1b22", "%", "\udcff", "a_b2"])
def test_a_run_that_is_not_there_is_told(store: Store, name: str) -> None:
    store.begin(header("a1b2"))
    with pytest.raises(InputError, match="to list the runs: `mogi runs`"):
        store.resolve(name)


def test_a_header_that_is_not_there_is_told(store: Store) -> None:
    with pytest.raises(InputError, match="no run 'r1' in "):
        store.header("r1")


@pytest.mark.parametrize("name", ["latest", "a", ""])
def test_an_empty_store_names_nothing(store: Store, name: str) -> None:
    with pytest.raises(InputError, match="has no runs yet; `mogi run demo` creates one"):
        store.resolve(name)


async def test_episodes_come_back_in_the_plans_order(store: Store) -> None:
    for ordinal in (2, 0, 11, 1):
        await store.save_episode("r1", ordinal, episode(f"s{ordinal}"))
    await store.save_episode("r2", 0, episode("other"))
    assert [episode(f"s{n}") for n in (0, 1, 2, 11)] == list(store.episodes("r1"))
    assert [] == list(store.episodes("r3"))


async def test_an_episode_that_is_saved_again_stands_there_once(store: Store) -> None:
    await store.save_episode("r1", 5, episode("s", "before"))
    await store.save_episode("r1", 3, episode("s", "after"))
    assert [episode("s", "after")] == list(store.episodes("r1"))


async def test_a_plan_that_shifted_overwrites_no_other_episode(store: Store) -> None:
    await store.save_episode("r1", 0, episode("old"))
    await store.save_episode("r1", 0, episode("new"))
    assert {"old", "new"} == {e.cell.scenario for e in store.episodes("r1")}


async def test_reading_episodes_sees_one_state(store: Store) -> None:
    saving = (store.save_episode("r1", n, episode(f"s{n}")) for n in range(600))
    await asyncio.gather(*saving)
    reading = store.episodes("r1")
    first = next(reading)
    await store.save_episode("r1", 600, episode("late"))
    assert [f"s{n}" for n in range(600)] == [e.cell.scenario for e in (first, *reading)]
    assert 601 == sum(1 for _ in store.episodes("r1"))


async def test_reading_that_is_broken_off_holds_nothing_back(store: Store, path: Path) -> None:
    for ordinal in range(3):
        await store.save_episode("r1", ordinal, episode(f"s{ordinal}"))
    next(store.episodes("r1"))
    store.close()
    assert not path.with_name("mogi.db-wal").exists()


async def test_a_long_answer_is_kept_whole(store: Store) -> None:
    long = episode("s", "長" * 1_000_000)
    await store.save_episode("r1", 0, long)
    assert [long] == list(store.episodes("r1"))


async def test_a_conversation_that_broke_off_is_shown(store: Store) -> None:
    journal = store.journal("r1", resume=False)
    await journal.record(exchanged("b/angry/1", 2, "二"))
    await journal.record(exchanged("b/angry/1", 1, "一"))
    await journal.record(exchanged("a/angry/1", 1, "終"))
    await journal.record(record("b/angry/1"))
    await journal.record(record("c/angry/1"))
    await store.save_episode("r1", 0, episode("a"))
    expected = OpenEpisode("b/angry/1", ({"question": "一"}, {"question": "二"}))
    assert [expected] == store.open_episodes("r1")


def test_a_readers_url_holds_in_another_folder(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.create("sqlite:///other.db") as relative:
        relative.begin(header("r1", status="unfinished"))
        url = relative.location.url
    monkeypatch.chdir("/")
    with Store.read(url) as reader:
        assert header("r1", status="unfinished") == reader.header("r1")


async def test_a_reader_writes_nothing(url: str, store: Store) -> None:
    with Store.read(url) as reader:
        with pytest.raises(StoreError, match="opened for reading only"):
            reader.begin(header("r1"))
        with pytest.raises(StoreError, match="opened for reading only"):
            await reader.save_episode("r1", 0, episode("s"))


async def test_what_was_written_is_read_while_writing_goes_on(url: str, store: Store) -> None:
    with Store.read(url) as reader:
        await store.save_episode("r1", 0, episode("s"))
        assert [episode("s")] == list(reader.episodes("r1"))


def test_a_locked_store_is_told(
    url: str, path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "PATIENCE_S", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="is locked by another program; try again"):
            store.begin(header("r1"))
        assert [] == store.runs()  # readers are not disturbed
    store.begin(header("r1"))


def test_what_nobody_can_read_is_a_store_error(store: Store) -> None:
    row = {"run": "r1", "episode": "e", "ordinal": 0, "stop": "done", "data": '{"cell": 1}'}
    store._writing().now(episodes.insert().values(row))
    with pytest.raises(StoreError, match="failed: 'stop'"):
        list(store.episodes("r1"))


def bulk(store: Store, table: Any, rows: list[dict[str, Any]]) -> None:
    store._writing().transaction(lambda connection: connection.execute(table.insert(), rows))


def test_a_thousand_runs_are_listed_without_their_headers(store: Store) -> None:
    row = {"client": "c", "started": "s", "finished": None, "status": "finished"}
    figures = '{"score": 0.5, "kind": "run", "timezone": "UTC", "language": "en"}'
    heavy = {"header": "x" * 20_000, "digest": figures}
    bulk(store, runs, [{"id": f"r{n}", **row, **heavy} for n in range(1000)])
    tracemalloc.start()
    try:
        assert 1000 == len(store.runs())
        assert "r7" == store.resolve("r7")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000  # the headers alone are 20 MB


@pytest.mark.parametrize("count", [500, 2000])
def test_reading_episodes_takes_the_memory_of_one(store: Store, count: int) -> None:
    data = codec.episode_to_json(episode("s", "x" * 20_000))
    row = {"run": "r1", "stop": "done", "data": data}
    bulk(store, episodes, [{"ordinal": n, "episode": f"e{n}", **row} for n in range(count)])
    list(store.episodes("what is made once is made by now"))
    tracemalloc.start()
    try:
        assert count == sum(1 for _ in store.episodes("r1"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000  # 10 MB and 40 MB of text
