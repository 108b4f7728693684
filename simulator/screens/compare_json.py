"""The comparison of two runs as one JSON object."""

from dataclasses import asdict
from typing import Any

from simulator.core.comparison import Comparison, Difference, Moved, Moves
from simulator.core.run import RunHeader


def compare_json(found: Comparison) -> dict[str, Any]:
    """What `mogi compare --json` prints. Means are 0–1, differences after - before, or None."""
    score, apart = found.of_score, found.apart
    low, high = found.bounds or (None, None)
    return {
        "before": _run(found.before, found.complete[0]),
        "after": _run(found.after, found.complete[1]),
        "change": found.change.value,
        "undecided": found.why.value if found.why else None,
        "alpha": found.alpha,
        "score_by": found.score,
        "score": {**_difference(score), "worst": low, "best": high},
        "gap_turns": {"before": found.gap_turns[0], "after": found.gap_turns[1]},
        "metrics": {metric.info.name: _difference(metric) for metric in found.metrics},
        "pairs": found.paired,
        "flips": asdict(found.flips),
        "listed_by": "flags" if found.by_flags else "score",
        "fell": _moves(found.fell),
        "rose": _moves(found.rose),
        "not_compared": {
            "only_before": list(apart.only_before),
            "only_after": list(apart.only_after),
            "other_question": list(apart.questions),
            "unscored": [asdict(each) for each in apart.unmeasured],
            "not_applicable": apart.not_applicable,
        },
        "doubts": [{"doubt": d.doubt.value, "names": list(d.names)} for d in found.doubts],
        "differs": {group: list(lines) for group, lines in found.differs.items()},
    }


def _run(header: RunHeader, complete: int) -> dict[str, Any]:
    return {
        "run": header.id,
        "client": header.client,
        "kind": header.kind,
        "of": header.of,
        "started": header.started,
        "status": header.status,
        "score_by": header.score_by,
        "conversations": complete,
        "unfinished": max(0, header.planned - complete),
    }


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "before": found.before,
        "after": found.after,
        "raw_before": found.raw_before,
        "raw_after": found.raw_after,
        "difference": found.value.mean,
        "low": found.value.low,
        "high": found.value.high,
        "p": found.p,
        "p_adjusted": found.p_adjusted,
        "exact": found.exact,
        "pairs": found.pairs,
        "clusters": found.clusters,
        "clustered_by": "scenario" if found.of_scenarios else "conversation",
        "noticeable": found.noticeable,
        "lower": found.lower,
        "higher": found.higher,
    }


def _moves(moves: Moves) -> dict[str, Any]:
    return {"n": moves.n, "conversations": [_moved(moved) for moved in moves.told]}


def _moved(moved: Moved) -> dict[str, Any]:
    return {
        "episode": moved.cell.key,
        "scenario": moved.cell.scenario,
        "persona": moved.cell.persona,
        "repeat": moved.cell.repeat,
        "change": moved.change,
        "before": asdict(moved.before),
        "after": asdict(moved.after),
    }
