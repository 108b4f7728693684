"""A judge check as one JSON object."""

from dataclasses import asdict
from typing import Any

from simulator.checks.probes import Finding, JudgeCheck, KindFigures, MetricCheck, Probe
from simulator.core.outcome import Outcome, Score, Unscored
from simulator.core.run import Interval


def check_json(check: JudgeCheck) -> dict[str, Any]:
    """The figures of a check, and what came of each mutation; shares are 0–1."""
    header, ledger = check.header, check.ledger
    return {
        "check": header.id,
        "client": header.client,
        "language": header.language,
        "judge": {
            "model": header.snapshot.get("client.judge.chat.model"),
            "votes": header.snapshot.get("client.judge.votes"),
            "calls": header.snapshot.get("client.judge.calls"),
        },
        "started": header.started,
        "finished": header.finished,
        "status": header.status,
        "files": list(check.files),
        "mutations": check.mutations,
        "own": check.own,
        "answers": check.answers,
        "unfinished": check.unfinished,
        "metrics": {metric.info.name: _metric(check, metric) for metric in check.metrics},
        "calls": dict(ledger.calls),
        "tokens": {
            "input": ledger.input_tokens,
            "output": ledger.output_tokens,
            "cached": ledger.cached_tokens,
        },
        "cost_usd": ledger.cost_usd,
        "gate": None if header.gate is None else {"under": header.gate, "passed": check.passed},
        "wall_s": header.wall_s,
    }


def _metric(check: JudgeCheck, metric: MetricCheck) -> dict[str, Any]:
    flips = metric.flips
    return {
        "threshold": metric.threshold,
        "right": metric.share.moved,
        "tested": metric.share.tested,
        "share": metric.share.interval.mean,
        "unscored": metric.unscored,
        "passed": metric.passed(check.header.gate),
        "flips": {
            "flipped": flips.flipped,
            "tested": flips.tested,
            "crossed": flips.crossed,
            **_ends(flips.interval, "rate"),
        },
        "spoilt": asdict(metric.spoilt) if metric.spoilt else None,
        "kinds": {kind.kind: _kind(kind) for kind in metric.kinds},
        "items": [_item(probe) for probe in metric.probes],
    }


def _kind(kind: KindFigures) -> dict[str, Any]:
    return {
        "must": list(kind.musts),
        "n": kind.n,
        "right": kind.share.moved,
        "tested": kind.share.tested,
        **_ends(kind.share.interval, "share"),
        "move": kind.move,
        "no_room": kind.no_room,
        "unscored": dict(kind.unscored),
    }


def _ends(interval: Interval, name: str) -> dict[str, float | None]:
    return {name: interval.mean, "low": interval.low, "high": interval.high}


def _item(probe: Probe) -> dict[str, Any]:
    mutation = probe.mutation
    told: dict[str, Any] = {
        "id": mutation.id,
        "kind": mutation.kind,
        "must": mutation.must,
        "by": mutation.by,
        "base": _outcome(probe.base),
        "mutated": _outcome(probe.mutated),
        "move": probe.move,
        "finding": probe.finding.value,
        "crossed": probe.crossed,
    }
    if probe.finding is Finding.MISSED and isinstance(probe.mutated, Score):
        told["comment"] = probe.mutated.comment
    return told


def _outcome(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Unscored):
        return {"unscored": outcome.reason.value, "detail": outcome.detail}
    return {"value": outcome.value, "raw": outcome.raw}
