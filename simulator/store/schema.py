"""The tables of a store, what the names of its runs mean, and the steps from an older store."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Select,
    Table,
    Text,
    UniqueConstraint,
    UpdateBase,
    func,
    inspect,
    literal_column,
    select,
    text,
)
from sqlalchemy.dialects import sqlite

from simulator.core.bounds import MAX_TALKS
from simulator.core.errors import StoreError
from simulator.core.persona import Language
from simulator.core.run import CHECK_PREFIX
from simulator.store import codec

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

metadata = MetaData()

# In every table what may be long stands last: SQLite reads a row up to the last column asked for.

meta = Table("meta", metadata, Column("schema_version", Integer, nullable=False))

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("client", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("finished", Text),
    Column("status", Text, nullable=False),
    Column("place", Integer, nullable=False, server_default="0"),  # among runs: they began in turn
    Column("digest", Text),  # for `mogi runs`, as JSON: the figures and `LISTED`
    Column("header", Text, nullable=False),  # RunHeader as JSON
    Column("figures", Text),  # of a run that ended, while nobody said anything of it
)


def _call_columns() -> list[Column[Any]]:
    return [
        Column("run", Text, nullable=False),
        Column("episode", Text, nullable=False),
        Column("take", Integer, nullable=False),  # 1: the conversation was held again
        Column("turn", Integer, nullable=False),
        Column("role", Text, nullable=False),
        Column("part", Text, nullable=False),
        Column("digest", Text, nullable=False),
        Column("model", Text, nullable=False),
        Column("input_tokens", BigInteger, nullable=False),
        Column("output_tokens", BigInteger, nullable=False),
        Column("cached_tokens", BigInteger, nullable=False),
        Column("cost_usd", Float),
        Column("latency_ms", Float, nullable=False),
        Column("attempts", Integer, nullable=False),
        Column("reused", Boolean, nullable=False),
        Column("endpoint", Text),  # null, as the next: made before this was kept
        Column("waited_ms", Float),
        Column("response", Text, nullable=False),
    ]


# Journal and ledger in one: a row is committed before the call counts.
calls = Table(
    "calls",
    metadata,
    *_call_columns(),
    PrimaryKeyConstraint("run", "episode", "take", "turn", "role", "part"),
)

# A call that was paid for and then made again (a resume with --force): kept for the ledger.
replaced = Table(
    "replaced_calls",
    metadata,
    Column("n", Integer, primary_key=True),
    *_call_columns(),
    Index("replaced_calls_of_run", "run", "episode"),
)

episodes = Table(
    "episodes",
    metadata,
    Column("run", Text, nullable=False),
    Column("episode", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),  # the cell's place in the plan, from 0
    Column("stop", Text, nullable=False),
    Column("answers", Text, nullable=False, server_default="[]"),  # `codec.answer_keys`
    Column("data", Text, nullable=False),  # Episode as JSON
    PrimaryKeyConstraint("run", "episode"),
    # With the name: which conversations are complete is asked without reading one of them.
    Index("episodes_in_order", "run", "ordinal", "episode"),
)

FIRST_RERUN = MAX_TALKS
"""From this ordinal on, what was played again after the plan: no figure of a run counts it."""
IS_RERUN = episodes.c.ordinal >= FIRST_RERUN

# What people said of turns. Rows are added and never changed: the latest of a reviewer counts.
verdicts = Table(
    "verdicts",
    metadata,
    Column("n", Integer, primary_key=True),
    Column("run", Text, nullable=False),
    Column("episode", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("verdict", Text, nullable=False),  # OK | NG | unsure | "" (a comment only)
    Column("reviewer", Text, nullable=False),
    Column("source", Text, nullable=False),  # where it was read: a file, a sheet
    Column("at", Text, nullable=False),  # when: ISO 8601 in UTC
    Column("error_type", Text, nullable=False),
    Column("claim", Text, nullable=False, server_default=""),  # its id; "" is the whole answer
    Column("folded_from", Text, nullable=False, server_default=""),  # the turn that was looked at
    Column("comment", Text, nullable=False),
    Column("corrected", Text, nullable=False),  # the answer as it should have been
    UniqueConstraint("run", "episode", "turn", "claim", "reviewer", "source", "at"),
)

# People go by other names than they did: what stands in verdicts stays. Taken in turn.
renames = Table(
    "renames",
    metadata,
    Column("n", Integer, primary_key=True),
    Column("old", Text, nullable=False),
    Column("new", Text, nullable=False),
    Column("at", Text, nullable=False),  # when: ISO 8601 in UTC
)


LISTED = ("kind", "timezone", "language", "shards")
"""What `mogi runs` tells of a header, kept beside the figures so that no header has to be read."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of `mogi runs`; `digest` holds the figures of a finished run.

    `timezone` and `language` are the client's; `kind` as a run's header has it.
    """

    id: str
    client: str
    started: str
    finished: str | None
    status: str
    kind: str
    timezone: str
    language: Language
    digest: Mapping[str, Any]


def insert_into(dialect: str, table: Table) -> "sqlite.Insert | postgresql.Insert":
    """An insert that can say what happens to a row that is there already."""
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # 30 ms

    return postgresql.insert(table)


@cache
def upsert(dialect: str, table: Table) -> UpdateBase:
    """An insert that replaces the row of the same key."""
    insert = insert_into(dialect, table)
    key = [column.name for column in table.primary_key]
    rest = {c.name: insert.excluded[c.name] for c in table.columns if c.name not in key}
    return insert.on_conflict_do_update(index_elements=key, set_=rest)


@cache
def add_new(dialect: str, table: Table) -> UpdateBase:
    """An insert that leaves a row that is there already."""
    return insert_into(dialect, table).on_conflict_do_nothing()


def _drop_trigger(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("DROP TRIGGER IF EXISTS keep_replaced")
    else:
        connection.exec_driver_sql("DROP FUNCTION IF EXISTS keep_replaced CASCADE")


def _keep_replaced(connection: Connection) -> None:
    # The store itself sees to it, in the transaction that replaces: no money leaves the ledger.
    names = calls.columns.keys()
    old: Select[*tuple[Any, ...]] = select(*(literal_column(f"OLD.{name}") for name in names))
    keep = replaced.insert().from_select(names, old)
    trigger = "CREATE TRIGGER keep_replaced AFTER UPDATE ON calls"
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"{trigger} BEGIN {keep}; END")
        return
    connection.exec_driver_sql(
        "CREATE FUNCTION keep_replaced() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {keep}; RETURN NEW; END $$"
    )
    connection.exec_driver_sql(f"{trigger} FOR EACH ROW EXECUTE FUNCTION keep_replaced()")


VERSION = 9
"""Of the tables above; whoever changes them raises it, and says in `_MISSING` what fills a gap."""
_MISSING = {"take": "0", "place": "rowid"}


def _upgrade(connection: Connection, version: int) -> None:
    """Give every table today's form; rows of a table whose columns differ move into a new one."""
    _drop_trigger(connection)
    for index in (index for table in metadata.tables.values() for index in table.indexes):
        connection.exec_driver_sql(f"DROP INDEX IF EXISTS {index.name}")
    present = inspect(connection).get_table_names()
    for table in metadata.tables.values():
        if table.name in present:
            _move_rows(connection, table)
        else:
            table.create(connection)
    for index in (index for table in metadata.tables.values() for index in table.indexes):
        index.create(connection, checkfirst=True)
    _keep_replaced(connection)
    if version < 9:
        _add_answer_keys(connection, version)
    if version < 6:
        _add_to_digests(connection)


