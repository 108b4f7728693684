"""Episodes and headers as JSON text, and back; and what tells equal answers by."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from functools import lru_cache
from typing import Any

from simulator.core.claim import Reader, Reading, State
from simulator.core.errors import TargetFault
from simulator.core.form import spoken
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.plan import Cell, Gate, ReviewSpec
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.scenario import Expected, KnowledgeCoverage, Scenario
from simulator.core.talk import Document, Exchange, Reply, Stop, StopReason, TargetFailure
from simulator.core.verdict import Audit, PlannedAnswer, ReviewPlan, Sampled

_NAMES: dict[type[Any], frozenset[str]] = {}  # each conversation that is read asks for two
_MARKS = ("asks_back", "closes", "follows_up")
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dumps(value: Any) -> str:
    """Compact JSON; Japanese stays readable."""
    return _COMPACT.encode(value)


def header_to_json(header: RunHeader) -> str:
    """A header as JSON text; all ASCII, because a path may hold bytes that are no text."""
    plan, audit = header.review_plan, header.audit
    data = asdict(replace(header, review_plan=None, audit=replace(audit, answers=None)))
    data["review_plan"] = plan and review_plan_to_data(plan)
    data["audit"]["answers"] = audit.answers and review_plan_to_data(audit.answers)
    return json.dumps(data, separators=(",", ":"))


def header_from_json(text: str) -> RunHeader:
    """A header from JSON text; keys that this version does not know are left out."""
    data = _known(RunHeader, json.loads(text))
    data["metrics"] = tuple(map(_info, data["metrics"]))
    for name in ("notes", "fail_on"):
        data[name] = tuple(data.get(name, ()))
    data["gate"] = _gate(data.get("gate"))
    audit = _known(Audit, data.get("audit", {}))
    data["audit"] = Audit(**{**audit, "answers": _review_plan(audit.get("answers"))})
    data["review"] = ReviewSpec(**_known(ReviewSpec, data.get("review", {})))
    if coverage := data.get("coverage"):
        known = _known(KnowledgeCoverage, coverage)
        data["coverage"] = KnowledgeCoverage(**{**known, "entries": tuple(known["entries"])})
    data["review_plan"] = _review_plan(data.get("review_plan"))
    return RunHeader(**data)


def _review_plan(data: Any) -> ReviewPlan | None:
    if not data:
        return None
    return ReviewPlan(*(tuple(map(_planned, data[name])) for name in ("rows", "known")))


def _planned(data: list[Any]) -> PlannedAnswer:
    why, probability, places = data
    return PlannedAnswer(Sampled(why), probability, _tuple(places))


def review_plan_to_data(plan: ReviewPlan) -> dict[str, Any]:
    """A plan as JSON values: of each answer why, the probability, and its turns."""
    return {
        name: [[answer.why, answer.probability, answer.places] for answer in answers]
        for name, answers in (("rows", plan.rows), ("known", plan.known))
    }


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
            "stop": [episode.stop.reason, episode.stop.detail, *episode.stop.unasked],
            "turns": [_turn_to_data(turn) for turn in episode.turns],
            **({"outcomes": _outcomes_to_data(episode.outcomes)} if episode.outcomes else {}),
            **({"scenario": _scenario_to_data(episode.scenario)} if episode.scenario else {}),
            **({"rerun_for": episode.rerun_for} if episode.rerun_for else {}),
        }
    )


def episode_from_json(text: str) -> Episode:
    """The opposite of `episode_to_json`."""
    data = json.loads(text)
    reason, detail, *unasked = data["stop"]
    turns = tuple(_turn_from_data(number, t) for number, t in enumerate(data["turns"], 1))
    outcomes = _outcomes_from_data(data.get("outcomes", {}))
    return Episode(
        Cell(*data["cell"]),
        turns,
        Stop(StopReason(reason), detail, tuple(unasked)),
        outcomes,
        _scenario(data["scenario"]) if "scenario" in data else None,
        rerun_for=tuple(data.get("rerun_for", ())),
    )


@lru_cache(maxsize=1_024)  # many conversations have the same
def _scenario_to_data(scenario: Scenario) -> dict[str, Any]:
    return {**asdict(scenario), "expected": scenario.expected.plain()}


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
    if (names := _NAMES.get(kind)) is None:
        names = _NAMES[kind] = frozenset(field.name for field in fields(kind))
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
        **{mark: True for mark in _MARKS if getattr(turn, mark)},
        **({} if turn.readings is None else {"readings": [*map(_reading_to_data, turn.readings)]}),
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
        readings=tuple(map(_reading, data["readings"])) if "readings" in data else None,
        **{mark: data.get(mark, False) for mark in _MARKS},
    )


def _reading_to_data(reading: Reading) -> list[str]:
    """`[claim, state, reader]`, then the quote and the compared text, where there are any."""
    data = [reading.claim, reading.state, reading.reader, reading.quote, reading.against]
    while len(data) > 3 and not data[-1]:
        data.pop()
    return data


def _reading(data: list[str]) -> Reading:
    claim, state, reader, *texts = data
    return Reading(claim, State(state), Reader(reader), *texts)


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


def answer_keys(header: RunHeader, episode: Episode) -> str:
    """By what the verdicts on an episode's turns are found again: JSON, a list of keys by turn.

    A verdict that was given under the first key of a turn holds for every turn that has this key
    among its own. The others are what older runs go by, which know of the expected documents only
    through the whole knowledge base, and of their scenarios perhaps but the hash. A turn without
    an answer has none.
    """
    client = dumps(header.client)
    known = [dumps(each) for each in _expectations(header, episode)]
    keys: list[list[str]] = []
    for number, turn in enumerate(episode.turns, 1):
        came = isinstance(turn.exchange.reply, Reply)
        answer = dumps(spoken(episode, number)) if came else ""
        keys.append([_key(client, answer, each) for each in known] if came else [])
    return dumps(keys)


def _expectations(header: RunHeader, episode: Episode) -> list[Sequence[Any]]:
    """What is expected of the answers, and what that was read from; the most precise first."""
    name, scenario = episode.cell.scenario, episode.scenario
    everything = header.snapshot.get("knowledge")
    of_file = header.snapshot.get("file.sha")
    by_hash = [header.snapshot.get(f"scenarios.{name}", of_file), everything]
    if scenario is None:
        return [by_hash]
    said = _scenario_to_data(scenario)["expected"]
    if not scenario.expected.documents:
        return [[said], by_hash]
    of_documents = header.expected_documents.get(name)
    return [*([[said, of_documents]] if of_documents else []), [said, None, everything], by_hash]


def _key(*parts: str) -> str:
    """The hash of a list, whose parts are JSON already: what is expected is written once."""
    said = f"[{','.join(parts)}]".encode("utf-8", "surrogatepass")
    return hashlib.sha256(said).hexdigest()[:24]
