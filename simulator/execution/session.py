"""One run from its first call to its last, fresh or taken up again."""

import asyncio
import gc
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Set
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, MogiError, StoreError
from simulator.core.plan import Limits
from simulator.core.run import Run, RunHeader
from simulator.core.traffic import Limit, Stream, Traffic
from simulator.execution.call_log import Prompts
from simulator.execution.cast import Cast, Surroundings, make_cast, make_judge
from simulator.execution.episodes import Work, judge_all, play_again, play_all
from simulator.execution.events import run_ended, run_planned
from simulator.execution.plan import EPISODES_AT_ONCE
from simulator.execution.request import RunRequest, Start, part_of, utc_now
from simulator.execution.snapshot import note
from simulator.llm.accounts import Accounts
from simulator.rates import Share
from simulator.store.leases import StoredLender
from simulator.store.shares import StoredShare
from simulator.store.store import Store
from simulator.view.run_view import duration
from simulator.view.stored_run import audited, keep, stored_run
from simulator.words import Words

_RENEWED_S = 5.0  # how often a shard looks which part of the limits per minute is its own
_TOLD_S = 5.0
_CHANGES = 3  # of a bot that are named
_TOLD_SHARE = 0.1  # of the run's time
# There, the model or the bot is what is slow.
_ADVISED = frozenset(Limit) - {Limit.CONCURRENCY, Limit.FIRST_ANSWER}

T = TypeVar("T")


async def run_session(request: RunRequest, halt: Halt, traffic: Traffic | None = None) -> Run:
    """Run a client's cells; all that was done is in the store, however this ends.

    `traffic` has what calls wait for, and in `events` all that happens.

    Raises:
        InputError: something is wrong before the first call; nothing was paid, no run is kept.
        StoreError: the store cannot be used, or another process works on this run.
        RunStopped: (STORE) the run has ended, and its figures cannot be read.
    """
    try:
        return await _run(request, halt, traffic or Traffic(), _concluded)
    except _BegunElsewhere as begun:
        request = replace(request, resume=begun.run)
    return await _run(request, halt, traffic or Traffic(), _concluded)


async def play_part(request: RunRequest, halt: Halt) -> None:
    """Play the part of a run that is the request's shard; who leads the run concludes it.

    Raises:
        InputError, StoreError: as `run_session`; RunHeld where another process plays this part.
    """
    await _run(request, halt, Traffic(), _noted)


async def lead_session(
    start: Start,
    halt: Halt,
    traffic: Traffic,
    play: Callable[[Store, RunHeader, Stream], Awaitable[None]],
) -> Run:
    """Run a client's cells as `run_session` does, in parts that other processes play.

    Args:
        start: What is run; its header says in how many parts.
        halt: As there.
        traffic: As there.
        play: Awaited when the run is begun: has all parts played, or is halted.

    Raises:
        InputError, StoreError, RunStopped: as `run_session`, and what `play` raises.
    """
    began, header = time.monotonic(), start.header
    # Its own lock keeps a second leader out; those of the parts are for who plays them.
    with start.request.writing() as store, store.lock(header.id):
        with store.lock(*header.locks):
            complete = set(store.keys(header.id))
            header = replace(header, planned=start.planned(complete))
            store.begin(header)
        start = replace(start, header=header)
        session = _Session(start, store, complete, frozenset(), began, traffic, begun=True)
        _announce(session)
        try:
            await play(store, header, traffic.events)
        except BaseException as error:
            if not halt.was_left(error):
                _break_off(session, halt, error, _concluded)
                raise
        with store.lock(*header.locks):
            return _concluded(session, halt)


class _BegunElsewhere(Exception):
    """Another shard began the run in this moment: this one joins it."""

    def __init__(self, run: str) -> None:
        self.run = run


