"""The writer: groups, records that spoil them, and waiters that went away."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, Text, event

from simulator.core.errors import StoreError
from simulator.store import engine, writer
from simulator.store.engine import open_engine
from simulator.store.writer import Writer

metadata = MetaData()
words = Table("words", metadata, Column("n", Integer, primary_key=True), Column("word", Text))
counts = Table("counts", metadata, Column("n", Integer, nullable=False))
INSERT, COUNT = words.insert(), counts.insert()


@pytest.fixture
def opened(path: Path) -> Iterator[Writer]:
    made = Writer(open_engine(path, write=True), path)
    made.transaction(metadata.create_all)
    yield made
    made.close()


def stored(path: Path, table: str = "words") -> list[Any]:
    with open_engine(path, write=False).connect() as connection:
        return list(connection.exec_driver_sql(f"SELECT n FROM {table} ORDER BY n").scalars())


async def written(writer: Writer, *rows: dict[str, Any]) -> list[BaseException | None]:
    """What came of writing these rows at once."""
    return await asyncio.gather(
        *(writer.write(INSERT, {"word": "w", **row}) for row in rows), return_exceptions=True
    )


async def queued() -> None:
    """Let the tasks run until they wait for the writer."""
    for _ in range(3):
        await asyncio.sleep(0)


def spied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the groups that are committed from now on."""
    sizes: list[int] = []
    commit = Writer._commit

    def counted(self: Writer, jobs: Any) -> None:
        sizes.append(len(jobs))
        commit(self, jobs)

    monkeypatch.setattr(Writer, "_commit", counted)
    return sizes


async def test_what_was_acknowledged_can_be_read(opened: Writer, path: Path) -> None:
    await opened.write(INSERT, {"n": 1, "word": "語\0\u202e\U0001f600"})
    with open_engine(path, write=False).connect() as connection:
        assert ["語\0\u202e\U0001f600"] == list(connection.execute(words.select()).scalars("word"))


async def test_records_that_wait_together_are_committed_together(
    opened: Writer, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = spied(monkeypatch)
    with opened.alone:  # until all of them wait
        waiting = asyncio.gather(*(written(opened, {"n": n}) for n in range(100)))
        await queued()
    await waiting
    assert list(range(100)) == stored(path)
    assert 100 == sum(sizes)
    assert len(sizes) <= 2


async def test_a_group_has_an_upper_bound(
    opened: Writer, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_GROUP", 3)
    sizes = spied(monkeypatch)
    await written(opened, *({"n": n} for n in range(10)))
    assert list(range(10)) == stored(path)
    assert 3 >= max(sizes)


async def test_different_statements_share_a_transaction(opened: Writer, path: Path) -> None:
    await asyncio.gather(
        *(opened.write(INSERT, {"n": n, "word": None}) for n in range(5)),
        *(opened.write(COUNT, {"n": n}) for n in range(5)),
    )
    assert [*range(5)] == stored(path) == stored(path, "counts")


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"word": "\ud83d"}, r"mogi\.db cannot keep a text that holds half of a character"),
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
    writer = Writer(limited, path)
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
            assert result is None or "the disk is full; what was committed before" in str(result)
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
    writer = Writer(open_engine(path, write=False), path)
    [result] = await written(writer, {"n": 1})
    writer.close()
    assert "is read-only; name a store that can be written with --store" in str(result)


async def test_a_folder_that_went_away_is_told(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "mogi.db"
    writer = Writer(open_engine(path, write=True), path)
    first, second = await written(writer, {"n": 1}, {"n": 2})
    writer.close()
    assert "cannot be opened: is the folder there" in str(first)
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


async def test_a_cancelled_waiter_does_not_take_its_record_back(opened: Writer, path: Path) -> None:
    with opened.alone:
        task = asyncio.create_task(opened.write(INSERT, {"n": 1, "word": "paid"}))
        await queued()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await opened.write(INSERT, {"n": 2, "word": "next"})
    assert [1, 2] == stored(path)


async def test_a_cancelled_waiter_whose_record_is_bad_disturbs_nobody(opened: Writer) -> None:
    with opened.alone:
        task = asyncio.create_task(opened.write(INSERT, {"n": 1, "word": "\udcff"}))
        await queued()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert [None] == await written(opened, {"n": 2})


def test_a_loop_that_was_closed_disturbs_nobody(opened: Writer, path: Path) -> None:
    async def leave() -> None:
        waiting = asyncio.create_task(opened.write(INSERT, {"n": 1, "word": "left"}))
        await queued()
        waiting.cancel()

    with opened.alone:  # the first loop is closed before its record is committed
        asyncio.run(leave())
    assert [None] == asyncio.run(written(opened, {"n": 2}))
    assert [1, 2] == stored(path)


async def test_closing_commits_what_waits(opened: Writer, path: Path) -> None:
    waiting = [asyncio.create_task(written(opened, {"n": n})) for n in range(50)]
    await queued()
    opened.close()
    assert list(range(50)) == stored(path)
    assert 50 * [[None]] == await asyncio.gather(*waiting)


async def test_after_closing_nothing_is_taken(opened: Writer, path: Path) -> None:
    opened.close()
    opened.close()
    with pytest.raises(StoreError, match=r"mogi\.db was closed already"):
        await opened.write(INSERT, {"n": 1, "word": None})
    assert [] == stored(path)


async def test_closing_leaves_one_file_and_an_empty_lock(path: Path) -> None:
    writer = Writer(open_engine(path, write=True), path)
    writer.transaction(metadata.create_all)
    await written(writer, {"n": 1})
    assert path.with_name("mogi.db-wal").exists()
    writer.close()
    assert {"mogi.db", "mogi.db.lock"} == {p.name for p in path.parent.iterdir()}
    assert 0 == path.with_name("mogi.db.lock").stat().st_size


async def test_a_transaction_in_the_calling_thread_and_the_thread_take_turns(
    opened: Writer, path: Path
) -> None:
    waiting = asyncio.gather(*(written(opened, {"n": n}) for n in range(200)))
    for n in range(1000, 1020):
        await asyncio.sleep(0)
        opened.now(words.insert().values(n=n))
    await waiting
    assert [*range(200), *range(1000, 1020)] == stored(path)


async def test_a_transaction_that_fails_leaves_nothing(opened: Writer, path: Path) -> None:
    def half(connection: Any) -> None:
        connection.execute(words.insert().values(n=1))
        connection.execute(words.insert().values(n=1))

    with pytest.raises(StoreError, match="UNIQUE constraint failed"):
        opened.transaction(half)
    assert [] == stored(path)
    assert [None] == await written(opened, {"n": 1})
