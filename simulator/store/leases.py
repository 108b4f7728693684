"""Leases: processes that share a run borrow what it may spend from the store, piece by piece.

A lease lives as long as the lock of its part. What a killed process had borrowed comes back with
that lock, less what it had paid by the store's ledger.
"""

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isinf
from typing import NamedTuple

from sqlalchemy import Column, Connection, Float, Integer, MetaData, Table, Text, select

from simulator.core.plan import Spending
from simulator.core.ports import CallRecord, Lease
from simulator.store.journal import ALL_CALLS, sums_of_calls
from simulator.store.schema import alone_with_tables, runs, upsert
from simulator.store.store import Store

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
