"""The one writer of a store: a thread that commits many waiting records in one transaction."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import Any, NamedTuple

from sqlalchemy import Connection, PoolProxiedConnection
from sqlalchemy.sql.dml import UpdateBase

from simulator.core.errors import StoreError
from simulator.store.engine import Location, explained

_GROUP = 1000  # records in a transaction, at most
_ENOUGH = 16  # records that make the cost of their transaction (0.3 ms of CPU) small
_REST_S = 0.005  # after a transaction with fewer

Parameters = Mapping[str, Any]


class _Job(NamedTuple):
    statement: UpdateBase
    row: Parameters
    saved: asyncio.Future[None]


class Writer:
    """Commits records in groups; `write` returns when its record is on disk.

    A transaction costs as much CPU as ten records in it, most of it in the kernel's fsync: after
    a small one the writer rests for 5 ms, in which the records of a trickle come together.

    Where the place needs it (`Location.alone`), writing is serialised over threads and processes.
    Statements are compiled by SQLAlchemy, once each, and executed by the driver.
    """

    def __init__(self, location: Location) -> None:
        self.alone = location.alone()
        self.location = location
        self._engine = location.engine(write=True)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._broken: StoreError | None = None  # what ended the thread; nothing is saved after it
        # The thread's own.
        self._connection: PoolProxiedConnection | None = None
        self._mark: object = None  # of what the connection writes
        self._texts: dict[UpdateBase, str] = {}

    async def write(self, statement: UpdateBase, row: Parameters) -> None:
        """Execute an insert with `row`, all its columns; returns once it is committed.

        A cancelled waiter does not take its record back: what was paid for is saved.

        Raises:
            StoreError: it could not be saved (disk full, locked, …), or the thread has ended.
        """
        self._start()
        saved: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(statement, row, saved))
        if self._broken is not None:  # perhaps nobody looks into the queue any more
            _settle([saved], self._broken)
        await saved

    def now(self, statement: UpdateBase) -> None:
        """Execute one statement and commit it, in the calling thread."""
        self.transaction(lambda connection: connection.execute(statement))

    def transaction(self, work: Callable[[Connection], object]) -> None:
        """Run `work` in a transaction of its own, in the calling thread."""
        with explained(self.location), self.alone, self._engine.begin() as connection:
            work(connection)

    def close(self) -> None:
        """Commit what waits, then let go of the file."""
        self._closed = True
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None
        self.alone.close()
        self._engine.dispose()

    def _start(self) -> None:
        if self._closed:
            raise StoreError(f"the store {self.location} was closed already")
        if self._thread is None:
            work = copy_context().run
            thread = threading.Thread(
                target=work, args=(self._work,), name="mogi-store", daemon=True
            )
            with explained(self.location):
                thread.start()
            self._thread = thread

    # In the thread

    def _work(self) -> None:
        jobs: list[_Job] = []
        try:
            while self._gather(jobs):
                self._save(jobs)
                if len(jobs) < _ENOUGH:
                    time.sleep(_REST_S)
                jobs.clear()
        except BaseException as error:  # noqa: BLE001 - whatever it was, nobody may wait in vain
            self._give_up(jobs, error)
        with suppress(StoreError), explained(self.location), self.alone:
            self._disconnect()  # whoever closes last writes the log into the database

    def _give_up(self, jobs: Sequence[_Job], error: BaseException) -> None:
        """Refuse what waits and, from now on, all that comes."""
        why = f"the store {self.location} failed: {str(error) or type(error).__name__}"
        self._broken = StoreError(f"{why}; committed data is safe")
        self._broken.__cause__ = error
        _tell(jobs, self._broken)
        with suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                _tell([job] if job else [], self._broken)

    def _gather(self, jobs: list[_Job]) -> bool:
        """Fill `jobs` with all that waits, at most a group of it; False: the writer is to end."""
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == _GROUP or self._jobs.empty():
                return True
            job = self._jobs.get()
        if jobs:
            self._jobs.put(None)  # for the next time
        return bool(jobs)

    def _save(self, jobs: Sequence[_Job]) -> None:
        """Commit the jobs together; where one of them spoils it, those that can be saved are."""
        try:
            with explained(self.location), self.alone:
                self._commit(jobs)
        except StoreError as error:
            if len(jobs) == 1 or not self.location.is_of_one_record(error.__cause__):
                _tell(jobs, error)
                return
        else:
            _tell(jobs, None)
            return
        # Halves in transactions of their own: savepoints do not outlive every error of SQLite.
        middle = len(jobs) // 2
        self._save(jobs[:middle])
        self._save(jobs[middle:])

    def _commit(self, jobs: Sequence[_Job]) -> None:
        rows: dict[UpdateBase, list[Parameters]] = {}
        for job in jobs:
            rows.setdefault(job.statement, []).append(job.row)
        try:
            if self._connection is None:
                self._connection = self._engine.raw_connection()
                self._mark = self.location.mark()
            cursor = self._connection.cursor()
            cursor.execute(self.location.begin)
            for statement, together in rows.items():
                cursor.executemany(self._text(statement), together)
            self._connection.commit()
        except BaseException:
            if self._connection is not None and self.location.file is None:
                self._connection.invalidate()  # it may be lost: nothing is rolled back over it
            self._disconnect()  # rolls back, whatever state it is in
            raise
        if self.location.mark() != self._mark:  # it was saved where nobody finds it
            raise FileNotFoundError("its file was removed or replaced while mogi was writing")

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _text(self, statement: UpdateBase) -> str:
        if statement not in self._texts:
            self._texts[statement] = str(statement.compile(self._engine))
        return self._texts[statement]


def _tell(jobs: Sequence[_Job], error: StoreError | None) -> None:
    """Wake those who wait, each loop once."""
    waiting: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for job in jobs:
        waiting.setdefault(job.saved.get_loop(), []).append(job.saved)
    for loop, futures in waiting.items():
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, futures, error)


def _settle(futures: Sequence[asyncio.Future[None]], error: StoreError | None) -> None:
    for saved in futures:
        if saved.done():  # its waiter was cancelled
            continue
        if error is None:
            saved.set_result(None)
        else:
            own = StoreError(*error.args)  # one that is raised in several tasks grows with each
            own.__cause__ = error.__cause__
            saved.set_exception(own)