async def _run(
    request: RunRequest, halt: Halt, traffic: Traffic, end: "Callable[[_Session, Halt], T]"
) -> T:
    began = time.monotonic()
    start = Start.of(request)
    header, shard = start.header, request.shard
    here = Path.cwd()
    # The store last: a mistyped option must not leave a file behind.
    locks = header.locks[shard.number - 1 : shard.number] if shard else header.locks
    with request.writing() as store, store.lock(*locks):
        complete = set(store.keys(header.id))
        header = replace(header, planned=start.planned(complete))
        elsewhere = shard.elsewhere(start.plan) if shard else frozenset[str]()
        start = replace(start, header=header)
        session = _Session(start, store, complete | elsewhere, elsewhere, began, traffic)
        traffic.events.subscribe("prompts", session.prompts, apart=False)
        try:
            await _play(session, halt)
        except BaseException as error:
            if isinstance(error, _BegunElsewhere):
                raise
            if not halt.was_left(error):
                _break_off(session, halt, error, end)
                raise
        finally:
            os.chdir(here)  # a bot may have gone elsewhere; reports are written from here
        return end(session, halt)


@dataclass(slots=True)
class _Session:
    """A start under way. `began` is monotonic; `begun`: the store knows of the run.

    `complete` are the conversations that are not to be held, because they are or because other
    processes hold them (`elsewhere`). `notes` are what was learnt on the way.
    """

    start: Start
    store: Store
    complete: Set[str]
    elsewhere: Set[str]
    began: float
    traffic: Traffic
    prompts: Prompts = field(default_factory=Prompts)
    begun: bool = False
    notes: tuple[str, ...] = ()


async def _play(session: _Session, halt: Halt) -> None:
    start, store = session.start, session.store
    request, header = start.request, start.header
    journal = store.journal(header.id, resume=request.resume is not None)
    reused, share = request.options.reuse, Share()
    async with Accounts(
        client=start.plan.client,
        journal=journal,
        halt=halt,
        paid=store.ledger(header.id, request.shard.plays if request.shard else None),
        lender=_lender(session),
        reuse=store.judgements(reused) if reused else {},
        traffic=session.traffic,
        share=share,
    ) as accounts:
        around = Surroundings(
            loaded=request.loaded,
            accounts=accounts,
            secret=header.secret,
            target=request.target,
        )
        at_once = request.options.concurrency or EPISODES_AT_ONCE
        if request.recorded is None:
            cast = make_cast(start.plan, around)
            try:
                work = _begun(session, halt)
                with _spared():
                    async with _sharing(session, share):
                        await play_all(cast, work, at_once)
                        await _play_again(session, cast, work, at_once)
            finally:
                of_runs = (*_of_reruns(session), *_of_bots(session))
                session.notes = (*accounts.notes(), *of_runs)
                if path := getattr(cast.target, "unsent", ""):  # an id that it was never sent back
                    unsent = Words(header.language, "trial")("unsent", path=path)
                    session.notes = (unsent, *session.notes)
                await cast.target.close()
        else:
            judge = make_judge(start.plan, around)
            work = _begun(session, halt)
            store.add_verdicts(header.id, request.recorded.verdicts(header.started))
            with _spared():
                await judge_all(request.recorded, judge, start.plan.client, work, at_once)
            session.notes = accounts.notes()


@asynccontextmanager
async def _sharing(session: _Session, share: Share) -> AsyncIterator[None]:
    """Keep `share` what the other shards at work leave of the limits per minute."""
    header, shard = session.start.header, session.start.request.shard
    if shard is None:
        yield
        return
    stored = StoredShare(
        session.store, header.id, header.started, shard.number, header.locks, shard.at_once
    )

    async def renew() -> None:
        with suppress(StoreError):  # what was granted still holds
            share.grant(await asyncio.to_thread(stored.renew))

    async def keep_renewing() -> None:
        while True:
            await asyncio.sleep(_RENEWED_S)
            await renew()

    share.grant(0.0)
    await renew()
    renewing = asyncio.create_task(keep_renewing())
    try:
        yield
    finally:
        renewing.cancel()
        await asyncio.wait([renewing])
        with suppress(StoreError):
            stored.leave()


