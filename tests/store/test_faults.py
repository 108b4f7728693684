"""What no code of ours can prevent: kills, a full disk, two processes in one file."""

import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, text

from simulator.core.errors import InputError, MogiError, StoreError
from simulator.store.schema import calls
from simulator.store.store import Store, location_of
from tests.store.children import Child
from tests.store.samples import record


def noted(path: Path) -> set[str]:
    """The records that a child was told are saved; a line that a kill cut off is none."""
    return set(path.read_text("utf-8").rpartition("\n")[0].splitlines())


@contextmanager
def looking(url: str) -> Iterator[Connection]:
    engine = location_of(url).engine(write=True)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def kept(url: str) -> set[str]:
    """The records that are in a sound store."""
    with looking(url) as connection:
        if location_of(url).file:
            assert "ok" == connection.exec_driver_sql("PRAGMA integrity_check").scalar_one()
        return {f"{c.episode} {c.turn}" for c in connection.execute(select(calls))}


@pytest.mark.usefixtures("path")
def test_a_full_disk_keeps_what_was_acknowledged(url: str) -> None:
    Store.create(url).close()
    with Child("starve", url, str(300_000)) as child:
        *acknowledged, error = child.rest()
    assert "the store" in error
    assert "is the disk full?" in error
    assert acknowledged
    assert {f"e {turn}" for turn in acknowledged} <= kept(url)
    with Store.create(url) as store:  # there is room again
        assert int(acknowledged[-1]) <= store.ledger("r1").calls["user"]


def test_a_kill_loses_nothing_that_was_acknowledged(url: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with Child("write", url, "r1", "100000", str(notes)) as child:
        child.line()
        while len(notes.read_bytes()) < 10_000:
            time.sleep(0.005)
    with Store.read(url) as reader:  # before any writer has tidied up
        assert len(noted(notes)) <= reader.ledger("r1").calls["user"]
    assert noted(notes) <= kept(url)


@pytest.mark.slow
def test_sixty_kills_lose_nothing_that_was_acknowledged(url: str, tmp_path: Path) -> None:
    notes, rng = tmp_path / "notes", random.Random(7)
    for _ in range(60):
        with Child("write", url, "r1", "100000", str(notes)) as child:
            if rng.random() < 0.8:  # the others are killed while they open the store
                child.line()
            time.sleep(rng.uniform(0, 0.3))
    assert noted(notes) <= kept(url)
    assert noted(notes)


@pytest.mark.slow
def test_processes_that_write_runs_of_their_own_share_a_file(url: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        children = [
            stack.enter_context(Child("write", url, run, "200", str(tmp_path / run)))
            for run in ("r1", "r2", "r3")
        ]
        for child in children:
            assert ["begun"] == child.rest()
    told = set[str]().union(*(noted(tmp_path / run) for run in ("r1", "r2", "r3")))
    assert 3 * 20 * 200 == len(told)
    assert told == kept(url)


async def test_a_lost_connection_is_told_and_what_was_acknowledged_is_there(
    postgresql: str,
) -> None:
    with Store.create(postgresql) as store, store.lock("r1"):
        journal = store.journal("r1", resume=False)
        await journal.record(record("e"))
        with looking(postgresql) as other:
            ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> :own"
            own = other.execute(text("SELECT pg_backend_pid()")).scalar_one()
            other.execute(text(ended), {"own": own})
        with pytest.raises(StoreError, match=r"can't be reached: .*use --resume") as caught:
            await journal.record(record("e", 2))
        assert "terminat" in str(caught.value)
    with Store.create(postgresql) as store, store.lock("r1"):  # nothing holds it any more
        await store.journal("r1", resume=True).record(record("e", 2))
    assert {"e 1", "e 2"} == kept(postgresql)


def test_a_server_that_is_not_there_is_told_without_the_password() -> None:
    with pytest.raises(StoreError, match=r"can't be reached: .*refused") as caught:
        Store.read("postgresql://me:s3cret@127.0.0.1:1/mogi")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("password", ["pa/S3", "p@S3", "p#S3", "p?S3", "a:S3", "a//S3", "S3%2F"])
@pytest.mark.parametrize("scheme", ["postgresql://", "mysql://", "sqlite://", "http://", ""])
def test_attack_a_password_of_any_letters_is_not_told(scheme: str, password: str) -> None:
    with pytest.raises(MogiError) as caught:
        Store.read(f"{scheme}u:{password}@127.0.0.1:1/db?sslpassword=S3&x=S3")
    assert "S3" not in str(caught.value)


def test_a_database_without_a_store_is_told_as_a_missing_file_is(postgresql: str) -> None:
    with pytest.raises(InputError, match="there is no store at postgresql://"):
        Store.read(postgresql)


def test_who_opens_a_new_database_at_once_finds_one_store(postgresql: str) -> None:
    with ThreadPoolExecutor(6) as threads:
        for store in list(threads.map(Store.create, [postgresql] * 6)):
            store.close()
    assert set() == kept(postgresql)
