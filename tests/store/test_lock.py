"""Locks: one holder at a time, named, and gone with its process."""

import os
import socket
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from simulator.core.errors import RunHeld, StoreError
from simulator.store.engine import FileLock
from simulator.store.store import Store
from tests.store.children import Child
from tests.store.samples import header as sample_header


def test_one_thread_at_a_time(tmp_path: Path) -> None:
    inside, most, turns = 0, 0, 40

    def work(lock: FileLock) -> None:
        nonlocal inside, most
        for _ in range(turns):
            with lock:
                inside += 1
                most = max(most, inside)
                os.sched_yield()
                inside -= 1

    with closing(FileLock(tmp_path / "x.lock")) as one, closing(FileLock(tmp_path / "x.lock")) as b:
        threads = [threading.Thread(target=work, args=(lock,)) for lock in (one, one, one, b)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert 1 == most


def test_who_waits_too_long_is_told_so(tmp_path: Path) -> None:
    with (
        closing(FileLock(tmp_path / "x.lock")) as held,
        closing(FileLock(tmp_path / "x.lock", patience_s=0)) as other,
        held,
    ):
        for _ in range(2):  # a refusal leaves nothing behind
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.acquire()
    with closing(FileLock(tmp_path / "x.lock", patience_s=0)) as free, free:
        pass


def test_a_lock_where_no_file_can_be_fails_at_once(tmp_path: Path) -> None:
    with (
        closing(FileLock(tmp_path / "nowhere" / "x.lock")) as lock,
        pytest.raises(sqlite3.OperationalError, match="unable to open"),
    ):
        lock.acquire()


def test_the_second_process_on_a_run_is_refused_and_told_who_holds_it(url: str) -> None:
    with Child("hold", url, "r1") as child, Store.create(url) as store:
        child.line()
        who = f"process {child.pid} on {socket.gethostname()}"
        said = f"run r1 is in use by {who}; wait for that to end, or stop it"
        with pytest.raises(StoreError, match=said), store.lock("r1"):
            pytest.fail("two holders")
        with store.lock("r2"):
            pass


def test_the_same_process_is_refused_as_well(url: str, store: Store) -> None:
    with Store.create(url) as other:
        who = f"process {os.getpid()} on "
        with store.lock("r1"), pytest.raises(StoreError, match=who), other.lock("r1"):
            pytest.fail("two holders")
        with other.lock("r1"):
            pass


def test_parts_are_held_together_or_not_at_all(url: str, store: Store) -> None:
    with Store.create(url) as other:
        with store.lock("r1~1", "r1~2"):
            assert {"r1~2"} == store.location.locked(["r1~9", "r1~2"])
            with pytest.raises(RunHeld, match="run r1~2 is in use"), other.lock("r1~3", "r1~2"):
                pytest.fail("two holders")
            with store.lock("r1~3"):  # nothing is left of what was refused
                pass
        assert not store.location.locked(["r1~1", "r1~2", "r1~3"])


def test_locks_are_free_before_the_server_sees_the_connection_end(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.create(url) as other, store.lock("r1"), monkeypatch.context() as slow:
        slow.setattr(Connection, "invalidate", lambda _: None)
        with pytest.raises(RunHeld), other.lock("r2", "r1"):
            pytest.fail("two holders")
        with store.lock("r2"):
            pass
        with other.lock("r2"):
            pass


def test_the_lock_of_a_killed_process_is_free(url: str, path: Path) -> None:
    with Child("hold", url, "r1") as child:
        child.line()
    left = {p.name for p in path.parent.iterdir()}
    assert {"mogi.db.r1.lock", "mogi.db.r1.holder"} <= left
    with Store.create(url) as store, store.lock("r1"):
        assert f"process {os.getpid()} on" in Path(f"{path}.r1.holder").read_text("utf-8")


def test_a_run_leaves_no_files_behind_not_even_when_it_fails(store: Store, path: Path) -> None:
    before, during = set(path.parent.iterdir()), set[Path]()

    def fail() -> None:
        with store.lock("r1"):
            during.update(path.parent.iterdir())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert {"mogi.db.r1.lock", "mogi.db.r1.holder"} == {p.name for p in during - before}
    assert before == set(path.parent.iterdir())


def test_a_runs_name_stays_in_the_folder(store: Store, path: Path) -> None:
    with store.lock("../../x"):
        assert (path.parent / "mogi.db...%2F..%2Fx.lock").exists()


def test_a_reader_cannot_hold_a_run(url: str, store: Store) -> None:
    with Store.read(url) as reader, pytest.raises(StoreError, match="for reading only"):
        reader.lock("r1")


@pytest.mark.usefixtures("path")
def test_a_run_whose_lock_cannot_be_made_is_a_store_error(store: Store) -> None:
    with pytest.raises(StoreError, match="can't be opened"), store.lock("x" * 300):
        pytest.fail("no file may have such a name")


@pytest.mark.slow
def test_many_processes_never_hold_one_run_together(url: str, tmp_path: Path) -> None:
    Store.create(url).close()
    token = tmp_path / "token"
    with ExitStack() as stack:
        children = [stack.enter_context(Child("contend", url, str(token))) for _ in range(4)]
        held = [int(child.rest()[0]) for child in children]
    assert all(held)


def test_a_run_that_nobody_works_on_is_broken_off_not_running(url: str, store: Store) -> None:
    header = sample_header("r1")
    with store.lock("r1"):
        store.begin(header)
        assert "running" == store.header("r1").status
        assert ["running"] == [row.status for row in store.runs()]
    assert "broken_off" == store.header("r1").status
    assert ["broken_off"] == [row.status for row in store.runs()]


def test_a_run_that_ends_while_it_is_looked_at_is_not_broken_off(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.begin(sample_header("r1"))

    def ends(_: object, runs: Sequence[str]) -> set[str]:
        with Store.create(url) as other:  # between the status that was read and this look
            other.finish(replace(sample_header(runs[0]), status="interrupted"), {})
        return set()

    monkeypatch.setattr(type(store.location), "locked", ends)
    assert "interrupted" == store.header("r1").status
    store.begin(sample_header("r2"))
    assert {"interrupted"} == {row.status for row in store.runs()}


def test_the_files_that_a_killed_process_left_do_not_keep_its_run_running(
    url: str, store: Store, path: Path
) -> None:
    store.begin(sample_header("r1"))
    Path(f"{path}.r1.lock").touch()
    assert ["broken_off"] == [row.status for row in store.runs()]
    with store.lock("r1"):
        assert ["running"] == [row.status for row in store.runs()]
