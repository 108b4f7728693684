"""Episodes and headers as JSON text, and back."""

import json
from dataclasses import asdict, fields
from typing import Any

from simulator.core.errors import TargetFault
from simulator.core.knowledge_coverage import KnowledgeCoverage
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.plan import Cell, Gate
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply, Stop, StopReason, TargetFailure
from simulator.core.verdict import Audit


def dumps(value: Any) -> str:
    """Compact JSON; Japanese stays readable."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def header_to_json(header: RunHeader) -> str:
    """A header as JSON text; all ASCII, because a path may hold bytes that are no text."""
    return json.dumps(asdict(header), separators=(",", ":"))


def header_from_json(text: str) -> RunHeader:
    """A header from JSON text; keys that this version does not know are left out."""
    data = _known(RunHeader, json.loads(text))
    data["metrics"] = tuple(map(_info, data["metrics"]))
    for name in ("notes", "fail_on"):
        data[name] = tuple(data.get(name, ()))
    data["gate"] = _gate(data.get("gate"))
    data["audit"] = Audit(**_known(Audit, data.get("audit", {})))
    if coverage := data.get("coverage"):
        known = _known(KnowledgeCoverage, coverage)
        data["coverage"] = KnowledgeCoverage(**{**known, "entries": tuple(known["entries"])})
    return RunHeader(**data)


def _gate(data: Any) -> Gate | None:
    """What was asked of a run; older ones were asked for a score alone."""
    if isinstance(data, dict):
        return Gate(**_tuples(_known(Gate, data)))
    return None if data is None else Gate(score=data)


def _reply_to_data(reply: Reply | TargetFailure) -> dict[str, Any]:
    """A reply or a failure as JSON values."""
    if isinstance(reply, TargetFailure):
        return {"fault": reply.fault, "message": reply.message, "ms": reply.latency_ms}
    documents = [[d.id, d.title, d.text] for d in reply.documents]
    return {
        "text": reply.text,
        "documents": documents,
        "ms": reply.latency_ms,
        "reports": reply.reports_documents,
    }


def _reply_from_data(data: dict[str, Any]) -> Reply | TargetFailure:
    """The opposite of `_reply_to_data`."""
    if "fault" in data:
        return TargetFailure(TargetFault(data["fault"]), data["message"], data["ms"])
    documents = tuple(Document(text, id_, title) for id_, title, text in data["documents"])
    return Reply(data["text"], documents, data["ms"], data.get("reports", False))


def episode_to_json(episode: Episode) -> str:
    """An episode as JSON text."""
    cell = episode.cell
    return dumps(
        {
            "cell": [cell.scenario, cell.persona, cell.repeat],
            "stop": [episode.stop.reason, episode.stop.detail],
            "turns": [_turn_to_data(turn) for turn in episode.turns],
            **({"outcomes": _outcomes_to_data(episode.outcomes)} if episode.outcomes else {}),
            **({"scenario": asdict(episode.scenario)} if episode.scenario else {}),
            **({"rerun_for": episode.rerun_for} if episode.rerun_for else {}),
        }
    )


def episode_from_json(text: str) -> Episode:
    """The opposite of `episode_to_json`."""
    data = json.loads(text)
    reason, detail = data["stop"]
    turns = tuple(_turn_from_data(number, t) for number, t in enumerate(data["turns"], 1))
    outcomes = _outcomes_from_data(data.get("outcomes", {}))
    return Episode(
        Cell(*data["cell"]),
        turns,
        Stop(StopReason(reason), detail),
        outcomes,
        _scenario(data["scenario"]) if "scenario" in data else None,
        rerun_for=tuple(data.get("rerun_for", ())),
    )


def _scenario(data: dict[str, Any]) -> Scenario:
    said = _tuples(_known(Scenario, data))
    return Scenario(**{**said, "expected": Expected(**_tuples(_known(Expected, data["expected"])))})


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    return {name: _tuple(value) for name, value in data.items()}


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


def _info(data: dict[str, Any]) -> MetricInfo:
    known = _known(MetricInfo, data)
    lists = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
    return MetricInfo(**{**known, **lists})


def _known(kind: type[Any], data: dict[str, Any]) -> dict[str, Any]:
    names = {field.name for field in fields(kind)}
    return {key: value for key, value in data.items() if key in names}


def _turn_to_data(turn: Turn) -> dict[str, Any]:
    exchange = turn.exchange
    return {
        "user": exchange.user,
        "thought": exchange.thought,
        "user_ms": exchange.user_ms,
        "reply": _reply_to_data(exchange.reply),
        "outcomes": _outcomes_to_data(turn.outcomes),
        "flags": turn.flags,
        "flagged": turn.flagged,
        "blames": turn.blames,
        "soundness": turn.soundness,
        "judge_ms": turn.judge_ms,
        **({"asks_back": True} if turn.asks_back else {}),
    }


def _turn_from_data(number: int, data: dict[str, Any]) -> Turn:
    reply = _reply_from_data(data["reply"])
    return Turn(
        exchange=Exchange(number, data["user"], reply, data["thought"], data["user_ms"]),
        outcomes=_outcomes_from_data(data["outcomes"]),
        flags=tuple(data["flags"]),
        flagged=data["flagged"],
        blames=_blames(data),
        soundness=tuple(data["soundness"]),
        judge_ms=data["judge_ms"],
        asks_back=data.get("asks_back", False),
    )


def _blames(data: dict[str, Any]) -> tuple[str, ...]:
    """Older runs kept one, or none."""
    if "blames" in data:
        return tuple(data["blames"])
    return (data["blame"],) if data["blame"] else ()


def _outcomes_to_data(outcomes: Outcomes) -> dict[str, list[Any]]:
    """`[reason, detail]`, or `[value, raw, comment]` with null for the comment before it.

    The parts of a score, where it has any, come fourth, and what it names fifth. All aspects of a
    rubric share the judge's one long comment: it is kept once.
    """
    data: dict[str, list[Any]] = {}
    said = None
    for name, outcome in outcomes.items():
        if isinstance(outcome, Unscored):
            data[name] = [outcome.reason, outcome.detail]
        else:
            comment = None if outcome.comment == said else outcome.comment
            more: list[Any] = [dict(outcome.parts), outcome.named]
            while more and not more[-1]:
                more.pop()
            data[name] = [outcome.value, outcome.raw, comment, *more]
            said = outcome.comment
    return data


def _outcomes_from_data(data: dict[str, list[Any]]) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    said = ""
    for name, parts in data.items():
        if len(parts) == 2:
            outcomes[name] = Unscored(Gap(parts[0]), parts[1])
        else:
            value, raw, comment, *more = parts
            said = said if comment is None else comment
            explained, named = ([*more, ()] if len(more) == 1 else more) or ({}, ())
            outcomes[name] = Score(value, raw, said, explained, tuple(named))
    return outcomes
