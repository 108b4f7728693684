"""A comparison as JSON values: the contract of `mogi compare --json`."""

from collections.abc import Sequence
from typing import Any

from simulator.console.output import as_json
from simulator.core.comparison import (
    CellChange,
    Chance,
    Change,
    Comparison,
    Corrected,
    Difference,
    Moves,
    People,
)
from simulator.core.run import RunHeader
from simulator.screens.compare_cases import scenarios

_REGRESSED = {
    Change.REGRESSED: True,
    Change.IMPROVED: False,
    Change.NO_DIFFERENCE: False,
    Change.UNDECIDED: None,
}


def compare_json(comparison: Comparison) -> dict[str, Any]:
    """What `mogi compare --json` prints. Means are 0–1, differences after - before, or None."""
    not_compared = comparison.apart
    low, high = comparison.bounds or (None, None)
    return {
        "before": _run_json(comparison.before, comparison.complete[0]),
        "after": _run_json(comparison.after, comparison.complete[1]),
        "change": comparison.change.value,
        "undecided": as_json(comparison.why),
        "alpha": comparison.alpha,
        "score_by": comparison.score,
        "score": {**_difference_json(comparison.of_score), "worst": low, "best": high},
        "gap_turns": dict(zip(("before", "after"), comparison.gap_turns, strict=True)),
        "gap_why": dict(zip(("before", "after"), comparison.gap_texts, strict=True)),
        "metrics": {each.info.name: _difference_json(each) for each in comparison.metrics},
        "pairs": comparison.paired,
        "newly_failing": _cells_json(comparison.cells.newly_failing),
        "newly_passing": _cells_json(comparison.cells.newly_passing),
        "unsteady": _cells_json(comparison.cells.unsteady),
        "left_open": _cells_json(comparison.cells.left_open),
        "scenarios": {
            "newly_failing": scenarios(comparison.cells.newly_failing),
            "newly_passing": scenarios(comparison.cells.newly_passing),
        },
        "expected_by_chance": _chance_json(comparison.chance),
        "regressed": _REGRESSED[comparison.change],
        "people": _people_json(comparison.people),
        "score_corrected": _corrected_json(comparison.corrected),
        "flips": as_json(comparison.flips),
        "listed_by": "results" if comparison.by_results else "score",
        "fell": _moves_json(comparison.fell),
        "rose": _moves_json(comparison.rose),
        "not_compared": {
            **as_json(not_compared, "only_before", "only_after"),
            "other_question": as_json(not_compared.questions),
            "unscored": as_json(not_compared.unmeasured),
            "not_applicable": not_compared.not_applicable,
        },
        **as_json(comparison, "doubts", "differs"),
    }


def _run_json(header: RunHeader, complete: int) -> dict[str, Any]:
    return {
        "run": header.id,
        **as_json(header, "client", "kind", "of", "started", "status", "score_by"),
        "conversations": complete,
        "unfinished": max(0, header.planned - complete),
    }


def _difference_json(difference: Difference) -> dict[str, Any]:
    return {
        **as_json(difference, "before", "after", "raw_before", "raw_after"),
        "difference": difference.value.mean,
        **as_json(difference.value, "low", "high"),
        **as_json(difference, "p", "p_adjusted", "exact", "pairs", "clusters"),
        "clustered_by": "scenario",
        **as_json(difference, "changed", "noticeable", "lower", "higher"),
    }


def _moves_json(moves: Moves) -> dict[str, Any]:
    conversations = [
        {
            "episode": moved.cell.key,
            **as_json(moved.cell, "scenario", "persona", "repeat"),
            **as_json(moved, "change", "before", "after"),
        }
        for moved in moves.told
    ]
    return {"n": moves.n, "conversations": conversations}


def _cells_json(cells: Sequence[CellChange]) -> list[dict[str, Any]]:
    return [
        {
            "cell": cell.name,
            **as_json(cell, "scenario", "persona", "why", "must_pass"),
            "before": cell.before._asdict(),
            "after": cell.after._asdict(),
        }
        for cell in cells
    ]


def _chance_json(chance: Chance | None) -> dict[str, Any] | None:
    if chance is None:
        return None
    return {
        "newly_failing": as_json(chance.failing),
        "newly_passing": as_json(chance.passing),
        "cells": chance.cells,
        "measured_by": "same_bot" if chance.runs else "repeats",
        "runs": list(chance.runs),
    }


def _people_json(people: People | None) -> dict[str, Any] | None:
    if people is None:
        return None
    difference = {"difference": people.value.mean, **as_json(people.value, "low", "high")}
    return {**as_json(people, "before", "after"), **difference, "n": people.n}


def _corrected_json(corrected: Corrected | None) -> dict[str, Any] | None:
    if corrected is None:
        return None
    difference = {"difference": corrected.value.mean, **as_json(corrected.value, "low", "high")}
    return {**as_json(corrected, "before", "after"), **difference}
