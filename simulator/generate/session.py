"""One session: make what is missing, put it between what is there, and say what came of it."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from simulator.core.errors import InputError
from simulator.core.halt import Halt
from simulator.core.ports import Role
from simulator.core.run import Ledger
from simulator.core.scenario import Scenario
from simulator.generate.attempts import Attempts, Checker, Progress
from simulator.generate.conversation import Writer
from simulator.generate.duplicates import Vectors
from simulator.generate.forms import Candidate, Rejected
from simulator.generate.planning import Line, Plan, line_of, place_of, report_path, report_text
from simulator.generate.rounds import Rounds, Watcher
from simulator.generate.scenario_file import head, scenario_of, sha_of, with_new, write_whole
from simulator.generate.units import Method
from simulator.llm.accounts import Accounts
from simulator.llm.transport import account_of
from simulator.store.store import Store

# Makes the watcher of a session when its plan is known.
Watch = Callable[[Plan], AbstractContextManager[Watcher]]


@dataclass(frozen=True, slots=True)
class Session:
    """What came of a session. `lines` is the whole report, older sessions included.

    `made`: scenarios that are new; `left`: units that did not come to their end, and go on when
    the command is given again. `ledger`: what was paid for this file, older sessions included, and
    `before` what of it was paid in those. `notes`: what a person should know.
    """

    plan: Plan
    lines: tuple[Line, ...]
    made: tuple[Scenario, ...]
    left: int
    ledger: Ledger
    before: Ledger
    notes: tuple[str, ...] = ()
    wall_s: float = 0.0


async def run_session(plan: Plan, watch: Watch, halt: Halt) -> Session:
    """Make what is missing and write it, however this ends; older scenarios stay as they are.

    Raises:
        InputError: something is wrong before the first call; nothing was paid.
        StoreError: the store cannot be used, or another process works on this file.
        MogiError: the file cannot be written.
    """
    began = time.monotonic()
    units = plan.open
    ledger = before = Ledger()
    notes = tuple(plan.notes())
    with watch(plan) as watcher:
        if not plan.asks_a_model:
            rounds = Rounds(None, plan.there(), halt, watcher, at_once=plan.request.at_once)
            await rounds.play(units)
        else:
            _check_keys(plan)
            with Store.create(plan.request.store_url) as store, store.lock(plan.request.session):
                before = store.ledger(plan.request.session)
                ledger, trouble = await _paid(plan, store, watcher, halt)
                notes += trouble
    session = _concluded(plan, units, ledger, before)
    _save(session)
    return replace(session, notes=notes, wall_s=round(time.monotonic() - began, 3))


def _check_keys(plan: Plan) -> None:
    """Before a store is made: a missing key must not leave a file behind."""
    for spec in (plan.request.model, plan.request.client.embedding):
        if spec is not None:
            account_of(spec)


async def _paid(
    plan: Plan, store: Store, watcher: Watcher, halt: Halt
) -> tuple[Ledger, tuple[str, ...]]:
    """Play the units with a model behind them; the file's ledger afterwards, and notes."""
    request = plan.request
    if request.model is None:
        raise InputError("these methods need a model; name one with --model M")
    name = request.session
    async with Accounts(
        client=request.client,
        journal=store.journal(name, resume=True),
        halt=halt,
        observer=watcher,
        paid=store.ledger(name),
    ) as accounts:
        chat = accounts.chat(request.model, Role.GENERATE)
        writer = Writer(plan.prompts, plan.near, name)
        checker = Checker(chat, plan.prompts.form, request.checks)
        embedding = request.client.embedding
        vectors = Vectors(accounts.embedder(embedding)) if embedding else None
        rounds = Rounds(
            Attempts(chat, writer, checker, request.client.language),
            plan.there(),
            halt,
            watcher,
            retries=request.retries,
            at_once=request.at_once,
            vectors=vectors,
        )
        try:
            await rounds.play(plan.open)
        except asyncio.CancelledError:
            if not _wants_to_leave(halt):
                raise
        except Exception:
            # A fault of ours: what others made is worth its money, so it is written first.
            _save(_concluded(plan, plan.open, accounts.ledger, Ledger()))
            raise
        return accounts.ledger, _notes(vectors)


def _notes(vectors: Vectors | None) -> tuple[str, ...]:
    if vectors is None or not vectors.trouble:
        return ()
    return (f"some duplicates were told by words alone: {vectors.trouble}",)


