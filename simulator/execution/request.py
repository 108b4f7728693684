"""What was asked for, the plan that it makes, and the header of its run."""

import secrets
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from simulator.core.errors import InputError
from simulator.core.plan import Cell, Client, Gate, Plan, seed_of
from simulator.core.ports import Target
from simulator.core.run import CHECK_PREFIX, Kind, RunHeader
from simulator.core.scenario import KnowledgeCoverage
from simulator.core.verdict import Audit
from simulator.core.version import __version__
from simulator.execution.cast import metric_infos
from simulator.execution.episodes import Recorded
from simulator.execution.plan import Options, make_judging_plan, make_plan, with_metrics
from simulator.execution.snapshot import (
    bot_differences,
    check_same,
    expected_documents,
    judged_snapshot,
    note,
    references,
    snapshot,
    stale_thresholds,
    unspoken_turns,
    usual,
)
from simulator.files.client.folder import LoadedClient
from simulator.formats.own_files import writing_only
from simulator.store.store import Store, location_of
from simulator.view.summary import is_cheap, scenario_coverage

_WRITTEN = "written"  # among the options of a header


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `of` parts of a run that processes play together, the `number`-th from 1.

    Nobody tells them who plays what: a conversation's name says whose it is. `key` names the run.
    `at_once` parts are played at a time (None: all).
    """

    number: int
    of: int
    key: str = ""
    at_once: int | None = None

    def run(self, client: str) -> str:
        """The id of the run that all of them play: the same wherever this is asked."""
        return sha256(f"{client}\0{self.of}\0{self.key}".encode()).hexdigest()[:8]

    def elsewhere(self, plan: Plan) -> frozenset[str]:
        """The conversations of a plan that the others play, by their keys."""
        return frozenset(cell.key for cell in plan.cells() if not self.plays(cell.key))

    def plays(self, conversation: str) -> bool:
        """Whether a conversation, by its key, is of this part."""
        return part_of(conversation, self.of) == self.number


def part_of(conversation: str, parts: int) -> int:
    """In which of a run's parts, from 1, a conversation is played, by its key; 0: it is none."""
    if "/" not in conversation:
        return 0
    return int(sha256(conversation.encode()).hexdigest(), 16) % parts + 1


@dataclass(frozen=True, slots=True)
class Cluster:
    """Ray's, whose `workers` play the run (None: one a core); `address` None: one is started."""

    address: str | None = None
    workers: int | None = None


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be run. `resume` is a run's whole id; `target` replaces the client's own.

    `recorded`: talks that are judged, instead of holding some. `writes`: the files that are written
    of the run, which make no other bot of one that may read the client's folder. `shard`: only
    this part of the run is played. `cluster`: its workers play the run, in parts. `reruns`: says
    what of the whole run is played again, again and again until it names nothing more.
    """

    loaded: LoadedClient
    options: Options
    store_url: str
    target: Target | None = None
    resume: str | None = None
    force: bool = False
    recorded: Recorded | None = None
    writes: tuple[Path, ...] = ()
    shard: Shard | None = None
    cluster: Cluster | None = None
    reruns: Callable[[Store, str], Sequence[Cell]] | None = None

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """The run's store; until the block ends, nothing is written but what the manifest names.

        Raises:
            InputError, StoreError: as `Store.create`.
        """
        kept = location_of(self.store_url).file
        with (
            writing_only(filter(None, (kept, *self.writes))),
            Store.create(self.store_url) as store,
        ):
            yield store

    def written(self, before: RunHeader | None) -> tuple[str, ...]:
        """Those in the client's folder, of all starts so far, by their paths below it."""
        folder = Path(self.loaded.client.folder)
        kept = location_of(self.store_url)
        now = (p.absolute() for p in filter(None, (*self.writes, kept.file)))
        below = (p.relative_to(folder).as_posix() for p in now if p.is_relative_to(folder))
        return tuple(
            {
                **dict.fromkeys(before.options.get(_WRITTEN, ()) if before else ()),
                **dict.fromkeys(below),
            }
        )


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a run, the first or a later one, before anything is opened or written.

    `request` says all that was said when the run was begun, and on top what is said now.
    `other_bot`: what differs of the bot from the one that the run was begun with, a line each.
    """

    request: RunRequest
    plan: Plan
    header: RunHeader
    other_bot: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: RunRequest) -> "Start":
        """What a request starts.

        Raises:
            InputError: an option or a file is wrong, or the run that is to be taken up was begun
                with others and nobody forces it.
            StoreError: the store cannot be read.
        """
        client = request.loaded.client  # as its files say; other metrics may be asked for
        request, before = _taken_up(request)
        loaded, options, recorded = request.loaded, request.options, request.recorded
        if recorded is None:
            plan = make_plan(loaded, options)
        else:
            loaded, plan = make_judging_plan(loaded, options, recorded.gives)
            request = replace(request, loaded=loaded)
        gate, notes = _gate(client, options, plan)
        header = replace(_header(request, plan, before), gate=gate)
        every = dict.fromkeys((*notes, *(before.notes if before else ()), *header.notes))
        changed: tuple[str, ...] = ()
        if before is not None and request.force and recorded is None:
            changed = bot_differences(before.snapshot, header.snapshot, usual(plan))
        return cls(request, plan, replace(header, notes=tuple(every)), changed)

    def planned(self, complete: Set[str]) -> int:
        """How many conversations the run has in the end.

        A forced resume may have other ones; those that are `complete` stay part of the run.
        """
        if self.request.recorded is not None:
            return max(self.request.recorded.count, len(complete))
        return len({*complete, *(cell.key for cell in self.plan.cells())})


def planned(request: RunRequest) -> tuple[Start, Set[str]]:
    """What a request would start, and which of its conversations are complete. Writes nothing.

    Raises:
        InputError, StoreError: as `Start.of`.
    """
    start = Start.of(request)
    elsewhere = request.shard.elsewhere(start.plan) if request.shard else frozenset[str]()
    if request.resume is None:
        return start, elsewhere
    with Store.read(request.store_url) as store:
        return start, elsewhere.union(store.keys(request.resume))


def _taken_up(request: RunRequest) -> tuple[RunRequest, RunHeader | None]:
    """The request with all that was said when its run was begun, and that run's header."""
    before = None
    options = request.options
    if request.resume is not None:
        with Store.read(request.store_url) as store:
            before = store.header(request.resume)
        check_kind(before, request.recorded.kind if request.recorded else "run")
        options = options.resuming(before.options)
    if options.reuse is not None:  # by its id: `latest` will soon be another run
        with Store.read(request.store_url) as store:
            options = replace(options, reuse=store.resolve(options.reuse))
    loaded = request.loaded
    if options.metrics:
        loaded = with_metrics(loaded, options.metrics)
    return replace(request, options=options, loaded=loaded), before


