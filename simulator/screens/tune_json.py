"""A tuning as one JSON object."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.core.run import Interval
    from simulator.review.tune import Candidate, Tuning
    from simulator.statistics.cutoffs import Caught


def tuning_json(tuning: "Tuning", written: str | None) -> dict[str, Any]:
    """The figures of a tuning; shares in 0-1, None where nothing can be told.

    `written`: the file that the recommended threshold was put into.
    """
    labelled, spread = tuning.labelled, tuning.spread
    more, ok, ng = tuning.lacking
    return {
        "client": tuning.client,
        "metric": labelled.name,
        "objective": str(tuning.objective),
        "judge": labelled.yardstick.judge or None,
        "rubric": labelled.yardstick.rubric or None,
        "verdicts": {"used": tuning.verdicts, "ok": tuning.ok, "ng": tuning.ng},
        "unused": {why.value: n for why, n in tuning.unused.items()},
        "needed": {"verdicts": more, "ok": ok, "ng": ng},
        "conversations": tuning.talks,
        "ng_conversations": tuning.ng_talks,
        "represents": tuning.represents,
        "runs": list(tuning.runs),
        "left_out": [
            {
                "run": left.run,
                "why": left.why.value,
                "judge": left.yardstick.judge or None,
                "rubric": left.yardstick.rubric or None,
            }
            for left in labelled.left_out
        ],
        "today": _candidate(tuning.today),
        "recommended": _candidate(tuning.best),
        "keep_today": tuning.keeps_today,
        "cross_fitted": _caught(tuning.fresh),
        "spread": {
            "same": spread.same,
            "low": spread.low,
            "high": spread.high,
            "none": spread.none,
        }
        if spread
        else None,
        "candidates": [_candidate(candidate) for candidate in tuning.candidates],
        "obstacles": [obstacle.value for obstacle in tuning.obstacles],
        "written": written,
    }


def _candidate(found: "Candidate | None") -> dict[str, Any] | None:
    return {"threshold": found.threshold, **(_caught(found.caught) or {})} if found else None


def _caught(found: "Caught | None") -> dict[str, Any] | None:
    if found is None:
        return None
    recall = found.recall.mean
    return {
        "flagged": _interval(found.flagged),
        "precision": _interval(found.precision),
        "recall": _interval(found.recall),
        "miss_rate": None if recall is None else 1 - recall,
        "f2": found.f_beta(2),
        "youden": found.youden,
    }


def _interval(found: "Interval") -> dict[str, float | None] | None:
    """None where it is not known at all."""
    if found.mean is None:
        return None
    return {"mean": found.mean, "low": found.low, "high": found.high}
