"""The end of a report: all metrics, how talks ended, what the run cost, how to go on."""

import shlex
from collections.abc import Iterator
from pathlib import PurePath

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.commands import command_lines
from simulator.console.layout import fit
from simulator.console.palette import BOLD, DIM
from simulator.core.clean import visible
from simulator.core.run import Interval, Ledger, MetricSummary, Run, Separation
from simulator.figures.rag_sum import rag_sum
from simulator.reports._headline import labelled, rating
from simulator.words import Words

_WIDEST_METRIC = 24


def metrics_table(run: Run, words: Words) -> Iterator[RenderableType]:
    """A line for each metric, where there is more to tell than the one score and its interval.

    Where people gave verdicts, it says how well each metric goes with them.
    """
    metrics = run.summary.metrics.values()
    verdicts = run.summary.verdicts
    if not any(m.scored for m in metrics) or (len(metrics) < 2 and verdicts is None):
        return
    left_out = set() if any(m.info.rated for m in metrics) else {"rating"}
    left_out |= {"auc"} if verdicts is None else set()
    left_out |= set() if any(m.threshold is not None for m in metrics) else {"limit", "flagged"}
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    for head in _HEADS:
        if head not in left_out:
            table.add_column(words(head), justify="left" if head == "metric" else "right")
    for name, metric in run.summary.metrics.items():
        separation = verdicts.metrics.get(name) if verdicts else None
        cells = _cells(name, metric, separation)
        table.add_row(*(Text(cells[head]) for head in _HEADS if head not in left_out))
    yield Text("")
    yield table
    yield from _added_up(run, words)
    if verdicts is not None:
        yield Text(words("auc_text"), DIM)


def _added_up(run: Run, words: Words) -> Iterator[Text]:
    found = rag_sum(run.summary)
    if found is None:
        return
    fewest, most = min(found.scored.values()), max(found.scored.values())
    turns = f"{most:,}" if fewest == most else f"{fewest:,}–{most:,}"
    yield Text(words("rag_sum", sum=f"{found.total:.2f}", of=found.of, turns=turns))


_HEADS = ("metric", "mean", "ci", "rating", "scored", "limit", "flagged", "auc")


def _cells(name: str, metric: MetricSummary, separation: Separation | None) -> dict[str, str]:
    total = metric.scored + sum(metric.unscored.values())
    return {
        "metric": fit(name, _WIDEST_METRIC),
        "mean": _mean(metric.value),
        "ci": _ends(metric.value),
        "rating": rating(metric.info, metric.raw_mean),
        "scored": f"{metric.scored:,}/{total:,}" if total else "–",
        "limit": "" if metric.threshold is None else f"{metric.threshold:g}",
        "flagged": "" if metric.threshold is None else f"{metric.flagged:,}",
        "auc": _auc(separation) if separation else "–",
    }


def _auc(separation: Separation) -> str:
    ends = _ends(separation.auc)
    return f"{_mean(separation.auc)} ({ends})" if ends else _mean(separation.auc)


def _mean(value: Interval) -> str:
    return "–" if value.mean is None else f"{value.mean:.2f}"


def _ends(value: Interval) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"{value.low:.2f}–{value.high:.2f}"


def ending(run: Run, words: Words, width: int) -> Iterator[RenderableType]:
    """How talks ended, what failed, what it cost, and what can be done next."""
    yield Text("")
    yield labelled([(label, Text(text)) for label, text in how_it_went(run, words)])
    yield Text("")
    yield Text(words("next"), BOLD)
    yield from command_lines(_commands(run, words), width)


def how_it_went(run: Run, words: Words) -> list[tuple[str, str]]:
    """How talks ended, what failed, what it cost; a label and a text each."""
    header, summary = run.header, run.summary
    # Every row of a file is one turn and ends there.
    of_rows = header.is_of_rows
    lines = [] if of_rows else [(words("stops"), words.counts("stop", summary.stops))]
    if any(summary.failures.values()):
        lines.append((words("failures"), words.counts("failure", summary.failures)))
    lines += paid(summary.ledger, words)
    lines.append((words("time"), duration(header.wall_s)))
    return [(label, text) for label, text in lines if text]


def paid(ledger: Ledger, words: Words) -> Iterator[tuple[str, str]]:
    """What was called, and what it cost."""
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


def _commands(run: Run, words: Words) -> list[tuple[str, str]]:
    header, summary = run.header, run.summary
    commands = []
    if summary.unfinished:
        commands.append((header.resume, words("resume", n=f"{summary.unfinished:,}")))
    if summary.weak:
        worst = shlex.quote(visible(summary.weak[0].cell.key))
        commands.append((f"mogi show {header.id} {worst}", words("show")))
    commands.append((f"mogi export {header.id}", words("export")))
    if header.kind == "score" and not summary.unfinished:
        ending = PurePath(header.of).suffix
        commands.append((f"{header.resume} -o scored{ending}", words("scored_file")))
    return commands
