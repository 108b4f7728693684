"""One run from its first call to its last, fresh or taken up again."""

import asyncio
import secrets
import time
from collections.abc import Callable, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from simulator.build.cast import (
    Surroundings,
    make_cast,
    metric_infos,
    run_snapshot,
)
from simulator.build.options import Options
from simulator.build.plan import make_plan
from simulator.build.snapshot import check_same
from simulator.core.errors import HaltReason, StoreError
from simulator.core.halt import Halt
from simulator.core.plan import Plan
from simulator.core.ports import Observer, Target
from simulator.core.run import Run, RunHeader
from simulator.core.version import __version__
from simulator.execution.local import Work, play_all
from simulator.execution.summary import digest, stored_run
from simulator.files.client import LoadedClient
from simulator.llm.accounts import Accounts
from simulator.store.store import Store

# Makes the observer of a run when its header is known; the number is of episodes done before.
Watch = Callable[[RunHeader, int], AbstractContextManager[Observer]]


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be run. `resume` is a run's whole id; `target` replaces the client's own."""

    loaded: LoadedClient
    options: Options
    store_url: str
    target: Target | None = None
    resume: str | None = None
    force: bool = False


async def run_session(request: Request, watch: Watch, halt: Halt) -> Run:
    """Run a client's cells; all that was done is in the store, however this ends.

    Raises:
        InputError: something is wrong before the first call; nothing was paid, no run is kept.
        StoreError: the store cannot be used, or another process works on this run.
    """
    began = time.monotonic()
    before = _before(request)
    options = request.options.resuming(before.options) if before else request.options
    request = replace(request, options=options)
    plan = make_plan(request.loaded, options)
    header = _header(request, plan, before)
    # The store last: a mistyped option must not leave a file behind.
    with Store.create(request.store_url) as store, store.lock(header.id):
        complete = set(store.keys(header.id)) if before else set()
        # A forced resume may have other cells; those that were played stay part of the run.
        planned = len(complete.union(cell.key for cell in plan.cells()))
        header = replace(header, planned=planned)
        session = _Session(request, plan, header, store, complete)
        try:
            await _play(session, watch, halt)
        except asyncio.CancelledError:
            # A second interrupt, or calls in flight that did not end in time. What was
            # committed stays; what is left to do is to say so.
            task = asyncio.current_task()
            if halt.reason is None or task is None:
                raise
            task.uncancel()
        wall = round(header.wall_s + time.monotonic() - began, 3)
        return _finished(store, replace(header, finished=_now(), wall_s=wall), halt)


def _before(request: Request) -> RunHeader | None:
    """The header of the run that is taken up again."""
    if request.resume is None:
        return None
    with Store.read(request.store_url) as store:
        return store.header(request.resume)


def _finished(store: Store, header: RunHeader, halt: Halt) -> Run:
    status = "finished" if halt.reason is None else halt.reason.value
    run = stored_run(store, replace(header, status=status))
    try:
        store.finish(run.header, digest(run))
    except StoreError as error:  # what was committed before is kept; a resume goes on from there
        halted = halt.throw(HaltReason.STORE, str(error))
        return replace(run, header=replace(header, status=halted.reason.value))
    return run


@dataclass(frozen=True, slots=True)
class _Session:
    request: Request
    plan: Plan
    header: RunHeader
    store: Store
    complete: Set[str]


async def _play(session: _Session, watch: Watch, halt: Halt) -> None:
    request, header, store = session.request, session.header, session.store
    resume = request.resume is not None
    complete = session.complete
    journal = store.journal(header.id, resume=resume)
    reuse = store.judgements(store.resolve(request.options.reuse)) if request.options.reuse else {}
    with watch(header, len(complete)) as observer:
        async with Accounts(
            client=session.plan.client,
            journal=journal,
            halt=halt,
            observer=observer,
            paid=store.ledger(header.id),
            reuse=reuse,
        ) as accounts:
            around = Surroundings(
                loaded=request.loaded,
                accounts=accounts,
                journal=journal,
                halt=halt,
                observer=observer,
                secret=header.secret,
                target=request.target,
            )
            cast = make_cast(session.plan, around)
            store.begin(header)  # not before everything is open: wrong input leaves no run behind
            work = Work(header.id, store, halt, observer, complete)
            await play_all(cast, work, request.options.concurrency)


def _header(request: Request, plan: Plan, before: RunHeader | None) -> RunHeader:
    client = plan.client
    infos = metric_infos(plan, request.loaded)
    names = {info.name for info in infos}
    gate, notes = _gate(request, plan)
    header = RunHeader(
        id=secrets.token_hex(4),
        client=client.name,
        folder=client.folder,
        language=client.language,
        timezone=client.timezone,
        started=_now(),
        offline=plan.offline,
        score_by=client.score_by,
        planned=plan.conversations(),
        metrics=infos,
        thresholds={m: t for m, t in client.thresholds.items() if m in names},
        gate=gate,
        version=__version__,
        secret=secrets.token_hex(16),
        options=request.options.fixed(),
        snapshot=run_snapshot(plan, request.loaded),
        notes=notes,
    )
    return _taken_up(request, header, before) if before else header


def _taken_up(request: Request, now: RunHeader, before: RunHeader) -> RunHeader:
    """The run as it was begun, with what is judged and planned now (the same, unless forced)."""
    if not request.force:
        check_same(before.id, before.snapshot, now.snapshot)
    return replace(
        now, id=before.id, started=before.started, secret=before.secret, wall_s=before.wall_s
    )


def _gate(request: Request, plan: Plan) -> tuple[float | None, tuple[str, ...]]:
    """The gate of this run; that of a judged client says nothing about another kind of score."""
    if request.options.fail_under is not None:
        return request.options.fail_under, ()
    gate = request.loaded.client.gate
    asked, has = request.loaded.client.score_by, plan.client.score_by
    if gate is not None and asked != has:
        return None, (f"the gate of client.yaml speaks of {asked}; this run has {has} only",)
    return gate, ()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
