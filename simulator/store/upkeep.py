"""The upkeep of stores: runs are moved from one to another, and all that is kept is looked at."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, func, select

from simulator.core.errors import InputError
from simulator.core.verdict import Word
from simulator.store import codec
from simulator.store.schema import (
    NEXT,
    add_new,
    calls,
    episodes,
    insert_into,
    renames,
    replaced,
    runs,
    verdicts,
    version_of,
)
from simulator.store.store import Store

_TOGETHER = 500  # rows in a transaction: none is long
_OF_RUNS = (calls, replaced, episodes, verdicts)
_COMPLAINTS = 20  # of one kind are enough


@dataclass(frozen=True, slots=True)
class Copied:
    """What came of copying runs: their ids, and how many conversations came along.

    `merged` were in both stores: what the other one had not was added.
    """

    new: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    conversations: int = 0
    verdicts: int = 0


def copy(source: Store, target: Store, only: Collection[str] = ()) -> Copied:
    """Copy runs with all that belongs to them: calls, conversations, verdicts, reviewers' names.

    Breaking it off leaves nothing half: a run is listed when all of it is there, and copying again
    adds what is missing. What stands in both stays as it is in the target.

    Args:
        source: It is only read.
        target: Must be open for writing; each run is held while it is written.
        only: The whole ids of these runs; none: all, checks of judges as well.

    Raises:
        InputError: the target has another run of the same id.
        StoreError: one of the two cannot be used, or another process works on a run.
    """
    with source.reading() as connection:
        order = select(runs).order_by(runs.c.started, runs.c.place)
        rows = [dict(row._mapping) for row in connection.execute(order)]
    rows = [row for row in rows if not only or row["id"] in only]
    ids_by_fate: dict[str, list[str]] = {"new": [], "merged": [], "same": []}
    counts: Counter[str] = Counter()
    for row in rows:
        with target.lock(*codec.header_from_json(row["header"]).locks):
            how, added = _copy_run(source, target, row)
        ids_by_fate[how].append(row["id"])
        counts.update(added)
    _copy_rows(source, target, renames, renames.c.n > 0)
    ids = {how: tuple(names) for how, names in ids_by_fate.items()}
    return Copied(**ids, conversations=counts["episodes"], verdicts=counts["verdicts"])


def _copy_run(source: Store, target: Store, row: Mapping[str, Any]) -> tuple[str, Counter[str]]:
    run = row["id"]
    with target.reading() as connection:
        before = connection.execute(select(runs).where(runs.c.id == run)).first()
    if before is not None and _identity(before.client, before.header) != _identity(
        row["client"], row["header"]
    ):
        raise InputError(
            f"{target.location} has another run of the id {run}; exclude it with --run"
        )
    _expect_the_same_calls(source, target, run)
    added: Counter[str] = Counter()
    for table in _OF_RUNS:
        added[table.name] = _copy_rows(source, target, table, table.c.run == run)
    if before is None:
        insert = insert_into(target.location.dialect, runs).values({**row, "place": NEXT})
        target.transaction(lambda connection: connection.execute(insert))
        return "new", added
    has_ended = before.status == "running" != row["status"]
    if has_ended:
        ended = {name: row[name] for name in ("status", "finished", "digest", "header")}
        update = runs.update().where(runs.c.id == run).values(ended)
        target.transaction(lambda connection: connection.execute(update))
    return "merged" if added.total() or has_ended else "same", added


def _expect_the_same_calls(source: Store, target: Store, run: str) -> None:
    """A call that was made anew in one of the stores would be counted twice, or lost."""
    key = [column for column in calls.primary_key if column.name != "run"]
    query = select(*key, calls.c.digest, calls.c.latency_ms).where(calls.c.run == run)
    with target.reading() as connection:
        known = {tuple(row[:-2]): tuple(row[-2:]) for row in connection.execute(query)}
    if not known:
        return
    with source.reading() as connection, connection.execute(query) as rows:
        for row in rows:
            if known.get(tuple(row[:-2]), tuple(row[-2:])) != tuple(row[-2:]):
                raise InputError(
                    f"run {run} continued after the copy and repeated a call of {row.episode} "
                    f"that is in {target.location}; copy it into another store"
                )


def _identity(client: str, header: str) -> tuple[str, object]:
    """What no two runs share: the run's own secret. Shards have one each, and one plan."""
    known = codec.header_from_json(header)
    return client, known.snapshot if known.shards else known.secret


