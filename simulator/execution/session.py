"""One run from its first call to its last, fresh or taken up again."""

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from simulator.build.cast import Surroundings, make_cast, make_judge
from simulator.build.plan import EPISODES_AT_ONCE
from simulator.build.snapshot import note
from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, MogiError, StoreError
from simulator.core.persona import Language
from simulator.core.ports import Observer
from simulator.core.run import Run, RunHeader
from simulator.core.traffic import CallEnd, Limit, Traffic
from simulator.execution.episodes import Work, judge_all, play_all
from simulator.execution.request import RunRequest, Start, utc_now
from simulator.figures.stored_run import audited, keep, stored_run
from simulator.llm.accounts import Accounts
from simulator.reports._figures import duration
from simulator.store.store import Store
from simulator.words import Words

_TOLD_S = 5.0
_TOLD_SHARE = 0.1  # of the run's time
# There, the model or the bot is what is slow.
_ADVISED = frozenset(Limit) - {Limit.CONCURRENCY, Limit.FIRST_ANSWER}
_LEAST_CUT = 500  # tokens: no endpoint's context is smaller, while canned figures are
_ALIKE = 3  # prompts of different lengths that were counted alike
_LONGER = 1.25

# Makes the observer of a run when its header is known; the number is of episodes done before.
Watch = Callable[[RunHeader, int], AbstractContextManager[Observer]]


@dataclass(slots=True)
class _Longest:
    """The most tokens that were counted of a prompt, and the lengths of those prompts in bytes."""

    tokens: int = 0
    sent: set[int] = field(default_factory=set)

    @property
    def is_cut(self) -> bool:
        if self.tokens < _LEAST_CUT or len(self.sent) < _ALIKE:
            return False
        return max(self.sent) >= _LONGER * min(self.sent)


class Prompts:
    """A listener that notices where prompts are cut: the count stays while the prompts grow."""

    def __init__(self) -> None:
        self._longest: dict[tuple[str, str], _Longest] = {}

    def __call__(self, call: CallEnd) -> None:
        """Look at a call; those whose tokens or length are not known tell nothing."""
        tokens = call.usage.input
        if not tokens or not call.sent:
            return
        found = self._longest.setdefault((call.model, call.endpoint), _Longest())
        if tokens > found.tokens:
            found.tokens, found.sent = tokens, {call.sent}
        elif tokens == found.tokens and len(found.sent) < 100:
            found.sent.add(call.sent)

    def cut(self) -> Mapping[tuple[str, str], int]:
        """At how many tokens prompts are cut, by model and endpoint; nothing of the others."""
        return {place: found.tokens for place, found in self._longest.items() if found.is_cut}


async def run_session(
    request: RunRequest, watch: Watch, halt: Halt, traffic: Traffic | None = None
) -> Run:
    """Run a client's cells; all that was done is in the store, however this ends.

    `traffic` is told of each call and of what calls wait for.

    Raises:
        InputError: something is wrong before the first call; nothing was paid, no run is kept.
        StoreError: the store cannot be used, or another process works on this run.
        RunStopped: (STORE) the run has ended, and its figures cannot be read.
    """
    try:
        return await _run(request, watch, halt, traffic or Traffic())
    except _BegunElsewhere as begun:
        request = replace(request, resume=begun.run)
    return await _run(request, watch, halt, traffic or Traffic())


class _BegunElsewhere(Exception):
    """Another shard began the run in this moment: this one joins it."""

    def __init__(self, run: str) -> None:
        self.run = run


async def _run(request: RunRequest, watch: Watch, halt: Halt, traffic: Traffic) -> Run:
    began = time.monotonic()
    start = Start.of(request)
    header, shard = start.header, request.shard
    here = Path.cwd()
    # The store last: a mistyped option must not leave a file behind.
    with Store.create(request.store_url) as store, ExitStack() as held:
        for name in header.locks[shard.number - 1 : shard.number] if shard else header.locks:
            held.enter_context(store.lock(name))
        complete = set(store.keys(header.id))
        header = replace(header, planned=start.planned(complete))
        elsewhere = shard.elsewhere(start.plan) if shard else frozenset[str]()
        start = replace(start, header=header)
        session = _Session(start, store, complete | elsewhere, elsewhere, began, traffic)
        session.traffic.listeners.append(session.prompts)
        try:
            await _play(session, watch, halt)
        except BaseException as error:
            if isinstance(error, _BegunElsewhere):
                raise
            if not halt.was_left(error):
                _break_off(session, halt, error)
                raise
        finally:
            os.chdir(here)  # a bot may have gone elsewhere; reports are written from here
        return _concluded(session, halt)


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


