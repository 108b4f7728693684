"""What metrics are made of, over a run of scored answers: precision and recall, coverage, …."""

from collections.abc import Iterator

from rich.text import Text

from simulator.console.palette import DIM
from simulator.core.outcome import Score
from simulator.core.run import Run
from simulator.statistics.totals import Total
from simulator.words import Words


def parts_of_scores(run: Run, words: Words) -> Iterator[Text]:
    """A line for each metric whose scores have parts: their means over the rows that have them."""
    if not run.header.is_of_rows:
        return
    for metric, parts in _totals(run).items():
        told = ", ".join(f"{name} {total.mean or 0:.2f}" for name, total in parts.items())
        counts = sorted({total.count for total in parts.values()})
        n = "–".join(f"{n:,}" for n in dict.fromkeys((counts[0], counts[-1])))
        yield Text(words("score_parts", metric=metric, parts=told, n=n), DIM)


def _totals(run: Run) -> dict[str, dict[str, Total]]:
    found: dict[str, dict[str, Total]] = {info.name: {} for info in run.header.metrics}
    for episode in run.episodes():
        for turn in episode.turns:
            for metric, outcome in turn.outcomes.items():
                if isinstance(outcome, Score) and metric in found:
                    for name, value in outcome.parts.items():
                        found[metric].setdefault(name, Total()).add(value)
    return {metric: parts for metric, parts in found.items() if parts}
