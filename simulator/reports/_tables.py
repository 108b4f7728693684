"""The end of a report: all metrics, how talks ended, what the run cost, how to go on."""

import shlex
from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.core.clean import visible
from simulator.core.run import Interval, Ledger, MetricSummary, Run
from simulator.reports._headline import labelled, rating
from simulator.reports._layout import fit
from simulator.reports._palette import BOLD, DIM
from simulator.reports._words import Words

_WIDEST_METRIC = 24


def metrics_table(run: Run, words: Words) -> Iterator[RenderableType]:
    """A line for each metric, where there is more than one and any of them has a score."""
    metrics = run.summary.metrics.values()
    if len(metrics) < 2 or not any(m.scored for m in metrics):
        return
    heads = ("metric", "mean", "ci", "rating", "scored", "limit", "flagged")
    rated = any(m.info.rated for m in metrics)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    for head in heads:
        if head != "rating" or rated:
            table.add_column(words(head), justify="left" if head == "metric" else "right")
    for name, metric in run.summary.metrics.items():
        cells = _cells(name, metric)
        table.add_row(*(cells if rated else [*cells[:3], *cells[4:]]))
    yield Text("")
    yield table


def _cells(name: str, metric: MetricSummary) -> list[Text]:
    total = metric.scored + sum(metric.unscored.values())
    mean = metric.value.mean
    cells = [
        fit(name, _WIDEST_METRIC),
        "–" if mean is None else f"{mean:.2f}",
        _ends(metric.value),
        rating(metric.info, metric.raw_mean),
        f"{metric.scored:,}/{total:,}" if total else "–",
        "" if metric.threshold is None else f"{metric.threshold:g}",
        "" if metric.threshold is None else f"{metric.flagged:,}",
    ]
    return [Text(cell) for cell in cells]


def _ends(value: Interval) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"{value.low:.2f}–{value.high:.2f}"


def ending(run: Run, words: Words) -> Iterator[RenderableType]:
    """How talks ended, what failed, what it cost, and what can be done next."""
    header, summary = run.header, run.summary
    lines = [(words("stops"), words.counts("stop", summary.stops))]
    if any(summary.failures.values()):
        lines.append((words("failures"), words.counts("failure", summary.failures)))
    lines += _paid(summary.ledger, words)
    lines.append((words("time"), duration(header.wall_s)))
    yield Text("")
    yield labelled([(label, Text(text)) for label, text in lines if text])
    yield Text("")
    yield Text(words("next"), BOLD)
    yield from _commands(run, words)


def _paid(ledger: Ledger, words: Words) -> Iterator[tuple[str, str]]:
    yield words("calls"), words.counts("role", ledger.calls)
    if ledger.input_tokens or ledger.output_tokens:
        yield (
            words("tokens"),
            words(
                "tokens_text",
                input=f"{ledger.input_tokens:,}",
                cached=f"{ledger.cached_tokens:,}",
                output=f"{ledger.output_tokens:,}",
            ),
        )
    if ledger.cost_usd is None:
        yield words("cost"), words("no_price")
    elif ledger.cost_usd:
        yield words("cost"), f"${ledger.cost_usd:,.4f}"


def duration(seconds: float) -> str:
    """`3.2 s`, `4 min 05 s`, `2 h 03 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def _commands(run: Run, words: Words) -> Iterator[Text]:
    header, summary = run.header, run.summary
    commands = []
    if summary.unfinished:
        resume = f"mogi run --resume {header.id}"
        commands.append((resume, words("resume", n=f"{summary.unfinished:,}")))
    if summary.weak:
        worst = shlex.quote(visible(summary.weak[0].cell.key))
        commands.append((f"mogi show {header.id} {worst}", words("show")))
    commands.append((f"mogi export {header.id}", words("export")))
    widest = max(cell_len(command) for command, _ in commands)
    for command, what in commands:
        line = Text(f"  {set_cell_size(command, widest)}", no_wrap=True)
        yield line.append(f"   # {what}", DIM)
