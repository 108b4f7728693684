"""What was asked for, the plan that it makes, and the header of its run."""

import secrets
from collections.abc import Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from simulator.build.cast import metric_infos
from simulator.build.options import Options
from simulator.build.plan import make_plan
from simulator.build.snapshot import check_same, snapshot
from simulator.core.plan import Plan
from simulator.core.ports import Target
from simulator.core.run import RunHeader
from simulator.core.version import __version__
from simulator.files.client import LoadedClient
from simulator.store.store import Store


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be run. `resume` is a run's whole id; `target` replaces the client's own."""

    loaded: LoadedClient
    options: Options
    store_url: str
    target: Target | None = None
    resume: str | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a run, the first or a later one, before anything is opened or written.

    `request` says all that was said when the run was begun, and on top what is said now.
    """

    request: Request
    plan: Plan
    header: RunHeader

    @classmethod
    def of(cls, request: Request) -> "Start":
        """What a request starts.

        Raises:
            InputError: an option or a file is wrong, or the run that is to be taken up was begun
                with others and nobody forces it.
            StoreError: the store cannot be read.
        """
        request, before = _taken_up(request)
        plan = make_plan(request.loaded, request.options)
        return cls(request, plan, _header(request, plan, before))


def planned(request: Request) -> tuple[Plan, Set[str]]:
    """What a request would play, and which of its conversations are complete. Writes nothing.

    Raises:
        InputError, StoreError: as `Start.of`.
    """
    start = Start.of(request)
    if request.resume is None:
        return start.plan, frozenset()
    with Store.read(request.store_url) as store:
        return start.plan, frozenset(store.keys(request.resume))


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
        started=now(),
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


def _as_begun(request: Request, header: RunHeader, before: RunHeader) -> RunHeader:
    """The run as it was begun, with what is judged and planned now (the same, unless forced)."""
    if not request.force:
        check_same(before.id, before.snapshot, header.snapshot)
    return replace(
        header, id=before.id, started=before.started, secret=before.secret, wall_s=before.wall_s
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


def now() -> str:
    """The time as headers tell it: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
