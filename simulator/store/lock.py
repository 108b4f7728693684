"""Locks between processes; the kernel frees them when their holder dies, however it dies."""

import os
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from simulator.core.errors import StoreError
from simulator.store.engine import PATIENCE_S, explained


class FileLock:
    """A lock that one thread of one process holds at a time; not re-entrant.

    It is an open transaction on an empty SQLite file: it works wherever there is a store, and
    taking it costs some microseconds.

    Args:
        path: the lock's file; made when it is missing, never written to.
        patience_s: how long to wait for another process.
    """

    def __init__(self, path: Path, patience_s: float = PATIENCE_S) -> None:
        self._path = path
        self._patience_s = patience_s
        self._mutex = threading.Lock()  # to SQLite, two threads with one connection are the same
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            sqlite3.OperationalError: it is "locked" elsewhere, or its file cannot be opened.
        """
        self._mutex.acquire()
        try:
            self._opened().execute("BEGIN IMMEDIATE")
        except BaseException:
            self._mutex.release()
            raise

    def release(self) -> None:
        """Let others have the lock."""
        try:
            self._opened().rollback()
        finally:
            self._mutex.release()

    def close(self) -> None:
        """Let go of the file, and so of the lock where it is held."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(
                self._path, timeout=self._patience_s, isolation_level=None, check_same_thread=False
            )
            # Nothing is ever written, so there is no journal to look for.
            self._connection.execute("PRAGMA journal_mode=MEMORY")
        return self._connection


@contextmanager
def held_run(store: Path, run: str, alone: FileLock) -> Iterator[None]:
    """Hold a run of the store whose own lock is `alone`.

    The run's files are made and removed only under the store's lock: nobody comes to hold a file
    that is just being removed, and whoever is refused reads the name of the real holder.

    Raises:
        StoreError: another process holds it (the message names that one), or the files cannot be
            written.
    """
    stem = f"{store}.{quote(run, safe='')}"
    file, holder = Path(f"{stem}.lock"), Path(f"{stem}.holder")
    with closing(FileLock(file, patience_s=0)) as lock:
        with explained(store), alone:
            _take(lock, run, holder)
            holder.write_text(f"process {os.getpid()} on {socket.gethostname()}", "utf-8")
        try:
            yield
        finally:
            with explained(store), alone:
                lock.close()  # first, because not every system removes an open file
                file.unlink(missing_ok=True)
                holder.unlink(missing_ok=True)


def _take(lock: FileLock, run: str, holder: Path) -> None:
    try:
        lock.acquire()
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise
        who = holder.read_text("utf-8") if holder.is_file() else "another process"
        raise StoreError(
            f"run {run} is being worked on by {who}; wait for it to end, or stop it"
        ) from error
