"""One session: make what is missing, put it between what is there, and say what came of it."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from simulator.core.concurrency import Halt
from simulator.core.errors import InputError
from simulator.core.plan import ModelSpec
from simulator.core.ports import CallId, Role, Vector
from simulator.core.run import Ledger
from simulator.core.scenario import Scenario
from simulator.core.traffic import Traffic
from simulator.generate.attempts import Attempts, Checker, Progress
from simulator.generate.conversation import TaskWriter
from simulator.generate.forms import Candidate, Rejected
from simulator.generate.planning import (
    ReportLine,
    SessionPlan,
    place_of,
    report_line,
    report_path,
    report_text,
)
from simulator.generate.rounds import Rounds, Watcher
from simulator.generate.scenario_file import (
    file_head,
    insert_scenarios,
    scenario_hash,
    scenario_of,
    write_whole,
)
from simulator.generate.units import Method, SessionRequest, hashed
from simulator.llm.account import account_of
from simulator.llm.accounts import Accounts
from simulator.store.store import Store

# Tokens that an answer may need, and each question in it with its facts, or its verdict.
_PER_ANSWER, _PER_ITEM = 200, 900
_TEXTS_AT_ONCE = 200  # in one request for embeddings
# Makes the watcher of a session when its plan is known.
WatchSession = Callable[[SessionPlan], AbstractContextManager[Watcher]]


@dataclass(frozen=True, slots=True)
class Session:
    """What came of a session. `lines` is the whole report, older sessions included.

    `made`: scenarios that are new; `left`: units that did not come to their end, and go on when
    the command is given again. `ledger`: what was paid for this file, older sessions included, and
    `before` what of it was paid in those. `notes`: what a person should know.
    """

    plan: SessionPlan
    lines: tuple[ReportLine, ...]
    made: tuple[Scenario, ...]
    left: int
    ledger: Ledger
    before: Ledger
    notes: tuple[str, ...] = ()
    wall_s: float = 0.0


async def run_generation(
    plan: SessionPlan, watch: WatchSession, halt: Halt, traffic: Traffic
) -> Session:
    """Make what is missing and write it, however this ends; older scenarios stay as they are.

    `traffic` is told of each call.

    Raises:
        InputError: something is wrong before the first call; nothing was paid.
        StoreError: the store cannot be used, or another process works on this file.
        MogiError: the file cannot be written.
    """
    began = time.monotonic()
    ledger = before = Ledger()
    notes = tuple(plan.notes())
    with watch(plan) as watcher:
        model = plan.request.model
        if model is None or not plan.asks_a_model:
            ledger, before = _paid_for_log(plan)
            known, at_once = plan.known_questions(), plan.request.at_once
            await Rounds(None, known, halt, watcher, at_once=at_once).play(plan.open)
        else:
            account_of(model)  # before a store is made: a missing key must not leave a file behind
            with Store.create(plan.request.store_url) as store, store.lock(plan.request.session):
                before = plan.request.before or store.ledger(plan.request.session)
                ledger = await _paid(plan, model, store, watcher, halt, traffic)
    session = _concluded(plan, ledger, before)
    _save(session)
    return replace(session, notes=notes, wall_s=round(time.monotonic() - began, 3))


def _paid_for_log(plan: SessionPlan) -> tuple[Ledger, Ledger]:
    request = plan.request
    if request.before is None:
        return Ledger(), Ledger()
    with Store.create(request.store_url) as store:
        return store.ledger(request.session), request.before


async def embedded(
    request: SessionRequest, texts: Sequence[str], traffic: Traffic
) -> tuple[list[Vector], Ledger]:
    """The texts' vectors by the client's embedding model, and what was paid for the file before.

    Raises:
        InputError: the client has no embedding model, or no key for it.
        ModelError, RunStopped, StoreError: from the model.
    """
    spec, name = request.client.embedding, request.session
    if spec is None:
        raise InputError("the client names no embedding model (`embedding:` in client.yaml)")
    account_of(spec)  # before a store is made
    traffic.events.run = name
    vectors: list[Vector] = []
    with Store.create(request.store_url) as store, store.lock(name):
        before = store.ledger(name)
        async with Accounts(
            client=request.client,
            journal=store.journal(name, resume=True),
            halt=Halt(),
            paid=before,
            traffic=traffic,
        ) as accounts:
            embedder = accounts.embedder(spec)
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                some = texts[start : start + _TEXTS_AT_ONCE]
                call = CallId(f"log-{hashed(list(some))}", 1, Role.EMBEDDING)
                vectors += await embedder.embed(call, some)
    return vectors, before


async def _paid(
    plan: SessionPlan,
    model: ModelSpec,
    store: Store,
    watcher: Watcher,
    halt: Halt,
    traffic: Traffic,
) -> Ledger:
    """Play the units with a model behind them; the file's ledger afterwards."""
    request = plan.request
    name = request.session
    traffic.events.run = name
    traffic.events.subscribe("progress", watcher, apart=False)
    async with Accounts(
        client=request.client,
        journal=store.journal(name, resume=True),
        halt=halt,
        paid=store.ledger(name),
        traffic=traffic,
    ) as accounts:
        chat = accounts.chat(_with_room(model, request.per_entry), Role.GENERATE)
        writer = TaskWriter(plan.prompts, plan.near, name)
        checker = Checker(chat, plan.prompts.form, request.checks)
        rounds = Rounds(
            Attempts(chat, writer, checker, request.client.language),
            plan.known_questions(),
            halt,
            watcher,
            asks=request.asks,
            retries=request.retries,
            at_once=request.at_once,
        )
        try:
            await rounds.play(plan.open)
        except asyncio.CancelledError as error:
            if not halt.was_left(error):  # what is in flight is left behind, all else is written
                raise
        except Exception:
            # A fault of ours: what others made is worth its money, so it is written first.
            _save(_concluded(plan, accounts.ledger, Ledger()))
            raise
        return accounts.ledger


