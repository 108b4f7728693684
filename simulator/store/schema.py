"""The tables of a store, and the list of steps that bring an older store up to date."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    select,
)

from simulator.core.errors import StoreError

metadata = MetaData()

meta = Table("meta", metadata, Column("schema_version", Integer, nullable=False))

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("client", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("finished", Text),
    Column("status", Text, nullable=False),
    Column("header", Text, nullable=False),  # RunHeader as JSON
    Column("digest", Text),  # the figures for `mogi runs`, as JSON
)


def _call_columns() -> list[Column[Any]]:
    return [
        Column("run", Text, nullable=False),
        Column("episode", Text, nullable=False),
        Column("turn", Integer, nullable=False),
        Column("role", Text, nullable=False),
        Column("part", Text, nullable=False),
        Column("digest", Text, nullable=False),
        Column("model", Text, nullable=False),
        Column("response", Text, nullable=False),
        Column("input_tokens", Integer, nullable=False),
        Column("output_tokens", Integer, nullable=False),
        Column("cached_tokens", Integer, nullable=False),
        Column("cost_usd", Float),
        Column("latency_ms", Float, nullable=False),
        Column("attempts", Integer, nullable=False),
        Column("reused", Boolean, nullable=False),
    ]


# Journal and ledger in one: a row is committed before the call counts.
calls = Table(
    "calls",
    metadata,
    *_call_columns(),
    PrimaryKeyConstraint("run", "episode", "turn", "role", "part"),
)

# A call that was paid for and then made again (a resume with --force): kept for the ledger.
replaced = Table(
    "replaced_calls",
    metadata,
    Column("n", Integer, primary_key=True, autoincrement=True),
    *_call_columns(),
)

episodes = Table(
    "episodes",
    metadata,
    Column("run", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),  # the cell's place in the plan, from 0
    Column("episode", Text, nullable=False),
    Column("stop", Text, nullable=False),
    Column("data", Text, nullable=False),  # Episode as JSON
    PrimaryKeyConstraint("run", "ordinal"),
)

# Step i brings schema version i to i + 1.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = (metadata.create_all,)
VERSION = len(MIGRATIONS)


def version_of(connection: Connection) -> int:
    """The schema version of a store; 0 for an empty file.

    Raises:
        StoreError: the database is not a store of mogi.
    """
    names = set(connection.dialect.get_table_names(connection))
    if not names:
        return 0
    if "meta" not in names:
        raise StoreError("this database belongs to another program: it has tables, but not mogi's")
    return int(connection.execute(select(meta.c.schema_version)).scalar_one())


def migrate(connection: Connection) -> None:
    """Bring a store to this version of mogi; nothing to do for a current one.

    Raises:
        StoreError: it was written by a newer mogi.
    """
    found = version_of(connection)
    if found > VERSION:
        raise StoreError(
            f"the store was written by a newer mogi (schema {found}, this one knows {VERSION}); "
            "update mogi, or name another store with --store"
        )
    if found == VERSION:
        return
    for step in MIGRATIONS[found:]:
        step(connection)
    connection.execute(meta.delete())
    connection.execute(meta.insert().values(schema_version=VERSION))
