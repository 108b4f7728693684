"""Where a store may be; one that is a file: opening it, its locks, and what can go wrong."""

import os
import re
import socket
import sqlite3
import threading
from collections.abc import Iterator, Sequence, Set
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from simulator.core.errors import InputError, MogiError, RunHeld, StoreError
from simulator.formats.own_files import make_private

# How long to wait for another process that holds the file, in seconds.
PATIENCE_S = 30.0
# A write lock from the start: a transaction that asks for it later can be refused at once.
BEGIN_WRITING = "BEGIN IMMEDIATE"

_PREFIX = "sqlite:///"


class Alone(AbstractContextManager[None], Protocol):
    """A lock; not re-entrant."""

    def close(self) -> None:
        """Let go of what it is made of."""


class Location(Protocol):
    """Where a store is; `str` of it is what people are told, without a password.

    `dialect` is SQLAlchemy's name; `begin` the statement that begins a transaction that writes;
    `url` is for `Store.read`, and holds in other working directories, too.
    """

    dialect: str
    begin: str
    url: str

    @property
    def file(self) -> Path | None:
        """The file that it is, if it is one."""

    def engine(self, *, write: bool) -> Engine:
        """An engine; every transaction sees one state of the store."""

    def expect_room(self) -> None:
        """Look whether a store can be here.

        Raises:
            StoreError: it cannot.
        """

    def exists(self) -> bool:
        """Whether there is something at all."""

    def mark(self) -> object:
        """What is in this place now; another mark: it was removed or replaced."""

    def alone(self) -> Alone:
        """What writers hold while they write."""

    def lock(
        self, runs: Sequence[str], alone: AbstractContextManager[None]
    ) -> AbstractContextManager[None]:
        """Hold runs, or parts of one, writing under the store's lock `alone`.

        Raises:
            RunHeld: another process holds one of them (the message names that one).
        """

    def locked(self, runs: Sequence[str]) -> Set[str]:
        """Those of these that a process works on."""

    def vacuum(self) -> tuple[int, int]:
        """Give back the room of what was replaced; its size in bytes before and after."""

    def explain(self, error: Exception) -> str:
        """What goes on behind "the store …" where an error is told."""

    def is_of_one_record(self, cause: BaseException | None) -> bool:
        """Whether the cause may lie in one record; otherwise it is the store, for all of them."""


def path_of(url: str) -> Path:
    """The file behind a store's URL.

    Raises:
        InputError: it is not the URL of a file.
    """
    if not url.startswith(_PREFIX) or url == _PREFIX or "\0" in url:
        raise InputError(
            f"{without_password(url)!r} isn't a store URL; use sqlite:///path/to/mogi.db, or "
            "postgresql://user@host/database"
        )
    return Path(url.removeprefix(_PREFIX))


def without_password(url: str) -> str:
    """A store as people may be told of it, whatever they wrote: a password may hold any letter."""
    login, mark, place = url.rpartition("@")
    if mark:
        scheme = re.match(r"([\w+.-]*:?//)?", login)[0]  # type: ignore[index]  # it always matches
        rest = login.removeprefix(scheme)
        user = re.split("[:/?#@]", rest)[0]
        if user != rest:
            url = f"{scheme}{user}:***@{place}"
    return re.sub(r"(pass\w*=).*", r"\1***", url, flags=re.DOTALL | re.IGNORECASE)


