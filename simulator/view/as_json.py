"""A run and its turns as JSON values: the contracts of `mogi run --json` and `mogi export`."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from simulator.core.claim import Reader, claims_of, counting
from simulator.core.health import JudgeHealth
from simulator.core.outcome import Interval, Outcomes, Score, Unscored
from simulator.core.plan import Gate
from simulator.core.ports import Role
from simulator.core.result import Finding, Result
from simulator.core.run import Episode, Ledger, MetricSummary, Run, RunHeader, RunSummary, Turn
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, TargetFailure
from simulator.core.verdict import CorrectedScore, VerdictSummary, Word
from simulator.view.coverage import notes
from simulator.view.judge_health import warning_texts
from simulator.view.summary import Asked, asked, gate, rag_sum
from simulator.words import Words

_ROLES = (Role.USER, Role.JUDGE, Role.READER, Role.EMBEDDING, Role.TARGET)


Schema = Literal[
    "run", "turn", "check", "runs", "metrics", "targets", "reports",
    "conversations", "conversation", "calls", "judge",
    "compare", "coverage", "retrieval", "dry-run", "models", "targets-try", "tune", "agreement",
    "review-plan", "review-status", "review-pull", "review-apply", "review-promote", "improve",
]  # fmt: skip


def schema_of(what: Schema) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what a command prints with --json, or of a line of export.

    `run` is that of `run_json`, `turn` of `turn_json`; `conversations`, `conversation`, `calls` and
    `judge` are of `mogi show`, `dry-run` of `mogi run --dry-run`, `models` of `mogi models try`;
    the others of the commands of these names, such as `review-plan` of `mogi review plan`.
    """
    if what in ("run", "turn"):
        return _schema(what)
    found: dict[str, Any] = (_schema("shown") | _schema("review") | _schema("improve"))[what]
    if what == "dry-run":
        found["properties"]["reach"] = _schema("shown")["check"]["properties"]["reach"]
    if what == "conversation":
        found["properties"]["turns"]["items"] = {"$id": "turn", **_schema("turn")}
    if what == "judge":
        found["properties"]["judge_health"] = _schema("run")["properties"]["judge_health"]
    return found


