"""Episodes and headers as JSON text, and back; and what tells equal answers by."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache
from itertools import chain, count, repeat
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from simulator.core.claim import Reader, Reading, State
from simulator.core.clean import spoken
from simulator.core.errors import TargetFault
from simulator.core.outcome import Gap, Outcome, Outcomes, Score, Unscored
from simulator.core.plan import Cell
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.scenario import Approval, Scenario
from simulator.core.talk import (
    Document,
    Exchange,
    Reply,
    Stop,
    StopReason,
    TargetFailure,
    document_hashes,
)
from simulator.core.verdict import ReviewPlan

_MARKS = ("asks_back", "closes", "follows_up")
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dumps(value: Any) -> str:
    """Compact JSON; Japanese stays readable."""
    return _COMPACT.encode(value)


def header_to_json(header: RunHeader) -> str:
    """A header as JSON text; all ASCII, because a path may hold bytes that are no text."""
    plan, audit = header.review_plan, header.audit
    data = asdict(replace(header, review_plan=None, audit=replace(audit, answers=None)))
    data["review_plan"] = plan and _review_plan_to_data(plan)
    data["audit"]["answers"] = audit.answers and _review_plan_to_data(audit.answers)
    return json.dumps(data, separators=(",", ":"))


def header_from_json(text: str) -> RunHeader:
    """A header from JSON text; keys that this version does not know are left out."""
    data = json.loads(text)
    gate = data.get("gate")
    data.setdefault("gate", None)
    if isinstance(gate, int | float):  # older runs were asked for a score alone
        data["gate"] = {"score": gate}
    header: RunHeader = _typed(RunHeader, data)
    return header


def _typed(kind: Any, data: Any) -> Any:
    """The value of a type that JSON keeps as an object, a list or a plain value."""
    if NoneType in get_args(kind):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    if data is None:
        return None
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        if isinstance(data, list):
            return kind(*map(_typed, hints.values(), data))
        return kind(**{name: _typed(hints[name], data[name]) for name in hints if name in data})
    if get_origin(kind) is tuple:
        item = get_args(kind)[0]
        return tuple(data) if item is str else tuple(_typed(item, each) for each in data)
    return kind(data) if isinstance(kind, type) and issubclass(kind, Enum) else data


@lru_cache
def _hints(kind: Any) -> dict[str, Any]:
    return {field.name: get_type_hints(kind)[field.name] for field in fields(kind)}


def _review_plan_to_data(plan: ReviewPlan) -> dict[str, Any]:
    """A plan as JSON values: of each answer why, the probability, and its turns."""
    answers = {
        name: [[answer.why, answer.probability, answer.places] for answer in answers]
        for name, answers in (("rows", plan.rows), ("known", plan.known))
    }
    return {**answers, "all_drawn": plan.all_drawn}


def _reply_to_data(reply: Reply | TargetFailure) -> dict[str, Any]:
    """A reply or a failure as JSON values."""
    if isinstance(reply, TargetFailure):
        failure = {"fault": reply.fault, "message": reply.message, "ms": reply.latency_ms}
        return {**failure, **({"at": reply.at} if reply.at else {})}
    documents = [[d.id, d.title, d.text] for d in reply.documents]
    return {
        "text": reply.text,
        "documents": documents,
        "ms": reply.latency_ms,
        "reports": reply.reports_documents,
        **({"trace": reply.trace} if reply.trace else {}),
        **({"at": reply.at} if reply.at else {}),
    }


def _reply_from_data(data: dict[str, Any]) -> Reply | TargetFailure:
    """The opposite of `_reply_to_data`."""
    if "fault" in data:
        fault, at = TargetFault(data["fault"]), data.get("at", 0.0)
        return TargetFailure(fault, data["message"], data["ms"], at)
    documents = tuple(Document(text, id_, title) for id_, title, text in data["documents"])
    return Reply(
        data["text"],
        documents,
        data["ms"],
        data.get("reports", False),
        trace=data.get("trace", ""),
        at=data.get("at", 0.0),
    )


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


def episode_from_json(text: str, answers: str = "[]") -> Episode:
    """The opposite of `episode_to_json`; `answers`: what `answer_keys` gave for it."""
    data = json.loads(text)
    reason, detail, *unasked = data["stop"]
    keys = (some[0] if some else "" for some in chain(json.loads(answers), repeat(())))
    turns = tuple(map(_turn_from_data, count(1), data["turns"], keys))
    outcomes = _outcomes_from_data(data.get("outcomes", {}))
    return Episode(
        Cell(*data["cell"]),
        turns,
        Stop(StopReason(reason), detail, tuple(unasked)),
        outcomes,
        _scenario_from_json(dumps(data["scenario"])) if data.get("scenario") else None,
        rerun_for=tuple(data.get("rerun_for", ())),
    )


@lru_cache(maxsize=1_024)  # many conversations have the same
def _scenario_from_json(text: str) -> Scenario:
    scenario: Scenario = _typed(Scenario, json.loads(text))
    return scenario


@lru_cache(maxsize=1_024)  # likewise
def _scenario_to_data(scenario: Scenario) -> dict[str, Any]:
    expected = scenario.expected
    values = expected.plain()
    if expected.quotes:
        values["quotes"] = [[quote.document, quote.text] for quote in expected.quotes]
    if expected.approved is not Approval.CONFIRMED:
        values["approved"] = expected.approved
    return {**asdict(scenario), "expected": values}


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
        **({"content": turn.content} if turn.content else {}),
    }


def _turn_from_data(number: int, data: dict[str, Any], key: str) -> Turn:
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
        content=data.get("content", ""),
        key=key,
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
    before = None
    for name, outcome in outcomes.items():
        if isinstance(outcome, Unscored):
            data[name] = [outcome.reason, outcome.detail]
        else:
            comment = None if outcome.comment == before else outcome.comment
            more: list[Any] = [dict(outcome.parts), outcome.named]
            while more and not more[-1]:
                more.pop()
            data[name] = [outcome.value, outcome.raw, comment, *more]
            before = outcome.comment
    return data


def _outcomes_from_data(data: dict[str, list[Any]]) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    before = ""
    for name, parts in data.items():
        if len(parts) == 2:
            outcomes[name] = Unscored(Gap(parts[0]), parts[1])
        else:
            value, raw, comment, *more = parts
            before = before if comment is None else comment
            explained, named = ([*more, ()] if len(more) == 1 else more) or ({}, ())
            outcomes[name] = Score(value, raw, before, explained, tuple(named))
    return outcomes


def answer_keys(header: RunHeader, episode: Episode) -> str:
    """By what the verdicts on an episode's turns are found again: JSON, a list of keys by turn.

    A verdict that was given under a precise key of a turn holds for every turn that has this key
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


