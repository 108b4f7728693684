"""Tables of words for the tests of the writer, and what they do with it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, Text

from simulator.store.engine import open_engine
from simulator.store.writer import Writer

metadata = MetaData()
words = Table("words", metadata, Column("n", Integer, primary_key=True), Column("word", Text))
counts = Table("counts", metadata, Column("n", Integer, nullable=False))
INSERT, COUNT = words.insert(), counts.insert()


def stored(path: Path, table: str = "words") -> list[Any]:
    with open_engine(path, write=False).connect() as connection:
        return list(connection.exec_driver_sql(f"SELECT n FROM {table} ORDER BY n").scalars())


async def written(writer: Writer, *rows: dict[str, Any]) -> list[BaseException | None]:
    """What came of writing these rows at once."""
    return await asyncio.gather(
        *(writer.write(INSERT, {"word": "w", **row}) for row in rows), return_exceptions=True
    )


async def queued() -> None:
    """Let the tasks run until they wait for the writer."""
    for _ in range(3):
        await asyncio.sleep(0)


def spied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the groups that are committed from now on."""
    sizes: list[int] = []
    commit = Writer._commit

    def counted(self: Writer, jobs: Any) -> None:
        sizes.append(len(jobs))
        commit(self, jobs)

    monkeypatch.setattr(Writer, "_commit", counted)
    return sizes
