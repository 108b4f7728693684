"""The table of `mogi personas --measure`."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.checks.realism import Manner
from simulator.console.blocks import BOLD, DIM
from simulator.core.clean import visible
from simulator.core.run import Interval, RunHeader
from simulator.reports._figures import labelled
from simulator.words import Words

_WIDE = 110  # cells; from here on there is room for more intervals

_LEGEND = (
    "turns",
    "first",
    "length",
    "plain",
    "questions",
    "orders",
)  # the columns that are explained


def table(
    header: RunHeader, found: Sequence[Manner], real: Manner | None, width: int
) -> Iterator[RenderableType]:
    """The manners of the personas, those of real customers below, and what the columns hold."""
    words = Words(header.language, "measure")
    title = words("title", run=header.id, client=visible(header.client))
    yield Text(title, BOLD)
    yield Text(_played_by(header, words), DIM)
    yield Text("")
    if not any(manner.turns for manner in found):
        yield Text(words("short"))
    yield _rows(found, real, words, wide=width >= _WIDE)
    yield Text("")
    yield labelled([(words(name), Text(words(f"legend.{name}"))) for name in _LEGEND])


def _played_by(header: RunHeader, words: Words) -> str:
    model = header.snapshot.get("client.user.chat.model")
    if model:
        return words("model", model=visible(str(model)))
    kind = header.snapshot.get("client.user.kind") or "agenda"
    return words("kind", kind=visible(str(kind)))


def _rows(found: Sequence[Manner], real: Manner | None, words: Words, *, wide: bool) -> Table:
    heads = ["talks", "turns", "first", "length", "median", "plain", "polite", "formal"]
    heads = [h for h in (*heads, "questions", "orders") if wide or h != "talks"]
    made = Table(box=None, padding=(0, 2 if wide else 1, 0, 0), header_style=BOLD)
    made.add_column(words("who"), no_wrap=True, overflow="ellipsis")
    for head in heads:
        made.add_column(words(head), justify="right", no_wrap=True)
    for manner in found:
        cells = _cells(manner, wide=wide)
        made.add_row(visible(manner.name), *(cells[head] for head in heads))
    if real:
        cells = _cells(real, wide=wide)
        made.add_row(words("real"), *(cells[head] for head in heads), style=BOLD)
    return made


def _cells(row: Manner, *, wide: bool) -> dict[str, str]:
    return {
        "talks": f"{row.talks:,}",
        "turns": f"{row.turns:,}",
        "first": "–" if row.first is None else f"{row.first:.0f}",
        "length": _number(row.length, ".1f", wide=True),
        "median": "–" if row.median is None else f"{row.median:g}",
        "plain": _share(row.plain, wide=wide),
        "polite": _share(row.polite, wide=wide),
        "formal": _share(row.formal, wide=wide),
        "questions": _number(row.questions, ".2f", wide=wide),
        "orders": f"{row.orders:,}",
    }


def _number(value: Interval, form: str, *, wide: bool) -> str:
    if value.mean is None:
        return "–"
    return f"{value.mean:{form}}{_half(value, form) if wide else ''}"


def _share(value: Interval, *, wide: bool) -> str:
    if value.mean is None:
        return "–"
    return f"{value.mean:.0%}" + (_ends(value) if wide else "")


def _half(value: Interval, form: str) -> str:
    return "" if value.high is None or value.mean is None else f" ±{value.high - value.mean:{form}}"


def _ends(value: Interval) -> str:
    """The ends of a share; they are cut at 0 and 100 %, so they need not lie alike."""
    if value.low is None or value.high is None or value.low == value.high:
        return ""
    return f" {100 * value.low:.0f}–{100 * value.high:.0f}"
