"""Opening a database: where it is, how SQLite is set up, and what can go wrong with it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from simulator.core.errors import InputError, StoreError

_PREFIX = "sqlite:///"


def path_of(url: str) -> Path:
    """The file behind a store's URL.

    Raises:
        InputError: it is not a URL of the form that mogi knows.
    """
    if url.startswith(("postgresql:", "postgres:")):
        raise InputError(
            "PostgreSQL stores are not built yet; write sqlite:///path/to/mogi.db, "
            "or leave --store and MOGI_STORE out for ./mogi.db"
        )
    if not url.startswith(_PREFIX) or url == _PREFIX:
        raise InputError(f"{url!r} is not a store; write sqlite:///path/to/mogi.db")
    return Path(url.removeprefix(_PREFIX))


def open_engine(path: Path, *, write: bool) -> Engine:
    """An engine over the file; every transaction sees one state of it (BEGIN at its start)."""
    mode = "rwc" if write else "ro"
    engine = create_engine(
        "sqlite+pysqlite://",
        creator=lambda: _connect(path, mode),
        poolclass=NullPool,
    )
    begin = "BEGIN IMMEDIATE" if write else "BEGIN"

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=30, isolation_level=None, check_same_thread=False
    )
    if mode == "rwc":
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
    return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn the driver's errors into sentences about this file.

    Raises:
        StoreError: with what happened to which file, and what would help.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(_sentence(path, error)) from error


def _sentence(path: Path, error: Exception) -> str:
    cause = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    known = {
        "unable to open database file": "cannot be opened: is the folder there, and writable?",
        "readonly database": "is read-only; name a store that can be written with --store",
        "file is not a database": "is not a database; name another file with --store",
        "disk is full": "cannot grow: the disk is full; what was committed before is kept",
        "database is locked": "is locked by another program; try again when it has ended",
        "disk I/O error": "cannot be written or read (disk I/O error); is the disk full or gone?",
    }
    said = next((text for key, text in known.items() if key in cause), f"failed: {cause}")
    return f"the store {path} {said}"
