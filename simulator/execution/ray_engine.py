"""A run on a Ray cluster: Ray only schedules, and the store is the truth.

The run is cut into parts, as shards cut it. A part is one task, in a process of its own; what it
does stands in the store, and little but its number goes through Ray. The part of a worker that died
is handed out again: it goes on where it was, as a resume does.
"""

import asyncio
import os
import shutil
import socket
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from simulator import config
from simulator.core.concurrency import Halt, interruptible
from simulator.core.errors import HaltReason, InputError, MogiError, RunHeld
from simulator.core.run import Run, RunHeader
from simulator.core.traffic import Stream, Traffic, call_event
from simulator.execution.events import saved_conversation
from simulator.execution.plan import Options
from simulator.execution.request import Cluster, RunRequest, Shard, part_of, planned
from simulator.execution.session import lead_session, play_part, run_session
from simulator.files.client.folder import load_client
from simulator.store.engine import without_password
from simulator.store.store import Store, location_of
from simulator.view.results import finding

_FINER = 4  # parts a worker: less is played again where one dies, and no worker idles for long
_LEAST = 100  # conversations in a part: each begins with a second or so of reading files
_MOST = 1000
_DEATHS = 5  # of the workers of one part
_HELD_S = 60.0  # how long a dead worker's lock may last: a server notices within so much
_LOOKS = 500  # conversations that are read at once
_SHORT = "/tmp"  # noqa: S108  the path of a socket may have 103 characters
_SMALL = 80 * 2**20  # bytes of Ray's own store, through which next to nothing goes


async def run_on_ray(request: RunRequest, halt: Halt, traffic: Traffic | None = None) -> Run:
    """As `run_session`, played by the workers of the request's cluster.

    Raises:
        InputError: Ray is not installed, or the cluster cannot be used; or as `run_session`.
        StoreError, RunStopped: as `run_session`.
    """
    cluster = request.cluster or Cluster()
    start, complete = planned(request)
    left = [cell.key for cell in start.plan.cells() if cell.key not in complete]
    if not left:
        return await run_session(replace(request, cluster=None), halt, traffic)
    place = location_of(request.store_url)
    if without_password(request.store_url) != request.store_url:
        raise InputError(
            "the store's URL contains a password, which would go through Ray; remove it, and set "
            "PGPASSWORD or ~/.pgpass on every node"
        )
    with _joined(cluster) as ray:
        if place.file is not None:
            _expect_one_machine(ray.nodes())
        workers = cluster.workers or int(ray.cluster_resources().get("CPU", 0)) or 1
        parts = start.header.shards or _parts(len(left), workers)
        header = replace(start.header, shards=parts)
        order = _Order(
            folder=header.folder,
            cwd=str(Path.cwd()),
            store=place.url,
            run=header.id,
            shard=Shard(0, parts, at_once=min(workers, parts)),
            untrusted=config.is_untrusted(),
            allowed=tuple(map(str, config.allowed_paths())),
            hosts=config.allowed_hosts(),
        )
        waiting = Counter(part_of(key, parts) for key in left)
        crew = _Crew(ray, order, workers, deque(sorted(waiting)), halt)
        return await lead_session(
            replace(start, header=header), halt, traffic or Traffic(), crew.play
        )