def check_kind(header: RunHeader, kind: Kind) -> None:
    """Refuse to take up a run with another command than began it.

    Raises:
        InputError: naming the right command.
    """
    if header.kind != kind:
        raise InputError(
            f"run {header.id} wasn't started by `mogi {kind}`; to resume: "
            f"mogi {header.kind} --resume {header.id}"
        )


def _header(request: RunRequest, plan: Plan, before: RunHeader | None) -> RunHeader:
    client, loaded = plan.client, request.loaded
    infos, named = metric_infos(plan, loaded), loaded.client.user.kind
    names = {info.name for info in infos}
    recorded = request.recorded
    written = request.written(before)
    now_is = snapshot(plan, loaded, written)
    documents = loaded.knowledge.documents() if loaded.knowledge else ()
    kind: Kind = recorded.kind if recorded else "run"
    prefix = CHECK_PREFIX if kind == "judge-check" else ""
    shard = request.shard
    name = shard.run(client.name) if shard else f"{prefix}{secrets.token_hex(4)}"
    header = RunHeader(
        id=name,
        client=client.name,
        folder=client.folder,
        language=client.language,
        timezone=client.timezone,
        started=utc_now(),
        offline=plan.offline,
        score_by=client.score_by,
        planned=recorded.count if recorded else plan.conversations(),
        metrics=infos,
        thresholds={m: t for m, t in client.thresholds.items() if m in names},
        gate=None,
        version=__version__,
        secret=secrets.token_hex(16),
        options={
            **request.options.chosen(),
            **(recorded.options if recorded else {}),
            **({_WRITTEN: list(written)} if written else {}),
        },
        snapshot=judged_snapshot(now_is, recorded.identity) if recorded else now_is,
        notes=(
            *(recorded.notes if recorded else ()),
            *stale_thresholds(client, now_is, infos, loaded.rubrics),
            *(() if recorded else unspoken_turns(plan, named, client.language)),
        ),
        kind=kind,
        of=recorded.of if recorded else "",
        audit=Audit(request.options.audit or 0.0, seed_of(0, name)),
        coverage=_coverage(request),
        fail_on=client.fail_on,
        expected_documents=expected_documents(loaded.scenarios.values(), documents),
        references=references(plan.scenarios.values(), documents),
        personas={persona.id: persona.name for persona in plan.personas.values()},
        review=client.review,
        shards=shard.of if shard else 0,
    )
    return _as_begun(request, plan, header, before) if before else header


def _coverage(request: RunRequest) -> KnowledgeCoverage | None:
    """What the client's scenarios expect of its knowledge, all of them, whichever are played."""
    loaded, recorded = request.loaded, request.recorded
    is_of_talks = recorded is None or recorded.kind == "rejudge"
    if loaded.knowledge is None or not loaded.scenarios or not is_of_talks:
        return None
    entries, scenarios = loaded.knowledge.documents(), loaded.scenarios
    if not is_cheap(entries, scenarios):
        return None
    return scenario_coverage(entries, scenarios.values(), loaded.client.language).counts()


def _as_begun(request: RunRequest, plan: Plan, header: RunHeader, before: RunHeader) -> RunHeader:
    """The run as it was begun, with what is judged and planned now (the same, unless forced)."""
    if not request.force:
        check_same(before.id, before.snapshot, header.snapshot, usual(plan))
    kept = {
        name: getattr(before, name)
        for name in ("id", "started", "secret", "wall_s", "waits", "audit", "review_plan", "shards")
    }
    return replace(header, **kept)


def _gate(client: Client, options: Options, plan: Plan) -> tuple[Gate | None, tuple[str, ...]]:
    """The gate of this run; a judged client's score says nothing about another kind of score."""
    gate = client.gate or Gate()
    wanted, has = client.score_by, plan.client.score_by
    notes: tuple[str, ...] = ()
    if options.fail_under is not None:
        gate = replace(gate, score=options.fail_under)
    elif gate.score is not None and wanted != has:
        gate = replace(gate, score=None)
        notes = (note(client.language, "gate", asked=wanted, has=has),)
    return (None if gate == Gate(sure=gate.sure) else gate), notes


def utc_now() -> str:
    """The time as headers tell it: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
