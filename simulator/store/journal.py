"""How a run is written: one writer, the journal of paid calls, what processes lease of a budget."""

import asyncio
import queue
import secrets
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field, fields
from math import isinf
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Float,
    Integer,
    MetaData,
    PoolProxiedConnection,
    Row,
    Select,
    Table,
    Text,
    case,
    cast,
    func,
    literal,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.dml import UpdateBase

from simulator.core.errors import StoreError
from simulator.core.plan import Spending
from simulator.core.ports import CallId, CallRecord, Lease, Role, Usage
from simulator.core.run import Ledger
from simulator.store.engine import Location, explained
from simulator.store.schema import alone_with_tables, calls, replaced, runs, upsert
from simulator.store.store import Store

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
        self._broken = StoreError(f"{why}; what was committed before is kept")
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
            raise FileNotFoundError("its file was removed or replaced while it was written")

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


# What stands in a record as in its row.
_PLAIN = [field.name for field in fields(CallRecord) if field.name not in ("call", "usage")]


@dataclass(frozen=True, slots=True)
class RunJournal:
    """The journal of one run (core.ports.Journal).

    `known` holds the calls of the episodes that were unfinished when the run was taken up again.
    """

    writer: Writer
    run: str
    known: dict[CallId, CallRecord]

    def recall(self, call: CallId, digest: str) -> CallRecord | None:
        """The record of this call if it was made with this very input, else None."""
        record = self.known.get(call) if self.known else None
        return record if record is not None and record.digest == digest else None

    async def record(self, record: CallRecord) -> None:
        """Commit a record; one of the same identity that it replaces is kept for the ledger.

        Raises:
            StoreError: it could not be saved.
        """
        statement = upsert(self.writer.location.dialect, calls)
        await self.writer.write(statement, _to_row(self.run, record))
        if self.known:
            self.known.pop(record.call, None)


@dataclass(frozen=True, slots=True)
class OpenEpisode:
    """An unfinished conversation: what the target was asked and answered before it broke off."""

    episode: str
    exchanges: tuple[Mapping[str, Any], ...]  # as the target's journal keeps them


def _without_answers(table: Table) -> Select[*tuple[Any, ...]]:
    columns = (column for column in table.columns if column.name not in ("n", "response"))
    return select(*columns, literal("").label("response"))


ALL_CALLS = union_all(*map(_without_answers, (calls, replaced))).subquery()
"""All calls that were made, the replaced ones too, without what was answered."""


