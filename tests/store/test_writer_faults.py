"""The writer: records that spoil a group, and files that cannot be written."""

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from simulator.core.errors import StoreError
from simulator.store import engine
from simulator.store.engine import FileLocation, open_engine
from simulator.store.writer import Writer
from tests.store.words import INSERT, metadata, queued, spied, stored, words, written
from tests.waiting import PATIENCE_S, until


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"word": "\ud83d"}, r"mogi\.db can't store text that contains half of a"),
        ({"n": 2**70}, "failed: Python int too large"),
        ({"word": object()}, "failed: Error binding parameter"),
        ({"n": 7}, "failed: UNIQUE constraint failed"),
    ],
)
async def test_a_bad_record_fails_alone(
    opened: Writer, path: Path, bad: dict[str, Any], said: str
) -> None:
    rows: list[dict[str, Any]] = [{"n": n} for n in range(20)]
    rows[13] = {"n": 13, **bad}
    with opened.alone:
        waiting = asyncio.ensure_future(written(opened, *rows))
        await queued()
    results = await waiting
    failed = [n for n, result in enumerate(results) if result is not None]
    assert [13] == failed
    assert isinstance(results[13], StoreError)
    with pytest.raises(StoreError, match=said):
        raise results[13]
    assert [n for n in range(20) if n != 13] == stored(path)


async def test_every_record_can_be_bad(opened: Writer, path: Path) -> None:
    results = await written(opened, *({"n": n, "word": "\udcff"} for n in range(9)))
    assert all(isinstance(result, StoreError) for result in results)
    await opened.write(INSERT, {"n": 1, "word": "the writer lives on"})
    assert [1] == stored(path)


async def test_each_waiter_gets_an_error_of_its_own(
    opened: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(Writer, "_commit", broken)
    with opened.alone:
        waiting = asyncio.ensure_future(written(opened, {"n": 1}, {"n": 2}, {"n": 3}))
        await queued()
    errors = await waiting
    assert 1 == len({str(error) for error in errors})
    assert 3 == len({id(error) for error in errors})
    assert ["disk I/O error"] * 3 == [str(error.__cause__) for error in errors if error]


async def test_a_full_disk_fails_everything_that_waits_and_keeps_what_was_there(
    path: Path,
) -> None:
    limited = open_engine(path, write=True)

    class Limited(FileLocation):
        def engine(self, *, write: bool) -> Engine:
            return limited

    writer = Writer(Limited(path))
    writer.transaction(metadata.create_all)

    @event.listens_for(limited, "connect")
    def _connected(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA max_page_count=40")

    acknowledged, refused = set[int](), set[int]()
    for start in range(0, 400, 20):
        rows = [{"n": n, "word": "x" * 1000} for n in range(start, start + 20)]
        results = await written(writer, *rows)
        for n, result in enumerate(results, start):
            (acknowledged if result is None else refused).add(n)
            assert result is None or "the disk is full; committed data" in str(result)
    writer.close()
    assert acknowledged
    assert refused
    assert sorted(acknowledged) == stored(path)


async def test_a_locked_database_is_told(
    path: Path, opened: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "PATIENCE_S", 0.01)
    sizes = spied(monkeypatch)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for result in await written(opened, *({"n": n} for n in range(3))):
        assert "is locked by another program; try again" in str(result)
    assert 3 == sum(sizes)  # not tried one by one: each would have to wait as long
    other.rollback()
    other.close()
    assert [None] == await written(opened, {"n": 5})
    assert [5] == stored(path)


async def test_a_store_that_is_read_only_is_told(path: Path, opened: Writer) -> None:
    class ReadOnly(FileLocation):
        def engine(self, *, write: bool) -> Engine:
            return open_engine(self.file, write=False)

    writer = Writer(ReadOnly(path))
    [result] = await written(writer, {"n": 1})
    writer.close()
    assert "is read-only; use a writable store with --store" in str(result)


async def test_a_folder_that_went_away_is_told(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "mogi.db"
    writer = Writer(FileLocation(path))
    first, second = await written(writer, {"n": 1}, {"n": 2})
    writer.close()
    assert "can't be opened: does the folder exist" in str(first)
    assert str(first) == str(second)


async def test_an_error_that_nobody_thought_of_ends_neither_thread_nor_waiting(
    opened: Writer, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("surprise")

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_commit", broken)
        results = await written(opened, {"n": 1}, {"n": 2}, {"n": 3})
    assert all(str(result).endswith("mogi.db failed: surprise") for result in results)
    await opened.write(INSERT, {"n": 4, "word": None})
    assert [4] == stored(path)


async def test_a_transaction_that_fails_leaves_nothing(opened: Writer, path: Path) -> None:
    def half(connection: Any) -> None:
        connection.execute(words.insert().values(n=1))
        connection.execute(words.insert().values(n=1))

    with pytest.raises(StoreError, match="UNIQUE constraint failed"):
        opened.transaction(half)
    assert [] == stored(path)
    assert [None] == await written(opened, {"n": 1})


@pytest.mark.parametrize("error", [MemoryError(), SystemExit("gone"), KeyboardInterrupt()])
@pytest.mark.parametrize("place", ["_gather", "_save"])
async def test_whatever_ends_the_thread_is_told_to_all_who_wait_and_to_all_who_come(
    opened: Writer, monkeypatch: pytest.MonkeyPatch, place: str, error: BaseException
) -> None:
    await opened.write(INSERT, {"n": 0, "word": None})

    def broken(*_: object) -> None:
        raise error

    with opened.alone:
        first = asyncio.ensure_future(written(opened, *({"n": n} for n in range(1, 4))))
        await until(opened._jobs.empty)  # the thread has them, and waits for the lock
        monkeypatch.setattr(Writer, place, broken)
        more = asyncio.ensure_future(written(opened, *({"n": n} for n in range(4, 9))))
        await queued()
    async with asyncio.timeout(PATIENCE_S):
        results = [*await first, *await more]
        late = await written(opened, {"n": 9})
    failed = [result for result in (*results, *late) if result is not None]
    assert len(failed) >= 6  # the first group may have been saved
    for result in failed:
        assert isinstance(result, StoreError)
        assert "committed data is safe" in str(result)


async def test_a_thread_that_cannot_be_started_is_a_store_error(
    opened: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none_left)
    with pytest.raises(StoreError, match="can't start new thread"):
        await opened.write(INSERT, {"n": 1})


@pytest.mark.parametrize("other", [False, True], ids=["removed", "replaced"])
async def test_a_store_that_is_another_file_now_takes_nothing_that_would_be_lost(
    opened: Writer, path: Path, other: bool
) -> None:
    assert [None] == await written(opened, {"n": 1})
    path.rename(path.with_name("kept"))
    if other:
        path.write_text("another", "utf-8")
    for result in await written(opened, {"n": 2}, {"n": 3}):
        assert "failed: its file was removed or replaced while mogi was writing" in str(result)