def _move_rows(connection: Connection, table: Table) -> None:
    before = {column["name"] for column in inspect(connection).get_columns(table.name)}
    if before == {column.name for column in table.columns}:
        return
    connection.exec_driver_sql(f"ALTER TABLE {table.name} RENAME TO old_{table.name}")
    table.create(connection)
    names = [column.name for column in table.columns]
    sources = {name: name if name in before else _MISSING.get(name) for name in names}
    kept: dict[str, ColumnElement[Any]] = {
        name: literal_column(source) for name, source in sources.items() if source
    }
    rows: Select[*tuple[Any, ...]] = select(*kept.values()).select_from(text(f"old_{table.name}"))
    connection.execute(table.insert().from_select([*kept], rows))
    connection.exec_driver_sql(f"DROP TABLE old_{table.name}")


def _add_answer_keys(connection: Connection, version: int) -> None:
    """Episodes tell equal answers, so that verdicts hold for all of them.

    From version 5 on they did; then only those change that expected documents with their titles.
    """
    for run, kept in connection.execute(select(runs.c.id, runs.c.header)).all():
        header = codec.header_from_json(kept)
        is_titled = any(isinstance(each, str) for each in header.expected_documents.values())
        if version >= 5 and not is_titled:
            continue
        of_run = select(episodes.c.episode, episodes.c.data).where(episodes.c.run == run)
        for name, data in connection.execute(of_run).all():
            keys = codec.answer_keys(header, codec.episode_from_json(data))
            at = (episodes.c.run == run) & (episodes.c.episode == name)
            connection.execute(episodes.update().where(at).values(answers=keys))


def _add_to_digests(connection: Connection) -> None:
    """Digests tell of all that `mogi runs` shows."""
    for run, kept, text_ in connection.execute(select(runs.c.id, runs.c.digest, runs.c.header)):
        header = codec.header_from_json(text_)
        shown = {name: getattr(header, name) for name in LISTED}
        digest = codec.dumps({**shown, **json.loads(kept or "{}")})
        connection.execute(runs.update().where(runs.c.id == run).values(digest=digest))


def version_of(connection: Connection, location: object) -> int:
    """The schema version of the store at `location`; 0 for an empty file.

    Raises:
        StoreError: a newer mogi wrote it, or another program.
    """
    names = set(inspect(connection).get_table_names())
    if not names:
        return 0
    if not {table.name for table in (meta, runs, calls, episodes)} <= names:
        raise StoreError(
            f"the database {location} belongs to another program: its tables aren't "
            "mogi's; use another one with --store"
        )
    version = int(connection.execute(select(meta.c.schema_version)).scalar_one())
    if version > VERSION:
        raise StoreError(
            f"the store {location} was written by a newer mogi (schema {version}, this one knows "
            f"{VERSION}); update mogi, or use another store with --store"
        )
    return version


def alone_with_tables(connection: Connection) -> None:
    """Let nobody else make or change tables until the transaction ends."""
    if connection.dialect.name == "postgresql":
        key = "hashtextextended('mogi migrate ' || current_schema(), 0)"
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({key})")


def migrate(connection: Connection, location: object) -> None:
    """Bring a store to this version of mogi; nothing to do for a current one.

    Raises:
        StoreError: a newer mogi wrote it, or another program.
    """
    alone_with_tables(connection)
    version = version_of(connection, location)
    if version == VERSION:
        return
    if not version:
        metadata.create_all(connection)
        _keep_replaced(connection)
    else:
        _upgrade(connection, version)
    connection.execute(meta.delete())
    connection.execute(meta.insert().values(schema_version=VERSION))


NEXT = select(func.coalesce(func.max(runs.c.place), 0) + 1).scalar_subquery()
"""The `place` of a run that is added: the latest of those that began in its second."""
IS_CHECK: ColumnElement[bool] = runs.c.id.startswith(CHECK_PREFIX)
"""Whether a row of `runs` is the check of a judge; lists of runs leave it out."""
