"""Calls on the screen: a line for each as it ends, and a table of what a run's calls were."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import figure, paragraph, spaced, table
from simulator.console.output import show_view
from simulator.console.palette import BOLD, DIM
from simulator.core.clean import visible
from simulator.core.events import CallMade, Event, Subscriber
from simulator.core.run import RunHeader
from simulator.store.store import Store
from simulator.view.calls import CallFigures, call_figures
from simulator.view.run_view import duration
from simulator.words import Words, counted

_HEADS = ("n", "p50", "p95", "attempts", "input", "output", "cached", "usd", "waited")


def calls_said(say: Callable[[str], None]) -> Subscriber:
    """A subscriber that says a line for each call that is made."""

    def subscriber(event: Event) -> None:
        if isinstance(event, CallMade) and not event.recalled:
            say(call_line(event))

    return subscriber


def call_line(call: CallMade) -> str:
    """`12:03:04 judge gpt-4.1 login/angry/1 turn 2: ok, 812 ms, 1,203 + 88 tokens`."""
    who = visible(call.model or call.endpoint)
    pieces = [call.status, f"{call.latency_ms:,.0f} ms"]
    if call.attempts != 1:
        pieces.append(counted(call.attempts, "attempt"))
    if call.waited_ms >= 1:
        pieces.append(f"waited {call.waited_ms:,.0f} ms")
    if call.usage.input or call.usage.output:
        pieces.append(f"{call.usage.input:,} + {call.usage.output:,} tokens")
    if call.why:
        pieces.append(visible(call.why))
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    where = f"{visible(call.episode)} turn {call.turn}"
    return f"{now} {call.role.value} {who} {where}: {', '.join(pieces)}"


def show_calls(store: Store, header: RunHeader) -> None:
    """Print what a run's calls were, as far as the store keeps it; in the client's language."""
    figures = call_figures(store.calls(header.id))
    show_view(lambda width: calls_view(header, figures, width))


def calls_view(
    header: RunHeader, figures: Sequence[CallFigures], width: int
) -> Iterator[RenderableType]:
    """A table of the calls by role, model and endpoint, and what they waited for."""
    words = Words(header.language, "calls")
    yield Text(words("title", run=header.id, client=visible(header.client)), BOLD)
    if not figures:
        yield Text(words("none"))
        return
    columns = table(["", *(words(f"head.{head}") for head in _HEADS)])
    for row in figures:
        columns.add_row(*_row(row, words))
    yield from spaced(columns)
    endpoints = dict.fromkeys((row.model, row.endpoint) for row in figures if row.endpoint)
    for model, endpoint in endpoints:
        where = words("where", model=visible(model) or words("bot"), endpoint=visible(endpoint))
        yield from paragraph(where, width, DIM)
    for place, waits in header.waits.items():
        for name, seconds in waits.items():
            limit = words.name("wait", name)
            waited = duration(seconds, header.language)
            text = words("waits", place=visible(place), limit=limit, waited=waited)
            yield from paragraph(text, width)
    if any(row.waited_s is None for row in figures):
        yield from paragraph(words("older"), width, DIM)
    yield from paragraph(words("answered"), width, DIM)


def _row(figures: CallFigures, words: Words) -> Iterator[str]:
    role = words.name("role", figures.role.value)
    yield f"{role} {visible(figures.model)}".rstrip()
    yield f"{figures.calls:,}"
    yield f"{figures.p50_ms:,.0f}"
    yield f"{figures.p95_ms:,.0f}"
    yield f"{figures.attempts:,}"
    yield f"{figures.input_tokens:,}"
    yield f"{figures.output_tokens:,}"
    yield figure(figures.cached_share, ".0%")
    yield figure(figures.cost_usd, ",.4f")
    yield "–" if figures.waited_s is None else duration(figures.waited_s, words.language)
