"""The memory of one run's calls: what was paid for once is not paid for again."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)

from simulator.core.ports import CallId, CallRecord, Role, Usage
from simulator.core.run import Ledger
from simulator.store.schema import calls, episodes, replaced, upsert
from simulator.store.writer import Writer

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
        statement = upsert(self.writer.place.dialect, calls)
        await self.writer.write(statement, _to_row(self.run, record))
        if self.known:
            self.known.pop(record.call, None)


def unfinished_calls(connection: Connection, run: str) -> dict[CallId, CallRecord]:
    """The calls of a run's unfinished episodes."""
    query = select(calls).where(*_unfinished(run))
    records = (_from_row(row) for row in connection.execute(query))
    return {record.call: record for record in records}


@dataclass(frozen=True, slots=True)
class OpenEpisode:
    """An unfinished conversation: what the target was asked and answered before it broke off."""

    episode: str
    exchanges: tuple[Mapping[str, Any], ...]  # as the target's journal keeps them


def open_episodes(connection: Connection, run: str) -> list[OpenEpisode]:
    """The conversations of a run that broke off; of each the last take."""
    query = (
        select(calls.c.episode, calls.c.take, calls.c.response)
        .where(*_unfinished(run), calls.c.role == Role.TARGET, calls.c.part == "exchange")
        .order_by(calls.c.episode, calls.c.take, calls.c.turn)
    )
    found: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for row in connection.execute(query):
        found.setdefault((row.episode, row.take), []).append(json.loads(row.response))
    last = {episode: tuple(exchanges) for (episode, _), exchanges in found.items()}
    return [OpenEpisode(episode, exchanges) for episode, exchanges in last.items()]


def judgements(connection: Connection, run: str) -> dict[tuple[str, str], CallRecord]:
    """What the judge said in a run, for --reuse: by part (votes differ) and input hash."""
    query = select(calls).where(calls.c.run == run, calls.c.role == Role.JUDGE)
    return {(row.part, row.digest): _from_row(row) for row in connection.execute(query)}


def calls_of(
    connection: Connection, run: str, only: Collection[str] | None = None
) -> Iterator[CallRecord]:
    """All calls of a run, replaced and reused ones too, without what was answered.

    `only` those of these episodes, by key.
    """
    for table in (calls, replaced):
        columns = (column for column in table.columns if column.name != "response")
        found: Select[*tuple[Any, ...]] = select(*columns, literal("").label("response"))
        found = found.where(table.c.run == run)
        if only is not None:
            found = found.where(table.c.episode.in_(only))
        for row in connection.execute(found):
            yield _from_row(row)


def ledger_of(connection: Connection, run: str, apart_from: Collection[str] = ()) -> Ledger:
    """What a run paid so far, for replaced calls too; reused ones cost it nothing.

    What was paid for the episodes `apart_from` is left out.
    """
    rows = [row for table in (calls, replaced) for row in _sums(connection, table, run, apart_from)]
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


def costs_of_takes(connection: Connection, run: str) -> dict[str, list[float | None]]:
    """What each take cost in USD, of the conversations that were held again, by episode.

    None where a price is not known.
    """
    again = select(calls.c.episode).where(calls.c.run == run, calls.c.take > 0)
    paid: dict[str, list[float | None]] = {}
    for table in (calls, replaced):
        unpriced = _count(table.c.cost_usd.is_(None)).label("unpriced")
        query = (
            select(
                table.c.episode, table.c.take, func.sum(table.c.cost_usd).label("cost"), unpriced
            )
            .where(table.c.run == run, table.c.episode.in_(again), ~table.c.reused)
            .group_by(table.c.episode, table.c.take)
        )
        for row in connection.execute(query):
            takes = paid.setdefault(row.episode, [0.0, 0.0])
            before = takes[row.take]
            takes[row.take] = None if row.unpriced or before is None else before + row.cost
    return paid


def _unfinished(run: str) -> tuple[ColumnElement[bool], ...]:
    done = select(episodes.c.episode).where(episodes.c.run == run)
    return calls.c.run == run, calls.c.episode.not_in(done)


def _sums(
    connection: Connection, table: Table, run: str, apart_from: Collection[str]
) -> list[Row[Any]]:
    # What a model says on the bot's behalf is part of one question to it, not another one.
    counts = or_(table.c.role != Role.TARGET, table.c.part == "exchange")
    query = (
        select(
            table.c.role,
            _count(counts).label("made"),
            _count(table.c.model != "").label("of_models"),
            _total(table.c.input_tokens).label("input"),
            _total(table.c.output_tokens).label("output"),
            _total(table.c.cached_tokens).label("cached"),
            func.sum(table.c.cost_usd).label("cost"),
            _count(table.c.cost_usd.is_(None)).label("unpriced"),
        )
        .where(table.c.run == run, ~table.c.reused)
        .group_by(table.c.role)
    )
    if not apart_from:
        return list(connection.execute(query))
    # They may be more than a statement takes of parameters.
    named = connection.execute(query.add_columns(table.c.episode).group_by(table.c.episode))
    return [row for row in named if row.episode not in apart_from]


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


def _from_row(row: Row[Any]) -> CallRecord:
    return CallRecord(
        call=CallId(row.episode, row.turn, Role(row.role), row.part, row.take),
        usage=Usage(row.input_tokens, row.output_tokens, row.cached_tokens),
        **{name: getattr(row, name) for name in _PLAIN},
    )