def _lender(session: _Session) -> StoredLender | None:
    """Who lends to a shard what the run may spend; None where that has no bound."""
    header, shard = session.start.header, session.start.request.shard
    cap = session.start.plan.client.limits.cap
    if shard is None or cap == Limits().cap:
        return None
    return StoredLender(
        store=session.store,
        run=header.id,
        cap=cap,
        number=shard.number,
        locks=header.locks,
        part_of=partial(part_of, parts=shard.of),
        is_shared=shard.at_once is not None,
    )


async def _play_again(session: _Session, cast: Cast, work: Work, at_once: int) -> None:
    """Play again what the request's `reruns` name, where all of the plan was played."""
    store, header, reruns = session.store, session.start.header, session.start.request.reruns
    if reruns is not None and len(store.keys(header.id)) >= header.planned:
        await play_again(cast, work, at_once, partial(reruns, store, header.id))


def _of_reruns(session: _Session) -> tuple[str, ...]:
    """That conversations were played again, where some were."""
    store, header = session.store, session.start.header
    if session.start.request.reruns is None or not store.keys(header.id, reruns=True):
        return ()
    before = store.previous(header.id) or ""
    return (note(header.language, "reruns", before=before, run=header.id),)


def _of_bots(session: _Session) -> tuple[str, ...]:
    """That the run goes on with another bot, and which conversations are of which."""
    header, changed = session.start.header, session.start.other_bot
    before = len(session.complete)
    if not changed or not before:
        return ()
    after = len(session.store.keys(header.id)) - before
    what = "; ".join((*changed[:_CHANGES], *(["…"] if len(changed) > _CHANGES else [])))
    version = session.start.plan.client.target.version or "–"
    values = {"before": before, "after": after, "what": what, "version": version}
    return (note(header.language, "other_bot", run=header.id, at=utc_now(), **values),)


def _begun(session: _Session, halt: Halt) -> Work:
    """The store knows of the run: not before everything is open, so wrong input leaves none."""
    header, store = session.start.header, session.store
    request = session.start.request
    if request.shard is not None and request.resume is not None and not request.force:
        store.amend(header.id, lambda kept: replace(kept, status="running", finished=None))
    elif not store.begin(header, first=request.shard is not None and request.resume is None):
        raise _BegunElsewhere(header.id)
    session.begun = True
    _announce(session)
    return Work(header.id, store, halt, session.traffic.events, session.complete)


def _announce(session: _Session) -> None:
    """Tell subscribers what is planned, of a shard its own part."""
    header, events = session.start.header, session.traffic.events
    events.run = header.id
    own, complete = len(session.elsewhere), len(session.complete - session.elsewhere)
    events.emit(run_planned(header, header.planned - own, complete))


