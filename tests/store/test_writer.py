"""The writer: groups, and waiters that went away."""

import asyncio
import sqlite3
from multiprocessing import get_context
from pathlib import Path

import pytest

from simulator.core.errors import StoreError
from simulator.store import writer
from simulator.store.engine import FileLocation, open_engine
from simulator.store.writer import Writer
from tests.store.words import COUNT, INSERT, metadata, queued, spied, stored, words, written


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


async def test_a_trickle_comes_together_while_the_writer_rests(
    opened: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_REST_S", 1.0)
    sizes = spied(monkeypatch)
    await written(opened, {"n": 0})
    tasks = []
    for n in range(1, 6):
        tasks.append(asyncio.create_task(written(opened, {"n": n})))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert [1, 5] == sizes


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
    writer = Writer(FileLocation(path))
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


async def test_another_process_that_comes_and_goes_takes_nothing_away(
    opened: Writer, path: Path
) -> None:
    await written(opened, {"n": 1})
    opened.now(words.insert().values(n=2))  # opens the file once more, and closes it
    other = get_context("spawn").Process(target=_written_by_another, args=(path,))
    other.start()
    other.join()
    await written(opened, {"n": 4})
    assert [1, 2, 3, 4] == stored(path)


def _written_by_another(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("INSERT INTO words (n) VALUES (3)")
    connection.close()  # the last one of its process: it looks whether there are others