async def _play(session: _Session, watch: Watch, halt: Halt) -> None:
    start, store = session.start, session.store
    request, header = start.request, start.header
    journal = store.journal(header.id, resume=request.resume is not None)
    reused = request.options.reuse
    own = replace(header, planned=header.planned - len(session.elsewhere))
    with watch(own, len(session.complete - session.elsewhere)) as observer:
        async with Accounts(
            client=start.plan.client,
            journal=journal,
            halt=halt,
            observer=observer,
            paid=store.ledger(header.id, apart_from=session.elsewhere),
            reuse=store.judgements(reused) if reused else {},
            traffic=session.traffic,
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
            at_once = request.options.concurrency or EPISODES_AT_ONCE
            if request.recorded is None:
                cast = make_cast(start.plan, around)
                try:
                    with _spared():
                        await play_all(cast, _begun(session, observer, halt), at_once)
                finally:
                    session.notes = accounts.notes()
                    await cast.target.close()
                    _note_unsent(session, getattr(cast.target, "unsent", ""))
            else:
                judge = make_judge(start.plan, around)
                work = _begun(session, observer, halt)
                store.add_verdicts(header.id, request.recorded.verdicts(header.started))
                with _spared():
                    await judge_all(request.recorded, judge, start.plan.client, work, at_once)
                session.notes = accounts.notes()


def _note_unsent(session: _Session, path: str) -> None:
    """Tell once that the bot handed out an id which it was never sent back."""
    if path:
        header = session.start.header
        told = Words(header.language, "trial")("unsent", path=path)
        notes = tuple(dict.fromkeys((*header.notes, told)))
        session.start = replace(session.start, header=replace(header, notes=notes))


def _begun(session: _Session, observer: Observer, halt: Halt) -> Work:
    """The store knows of the run: not before everything is open, so wrong input leaves none."""
    header, store = session.start.header, session.store
    request = session.start.request
    if request.shard is not None and request.resume is not None and not request.force:
        store.amend(header.id, lambda kept: replace(kept, status="running", finished=None))
    elif not store.begin(header, first=request.shard is not None and request.resume is None):
        raise _BegunElsewhere(header.id)
    session.begun = True
    return Work(header.id, store, halt, observer, session.complete)


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


def _break_off(session: _Session, halt: Halt, error: BaseException) -> None:
    """Note why a run ended that was begun and does not conclude; the error itself is raised."""
    if not session.begun:
        return
    is_fault = isinstance(error, Exception)
    reason = HaltReason.INTERNAL if is_fault else HaltReason.INTERRUPTED
    halt.throw(reason, str(error) or reason.value)
    with suppress(MogiError):
        _concluded(session, halt)


def _with_what_was_learnt(session: _Session, header: RunHeader) -> RunHeader:
    """A header with what this start adds to it."""
    wall = round(header.wall_s + time.monotonic() - session.began, 3)
    waits = _waits_added(header.waits, session.traffic)
    header = replace(header, finished=utc_now(), wall_s=wall, waits=waits)
    told = _notes(header, session.prompts)
    notes = (*header.notes, *session.start.header.notes, *session.notes, *told)
    gate = session.start.header.gate  # of now, whatever other shards asked for
    return replace(header, notes=tuple(dict.fromkeys(notes)), gate=gate)


def _concluded(session: _Session, halt: Halt) -> Run:
    learnt = partial(_with_what_was_learnt, session)
    try:
        if session.elsewhere:  # other shards have learnt something, too
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
    return any(map(session.store.place.is_held, others))


def conclude_stored(store: Store, run: str) -> RunHeader:
    """Keep the figures of a run to which conversations came from elsewhere."""
    whole = stored_run(store, store.header(run))
    ended = "unfinished" if whole.summary.unfinished else "finished"
    header = replace(whole.header, status=ended)
    keep(store, replace(whole, header=header))
    return header


def _waits_added(
    before: Mapping[str, Mapping[str, float]], traffic: Traffic
) -> dict[str, dict[str, float]]:
    """The seconds waited in earlier starts of a run and in this one; short waits are left out."""
    whole = {place: dict(waits) for place, waits in before.items()}
    for place, waits in traffic.waited().items():
        for name, seconds in waits.items():
            if seconds >= 0.1:
                there = whole.setdefault(place, {})
                there[name] = round(there.get(name, 0.0) + seconds, 1)
    return whole


def _notes(header: RunHeader, prompts: Prompts) -> Iterator[str]:
    """What people are told, in the client's language."""
    language = header.language
    for place, waits in header.waits.items():
        for name, seconds in waits.items():
            if name in _ADVISED and seconds >= max(_TOLD_S, _TOLD_SHARE * header.wall_s):
                yield _waited(language, place, name, seconds, header.wall_s)
    for (model, endpoint), tokens in prompts.cut().items():
        yield note(language, "cut", model=model, endpoint=endpoint, tokens=tokens)


def _waited(language: Language, place: str, name: str, seconds: float, wall_s: float) -> str:
    return note(
        language,
        f"waited.{name}",
        place=place,
        waited=duration(seconds),
        wall=duration(wall_s),
    )