def precise_keys(keys: Sequence[str]) -> Sequence[str]:
    """Those that no other answer has: the first, and that by the titles of expected documents."""
    return keys[:-2] or keys[:1]


def _expectations(header: RunHeader, episode: Episode) -> list[Sequence[Any]]:
    """What is expected of the answers, and what that was read from; the most precise first."""
    name, scenario = episode.cell.scenario, episode.scenario
    everything = header.snapshot.get("knowledge")
    of_file = header.snapshot.get("file.sha")
    by_hash = [header.snapshot.get(f"scenarios.{name}", of_file), everything]
    if scenario is None:
        return [by_hash]
    expected = scenario.expected.plain()
    if not scenario.expected.documents:
        return [[expected], by_hash]
    return [
        *([expected, each] for each in _of_documents(header, scenario)),
        [expected, None, everything],
        by_hash,
    ]


def _of_documents(header: RunHeader, scenario: Scenario) -> Sequence[str]:
    """The hashes of expected documents; of an older run that of the texts, where these are known.

    It kept how each document begins. Where that is all of it, the hash with titles proves so.
    """
    kept = header.expected_documents.get(scenario.id, ())
    if not isinstance(kept, str):
        return kept
    begun = [
        Document(header.references[name][1], name, header.references[name][0])
        if name in header.references
        else None
        for name in scenario.expected.documents
    ]
    hashes = document_hashes(begun)
    return hashes if hashes[1] == kept else (kept,)


def _key(*parts: str) -> str:
    """The hash of a list, whose parts are JSON already: what is expected is written once."""
    listed = f"[{','.join(parts)}]".encode("utf-8", "surrogatepass")
    return hashlib.sha256(listed).hexdigest()[:24]