def _copy_rows(source: Store, target: Store, table: Table, where: ColumnElement[bool]) -> int:
    """Add the rows that are not there; of numbered tables, by their looks."""
    numbered = "n" in table.c
    names = [column.name for column in table.columns if column.name != "n"]
    plain: Select[Any] = select(*(table.c[name] for name in names)).where(where)
    if numbered:
        plain = plain.order_by(table.c.n)
    known: set[tuple[Any, ...]] = set()
    if numbered:
        with target.reading() as connection:
            known = {tuple(row) for row in connection.execute(plain)}
    before = _count(target, table, where)
    with source.reading() as reading, reading.execute(plain) as parts:
        for rows in parts.partitions(_TOGETHER):
            fresh = [dict(row._mapping) for row in rows if tuple(row) not in known]
            if fresh:
                target.transaction(_adding(table, fresh))
    added = _count(target, table, where) - before
    if added and known and table is not replaced:
        target.transaction(lambda connection: _in_order(connection, table, where))
    return added


def _adding(table: Table, rows: Sequence[Mapping[str, Any]]) -> Callable[[Connection], object]:
    return lambda connection: connection.execute(add_new(connection.dialect.name, table), rows)


def _in_order(connection: Connection, table: Table, where: ColumnElement[bool]) -> None:
    """Number these rows anew, in the order in which they were given: the latest word counts."""
    if connection.dialect.name == "postgresql":  # nobody adds one meanwhile
        connection.exec_driver_sql(f"LOCK TABLE {table.name} IN EXCLUSIVE MODE")
    names = [column.name for column in table.columns if column.name != "n"]
    query = select(*(table.c[name] for name in names)).where(where)
    rows = [dict(row._mapping) for row in connection.execute(query.order_by(table.c.at, table.c.n))]
    connection.execute(delete(table).where(where))
    for start in range(0, len(rows), _TOGETHER):
        connection.execute(table.insert(), rows[start : start + _TOGETHER])


def _count(store: Store, table: Table, where: ColumnElement[bool]) -> int:
    with store.reading() as connection:
        query = select(func.count()).select_from(table).where(where)
        return int(connection.execute(query).scalar_one())


@dataclass(slots=True)
class Findings:
    """What a look at all that a store holds showed: rows by table, and what is wrong."""

    version: int
    rows: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def check(store: Store) -> Findings:
    """Read everything that is kept: is each row what it has to be, and does it belong to a run?

    Raises:
        StoreError: it cannot be read at all.
    """
    with store.reading() as connection:
        findings = Findings(version_of(connection, store.location))
        for table in (runs, *_OF_RUNS, renames):
            count = select(func.count()).select_from(table)
            findings.rows[table.name] = int(connection.execute(count).scalar_one())
        for problems in (_file(connection), _unread(connection), _strays(connection)):
            findings.wrong += problems
    return findings


def _file(connection: Connection) -> Iterator[str]:
    if connection.dialect.name == "sqlite":  # a server looks after its files itself
        lines = connection.exec_driver_sql(f"PRAGMA integrity_check({_COMPLAINTS})").scalars()
        yield from (f"the file is damaged: {line}" for line in lines if line != "ok")


def _unread(connection: Connection) -> Iterator[str]:
    readers: tuple[tuple[str, Table, str, Callable[[str], object]], ...] = (
        ("the header of run {0}", runs, "header", codec.header_from_json),
        ("conversation {1} of run {0}", episodes, "data", codec.episode_from_json),
        ("the verdict on {1} of run {0}", verdicts, "verdict", lambda word: word and Word(word)),
    )
    for what, table, name, read in readers:
        place = (table.c.id,) if table is runs else (table.c.run, table.c.episode)
        with connection.execute(select(*place, table.c[name])) as rows:
            for *where, text in rows:
                try:
                    read(text)
                except Exception as error:  # noqa: BLE001 - whatever it is, it is told
                    yield f"{what.format(*where)} can't be read ({error!r})"


def _strays(connection: Connection) -> Iterator[str]:
    for table in _OF_RUNS:
        of_none = table.c.run.not_in(select(runs.c.id))
        query = select(table.c.run, func.count()).where(of_none).group_by(table.c.run)
        for run, count in connection.execute(query.limit(_COMPLAINTS)):
            yield f"{count} rows in {table.name} belong to run {run}, which doesn't exist"
