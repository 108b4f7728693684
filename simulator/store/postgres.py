"""A store in a schema of a PostgreSQL server's database (extra `postgres`)."""

import os
import socket
from collections.abc import Iterator, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from simulator.core.errors import InputError
from simulator.store.engine import Alone, cause_of, explained, held_by
from simulator.store.schema import metadata

# A server that does not answer, and a connection that died unseen, are noticed after seconds.
_DRIVER = {
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
# A run's lock is of this schema, as several teams may share a database.
_LOCK = text(
    "SELECT pg_try_advisory_lock(hashtextextended('mogi ' || current_schema() || ' ' || :run, 0))"
)
_UNLOCK = text("SELECT pg_advisory_unlock_all()")
_HOLDERS = text("""
    SELECT run, application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
    JOIN unnest(CAST(:runs AS text[])) AS run ON (classid::bigint << 32 | objid::bigint)
      = hashtextextended('mogi ' || current_schema() || ' ' || run, 0)
    WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
""")
_SIZE = text("""
    SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
""")
# A lock's connection waits for hours; where its machine dies, the server notices within a minute.
_OF_A_HOLDER = (
    "idle_session_timeout = 0",
    "tcp_keepalives_idle = 20",
    "tcp_keepalives_interval = 5",
    "tcp_keepalives_count = 3",
)
_NAMED = "mogi: "


class ServerLocation:
    """A schema of a database (see `engine.Location`).

    What libpq reads holds here, too: PGPASSWORD, ~/.pgpass, PGSSLMODE. A NUL in a text, which
    PostgreSQL cannot keep, becomes U+FFFD.
    """

    dialect = "postgresql"
    file = None
    # What was paid for is on the server's disk before it counts, however the server is set up.
    begin = "SET LOCAL synchronous_commit TO on"

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError as error:
            driver = "a store on PostgreSQL needs its driver: pip install 'mogi[postgres]'"
            raise InputError(driver) from error
        self._psycopg = psycopg
        self._url = _read(url)
        self.url = self._url.set(drivername="postgresql").render_as_string(hide_password=False)

    def __str__(self) -> str:
        return self._url.set(drivername="postgresql", query={}).render_as_string()

    def engine(self, *, write: bool) -> Engine:
        """Connections are kept: to make one takes some round trips."""
        engine = create_engine(self._url, connect_args=_DRIVER, pool_pre_ping=not write)
        dumper = _without_nul(self._psycopg)

        @event.listens_for(engine, "connect")
        def _adapt(connection: Any, _: object) -> None:
            connection.adapters.register_dumper(str, dumper)

        @event.listens_for(engine, "begin")
        def _begin(connection: Any) -> None:
            if write:
                connection.exec_driver_sql(self.begin)

        if write:
            return engine
        # Rows come a few at a time: the driver would take all of a run into memory.
        return engine.execution_options(
            isolation_level="REPEATABLE READ",
            postgresql_readonly=True,
            stream_results=True,
            max_row_buffer=20,
        )

    def expect_room(self) -> None:
        """The server says so itself, at the first look."""

    def exists(self) -> bool:
        """A database is; whether it holds a store is seen by its tables."""
        return True

    def mark(self) -> None:
        """The server itself sees to it that a database in use is not removed."""

    def alone(self) -> Alone:
        """The server keeps writers apart."""
        return _Free()

    @contextmanager
    def lock(self, runs: Sequence[str], alone: AbstractContextManager[None]) -> Iterator[None]:
        """The server frees the locks when the connection of their holder ends, however it ends."""
        with self._aside() as connection:
            try:
                with explained(self), alone:
                    for run in runs:
                        if not connection.execute(_LOCK, {"run": run}).scalar_one():
                            raise held_by(run, _holders(connection, (run,)).get(run, ""))
                yield
            finally:
                # The server may see only later that a connection has ended.
                with suppress(SQLAlchemyError):
                    connection.execute(_UNLOCK)

    def locked(self, runs: Sequence[str]) -> Set[str]:
        """See `Location`."""
        with self._aside() as connection:
            return set(_holders(connection, runs))

    def vacuum(self) -> tuple[int, int]:
        """See `Location`."""
        with explained(self), self._aside() as connection:
            before = connection.execute(_SIZE).scalar_one()
            for name in metadata.tables:
                connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {name}")
            return before, connection.execute(_SIZE).scalar_one()

    @contextmanager
    def _aside(self) -> Iterator[Connection]:
        """A connection of its own, in no transaction."""
        name = f"{_NAMED}process {os.getpid()} on {socket.gethostname()}"
        engine = create_engine(
            self._url,
            connect_args={**_DRIVER, "application_name": name[:63]},
            isolation_level="AUTOCOMMIT",
            poolclass=NullPool,
        )
        with explained(self):
            connection = engine.connect()
        for setting in _OF_A_HOLDER:
            with suppress(DBAPIError):  # an older server has not all of them
                connection.exec_driver_sql(f"SET {setting}")
        try:
            yield connection
        finally:
            connection.invalidate()  # a lost one cannot be given back, and a lock goes with it

    def explain(self, error: Exception) -> str:
        """See `Location`."""
        cause = cause_of(error)
        state = getattr(cause, "sqlstate", None) or ""
        first = str(cause).strip().partition("\n")[0]
        if state in _EXPLANATIONS:
            return f"{_EXPLANATIONS[state]} ({first})"
        if isinstance(cause, self._psycopg.OperationalError | self._psycopg.InterfaceError):
            return (
                f"can't be reached: {first}; committed data is safe, and you can use --resume "
                "when the server is back"
            )
        return f"failed: {first}"

    def is_of_one_record(self, cause: BaseException | None) -> bool:
        """See `Location`."""
        ours = (self._psycopg.OperationalError, self._psycopg.InterfaceError, MemoryError, OSError)
        return not isinstance(cause, ours)


_EXPLANATIONS = {
    "25006": "is read-only; use a writable one with --store",
    "28000": "rejects this user; is the name correct?",
    "28P01": "rejects this user; is the password correct? (PGPASSWORD, ~/.pgpass)",
    "3D000": "doesn't exist; to create it, use `createdb`",
    "3F000": "has no usable schema; is search_path correct?",
    "42501": "doesn't let this user create tables; grant it the permission",
    "53100": "can't grow: the server's disk is full; committed data is safe",
    "53300": "has no free connections; try again later, or raise the limit on the server",
}


@cache
def _without_nul(psycopg: Any) -> type:
    class WithoutNul(psycopg.types.string.StrDumper):  # type: ignore[misc]
        def dump(self, text: str) -> Any:
            return super().dump(text.replace("\0", "\ufffd"))

    return WithoutNul


class _Free(nullcontext[None]):
    def close(self) -> None:
        """Nothing is held."""


def _read(url: str) -> URL:
    how = "write postgresql://user@host:5432/database"
    try:
        read = make_url(url).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError) as error:
        raise InputError(f"the store's URL is invalid; {how}") from error
    if "@" in (read.host or ""):  # else a part of the password would be told as the host
        raise InputError(f"the store's URL has more than one @; in a password it is %40: {how}")
    return read


def _holders(connection: Connection, runs: Sequence[str]) -> dict[str, str]:
    rows = connection.execute(_HOLDERS, {"runs": list(runs)})
    return {row.run: str(row.application_name or "").removeprefix(_NAMED) for row in rows}
