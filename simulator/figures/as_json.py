"""A run and its turns as JSON values: the contracts of `mogi run --json` and `mogi export`."""

from typing import Any

from simulator.core.outcome import Outcomes, Score, Unscored
from simulator.core.ports import Role
from simulator.core.run import (
    CorrectedScore,
    Episode,
    Ledger,
    MetricSummary,
    Run,
    RunHeader,
    RunSummary,
    Turn,
    VerdictSummary,
)
from simulator.core.talk import Exchange, TargetFailure
from simulator.core.verdict import Word
from simulator.figures.gate import gate
from simulator.figures.rag_sum import rag_sum

_ROLES = (Role.USER, Role.JUDGE, Role.EMBEDDING, Role.TARGET)


def run_json(run: Run) -> dict[str, Any]:
    """What `mogi run --json` prints: the figures of a run.

    Means, ends and bounds are in 0-1, or None where there is nothing to tell. `gate` is always
    there; its `passed` is None where none was asked for or where the gaps decide.
    `score_corrected` is None where no turns were drawn for people, or too few have a verdict.
    """
    header, summary, score = run.header, run.summary, run.summary.score
    interval = score.value if score else None
    return {
        "run": header.id,
        "client": header.client,
        "kind": header.kind,
        "of": header.of,
        "started": header.started,
        "finished": header.finished,
        "status": header.status,
        "offline": header.offline,
        "score_by": header.score_by,
        "conversations": summary.conversations,
        "turns": summary.turns,
        "score": interval.mean if interval else None,
        "score_low": interval.low if interval else None,
        "score_high": interval.high if interval else None,
        "score_worst": score.worst if score else None,
        "score_best": score.best if score else None,
        "score_corrected": _corrected(summary.corrected),
        "scored": score.scored if score else 0,
        "unscored": dict(score.unscored) if score else {},
        "not_applicable": score.not_applicable if score else 0,
        "flagged": summary.flagged,
        "blames": dict(summary.blames),
        "metrics": {
            name: _metric(metric) | _auc(summary.verdicts, name)
            for name, metric in summary.metrics.items()
        },
        "rag_sum": _rag_sum(summary),
        "verdicts": _verdicts(summary.verdicts),
        "stops": dict(summary.stops),
        "failures": dict(summary.failures),
        "soundness": dict(summary.soundness),
        "unfinished": summary.unfinished,
        **_paid(summary.ledger),
        "gate": {"under": header.gate, "passed": gate(summary, header.gate)},
        "wall_s": header.wall_s,
        "versions": _versions(header),
        "notes": list(header.notes),
    }


def _versions(header: RunHeader) -> dict[str, str]:
    """Of mogi, and of what cuts Japanese into words where this run's figures depend on it."""
    cut = {k.partition(".")[2]: v for k, v in header.snapshot.items() if k.startswith("sudachi.")}
    return {"mogi": header.version, **cut}


def _metric(metric: MetricSummary) -> dict[str, Any]:
    return {
        "mean": metric.value.mean,
        "low": metric.value.low,
        "high": metric.value.high,
        "worst": metric.worst,
        "best": metric.best,
        "raw_mean": metric.raw_mean,
        "scored": metric.scored,
        "unscored": dict(metric.unscored),
        "not_applicable": metric.not_applicable,
        "threshold": metric.threshold,
        "flagged": metric.flagged,
    }


def _rag_sum(summary: RunSummary) -> dict[str, Any] | None:
    found = rag_sum(summary)
    return {"sum": found.total, "of": found.of, "scored": dict(found.scored)} if found else None


def _verdicts(found: VerdictSummary | None) -> dict[str, int]:
    if found is None:
        return {"ok": 0, "ng": 0, "unsure": 0}
    return {"ok": found.ok, "ng": found.ng, "unsure": found.unsure}


def _corrected(found: CorrectedScore | None) -> dict[str, Any] | None:
    """The share that people would call OK; None where too few of them said anything."""
    if found is None or found.value.mean is None:
        return None
    return {
        "mean": found.value.mean,
        "low": found.value.low,
        "high": found.value.high,
        "n": found.n,
        "audited": found.audited,
        "lambda": found.tuning,
    }


def _auc(found: VerdictSummary | None, name: str) -> dict[str, Any]:
    """How a metric goes with people's verdicts; nothing where there are none."""
    of = found.metrics.get(name) if found else None
    if of is None:
        return {}
    ends = {"mean": of.auc.mean, "low": of.auc.low, "high": of.auc.high}
    return {"auc": {**ends, "ok": of.ok, "ng": of.ng}}


def _paid(ledger: Ledger) -> dict[str, Any]:
    calls = {role.value: ledger.calls.get(role, 0) for role in _ROLES}
    return {
        "calls": {**calls, **{r: n for r, n in ledger.calls.items() if r not in calls}},
        "tokens": {
            "input": ledger.input_tokens,
            "output": ledger.output_tokens,
            "cached": ledger.cached_tokens,
        },
        "cost_usd": ledger.cost_usd,
    }


def _failure(exchange: Exchange) -> str | None:
    reply = exchange.reply
    return f"{reply.fault}: {reply.message}" if isinstance(reply, TargetFailure) else None


def turn_json(
    header: RunHeader, episode: Episode, turn: Turn, verdict: Word | None = None
) -> dict[str, Any]:
    """What `mogi export` prints for one turn.

    `stop` and `talk`, the outcomes of metrics about the whole conversation, are None on every turn
    but the last; `assistant` is empty where the target failed, and
    `failure` then says how. `verdict`: what people say of it, if anybody does.
    """
    exchange, last = turn.exchange, episode.turns[-1].exchange.turn
    return {
        "run": header.id,
        "client": header.client,
        "episode": episode.cell.key,
        "scenario": episode.cell.scenario,
        "persona": episode.cell.persona,
        "repeat": episode.cell.repeat,
        "turn": exchange.turn,
        "user": exchange.user,
        "assistant": exchange.assistant,
        "failure": _failure(exchange),
        "documents": [{"id": d.id, "text": d.text} for d in exchange.documents],
        **_outcomes(turn.outcomes),
        "flagged": turn.flagged,
        "blame": turn.blame,
        "soundness": list(turn.soundness),
        "verdict": verdict.value if verdict else None,
        "latency_ms": {
            "user": exchange.user_ms,
            "target": exchange.target_ms,
            "judge": turn.judge_ms,
        },
        "stop": episode.stop.reason.value if exchange.turn == last else None,
        "talk": _outcomes(episode.outcomes) if exchange.turn == last else None,
    }


def _outcomes(outcomes: Outcomes) -> dict[str, Any]:
    return {
        "scores": {n: _score(o) for n, o in outcomes.items() if isinstance(o, Score)},
        "unscored": {n: o.reason.value for n, o in outcomes.items() if isinstance(o, Unscored)},
    }


def _score(score: Score) -> dict[str, Any]:
    parts = {"parts": dict(score.parts)} if score.parts else {}
    return {"value": score.value, "raw": score.raw, "comment": score.comment, **parts}
