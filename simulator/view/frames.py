"""A run as the columns of a table: a row per turn, or one per conversation."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.core.errors import InputError
from simulator.core.outcome import Outcomes, Score
from simulator.core.run import Episode, Run
from simulator.core.scenario import element_name
from simulator.statistics.intervals import mean_of
from simulator.view.as_json import turn_json
from simulator.view.results import as_it_counts, settled_words

_LIBRARIES = ("pandas", "polars")
# Of `mogi export`: what is said of a whole conversation on its last turn, and what stands with
# its metric here.
_LEFT_OUT = frozenset(
    {"stop", "talk", "result", "why", "rerun_for", "scores", "unscored", "unscored_why"}
)
_CELL = ("scenario", "persona", "repeat")

Row = dict[str, Any]


def turn_rows(run: Run) -> Iterator[Row]:
    """The turns as `mogi export` prints them, flat.

    What is nested there has a dotted name here (`expected.answers`, `latency_ms.target`). A metric
    has two columns: its value under its name, None where there is none, and under `NAME.why` the
    judge's comment, or why there is no value. `result` stands on each turn of a conversation.
    """
    names = [info.name for info in run.header.metrics if info.scope == "turn"]
    for stored, verdicts in run.reviewed():
        words, episode = settled_words(verdicts), as_it_counts(stored, verdicts)
        found = episode.finding
        for turn in episode.turns:
            told = turn_json(run.header, episode, turn, words.get(turn.exchange.turn))
            told["expected"] = _expected(episode)
            result = {"result": found.result.value if found else None}
            yield {**_flat(told), **result, **_metrics(names, turn.outcomes)}


def episode_rows(run: Run) -> Iterator[Row]:
    """The conversations: result, why, stop, turns, what is flagged, and the mean of each metric.

    `score` is the mean of the metric by which the run is scored; a metric about the whole
    conversation has its one value. None: nothing was scored.
    """
    header = run.header
    for episode in (as_it_counts(*each) for each in run.reviewed()):
        found, turns = episode.finding, episode.turns
        means = {info.name: _mean(episode, info.name) for info in header.metrics}
        yield {
            "run": header.id,
            "client": header.client,
            "episode": episode.cell.key,
            **{name: getattr(episode.cell, name) for name in _CELL},
            "tags": list(episode.scenario.tags) if episode.scenario else [],
            "goal": episode.scenario.goal if episode.scenario else "",
            "result": found.result.value if found else None,
            "why": found.why.value if found else None,
            "why.turn": found.turn if found else None,
            "why.about": list(found.about) if found else [],
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


def _flat(told: Mapping[str, Any]) -> Row:
    row: Row = {}
    for key, value in told.items():
        if isinstance(value, dict):
            row |= {f"{key}.{name}": each for name, each in value.items() if key not in _LEFT_OUT}
        elif key not in _LEFT_OUT:
            row[key] = value
    return row


def _expected(episode: Episode) -> Row:
    """What the scenario expects; an element's alternatives are one text, as people read them."""
    expected = episode.scenario.expected if episode.scenario else None
    return {
        "answers": list(expected.answers) if expected else [],
        "elements": [element_name(e) for e in expected.elements] if expected else [],
        "documents": list(expected.documents) if expected else [],
        "answerable": expected.answerable if expected else None,
        "escalate": expected.escalate if expected else None,
    }


def _metrics(names: list[str], outcomes: Outcomes) -> Row:
    row: Row = {}
    for name in names:
        outcome = outcomes.get(name)
        row[name] = float(outcome.value) if isinstance(outcome, Score) else None
        row[f"{name}.why"] = _why(name, outcomes)
    return row


def _why(name: str, outcomes: Mapping[str, Any]) -> str | None:
    outcome = outcomes.get(name)
    if outcome is None or isinstance(outcome, Score):
        return outcome.comment if outcome else None
    reason: str = outcome.reason.value
    return f"{reason}: {outcome.detail}" if outcome.detail else reason


def _mean(episode: Episode, name: str) -> float | None:
    places = [episode.outcomes, *(turn.outcomes for turn in episode.turns)]
    found = (outcomes.get(name) for outcomes in places)
    return mean_of(outcome.value for outcome in found if isinstance(outcome, Score))