@contextmanager
def _spared() -> Iterator[None]:
    """Spare the collector what is loaded by now.

    It would go through all of that again and again, for nothing: one part in fifteen of a run's
    CPU.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _break_off(
    session: _Session, halt: Halt, error: BaseException, end: Callable[[_Session, Halt], object]
) -> None:
    """Note why a run ended that was begun and does not conclude; the error itself is raised."""
    if not session.begun:
        return
    is_fault = isinstance(error, Exception)
    reason = HaltReason.INTERNAL if is_fault else HaltReason.INTERRUPTED
    halt.throw(reason, str(error) or reason.value)
    with suppress(MogiError):
        end(session, halt)


def _learnt(session: _Session, header: RunHeader, share: float = 1.0) -> RunHeader:
    """A header with what this start has learnt; of its waits a share is counted."""
    waits = _waits_added(header.waits, session.traffic, share)
    notes = (*header.notes, *session.start.header.notes, *session.notes)
    cut = (
        note(header.language, "cut", model=model, endpoint=endpoint, tokens=tokens)
        for (model, endpoint), tokens in session.prompts.cut().items()
    )
    return replace(header, waits=waits, notes=tuple(dict.fromkeys((*notes, *cut))))


def _at_its_end(session: _Session, header: RunHeader) -> RunHeader:
    """A header with all that this start adds to it."""
    wall = round(header.wall_s + time.monotonic() - session.began, 3)
    header = replace(_learnt(session, header), finished=utc_now(), wall_s=wall)
    gate = session.start.header.gate  # of now, whatever other shards asked for
    return replace(header, notes=tuple(dict.fromkeys(_notes(header))), gate=gate)


def _noted(session: _Session, halt: Halt) -> None:
    """Leave in the store what a part of a run has learnt, and its time to who leads the run."""
    at_once = getattr(session.start.request.shard, "at_once", None) or 1
    learnt = partial(_learnt, session, share=1 / at_once)
    session.store.amend(session.start.header.id, learnt)


def _concluded(session: _Session, halt: Halt) -> Run:
    run = _figured(session, halt)
    session.traffic.events.emit(run_ended(run))
    return run


def _figured(session: _Session, halt: Halt) -> Run:
    """The run with its figures, which are kept."""
    learnt = partial(_at_its_end, session)
    try:
        if session.start.header.shards:  # others have learnt something, too
            header = session.store.amend(session.start.header.id, learnt)
        else:
            header = learnt(session.start.header)
        header = audited(session.store, header)
        run = stored_run(session.store, header)
    except StoreError as error:
        raise halt.throw(HaltReason.STORE, str(error)) from error
    ended = "unfinished" if run.summary.unfinished else "finished"
    leaves = run.summary.unfinished and halt.reason is None and _leaves_to_others(session)
    if leaves and _others_play(session):
        return replace(run, header=replace(header, status="running"))  # who ends last concludes
    run = replace(run, header=replace(header, status=halt.reason or ended))
    try:
        keep(session.store, run)
    except StoreError as error:  # what was committed before is kept; a resume goes on from there
        halted = halt.throw(HaltReason.STORE, str(error))
        return replace(run, header=replace(header, status=halted.reason))
    return replace(run, header=replace(run.header, status="running")) if leaves else run


def _leaves_to_others(session: _Session) -> bool:
    """Whether a shard has played all of its part, or others are at work: they have what is left."""
    if not session.elsewhere:
        return False
    own = {c.key for c in session.start.plan.cells()} - session.elsewhere
    is_whole = own.issubset(session.store.keys(session.start.header.id))
    has_played = not own or not own <= session.complete  # there may be more shards than talks
    return is_whole and (has_played or _others_play(session))


def _others_play(session: _Session) -> bool:
    header, shard = session.start.header, session.start.request.shard
    others = (name for n, name in enumerate(header.locks, 1) if shard and n != shard.number)
    return bool(session.store.location.locked(tuple(others)))


def conclude_stored(store: Store, run: str) -> RunHeader:
    """Keep the figures of a run to which conversations came from elsewhere."""
    whole = stored_run(store, store.header(run))
    ended = "unfinished" if whole.summary.unfinished else "finished"
    header = replace(whole.header, status=ended)
    keep(store, replace(whole, header=header))
    return header


def _waits_added(
    before: Mapping[str, Mapping[str, float]], traffic: Traffic, share: float = 1.0
) -> dict[str, dict[str, float]]:
    """The seconds waited in earlier starts of a run and in this one; short waits are left out.

    Of this one a `share` is counted, where others play the run at the same time.
    """
    whole = {place: dict(waits) for place, waits in before.items()}
    for place, waits in traffic.waited().items():
        for name, seconds in waits.items():
            if seconds >= 0.1:
                of_place = whole.setdefault(place, {})
                of_place[name] = round(of_place.get(name, 0.0) + seconds * share, 1)
    return whole


def _notes(header: RunHeader) -> Iterator[str]:
    """A header's notes, and what calls waited for long, in the client's language."""
    yield from header.notes
    wall = duration(header.wall_s, header.language)
    for place, waits in header.waits.items():
        for name, seconds in waits.items():
            if name in _ADVISED and seconds >= max(_TOLD_S, _TOLD_SHARE * header.wall_s):
                waited = duration(seconds, header.language)
                yield note(header.language, f"waited.{name}", place=place, waited=waited, wall=wall)
