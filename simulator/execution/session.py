"""One run from its first call to its last, fresh or taken up again."""

import asyncio
import secrets
import time
from collections.abc import Callable, Set
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from simulator.build.cast import Surroundings, make_cast, metric_infos
from simulator.build.options import EPISODES_AT_ONCE, Options
from simulator.build.plan import make_plan
from simulator.build.snapshot import check_same, snapshot
from simulator.core.errors import HaltReason, MogiError, StoreError
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
        RunStopped: (STORE) the run has ended, and its figures cannot be read.
    """
    began = time.monotonic()
    request, before = _taken_up(request)
    plan = make_plan(request.loaded, request.options)
    header = _header(request, plan, before)
    # The store last: a mistyped option must not leave a file behind.
    with Store.create(request.store_url) as store, store.lock(header.id):
        complete = set(store.keys(header.id)) if before else set()
        # A forced resume may have other cells; those that were played stay part of the run.
        planned = len(complete.union(cell.key for cell in plan.cells()))
        session = _Session(request, plan, replace(header, planned=planned), store, complete, began)
        try:
            await _play(session, watch, halt)
        except BaseException as error:
            if not _is_on_purpose(error, halt):
                _break_off(session, halt, error)
                raise
        return _concluded(session, halt)


def planned(request: Request) -> tuple[Plan, Set[str]]:
    """What a request would play, and which of its conversations are complete. Writes nothing.

    Raises:
        InputError: as for `run_session`.
    """
    request, before = _taken_up(request)
    plan = make_plan(request.loaded, request.options)
    _header(request, plan, before)
    if before is None:
        return plan, frozenset()
    with Store.read(request.store_url) as store:
        return plan, frozenset(store.keys(before.id))


@dataclass(slots=True)
class _Session:
    """One start of a run. `began` is monotonic; `begun`: the store knows of it."""

    request: Request
    plan: Plan
    header: RunHeader
    store: Store
    complete: Set[str]
    began: float
    begun: bool = False


async def _play(session: _Session, watch: Watch, halt: Halt) -> None:
    request, header, store = session.request, session.header, session.store
    journal = store.journal(header.id, resume=request.resume is not None)
    reused = request.options.reuse
    with watch(header, len(session.complete)) as observer:
        async with Accounts(
            client=session.plan.client,
            journal=journal,
            halt=halt,
            observer=observer,
            paid=store.ledger(header.id),
            reuse=store.judgements(reused) if reused else {},
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
            session.begun = True
            work = Work(header.id, store, halt, observer, session.complete)
            await play_all(cast, work, request.options.concurrency or EPISODES_AT_ONCE)


def _is_on_purpose(error: BaseException, halt: Halt) -> bool:
    """A second interrupt, or calls in flight that did not end in time: what is left is to say so."""
    task = asyncio.current_task()
    if task is None or not halt.leaving or not isinstance(error, asyncio.CancelledError):
        return False
    task.uncancel()
    return True


def _break_off(session: _Session, halt: Halt, error: BaseException) -> None:
    """Note why a run ended that was begun and does not conclude; the error itself is raised."""
    if not session.begun:
        return
    is_fault = isinstance(error, Exception)
    reason = HaltReason.INTERNAL if is_fault else HaltReason.INTERRUPTED
    halt.throw(reason, str(error) or reason.value)
    with suppress(MogiError):
        _concluded(session, halt)


def _concluded(session: _Session, halt: Halt) -> Run:
    wall = round(session.header.wall_s + time.monotonic() - session.began, 3)
    header = replace(session.header, finished=_now(), wall_s=wall)
    try:
        run = stored_run(session.store, header)
    except StoreError as error:
        raise halt.throw(HaltReason.STORE, str(error)) from error
    ended = "unfinished" if run.summary.unfinished else "finished"
    run = replace(run, header=replace(header, status=halt.reason or ended))
    try:
        session.store.finish(run.header, digest(run))
    except StoreError as error:  # what was committed before is kept; a resume goes on from there
        halted = halt.throw(HaltReason.STORE, str(error))
        return replace(run, header=replace(header, status=halted.reason))
    return run


def _taken_up(request: Request) -> tuple[Request, RunHeader | None]:
    """The request with all that was said when its run was begun, and that run's header."""
    before = None
    options = request.options
    if request.resume is not None:
        with Store.read(request.store_url) as store:
            before = store.header(request.resume)
        options = options.resuming(before.options)
    if options.reuse is not None:  # by its id: `latest` will soon be another run
        with Store.read(request.store_url) as store:
            options = replace(options, reuse=store.resolve(options.reuse))
    return replace(request, options=options), before


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
        options=request.options.said(),
        snapshot=snapshot(plan, request.loaded),
        notes=notes,
    )
    return _as_begun(request, header, before) if before else header


def _as_begun(request: Request, now: RunHeader, before: RunHeader) -> RunHeader:
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
