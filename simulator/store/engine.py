"""Opening a database, locks between processes, and what can go wrong with its file."""

import os
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from simulator.console.output import make_private
from simulator.core.errors import InputError, MogiError, StoreError

# How long to wait for another process that holds the file, in seconds.
PATIENCE_S = 30.0
# A write lock from the start: a transaction that asks for it later can be refused at once.
BEGIN_WRITING = "BEGIN IMMEDIATE"

_PREFIX = "sqlite:///"


def path_of(url: str) -> Path:
    """The file behind a store's URL.

    Raises:
        InputError: it is not a URL of the form that mogi knows.
    """
    if url.startswith(("postgresql", "postgres:")):
        raise InputError(
            "PostgreSQL stores are not built yet; write sqlite:///path/to/mogi.db, "
            "or leave --store and MOGI_STORE out for ./mogi.db"
        )
    if not url.startswith(_PREFIX) or url == _PREFIX or "\0" in url:
        raise InputError(f"{url!r} is not a store; write sqlite:///path/to/mogi.db")
    return Path(url.removeprefix(_PREFIX))


def url_of(path: Path) -> str:
    """The opposite of `path_of`."""
    return f"{_PREFIX}{path}"


def open_engine(path: Path, *, write: bool) -> Engine:
    """An engine over the file; every transaction sees one state of it (BEGIN at its start)."""
    place = path.absolute()  # now: a bot may change the working directory
    engine = create_engine(
        "sqlite+pysqlite://",
        creator=lambda: _connect(place, write=write),
        poolclass=NullPool,
        paramstyle="named",  # rows are mappings
    )
    begin = BEGIN_WRITING if write else "BEGIN"

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    if not write:
        return _connected_to_read(path)
    with suppress(OSError):  # SQLite says what is the matter; its -wal and -shm are like it
        make_private(path)
    connection = _opened(path, "mode=rwc")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def _connected_to_read(path: Path) -> sqlite3.Connection:
    connection = _opened(path, "mode=ro")
    try:
        connection.execute("PRAGMA schema_version")  # the first that looks at the file
    except sqlite3.OperationalError:
        # A reader makes files of its own beside a store, which it may not where that is read-only.
        # Nobody writes there, so it can do without them, unless there is more than the one file.
        connection.close()
        log = Path(f"{path}-wal")
        if not path.is_file() or (log.exists() and log.stat().st_size):
            raise
        connection = _opened(path, "immutable=1")
    return connection


def _opened(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.as_uri()}?{how}",
        timeout=PATIENCE_S,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong into a sentence about this store.

    Raises:
        StoreError: with what happened to which file, and what would help.
    """
    try:
        yield
    except MogiError:
        raise
    except Exception as error:
        raise StoreError(f"the store {path} {_said(error)}") from error


def is_of_one_record(error: StoreError) -> bool:
    """Whether the cause may lie in one record; otherwise the file is to blame, for all of them."""
    cause = error.__cause__
    ours = isinstance(cause, sqlite3.OperationalError | MemoryError | OSError)
    return not ours and type(cause) is not sqlite3.DatabaseError


def _said(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "cannot keep a text that holds half of a character (a lone surrogate)"
    cause = str(error.orig if isinstance(error, DBAPIError) else error)
    for key, said in _SAID.items():
        if key in cause:
            return said
    return f"failed: {cause or type(error).__name__}"


_SAID = {
    "unable to open database file": (
        "cannot be opened: is the folder there, and may you write in it? "
        "name another file with --store"
    ),
    "readonly database": "is read-only; name a store that can be written with --store",
    "file is not a database": "is not a database; name another file with --store",
    "disk image is malformed": "is damaged; keep a copy of it, and name another with --store",
    "disk is full": "cannot grow: the disk is full; what was committed before is kept",
    "disk I/O error": "cannot be written or read (disk I/O error); is the disk full or gone?",
    "database is locked": "is locked by another program; try again when it has ended",
}


class FileLock:
    """A lock that one thread of one process holds at a time; not re-entrant.

    It is an open transaction on an empty SQLite file: it works wherever there is a store, and
    taking it costs some microseconds.

    Args:
        path: the lock's file; made when it is missing, never written to.
        patience_s: how long to wait for another process.
    """

    def __init__(self, path: Path, patience_s: float = PATIENCE_S) -> None:
        self._path = path.absolute()
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
            with suppress(OSError):  # SQLite says what is the matter
                make_private(self._path)
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
            make_private(holder)
            holder.write_text(f"process {os.getpid()} on {socket.gethostname()}", "utf-8")
        try:
            yield
        finally:
            with explained(store), alone:
                lock.close()  # first, because not every system removes an open file
                file.unlink(missing_ok=True)
                holder.unlink(missing_ok=True)


def status_now(kept: str, store: Path, run: str) -> str:
    """A run that nobody works on is not running, whatever was written when it began."""
    return "broken_off" if kept == "running" and not _is_held(store, run) else kept


def _is_held(store: Path, run: str) -> bool:
    """Whether a process works on a run; one that was killed does not, and left its files."""
    file = Path(f"{store}.{quote(run, safe='')}.lock")
    if not file.is_file():
        return False
    with closing(FileLock(Path(f"{store}.lock"))) as alone, closing(FileLock(file, 0)) as lock:
        try:
            with alone, lock:  # whoever begins right now is not refused for this look
                return False
        except sqlite3.OperationalError as error:
            return "locked" in str(error)


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