def _with_room(model: ModelSpec, questions: int) -> ModelSpec:
    """A `max_tokens` that was written for a user's one message leaves room for all questions."""
    if model.max_tokens is None:
        return model
    return replace(model, max_tokens=max(model.max_tokens, _PER_ANSWER + _PER_ITEM * questions))


def _concluded(plan: SessionPlan, ledger: Ledger, before: Ledger) -> Session:
    # What has nothing yet is left to be done again: then the journal gives all its answers back.
    ended = [p for p in plan.open if not p.broken and (p.accepted or _is_over(plan, p))]
    again = {p.unit.key for p in ended}
    old = [n for n in plan.lines if n.status != "unfilled" or n.unit not in again]
    known = {_identity(line) for line in old}
    made: list[Scenario] = []
    language = plan.request.client.language
    new: list[ReportLine] = []
    for progress in ended:
        for number, candidate in progress.accepted.items():
            scenario = scenario_of(progress.unit, number, candidate, plan.documents, language)
            made.append(scenario)
            new.append(_kept(plan, progress, number, candidate, scenario))
        dropped = (_dropped(plan, progress, rejected) for rejected in progress.rejected)
        new += [line for line in dropped if _identity(line) not in known]
        new += _unfilled(plan, progress)
    lines = tuple(_in_order(plan, [*old, *new]))
    left = sum(not _is_over(plan, progress) for progress in plan.open)
    return Session(plan, lines, tuple(made), left, ledger, before)


def _is_over(plan: SessionPlan, progress: Progress) -> bool:
    return progress.is_over(plan.request.retries)


def _identity(line: ReportLine) -> tuple[object, ...]:
    """What tells dropped questions apart: one from the journal was told of before."""
    return line.unit, line.query, line.fault, line.detail, line.attempt, line.model


def _kept(
    plan: SessionPlan, progress: Progress, number: int, candidate: Candidate, scenario: Scenario
) -> ReportLine:
    unit = progress.unit
    rank = plan.near.ranks(candidate.question)
    has_ranks = unit.method not in (Method.UNANSWERABLE, Method.LOG)
    return replace(
        report_line(unit, "kept"),
        number=number,
        id=scenario.id,
        query=candidate.question,
        attempt=candidate.attempt,
        checks=candidate.checked.usable,
        found_faulty=candidate.checked.faulty,
        ranks={str(e.id): rank(str(e.id)) for e in unit.entries} if has_ranks else {},
        model=_model(plan, progress),
        scenario=scenario_hash(scenario),
        entry=unit.digest(),
        made=plan.made_of(unit),
        asked=unit.cluster.count if unit.cluster else 0,
        dropped_facts=candidate.facts.dropped,
    )


def _dropped(plan: SessionPlan, progress: Progress, rejected: Rejected) -> ReportLine:
    return replace(
        report_line(progress.unit, "dropped"),
        query=rejected.question,
        fault=rejected.fault.value,
        detail=rejected.detail,
        attempt=rejected.attempt,
        checks=rejected.checked.usable,
        found_faulty=rejected.checked.faulty,
        model=_model(plan, progress),
    )


def _unfilled(plan: SessionPlan, progress: Progress) -> Iterator[ReportLine]:
    """A line for the numbers that stay without a question, so that a reader knows why."""
    if not progress.open or not _is_over(plan, progress):
        return
    last = progress.rejected[-1].fault.value if progress.rejected else "too_few"
    yield replace(
        report_line(progress.unit, "unfilled"),
        number=len(progress.open),
        fault=last,
        attempt=progress.attempt,
        model=_model(plan, progress),
        made=plan.made_of(progress.unit),
    )


def _model(plan: SessionPlan, progress: Progress) -> str:
    model = plan.request.model
    return model.model if model and plan.request.asks(progress.unit) else ""


def _in_order(plan: SessionPlan, lines: Sequence[ReportLine]) -> list[ReportLine]:
    """By the FAQ's order; what speaks of entries that are gone comes last."""
    places = _places(plan)

    def order(line: ReportLine) -> tuple[object, ...]:
        place = place_of(line, places)
        return (0, place[0]) if place else (1, (0, 0, ""))

    return sorted(lines, key=order)


def _save(session: Session) -> None:
    """The file, then its report: a report without its file would speak of deleted scenarios."""
    plan = session.plan
    request, path = plan.request, plan.request.output
    if session.made:
        existing = plan.existing
        if not existing.text:
            report = report_path(path).name
            existing = replace(
                existing, text=file_head(request.client.language, request.made_from, report)
            )
        places = _places(plan)
        order = {n.id: place_of(n, places) for n in session.lines if n.has_number}
        known = {name: place for name, place in order.items() if place}
        write_whole(path, insert_scenarios(existing, session.made, known))
    if session.lines:
        write_whole(report_path(path), report_text(session.lines))


def _places(plan: SessionPlan) -> dict[str, int]:
    return {str(entry.id): at for at, entry in enumerate(plan.request.entries)}
