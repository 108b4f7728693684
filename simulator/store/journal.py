"""The memory of one run's calls: what was paid for once is not paid for again."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    Table,
    case,
    cast,
    func,
    literal,
    or_,
    select,
    union_all,
)

from simulator.core.ports import CallId, CallRecord, Role, Usage
from simulator.core.run import Ledger
from simulator.store.schema import calls, replaced, upsert
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