def _wants_to_leave(halt: Halt) -> bool:
    """A second interrupt: what is in flight is left behind, all else is written."""
    task = asyncio.current_task()
    if task is None or not halt.leaving:
        return False
    task.uncancel()
    return True


def _concluded(plan: Plan, units: Sequence[Progress], ledger: Ledger, before: Ledger) -> Session:
    # What has nothing yet is left to be done again: then the journal gives all its answers back.
    ended = [p for p in units if not p.broken and (p.accepted or _is_over(plan, p))]
    again = {p.unit.key for p in ended}
    old = [n for n in plan.lines if n.status != "unfilled" or n.unit not in again]
    known = {_identity(line) for line in old}
    made: list[Scenario] = []
    new: list[Line] = []
    for progress in ended:
        for number, candidate in progress.accepted.items():
            scenario = scenario_of(progress.unit, number, candidate, plan.documents)
            made.append(scenario)
            new.append(_kept(plan, progress, number, candidate, scenario))
        dropped = (_dropped(plan, progress, rejected) for rejected in progress.rejected)
        new += [line for line in dropped if _identity(line) not in known]
        new += _unfilled(plan, progress)
    lines = tuple(_in_order(plan, [*old, *new]))
    left = sum(not _is_over(plan, progress) for progress in units)
    return Session(plan, lines, tuple(made), left, ledger, before)


def _is_over(plan: Plan, progress: Progress) -> bool:
    return progress.is_over(plan.request.retries)


def _identity(line: Line) -> tuple[object, ...]:
    """What tells dropped questions apart: one from the journal was told of before."""
    return line.unit, line.query, line.fault, line.detail, line.attempt, line.model


def _kept(
    plan: Plan, progress: Progress, number: int, candidate: Candidate, scenario: Scenario
) -> Line:
    unit = progress.unit
    rank = plan.near.ranks(candidate.question)
    answerable = unit.method is not Method.UNANSWERABLE
    return replace(
        line_of(unit, "kept"),
        number=number,
        id=scenario.id,
        query=candidate.question,
        attempt=candidate.attempt,
        checks=candidate.checked.usable,
        found_faulty=candidate.checked.faulty,
        ranks={str(e.id): rank(str(e.id)) for e in unit.entries} if answerable else {},
        model=_model(plan, progress),
        scenario=sha_of(scenario),
        entry=unit.digest(),
        made=plan.made_of(unit),
    )


def _dropped(plan: Plan, progress: Progress, rejected: Rejected) -> Line:
    return replace(
        line_of(progress.unit, "dropped"),
        query=rejected.question,
        fault=rejected.fault.value,
        detail=rejected.detail,
        attempt=rejected.attempt,
        checks=rejected.checked.usable,
        found_faulty=rejected.checked.faulty,
        model=_model(plan, progress),
    )


def _unfilled(plan: Plan, progress: Progress) -> Iterator[Line]:
    """A line for the numbers that stay without a question, so that a reader knows why."""
    if not progress.open or not _is_over(plan, progress):
        return
    last = progress.rejected[-1].fault.value if progress.rejected else "too_few"
    yield replace(
        line_of(progress.unit, "unfilled"),
        number=len(progress.open),
        fault=last,
        attempt=progress.attempt,
        model=_model(plan, progress),
        made=plan.made_of(progress.unit),
    )


def _model(plan: Plan, progress: Progress) -> str:
    asked = progress.unit.method is not Method.TITLE and plan.request.model is not None
    return plan.request.model.model if asked and plan.request.model else ""


def _in_order(plan: Plan, lines: Sequence[Line]) -> list[Line]:
    """By the FAQ's order; what speaks of entries that are gone comes last."""
    places = _places(plan)

    def order(line: Line) -> tuple[object, ...]:
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
            existing = replace(existing, text=head(request.client.language, request.faq, report))
        places = _places(plan)
        order = {n.id: place_of(n, places) for n in session.lines if n.has_number}
        known = {name: place for name, place in order.items() if place}
        write_whole(path, with_new(existing, session.made, known))
    if session.lines:
        write_whole(report_path(path), report_text(session.lines))


def _places(plan: Plan) -> dict[str, int]:
    return {str(entry.id): at for at, entry in enumerate(plan.request.entries)}
