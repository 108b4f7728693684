"""How the users of a run wrote, beside real customers: a table or JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.checks.realism import Manner
from simulator.console.blocks import figure, labelled, spaced, table
from simulator.console.output import as_json
from simulator.console.palette import BOLD, DIM
from simulator.core.clean import visible
from simulator.core.outcome import Interval
from simulator.core.run import RunHeader
from simulator.words import Words

_WIDE = 110  # cells; from here on there is room for more intervals
_HEADS = (
    "talks", "turns", "first", "length", "median", "plain", "polite", "formal", "questions",
    "orders",
)  # fmt: skip
_EXPLAINED = ("turns", "first", "length", "plain", "questions", "orders")
_COUNTS = ("talks", "turns", "first", "median", "neither", "orders")
_MEANS = ("length", "plain", "polite", "formal", "questions")


def manners_view(
    header: RunHeader, manners: Sequence[Manner], real: Manner | None, width: int
) -> Iterator[RenderableType]:
    """The manners of the personas, those of real customers below, and what the columns hold."""
    words, snapshot = Words(header.language, "measure"), header.snapshot
    yield Text(words("title", run=header.id, client=visible(header.client)), BOLD)
    if model := snapshot.get("client.user.chat.model"):
        yield Text(words("model", model=visible(str(model))), DIM)
    else:
        kind = snapshot.get("client.user.kind") or "agenda"
        yield Text(words("kind", kind=visible(str(kind))), DIM)
    yield Text("")
    if not any(manner.turns for manner in manners):
        yield Text(words("short"))
    yield _rows(manners, real, words, wide=width >= _WIDE)
    yield from spaced(
        labelled([(words(name), Text(words(f"legend.{name}"))) for name in _EXPLAINED])
    )


def _rows(manners: Sequence[Manner], real: Manner | None, words: Words, *, wide: bool) -> Table:
    heads = _HEADS if wide else _HEADS[1:]
    columns = table([words(h) for h in ("who", *heads)], gap=2 if wide else 1, no_wrap=True)
    for manner in manners:
        cells = _cells(manner, wide=wide)
        columns.add_row(visible(manner.name), *(cells[head] for head in heads))
    if real:
        cells = _cells(real, wide=wide)
        columns.add_row(words("real"), *(cells[head] for head in heads), style=BOLD)
    return columns


def _cells(row: Manner, *, wide: bool) -> dict[str, str]:
    return {
        "talks": f"{row.talks:,}",
        "turns": f"{row.turns:,}",
        "first": figure(row.first, ".0f"),
        "length": _number(row.length, ".1f", wide=True),
        "median": figure(row.median, "g"),
        "plain": _share(row.plain, wide=wide),
        "polite": _share(row.polite, wide=wide),
        "formal": _share(row.formal, wide=wide),
        "questions": _number(row.questions, ".2f", wide=wide),
        "orders": f"{row.orders:,}",
    }


def _number(value: Interval, form: str, *, wide: bool) -> str:
    mean = figure(value.mean, form)
    if not wide or value.high is None or value.mean is None:
        return mean
    return f"{mean} ±{value.high - value.mean:{form}}"


def _share(value: Interval, *, wide: bool) -> str:
    """A share; its ends are cut at 0 and 100 %, so they need not lie alike."""
    mean = figure(value.mean, ".0%")
    if not wide or value.low is None or value.high is None or value.low == value.high:
        return mean
    return f"{mean} {100 * value.low:.0f}–{100 * value.high:.0f}"


def manners_json(
    header: RunHeader, manners: Sequence[Manner], real: Manner | None
) -> dict[str, Any]:
    """The figures of each persona and, where there is a log, of real customers."""
    user = {"kind": "client.user.kind", "model": "client.user.chat.model"}
    return {
        "run": header.id,
        **as_json(header, "client", "language"),
        "user": {name: header.snapshot.get(key) for name, key in user.items()},
        "unit": "characters" if header.language == "ja" else "words",
        "personas": {manner.name: as_json(manner, *_COUNTS, *_MEANS) for manner in manners},
        "beside": as_json(real, *_COUNTS, *_MEANS) if real else None,
    }
