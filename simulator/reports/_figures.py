"""A run and its turns as JSON values: the contracts of `mogi run --json` and `mogi export`."""

from typing import Any

from simulator.core.outcome import Score, Unscored
from simulator.core.ports import Role
from simulator.core.run import Episode, Ledger, MetricSummary, Run, RunHeader, Turn
from simulator.core.talk import Exchange, TargetFailure
from simulator.judging.gate import gate

_ROLES = (Role.USER, Role.JUDGE, Role.EMBEDDING, Role.TARGET)


def run_json(run: Run) -> dict[str, Any]:
    """What `mogi run --json` prints: the figures of a run.

    Means, ends and bounds are in 0-1, or None where there is nothing to tell. `gate` is always
    there; its `passed` is None where none was asked for or where the gaps decide.
    """
    header, summary, score = run.header, run.summary, run.summary.score
    interval = score.value if score else None
    return {
        "run": header.id,
        "client": header.client,
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
        "scored": score.scored if score else 0,
        "unscored": dict(score.unscored) if score else {},
        "not_applicable": score.not_applicable if score else 0,
        "flagged": summary.flagged,
        "blames": dict(summary.blames),
        "metrics": {name: _metric(metric) for name, metric in summary.metrics.items()},
        "stops": dict(summary.stops),
        "failures": dict(summary.failures),
        "soundness": dict(summary.soundness),
        "unfinished": summary.unfinished,
        **_paid(summary.ledger),
        "gate": {"under": header.gate, "passed": gate(summary, header.gate)},
        "wall_s": header.wall_s,
        "notes": list(header.notes),
    }


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


def turn_json(header: RunHeader, episode: Episode, turn: Turn) -> dict[str, Any]:
    """What `mogi export` prints for one turn.

    `stop` is None on every turn but the last; `assistant` is empty where the target failed, and
    `failure` then says how. `verdict` is None: people's reviews are not read back yet.
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
        "scores": {
            name: {"value": o.value, "raw": o.raw, "comment": o.comment}
            for name, o in turn.outcomes.items()
            if isinstance(o, Score)
        },
        "unscored": {
            name: o.reason.value for name, o in turn.outcomes.items() if isinstance(o, Unscored)
        },
        "flagged": turn.flagged,
        "blame": turn.blame,
        "soundness": list(turn.soundness),
        "verdict": None,
        "latency_ms": {
            "user": exchange.user_ms,
            "target": exchange.target_ms,
            "judge": turn.judge_ms,
        },
        "stop": episode.stop.reason.value if exchange.turn == last else None,
    }