def _parts(left: int, workers: int) -> int:
    """In how many parts a run is cut."""
    return min(max(workers, min(_FINER * workers, left // _LEAST)), _MOST)


@contextmanager
def _joined(cluster: Cluster) -> Iterator[Any]:
    """Ray, as the driver of a cluster sees it; where no address is said, of one on this machine."""
    config.secure_ray(own=cluster.address is None)
    try:
        import ray
    except ImportError as error:
        missing = "--engine ray needs Ray: pip install 'mogi[ray]'"
        raise InputError(missing) from error
    settings: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
    where = cluster.address or "local"
    # A private folder about Ray's: everybody may read and write in what it makes, and that stays.
    folder = tempfile.mkdtemp(prefix="mogi-ray-", dir=_SHORT)
    if cluster.address is None:
        settings |= {"include_dashboard": False, "object_store_memory": _SMALL}
        settings |= {"num_cpus": cluster.workers, "_temp_dir": f"{folder}/ray"}
    try:
        ray.init(where, **settings)
    except Exception as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(f"can't use the Ray cluster {where}: {_first_line(error)}") from error
    try:
        yield ray
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def _expect_one_machine(nodes: list[Mapping[str, Any]]) -> None:
    """A file is written from one machine only.

    Raises:
        InputError: a node of the cluster is on another one.
    """
    places = {(n["NodeManagerHostname"], n["NodeManagerAddress"]) for n in nodes if n["Alive"]}
    if len(places) != 1 or {name for name, _ in places} != {socket.gethostname()}:
        raise InputError(
            f"the cluster has {len(places)} machines, but only one of them can write to a "
            "store file; use PostgreSQL: --store postgresql://USER@HOST/DATABASE"
        )


@dataclass(frozen=True, slots=True)
class _Order:
    """What a worker is told: where all that it needs is to be found, and nothing secret."""

    folder: str
    cwd: str
    store: str
    run: str
    shard: Shard
    untrusted: bool
    allowed: tuple[str, ...]
    hosts: tuple[str, ...] = ()


class _Ended(NamedTuple):
    """How a part ended: why it stopped before its end, if it did."""

    reason: HaltReason | None = None
    message: str = ""
    trouble: str = ""
    is_input: bool = False


def _play(order: _Order) -> _Ended:
    """Play a part, in a worker's process; what went wrong is told as a value."""
    halt = Halt()
    try:
        with ExitStack() as around, open(os.devnull, "w", encoding="utf-8") as nowhere:
            # Ray keeps what is printed, where others can read it; a bot prints what it likes.
            around.enter_context(redirect_stdout(nowhere))
            around.enter_context(redirect_stderr(nowhere))
            if order.untrusted:
                around.enter_context(config.untrusting())
            around.enter_context(config.allowing(order.allowed))
            around.enter_context(config.reaching_only(order.hosts))
            os.chdir(order.cwd)
            asyncio.run(_played(order, halt))
    except KeyboardInterrupt:
        return _Ended(HaltReason.INTERRUPTED, "interrupted")
    except (InputError, OSError) as error:
        return _Ended(None, f"on {socket.gethostname()}: {error}", is_input=True)
    except Exception as error:  # noqa: BLE001  whatever it is, the driver tells of it
        if halt.reason is None:
            reason = HaltReason.STORE if isinstance(error, MogiError) else HaltReason.INTERNAL
            halt.throw(reason, f"on {socket.gethostname()}: {type(error).__name__}: {error}")
    return _Ended(halt.reason, halt.message, halt.trouble)


async def _played(order: _Order, halt: Halt) -> None:
    request = RunRequest(
        load_client(order.folder, cwd=Path.cwd()),
        Options(),
        order.store,
        resume=order.run,
        shard=order.shard,
    )
    until = time.monotonic() + _HELD_S
    async with interruptible(halt, lambda _: None):
        while halt.reason is None:
            try:
                await play_part(request, halt)
                break
            except RunHeld:  # by the worker before this one, whose end was not noticed yet
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(1)


class _Crew:
    """The workers that play the parts of one run, `size` of them at a time."""

    def __init__(self, ray: Any, order: _Order, size: int, waiting: deque[int], halt: Halt) -> None:
        self._ray, self._order, self._size = ray, order, size
        self._waiting, self._halt = waiting, halt
        self._playing: dict[Any, int] = {}
        self._deaths: Counter[int] = Counter()
        self._why: _Ended | None = None  # the first that was stopped
        self._interrupted = False
        task = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD", name="mogi")
        self._task = task(_play)

    async def play(self, store: Store, header: RunHeader, events: Stream) -> None:
        """Have all parts played, or end when the halt is thrown or nothing more can be done."""
        look, wait = _Looks(store, header, events), self._ray.wait
        try:
            while self._hand_out() or self._playing:
                playing = list(self._playing)
                done, _ = await asyncio.to_thread(partial(wait, playing, timeout=1.0))
                for ref in done:
                    self._take_back(ref, self._playing.pop(ref))
                look.now_and_then()
                self._interrupt()
            look.now()
        finally:
            await asyncio.shield(asyncio.to_thread(self._leave, store, header))
        if self._why is not None and self._why.reason is not None:
            self._halt.throw(self._why.reason, self._why.message)

    def _hand_out(self) -> bool:
        """Let those play that can; whether there were any."""
        stopped = self._why is not None and self._why.reason is not HaltReason.BUDGET
        if stopped or self._halt.reason is not None:
            self._waiting.clear()
        before = len(self._playing)
        while self._waiting and len(self._playing) < self._size:
            number = self._waiting.popleft()
            order = replace(self._order, shard=replace(self._order.shard, number=number))
            self._playing[self._task.remote(order)] = number
        return len(self._playing) > before

    def _take_back(self, ref: Any, number: int) -> None:
        errors = self._ray.exceptions
        try:
            ended: _Ended = self._ray.get(ref)
        except errors.TaskCancelledError:
            return
        except errors.RayTaskError as error:  # it did not come as far as `_play`
            cause = _first_line(error.cause)
            raise InputError(f"a worker of the cluster can't run conversations: {cause}") from error
        except errors.RayError as error:  # it died, or its node did: another one goes on
            self._deaths[number] += 1
            if self._deaths[number] >= _DEATHS:
                died = f"{_DEATHS} workers died on the same part; last error: {_first_line(error)}"
                self._why = self._why or _Ended(HaltReason.INTERNAL, died)
            self._waiting.append(number)
            return
        if ended.is_input:
            raise InputError(ended.message)
        self._halt.trouble = ended.trouble or self._halt.trouble
        if ended.reason is not None:
            self._why = self._why or ended

    def _interrupt(self) -> None:
        """Let calls in flight end, once: each worker is told as by Ctrl-C."""
        if self._halt.reason is not None and not self._interrupted:
            self._interrupted = True
            for ref in self._playing:
                self._ray.cancel(ref)

    def _leave(self, store: Store, header: RunHeader) -> None:
        """End those that still play; their locks are free then."""
        for ref in self._playing:
            self._ray.cancel(ref, force=True)
        until = time.monotonic() + 10
        while self._playing and store.location.locked(header.locks) and time.monotonic() < until:
            time.sleep(0.1)


class _Looks:
    """Emits the events of what has come into the store: all of a conversation when it has ended."""

    def __init__(self, store: Store, header: RunHeader, events: Stream) -> None:
        self._store, self._header, self._events = store, header, events
        self._known = set(store.keys(header.id))
        self._finding = finding(header, doubted=False)
        self._next = 0.0

    def now_and_then(self) -> None:
        """Look, unless it was done a moment ago."""
        began = time.monotonic()
        if began >= self._next:
            self.now()
            ended = time.monotonic()
            self._next = ended + max(1.0, 20 * (ended - began))

    def now(self) -> None:
        """Tell of each conversation that ended since the last look, and of its calls."""
        new = [key for key in self._store.keys(self._header.id) if key not in self._known]
        self._known.update(new)
        for start in range(0, len(new), _LOOKS):
            self._tell(new[start : start + _LOOKS])

    def _tell(self, keys: list[str]) -> None:
        run, emit = self._header.id, self._events.emit
        for record in self._store.calls(run, keys):
            emit(call_event(run, record))
        for episode, verdicts in self._store.reviewed(run, keys):
            judged = replace(episode, finding=self._finding(episode, verdicts))
            for event in saved_conversation(self._header, judged):
                emit(event)


def _first_line(error: object) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
