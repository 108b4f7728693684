"""The report that people read first: on the screen, or as plain text in a file."""

import shlex
from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import broken, command_lines, figure, labelled, spaced, table
from simulator.console.layout import fit, wrap
from simulator.console.output import height, page, show, show_view
from simulator.console.palette import BAD, BOLD, DIM
from simulator.core.clean import visible
from simulator.core.outcome import Score
from simulator.core.run import Run
from simulator.formats.own_files import text_file
from simulator.reports._weak import heatmap, undecided, weak_turns
from simulator.statistics.intervals import Total
from simulator.view.first_screen import fault_about
from simulator.view.run_view import Line, MetricRow, RunView, ends_of, rating, rewriting, view_of
from simulator.view.worst import screen_names
from simulator.words import Words

_FIRST = 40  # lines of the first screen: how it went, what to fix, and the map
_HEADS = ("metric", "mean", "ci", "rating", "scored", "limit", "flagged", "auc")
_WIDEST_METRIC = 28  # cells of a name


class Terminal:
    """Score, persona × scenario heat map and worst turns, on screen or as a text file."""

    NEEDS_PATH = False

    def write(self, run: Run, path: str | None) -> None:
        """Print the report on standard output, or write it to `path` without colours.

        Raises:
            InputError: the file cannot be written.
        """
        words = Words(run.header.language, "report", "first", "page")
        view = view_of(run, words)
        if path is None:
            show_view(lambda width: _parts(run, view, words, width))
            return
        with text_file(path) as file:
            console = page(file)
            show(_parts(run, view, words, console.width), console)


def _apart(lines: Iterable[Text]) -> list[Text]:
    """With an empty line before them, if there are any."""
    some = list(lines)
    return [Text(""), *some] if some else []


def _parts(run: Run, view: RunView, words: Words, width: int) -> Iterator[RenderableType]:
    head = (line for text in view.head for line in broken(text, width))
    first = [*head, *spaced(_beside(view.lines)), *_apart(_fix_first(run, view, words, width))]
    yield from first
    if view.heat:
        room = _FIRST - height(first, width) - 1
        yield from _apart(heatmap(run, view.heat, words, width, room))
    for lists in (weak_turns, undecided):
        yield from _apart(lists(run, view.turns, words, width))
    metrics, parts = list(_metrics(run, view, words)), list(_parts_of_scores(run, words))
    yield from metrics or ([Text("")] if parts else [])
    yield from parts
    yield from spaced(_beside(view.ended))
    yield from spaced(Text(words("next"), BOLD))
    yield from command_lines(_commands(run, words), width)


def _beside(lines: Iterable[Line]) -> RenderableType:
    return labelled((line.label, line.text) for line in lines)


def _fix_first(run: Run, view: RunView, words: Words, width: int) -> Iterator[Text]:
    """Fault and expected entry, with how many conversations fail for it."""
    groups = view.fix_first
    if not groups or run.header.is_of_rows:
        return
    yield Text(view.fix_head, BOLD)
    weights = [words("fix.weight", n=group.weight) for group in groups]
    widest = max(map(len, weights))
    for group, weight in zip(groups, weights, strict=True):
        head = f" {weight.rjust(widest)}  "
        text = f"{fault_about(group, words)}  {words('user')}: {group.question}"
        line = wrap(text, width - cell_len(head), 1)
        yield Text.assemble((head, BAD), *line)


def _metrics(run: Run, view: RunView, words: Words) -> Iterator[RenderableType]:
    """A line for each metric, where there is more to tell than the one score and its interval.

    Where people gave verdicts, it says how well each metric goes with them.
    """
    rows, has_verdicts = view.metrics, run.summary.verdicts is not None
    if not any(r.figures.scored for r in rows) or (len(rows) < 2 and not has_verdicts):
        return
    left_out = set() if any(row.figures.info.rated for row in rows) else {"rating"}
    left_out |= set() if has_verdicts else {"auc"}
    has_limit = any(row.figures.threshold is not None for row in rows)
    left_out |= set() if has_limit else {"limit", "flagged"}
    heads = [head for head in _HEADS if head not in left_out]
    names = screen_names(run.header)
    columns = table([words(head) for head in heads])
    for row in rows:
        cells = _cells(row, names.get(row.name, row.name), words.to)
        columns.add_row(*(Text(cells[head]) for head in heads))
    yield from spaced(columns)
    yield from (Text(note, DIM) for note in view.metric_notes)


def _cells(row: MetricRow, name: str, to: str) -> dict[str, str]:
    metric, auc = row.figures, row.auc
    total = metric.scored + sum(metric.unscored.values())
    ends = ends_of(auc, to) if auc else ""
    return {
        "metric": fit(name, _WIDEST_METRIC),
        "mean": figure(metric.value.mean),
        "ci": ends_of(metric.value, to),
        "rating": rating(metric.info, metric.raw_mean),
        "scored": f"{metric.scored:,}/{total:,}" if total else "–",
        "limit": "" if metric.threshold is None else f"{metric.threshold:g}",
        "flagged": "" if metric.threshold is None else f"{metric.flagged:,}",
        "auc": figure(auc.mean if auc else None) + (f" ({ends})" if ends else ""),
    }


def _commands(run: Run, words: Words) -> list[tuple[str, str]]:
    header, summary = run.header, run.summary
    commands = []
    if summary.unfinished:
        commands.append((header.resume, words("resume", n=summary.unfinished)))
    if summary.weak:
        worst = shlex.quote(visible(summary.weak[0].cell.key))
        commands.append((f"mogi show {header.id} {worst}", words("show")))
    commands.append((f"mogi export {header.id}", words("export")))
    if command := rewriting(run):
        commands.append((command, words("scored_file")))
    return commands


def _parts_of_scores(run: Run, words: Words) -> Iterator[Text]:
    """A line for each metric whose scores have parts: their means over the rows that have them."""
    if not run.header.is_of_rows:
        return
    for metric, parts in _totals(run).items():
        means = ", ".join(f"{name} {total.mean or 0:.2f}" for name, total in parts.items())
        counts = sorted({total.count for total in parts.values()})
        n = "–".join(f"{n:,}" for n in dict.fromkeys((counts[0], counts[-1])))
        yield Text(words("score_parts", metric=metric, parts=means, n=n), DIM)


def _totals(run: Run) -> dict[str, dict[str, Total]]:
    totals: dict[str, dict[str, Total]] = {info.name: {} for info in run.header.metrics}
    for episode in run.episodes():
        for turn in episode.turns:
            for metric, outcome in turn.outcomes.items():
                if isinstance(outcome, Score) and metric in totals:
                    for name, value in outcome.parts.items():
                        totals[metric].setdefault(name, Total()).add(value)
    return {metric: parts for metric, parts in totals.items() if parts}
