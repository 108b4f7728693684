"""A run as the columns of a table: a row per turn, or one per conversation."""

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from simulator.console.output import as_json
from simulator.core.errors import InputError
from simulator.core.outcome import Score
from simulator.core.run import Episode, Run
from simulator.core.scenario import element_name
from simulator.statistics.intervals import mean_of
from simulator.view.results import as_they_count
from simulator.view.run_json import TurnLine, turn_json, why_line

_LIBRARIES = ("pandas", "polars")
# Of `mogi export`: what is said of a whole conversation on its last turn, and what stands with
# its metric here.
_LEFT_OUT = frozenset({"stop", "talk", "why", "rerun_for", "scores", "unscored", "unscored_why"})

Row = dict[str, Any]


def turn_rows(run: Run) -> Iterator[Row]:
    """The turns as `mogi export` prints them, flat.

    What is nested there has a dotted name here (`expected.answers`, `latency_ms.target`). A metric
    has two columns: its value under its name, None where there is none, and under `NAME.why` the
    judge's comment, or why there is no value. `result` stands on each turn of a conversation.
    """
    names = [info.name for info in run.header.metrics if info.scope == "turn"]
    for episode, words in as_they_count(run):
        finding = episode.finding
        for turn in episode.turns:
            line = turn_json(run.header, episode, turn, words.get(turn.exchange.turn))
            row = as_json(replace(line, result=finding.result if finding else None))
            yield {**_flat(row | {"expected": _expected(line)}), **_metrics(names, line)}


def episode_rows(run: Run) -> Iterator[Row]:
    """The conversations: result, why, stop, turns, what is flagged, and the mean of each metric.

    `score` is the mean of the metric by which the run is scored; a metric about the whole
    conversation has its one value. None: nothing was scored.
    """
    header = run.header
    for episode, _ in as_they_count(run):
        why, cell, turns = why_line(episode.finding), episode.cell, episode.turns
        means = {info.name: _mean(episode, info.name) for info in header.metrics}
        yield {
            "run": header.id,
            "client": header.client,
            "episode": cell.key,
            "scenario": cell.scenario,
            "persona": cell.persona,
            "repeat": cell.repeat,
            "tags": list(episode.scenario.tags) if episode.scenario else [],
            "goal": episode.scenario.goal if episode.scenario else "",
            "result": episode.finding.result.value if episode.finding else None,
            "why": why and why.line,
            "why.turn": why and why.turn,
            "why.about": list(why.about) if why else [],
            "stop": episode.stop.reason.value,
            "turns": len(turns),
            "flagged": sum(turn.flagged for turn in turns),
            "blames": list(dict.fromkeys(blame for turn in turns for blame in turn.blames)),
            "score": means.get(header.score_by),
            **means,
        }


def frame(rows: Iterator[Row]) -> Any:
    """The rows as a data frame of the library that is installed, the one in use before others.

    Raises:
        InputError: neither pandas nor polars is installed.
    """
    names = sorted(_LIBRARIES, key=lambda name: name not in sys.modules)  # stable
    for name in names:
        try:
            library = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        columns: dict[str, list[Any]] = {}
        for row in rows:
            for key, value in row.items():
                columns.setdefault(key, []).append(value)
        return library.DataFrame(columns)
    raise InputError("a data frame needs pandas or polars: pip install pandas")


def _flat(line: Row) -> Row:
    row: Row = {}
    for key in [key for key in line if key not in _LEFT_OUT]:
        value = line[key]
        nested = value if isinstance(value, dict) else None
        row |= {key: value} if nested is None else {f"{key}.{n}": v for n, v in nested.items()}
    return row


def _expected(line: TurnLine) -> Row:
    """What the scenario expects; an element's alternatives are one text, as people read them."""
    if line.expected is None:
        lists: Row = {name: [] for name in ("answers", "elements", "documents")}
        return {**lists, "answerable": None, "escalate": None, "must_not": [], "approved": None}
    elements = [element_name(element) for element in line.expected.elements]
    return {**as_json(line.expected), "elements": elements}


def _metrics(names: list[str], line: TurnLine) -> Row:
    row: Row = {}
    for name in names:
        score, gap, detail = line.scores.get(name), line.unscored.get(name), line.unscored_why
        why = ": ".join(filter(None, (gap, detail.get(name)))) or None
        row |= {name: float(score.value) if score else None}
        row |= {f"{name}.why": score.comment if score else why}
    return row


def _mean(episode: Episode, name: str) -> float | None:
    places = [episode.outcomes, *(turn.outcomes for turn in episode.turns)]
    every = (outcomes.get(name) for outcomes in places)
    return mean_of(outcome.value for outcome in every if isinstance(outcome, Score))
