"""The one writer of a store: a thread that commits many waiting records in one transaction."""

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql.dml import UpdateBase

from simulator.core.errors import StoreError
from simulator.store.engine import explained

_GROUP = 1000


@dataclass(frozen=True, slots=True)
class _Job:
    statement: UpdateBase
    row: dict[str, Any]
    done: Callable[[StoreError | None], None]


class Writer:
    """Commits records in groups; `write` returns when its record is on disk.

    SQLite before 3.51.3 can lose data when two connections write or checkpoint at once
    (WAL-reset bug), so writing is serialised per file, over processes, by a file lock.
    """

    def __init__(self, engine: Engine, path: Path) -> None:
        self._engine = engine
        self._path = path
        self._file_lock = FileLock(f"{path}.lock", thread_local=False)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def write(self, statement: UpdateBase, row: dict[str, Any]) -> None:
        """Execute `statement` with the values of `row`; returns once it is committed.

        Raises:
            StoreError: it could not be saved (disk full, locked, …).
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()

        def settle(error: StoreError | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)

        def done(error: StoreError | None) -> None:
            loop.call_soon_threadsafe(settle, error)

        self._start()
        self._jobs.put(_Job(statement, row, done))
        # A cancelled waiter does not take its record back: what was paid for is saved.
        await future

    def now(self, statement: UpdateBase) -> None:
        """Execute one statement and commit it, in the calling thread."""
        self.transaction(lambda connection: connection.execute(statement))

    def transaction(self, work: Callable[[Connection], object]) -> None:
        """Run `work` in a transaction of its own, in the calling thread."""
        with explained(self._path), self._file_lock, self._engine.begin() as connection:
            work(connection)

    def close(self) -> None:
        """Commit what waits, then end the thread."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="mogi-store", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        connection: Connection | None = None
        while jobs := self._next_group():
            try:
                with explained(self._path):
                    connection = connection or self._engine.connect()
                    self._commit(connection, jobs)
            except StoreError as error:
                for job in jobs:
                    job.done(error)
        if connection is not None:
            with self._file_lock:  # closing the last connection checkpoints
                connection.close()

    def _next_group(self) -> list[_Job]:
        """All that waits, at most a group of it; empty when the writer is to end."""
        first = self._jobs.get()
        if first is None:
            return []
        jobs = [first]
        while len(jobs) < _GROUP:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._jobs.put(None)
                break
            jobs.append(job)
        return jobs

    def _commit(self, connection: Connection, jobs: Sequence[_Job]) -> None:
        with self._file_lock:
            try:
                with connection.begin():
                    for statement, rows in _by_statement(jobs):
                        connection.execute(statement, rows)
                errors: list[StoreError | None] = [None] * len(jobs)
            except SQLAlchemyError:
                errors = self._one_by_one(connection, jobs)
        for job, error in zip(jobs, errors, strict=True):
            job.done(error)

    def _one_by_one(self, connection: Connection, jobs: Sequence[_Job]) -> list[StoreError | None]:
        """One bad row must not lose the whole group: each in a savepoint of its own."""
        errors: list[StoreError | None] = []
        with connection.begin():
            for job in jobs:
                try:
                    with explained(self._path), connection.begin_nested():
                        connection.execute(job.statement, job.row)
                    errors.append(None)
                except StoreError as error:
                    errors.append(error)
        return errors


def _by_statement(jobs: Sequence[_Job]) -> list[tuple[UpdateBase, list[dict[str, Any]]]]:
    """Neighbours with the same statement together, in their order."""
    groups: list[tuple[UpdateBase, list[dict[str, Any]]]] = []
    for job in jobs:
        if groups and groups[-1][0] is job.statement:
            groups[-1][1].append(job.row)
        else:
            groups.append((job.statement, [job.row]))
    return groups
