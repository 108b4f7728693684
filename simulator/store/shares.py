"""Shares: processes that play the parts of one run split its limits per minute by the store.

A share lives as long as the lock of its part. Whoever ends leaves it to the others.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Column, Connection, Float, Integer, MetaData, Table, Text, select

from simulator.store.schema import alone_with_tables, runs, upsert
from simulator.store.store import Store

# Made when a first part begins: no other store needs it.
shares = Table(
    "shares",
    MetaData(),
    Column("run", Text, primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("share", Float, nullable=False),
)


class _Row(NamedTuple):
    owner: str
    share: float


@dataclass
class StoredShare:
    """The share of the process that plays the `number`-th part of a run; together never above 1.

    Args:
        store: Where the parts are kept.
        run: Its id.
        begun: When it began: a run that was deleted may begin anew with the same id.
        number: The part that this process plays, from 1.
        locks: Those of the parts, in their order.
        at_once: How many parts are played at once, all with this store. None: parts that have not
            begun here may be played with other stores, and 1/N is kept for each of them.
    """

    store: Store
    run: str
    begun: str
    number: int
    locks: Sequence[str]
    at_once: int | None = None
    _owner: str = field(default_factory=lambda: secrets.token_hex(8))
    _has_begun: bool = False

    def renew(self) -> float:
        """What is this process's own from now on, 0 to 1; 0: the others have yet to leave some.

        Raises:
            StoreError: the store cannot be used.
        """
        before = self._known()
        locked = self.store.location.locked(self.locks)
        granted: list[float] = []

        def work(connection: Connection) -> None:
            connection.execute(select(runs.c.id).where(runs.c.id == self.run).with_for_update())
            others = self._others(connection)
            at_work = [
                row.share
                for part, row in others.items()
                if self.locks[part - 1] in locked or row != before.get(part)
            ]
            parts = len(self.locks)
            whole = 1.0 if self.at_once else (1 + len(others)) / parts
            fair = whole / (1 + len(at_work))
            if not self._has_begun:
                fair = min(fair, 1 / (self.at_once or parts))
            granted.append(max(0.0, min(fair, whole - sum(at_work))))
            self._write(connection, granted[0])

        self.store.transaction(work)
        self._has_begun = True
        return granted[0]

    def leave(self) -> None:
        """Leave the share to the others: this process has ended.

        Raises:
            StoreError: the store cannot be used.
        """
        if self._has_begun:
            self.store.transaction(lambda connection: self._write(connection, 0.0))

    @property
    def _key(self) -> str:
        return f"{self.run} {self.begun}"

    def _known(self) -> dict[int, _Row]:
        known: dict[int, _Row] = {}

        def work(connection: Connection) -> None:
            if not self._has_begun:
                alone_with_tables(connection)
                shares.create(connection, checkfirst=True)
            known.update(self._others(connection))

        self.store.transaction(work)
        return known

    def _others(self, connection: Connection) -> dict[int, _Row]:
        query = select(shares).where(shares.c.run == self._key, shares.c.part != self.number)
        return {row.part: _Row(row.owner, row.share) for row in connection.execute(query)}

    def _write(self, connection: Connection, share: float) -> None:
        values = {"run": self._key, "part": self.number, "owner": self._owner, "share": share}
        connection.execute(upsert(connection.dialect.name, shares), values)
