"""Figures that are kept with their run, so that showing a large one does not compute them again."""

import hashlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from simulator.core.bounds import MAX_BYTES
from simulator.core.run import CellSummary, RunHeader, RunSummary
from simulator.store.codec import header_to_json
from simulator.store.schema import runs
from simulator.store.store import Store

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_PACKAGE = Path(__file__).parents[1]
_OPEN = ("running", "broken_off")  # what such a run holds may still change
_Cells = list[tuple[tuple[str, str], CellSummary]]


def kept_text(header: RunHeader, summary: RunSummary, conversations: int) -> str:
    """The figures as text, under what they hold for; empty where people said something of the run.

    Their words count from the moment that they are given, so what counts them is computed.
    """
    if summary.verdicts is not None:
        return ""
    whole, cells = _adapters()
    parts = (
        _mark(header, conversations).encode(),
        whole.dump_json(replace(summary, cells={})),
        cells.dump_json(list(summary.cells.items())),
    )
    return b"\n".join(parts).decode()


def kept_summary(store: Store, header: RunHeader) -> RunSummary | None:
    """The figures of a run as they were when it ended; None where they may be others by now.

    Nor are they where the store holds more than anybody's figures are, or no figures at all.
    """
    if header.status in _OPEN or header.id in store.said(header.client):
        return None
    with store.reading() as connection:
        is_read = func.length(runs.c.figures) <= MAX_BYTES
        query = select(runs.c.figures).where(runs.c.id == header.id, is_read)
        text = connection.execute(query).scalar_one_or_none() or ""
    mark, _, rest = text.partition("\n")
    if mark != _mark(header, len(store.keys(header.id))):
        return None
    figures, _, by_cell = rest.partition("\n")
    whole, cells = _adapters()
    try:
        return replace(whole.validate_json(figures), cells=dict(cells.validate_json(by_cell)))
    except ValueError:  # somebody else wrote into the store
        return None


def _mark(header: RunHeader, conversations: int) -> str:
    """What figures hold for: this code, what the run was told, and so many conversations."""
    plan = replace(header, status="", finished=None, notes=(), waits={}, wall_s=0.0)
    digest = hashlib.sha256(f"{_code()}\0{header_to_json(plan)}".encode())
    return f"{digest.hexdigest()} {conversations}"


@cache
def _code() -> str:
    """What tells this code from any other: its files, by size and time."""
    files = sorted(
        (str(path.relative_to(_PACKAGE)), path.stat().st_size, path.stat().st_mtime_ns)
        for path in _PACKAGE.rglob("*")
        if path.suffix in (".py", ".yaml", ".json")
    )
    return hashlib.sha256(repr(files).encode()).hexdigest()


@cache
def _adapters() -> "tuple[TypeAdapter[RunSummary], TypeAdapter[_Cells]]":
    from pydantic import TypeAdapter

    return TypeAdapter(RunSummary), TypeAdapter(_Cells)