def _schema(file: str) -> dict[str, Any]:
    text = Path(__file__).with_name(f"{file}.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def run_json(run: Run) -> dict[str, Any]:
    """What `mogi run --json` prints: the figures of a run.

    Means, ends and bounds are in 0-1, or None where there is nothing to tell. `gate` is always
    there; its `passed` is None where none was asked for or where the gaps decide.
    `score_corrected` is None where no turns were drawn for people, or too few have a verdict,
    `judge_health` where nothing was judged; its rates stand alone, their ends in `intervals`.
    """
    header, summary, score = run.header, run.summary, run.summary.score
    interval = score.value if score else Interval(None)
    return {
        "run": header.id,
        **_picked(header, "client", "kind", "of", "started", "finished", "status", "offline"),
        **_picked(header, "score_by"),
        **_picked(summary, "conversations", "turns"),
        **{result.value: summary.results[result] for result in Result},
        "pass_rate": summary.results.pass_rate.mean,
        "pass_rate_low": summary.results.pass_rate.low,
        "pass_rate_high": summary.results.pass_rate.high,
        "pass_rate_worst": summary.results.worst,
        "pass_rate_best": summary.results.best,
        "scenarios": {
            "checked": summary.results.scenarios,
            **_picked(summary.results, "passing", "failing", "mixed"),
            "undecided": summary.results.left_open,
        },
        "why": dict(summary.results.whys),
        "decided": {reader.value: summary.results.decided.get(reader, 0) for reader in Reader},
        "undecided_answers": summary.unsettled.answers,
        "bugs": summary.bugs,
        "pass_power": {str(k): power for k, power in summary.results.pass_power.items()},
        "pass_power_cells": summary.results.pass_power_cells,
        "score": interval.mean,
        "score_low": interval.low,
        "score_high": interval.high,
        "score_worst": score.worst if score else None,
        "score_best": score.best if score else None,
        "score_corrected": _corrected(summary.corrected),
        "scored": score.scored if score else 0,
        "unscored": dict(score.unscored) if score else {},
        "unscored_why": score.unscored_why if score else "",
        "not_applicable": score.not_applicable if score else 0,
        **_picked(summary, "flagged", "blames"),
        "metrics": {
            name: _metric(metric) | _auc(summary.verdicts, name)
            for name, metric in summary.metrics.items()
        },
        "rag_sum": _rag_sum(summary),
        "verdicts": _picked(summary.verdicts or VerdictSummary(0, 0, 0, {}), "ok", "ng", "unsure"),
        "judge_health": _judge_health(summary.judge_health, header),
        **_picked(summary, "stops", "failures", "soundness", "unfinished"),
        "simulator": asdict(summary.simulator),
        "follow_ups": {
            **asdict(summary.follow_ups),
            "only_later": list(summary.follow_ups.only_later),
            "are_lost": summary.follow_ups.are_lost,
        },
        **_paid(summary.ledger),
        "coverage": _coverage(header, summary),
        "gate": _gate(summary, header.gate),
        "wall_s": header.wall_s,
        "waits": {place: dict(waits) for place, waits in header.waits.items()},
        "versions": _versions(header),
        "notes": list(notes(run)),
    }


def _gate(summary: RunSummary, gate_: Gate | None) -> dict[str, Any]:
    return {
        "under": gate_.score if gate_ else None,
        "passed": gate(summary, gate_),
        **{line.name: _line(line) for line in asked(summary, gate_) if line.name != "score"},
    }


def _line(line: Asked) -> dict[str, Any]:
    """One thing that was asked; of conversations that must pass, those that did not."""
    if line.name == "must_pass":
        return {"passed": line.passed, "cases": list(line.cases)}
    return _picked(line, "wanted", "value", "worst", "best", "sure", "passed")


def _picked(of: object, *names: str) -> dict[str, Any]:
    """Some fields by their names, mappings as dicts."""
    values = ((name, getattr(of, name)) for name in names)
    return {name: dict(v) if isinstance(v, Mapping) else v for name, v in values}


def _versions(header: RunHeader) -> dict[str, str]:
    """Of mogi, and of what cuts Japanese into words where this run's figures depend on it."""
    cut = {k.partition(".")[2]: v for k, v in header.snapshot.items() if k.startswith("sudachi.")}
    return {"mogi": header.version, **cut}


def _metric(metric: MetricSummary) -> dict[str, Any]:
    counts = _picked(metric, "scored", "unscored", "not_applicable", "threshold", "flagged")
    counts |= _picked(metric, "unscored_why")
    return {**asdict(metric.value), **_picked(metric, "worst", "best", "raw_mean"), **counts}


def _coverage(header: RunHeader, summary: RunSummary) -> dict[str, Any] | None:
    """Counts of what was never tested; None where no knowledge base was at hand."""
    known = header.coverage
    if known is None:
        return None
    return {
        "entries": len(known.entries),
        **_picked(known, "unexpected"),
        "never_found": known.never_found(summary.found),
        **_picked(known, "scenarios", "silent"),
    }


def _rag_sum(summary: RunSummary) -> dict[str, Any] | None:
    found = rag_sum(summary)
    return {"sum": found.total, **_picked(found, "of", "scored")} if found else None


def _judge_health(health: JudgeHealth | None, header: RunHeader) -> dict[str, Any] | None:
    if health is None:
        return None
    return {
        **{name: rate.value.mean for name, rate in health.rates.items()},
        "correlation": health.correlation,
        "in_doubt": health.in_doubt,
        "warnings": warning_texts(health, Words(header.language, "judge")),
        "intervals": {
            name: {"low": rate.value.low, "high": rate.value.high, "n": rate.n}
            for name, rate in health.rates.items()
        },
    }


def _corrected(found: CorrectedScore | None) -> dict[str, Any] | None:
    """The share that people would call OK; None where too few of them said anything."""
    if found is None or found.value.mean is None:
        return None
    return {**asdict(found.value), **_picked(found, "n", "audited"), "lambda": found.tuning}


def _auc(found: VerdictSummary | None, name: str) -> dict[str, Any]:
    """How a metric goes with people's verdicts; nothing where there are none."""
    of = found.metrics.get(name) if found else None
    return {"auc": {**asdict(of.auc), **_picked(of, "ok", "ng")}} if of else {}


def _paid(ledger: Ledger) -> dict[str, Any]:
    calls = {role.value: ledger.calls.get(role, 0) for role in _ROLES}
    return {
        "calls": {**calls, **{r: n for r, n in ledger.calls.items() if r not in calls}},
        "tokens": {
            kind: getattr(ledger, f"{kind}_tokens") for kind in ("input", "output", "cached")
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
    `failure` then says how. `claims` is None in runs from before readings were stored.
    `verdict`: what people say of it, if anybody does.
    """
    exchange, last = turn.exchange, episode.turns[-1].exchange.turn
    return {
        "run": header.id,
        "client": header.client,
        "episode": episode.cell.key,
        **_picked(episode.cell, "scenario", "persona", "repeat"),
        "turn": exchange.turn,
        **_scenario(episode.scenario),
        **_picked(exchange, "user", "assistant"),
        "failure": _failure(exchange),
        "documents": [{"id": d.id, "text": d.text} for d in exchange.documents],
        **_outcomes(turn.outcomes),
        **_picked(turn, "flagged", "blame"),
        "blames": list(turn.blames),
        "claims": None if turn.readings is None else _claims(turn, episode.scenario),
        "soundness": list(turn.soundness),
        "verdict": verdict.value if verdict else None,
        "latency_ms": {
            "user": exchange.user_ms,
            "target": exchange.target_ms,
            "judge": turn.judge_ms,
        },
        "stop": episode.stop.reason.value if exchange.turn == last else None,
        "talk": _outcomes(episode.outcomes) if exchange.turn == last else None,
        **finding_json(episode.finding if exchange.turn == last else None),
        "rerun_for": list(episode.rerun_for) if exchange.turn == last else None,
    }


def _claims(turn: Turn, scenario: Scenario | None) -> list[dict[str, Any]]:
    """What readers say about the claims, a line for each reading; `counts` marks the one in force.

    Where a model and words disagree, the model's counts, as unknown.
    """
    if scenario is None:
        return []
    texts = {c.id: c.text for c in claims_of(scenario.expected, supported=True)}
    in_force = counting(turn.readings or ())
    return [
        {
            "id": reading.claim,
            "text": texts.get(reading.claim, ""),
            **_picked(reading, "state", "reader", "quote", "against"),
            "counts": in_force[reading.claim].reader is reading.reader,
        }
        for reading in turn.readings or ()
    ]


def _scenario(scenario: Scenario | None) -> dict[str, Any]:
    """What it was held by; older runs kept nothing of it."""
    if scenario is None:
        return {"tags": [], "goal": "", "expected": None}
    return {
        "tags": list(scenario.tags),
        "goal": scenario.goal,
        "expected": asdict(scenario.expected),
    }


def finding_json(found: Finding | None) -> dict[str, Any]:
    """A conversation's result, and the line that decided it."""
    if found is None:
        return {"result": None, "why": None}
    why = {"line": found.why.value, **_picked(found, "turn", "claim", "metric")}
    why["about"] = list(found.about)
    return {"result": found.result.value, "why": why}


def _outcomes(outcomes: Outcomes) -> dict[str, Any]:
    return {
        "scores": {n: _score(o) for n, o in outcomes.items() if isinstance(o, Score)},
        "unscored": {n: o.reason.value for n, o in outcomes.items() if isinstance(o, Unscored)},
        "unscored_why": {
            name: outcome.detail
            for name, outcome in outcomes.items()
            if isinstance(outcome, Unscored) and outcome.detail
        },
    }


def _score(score: Score) -> dict[str, Any]:
    parts = {"parts": dict(score.parts)} if score.parts else {}
    named = {"named": list(score.named)} if score.named else {}
    return {"value": score.value, "raw": score.raw, "comment": score.comment, **parts, **named}