def open_engine(path: Path, *, write: bool) -> Engine:
    """An engine over the file; every transaction sees one state of it (BEGIN at its start)."""
    engine = create_engine(
        "sqlite+pysqlite://",
        creator=lambda: _connect(path, write=write),
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
def explained(location: Location) -> Iterator[None]:
    """Turn whatever goes wrong into a sentence about this store.

    Raises:
        StoreError: with what happened to which store, and what would help.
    """
    try:
        yield
    except MogiError:
        raise
    except Exception as error:
        if isinstance(error, UnicodeEncodeError):
            explanation = "can't store text that contains half of a character (a lone surrogate)"
        else:
            explanation = location.explain(error)
        raise StoreError(f"the store {location} {explanation}") from error


def cause_of(error: Exception) -> BaseException | str:
    """What a driver itself said."""
    cause = (error.orig if isinstance(error, DBAPIError) else None) or error
    return cause if str(cause) else type(error).__name__


class FileLocation:
    """A file of SQLite's."""

    dialect = "sqlite"
    begin = BEGIN_WRITING

    def __init__(self, path: Path) -> None:
        self._name = path
        self.file = path.absolute()  # now: a bot may change the working directory
        self.url = f"{_PREFIX}{self.file}"

    def __str__(self) -> str:
        return str(self._name)

    def engine(self, *, write: bool) -> Engine:
        """See `Location`."""
        return open_engine(self.file, write=write)

    def expect_room(self) -> None:
        """See `Location`."""
        if self.file.is_dir():
            raise StoreError(f"the store {self} is a folder; use a file with --store")
        if not self.file.parent.is_dir():
            raise StoreError(f"the store {self} can't be created: its folder doesn't exist")

    def exists(self) -> bool:
        """See `Location`."""
        return self.file.is_file()

    def mark(self) -> tuple[int, int] | None:
        """Which file stands where the store is to be; None: there is none."""
        try:
            status = os.stat(self.file)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def alone(self) -> "FileLock":
        """SQLite before 3.51.3 can lose data when two connections write or checkpoint at once."""
        return FileLock(Path(f"{self.file}.lock"))

    @contextmanager
    def lock(self, runs: Sequence[str], alone: AbstractContextManager[None]) -> Iterator[None]:
        """The kernel frees the locks when their holder dies, however it dies."""
        with ExitStack() as locks:
            for run in runs:
                locks.enter_context(self._lock(run, alone))
            yield

    @contextmanager
    def _lock(self, run: str, alone: AbstractContextManager[None]) -> Iterator[None]:
        """Hold a run of the store whose own lock is `alone`.

        The run's files are made and removed only under the store's lock: nobody comes to hold a
        file that is just being removed, and whoever is refused reads the name of the real holder.
        """
        file = self._lock_of(run)
        holder = file.with_suffix(".holder")
        with closing(FileLock(file, patience_s=0)) as lock:
            with explained(self), alone:
                try:
                    lock.acquire()
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error):
                        raise
                    name = holder.read_text("utf-8") if holder.is_file() else ""
                    raise held_by(run, name) from error
                make_private(holder)
                holder.write_text(f"process {os.getpid()} on {socket.gethostname()}", "utf-8")
            try:
                yield
            finally:
                with explained(self), alone:
                    lock.close()  # first, because not every system removes an open file
                    file.unlink(missing_ok=True)
                    holder.unlink(missing_ok=True)

    def _lock_of(self, run: str) -> Path:
        return Path(f"{self.file}.{quote(run, safe='')}.lock")

    def locked(self, runs: Sequence[str]) -> Set[str]:
        """One that was killed does not work on it any more, and left its files."""
        return set(filter(self._is_locked, runs))

    def _is_locked(self, run: str) -> bool:
        file = self._lock_of(run)
        if not file.is_file():
            return False
        with closing(self.alone()) as alone, closing(FileLock(file, 0)) as lock:
            try:
                with alone, lock:  # whoever begins right now is not refused for this look
                    return False
            except sqlite3.OperationalError as error:
                return "locked" in str(error)

    def vacuum(self) -> tuple[int, int]:
        """See `Location`."""
        before = self.file.stat().st_size
        with explained(self), closing(self.alone()) as alone, alone:
            connection = _connect(self.file, write=True)
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
        return before, self.file.stat().st_size

    def explain(self, error: Exception) -> str:
        """See `Location`."""
        cause = str(cause_of(error))
        return next(
            (text for key, text in _EXPLANATIONS.items() if key in cause), f"failed: {cause}"
        )

    def is_of_one_record(self, cause: BaseException | None) -> bool:
        """See `Location`."""
        ours = isinstance(cause, sqlite3.OperationalError | MemoryError | OSError)
        return not ours and type(cause) is not sqlite3.DatabaseError


_EXPLANATIONS = {
    "unable to open database file": (
        "can't be opened: does the folder exist, and can you write to it? use another file with "
        "--store"
    ),
    "readonly database": "is read-only; use a writable store with --store",
    "file is not a database": "is not a database; use another file with --store",
    "disk image is malformed": "is damaged; keep a copy of it, and use another with --store",
    "disk is full": "can't grow: the disk is full; committed data is safe",
    "disk I/O error": "can't be read or written (disk I/O error); is the disk full?",
    "database is locked": "is locked by another program; try again when that has ended",
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


def held_by(run: str, who: str) -> RunHeld:
    """What is said to whoever wants to work on a run that another process works on."""
    who = who or "another process"
    return RunHeld(f"run {run} is in use by {who}; wait for that to end, or stop it")