def sums_of_calls(*by: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
    """The sums over calls that cost their own run something, grouped by these columns."""
    call = ALL_CALLS.c
    # What a model says on the bot's behalf is part of one question to it, not another one.
    counts = or_(call.role != Role.TARGET, call.part == "exchange")
    return (
        select(
            *by,
            _count(counts).label("made"),
            _count(call.model != "").label("of_models"),
            _total(call.input_tokens).label("input"),
            _total(call.output_tokens).label("output"),
            _total(call.cached_tokens).label("cached"),
            func.sum(call.cost_usd).label("cost"),
            _count(call.cost_usd.is_(None)).label("unpriced"),
        )
        .where(~call.reused)
        .group_by(*by)
    )


def ledger_of(rows: Sequence[Row[Any]]) -> Ledger:
    """What the calls cost that these rows of `sums_of_calls` add up, by role."""
    made: Counter[str] = Counter()
    for row in rows:
        made[row.role] += row.made
    cost = None if any(row.unpriced for row in rows) else sum((row.cost for row in rows), 0.0)
    return Ledger(
        calls={role: count for role, count in made.items() if count},
        input_tokens=sum(row.input for row in rows),
        output_tokens=sum(row.output for row in rows),
        cached_tokens=sum(row.cached for row in rows),
        cost_usd=cost,
        model_calls=sum(row.of_models for row in rows),
    )


def _total(column: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.sum(column), BigInteger)  # the sum of such is a Decimal, on PostgreSQL


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _to_row(run: str, record: CallRecord) -> dict[str, Any]:
    call, usage = record.call, record.usage
    return {
        "run": run,
        "episode": call.episode,
        "take": call.take,
        "turn": call.turn,
        "role": call.role.value,
        "part": call.part,
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cached_tokens": usage.cached,
        **{name: getattr(record, name) for name in _PLAIN},
    }


def record_of(row: Row[Any]) -> CallRecord:
    """The record of a row of calls."""
    return CallRecord(
        call=CallId(row.episode, row.turn, Role(row.role), row.part, row.take),
        usage=Usage(row.input_tokens, row.output_tokens, row.cached_tokens),
        **{name: getattr(row, name) for name in _PLAIN},
    )


_PIECES = 2  # for each part, of what is free
_ENDED = "-"  # in place of an owner

# Made when a first piece is borrowed: no other store needs it.
leases = Table(
    "leases",
    MetaData(),
    Column("run", Text, primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("owner", Text, nullable=False),  # empty: nobody has played the part in this store
    Column("paid_usd", Float, nullable=False),
    Column("paid_calls", Float, nullable=False),
    Column("held_usd", Float, nullable=False),  # borrowed, and not paid yet
    Column("held_calls", Float, nullable=False),
)


class _Row(NamedTuple):
    paid: Spending
    held: Spending = Spending()
    owner: str = ""


class _Wanted(NamedTuple):
    """What a part wants to be lent; `shared`: what it has `paid` that part 0 has by the ledger."""

    paid: Spending
    kept: Spending
    needed: Spending
    shared: Spending

    @property
    def own(self) -> Spending:
        """What the part has paid, less what part 0 has."""
        return _less(self.paid, self.shared)


@dataclass
class StoredLender:
    """Lends to the process that plays the `number`-th part of a run (core.ports.Lender).

    Args:
        store: Where all parts are kept.
        run: The whole id of the run.
        cap: What all parts may spend together.
        number: The part that this process plays, from 1.
        locks: Those of the parts, in their order.
        part_of: The part that a conversation belongs to; 0: it is none.
        is_shared: All parts use this store. Otherwise those that have not begun here may use others
            (that are copied together later), and their shares are not lent.
    """

    store: Store
    run: str
    cap: Spending
    number: int
    locks: Sequence[str]
    part_of: Callable[[str], int]
    is_shared: bool = True
    _owner: str = field(default_factory=lambda: secrets.token_hex(8))
    _has_leased: bool = False
    _shared: Spending = field(default_factory=Spending)  # paid here for no conversation, and saved
    _counted: Spending = field(default_factory=Spending)  # of that, what part 0 is known to have
    _latest: _Wanted | None = None  # threads of earlier ones may still run: a wait was cancelled

    async def lease(self, paid: Spending, kept: Spending, needed: Spending) -> Lease:
        """See `core.ports.Lender`.

        Raises:
            StoreError: the store cannot be used.
        """
        self._latest = _Wanted(paid, kept, needed, self._shared)
        return await asyncio.to_thread(self._lease, self._latest)

    def saved(self, record: CallRecord) -> None:
        """See `core.ports.Lender`."""
        if not self.part_of(record.call.episode):
            self._shared = _sum((self._shared, Spending(record.cost_usd or 0.0, 1)))

    def settle(self, paid: Spending) -> None:
        """Give back all but what is `paid`: this process has ended.

        Raises:
            StoreError: the store cannot be used.
        """
        self._latest = None
        if self._has_leased:
            end = _Row(_less(paid, self._shared), owner=_ENDED)

            def work(connection: Connection) -> None:
                self._wait_for_others(connection)
                self._write(connection, self._of_none(connection, self._shared))
                self._write(connection, {self.number: end})

            self.store.transaction(work)

    def _lease(self, wanted: _Wanted) -> Lease:
        lease = self._borrowed(wanted, {}) if self._has_leased else None
        if lease is None or lease.may_return:
            owners = self._owners()
            locked = self.store.location.locked(self.locks)
            free = [n for n, lock in enumerate(self.locks, 1) if lock not in locked]
            left = {n: owners.get(n, "") for n in (0, *free)}
            lease = self._borrowed(wanted, left)
            self._has_leased = True
        return lease

    def _owners(self) -> dict[int, str]:
        """By whom each part was played that has borrowed."""
        owners: dict[int, str] = {}

        def work(connection: Connection) -> None:
            if not self._has_leased:
                alone_with_tables(connection)
                leases.create(connection, checkfirst=True)
            owners.update({part: row.owner for part, row in self._rows(connection).items()})

        self.store.transaction(work)
        return owners

    def _borrowed(self, wanted: _Wanted, left: Mapping[int, str]) -> Lease:
        """What is lent after all was taken back of the parts that were `left` by these owners."""
        made: list[Lease] = []

        def work(connection: Connection) -> None:
            self._wait_for_others(connection)
            self._write(connection, self._of_none(connection, wanted.shared))
            rows = self._taken_back(connection, left)
            rows.pop(self.number, None)
            lease = self._lent(rows.values(), wanted)
            held = _less(lease.allowed, wanted.paid)
            held = Spending(*(0.0 if isinf(h) else h for h in held))
            if wanted is self._latest:
                self._write(connection, {self.number: _Row(wanted.own, held, self._owner)})
            made.append(lease)

        self.store.transaction(work)
        self._counted = wanted.shared
        return made[0]

    def _wait_for_others(self, connection: Connection) -> None:
        """Whoever borrows of this run goes on alone from here."""
        connection.execute(select(runs.c.id).where(runs.c.id == self.run).with_for_update())

    def _of_none(self, connection: Connection, shared: Spending) -> dict[int, _Row]:
        """Part 0 by the ledger, where it may lack something that this process leaves to it."""
        return {} if shared == self._counted else {0: _Row(self._paid(connection)[0])}

    def _taken_back(self, connection: Connection, left: Mapping[int, str]) -> dict[int, _Row]:
        """What each part has paid and holds; nothing is held of those that nobody plays."""
        rows = self._rows(connection)
        owners = {part: rows[part].owner if part in rows else "" for part in left}
        dead = [part for part in left if owners[part] == left[part]]  # nobody plays it anew
        if dead and (not self._has_leased or not {"", _ENDED}.issuperset(owners.values())):
            paid = self._paid(connection)
            settled = {
                part: _Row(
                    paid[part], owner=_ENDED if part and (owners[part] or paid[part].calls) else ""
                )
                for part in dead
            }
            self._write(connection, settled)
            rows |= settled
        return rows

    def _lent(self, others: Collection[_Row], wanted: _Wanted) -> Lease:
        """What is needed with a piece of what is left then; if that is too little, what is kept."""
        kept, needed = wanted.kept, wanted.needed
        elsewhere = _less(_sum(row.paid for row in others), wanted.shared)
        held = _sum(row.held for row in others)
        parts = len(self.locks)
        known = 1 if self.is_shared else (1 + sum(bool(row.owner) for row in others)) / parts
        free = Spending(
            *(c * known - e - h for c, e, h in zip(self.cap, elsewhere, held, strict=True))
        )
        spare = [f - n for f, n in zip(free, needed, strict=True)]
        if min(spare) < 0:
            may_return = any(s < 0 < h for s, h in zip(spare, held, strict=True))
            return Lease(kept, free, elsewhere, may_return)
        piece = Spending(*(s / (_PIECES * parts) for s in spare))
        return Lease(_sum((needed, piece)), free, elsewhere)

    def _paid(self, connection: Connection) -> Mapping[int, Spending]:
        """What each part has paid, by the ledger; what is of no conversation is of part 0."""
        query = sums_of_calls(ALL_CALLS.c.episode).where(ALL_CALLS.c.run == self.run)
        paid = defaultdict[int, Spending](Spending)
        for row in connection.execute(query):
            part = self.part_of(row.episode)
            paid[part] = _sum((paid[part], Spending(row.cost or 0.0, row.of_models)))
        return paid

    def _rows(self, connection: Connection) -> dict[int, _Row]:
        query = select(leases).where(leases.c.run == self.run)
        return {
            row.part: _Row(
                Spending(row.paid_usd, row.paid_calls),
                Spending(row.held_usd, row.held_calls),
                row.owner,
            )
            for row in connection.execute(query)
        }

    def _write(self, connection: Connection, rows: Mapping[int, _Row]) -> None:
        for part, row in rows.items():
            values = {
                "run": self.run,
                "part": part,
                "owner": row.owner,
                "paid_usd": row.paid.usd,
                "paid_calls": row.paid.calls,
                "held_usd": row.held.usd,
                "held_calls": row.held.calls,
            }
            connection.execute(upsert(connection.dialect.name, leases), values)


def _sum(parts: Iterable[Spending]) -> Spending:
    usd, calls = zip(Spending(), *parts, strict=True)
    return Spending(sum(usd), sum(calls))


def _less(whole: Spending, part: Spending) -> Spending:
    return Spending(whole.usd - part.usd, whole.calls - part.calls)
