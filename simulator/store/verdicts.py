"""People's verdicts in the store: added, never changed, and read back beside the episodes."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from itertools import groupby, islice
from typing import Any

from sqlalchemy import Connection, Row, select
from sqlalchemy.dialects import sqlite

from simulator.core.run import Episode
from simulator.core.verdict import Verdict, Word
from simulator.store import codec
from simulator.store.schema import episodes, verdicts

_TOGETHER = 1000  # rows in one statement
# The same verdict twice is one: reading a file again, or a resume, adds nothing.
_ADD = sqlite.insert(verdicts).on_conflict_do_nothing()
_PLAIN = [field.name for field in fields(Verdict) if field.name != "word"]


def add(connection: Connection, run: str, given: Iterable[Verdict]) -> None:
    """Add verdicts on turns of a run; they may be many, and are taken a few at a time."""
    rows = (_to_row(run, verdict) for verdict in given)
    while together := list(islice(rows, _TOGETHER)):
        connection.execute(_ADD, together)


def of_run(connection: Connection, run: str, episode: str | None = None) -> Iterator[Verdict]:
    """All verdicts of a run, or of one episode of it, in the order in which they were given."""
    query = select(verdicts).where(verdicts.c.run == run).order_by(verdicts.c.n)
    if episode is not None:
        query = query.where(verdicts.c.episode == episode)
    return map(_from_row, connection.execute(query))


def beside_episodes(
    connection: Connection, run: str
) -> Iterator[tuple[Episode, tuple[Verdict, ...]]]:
    """Each complete episode with its verdicts, in the plan's order; two queries side by side."""
    every = select(episodes.c.ordinal, episodes.c.data).where(episodes.c.run == run)
    judged = (
        select(episodes.c.ordinal, *verdicts.c)
        .join(
            episodes,
            (episodes.c.run == verdicts.c.run) & (episodes.c.episode == verdicts.c.episode),
        )
        .where(verdicts.c.run == run)
        .order_by(episodes.c.ordinal, verdicts.c.n)
    )
    groups = groupby(connection.execute(judged), key=lambda row: row.ordinal)
    place, found = next(groups, (None, iter(())))
    for row in connection.execute(every.order_by(episodes.c.ordinal)):
        of_this: tuple[Verdict, ...] = ()
        if row.ordinal == place:
            of_this = tuple(map(_from_row, found))
            place, found = next(groups, (None, iter(())))
        yield codec.episode_from_json(row.data), of_this


def _to_row(run: str, verdict: Verdict) -> dict[str, Any]:
    row = asdict(verdict)
    return {"run": run, "verdict": row.pop("word") or "", **row}


def _from_row(row: Row[Any]) -> Verdict:
    given = {name: getattr(row, name) for name in _PLAIN}
    return Verdict(word=Word(row.verdict) if row.verdict else None, **given)
