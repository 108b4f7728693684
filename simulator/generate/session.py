"""One session: make what is missing, put it between what is there, and sum up what came of it."""

import asyncio
import csv
import io
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from simulator.core.clean import guarded
from simulator.core.concurrency import Halt
from simulator.core.errors import InputError
from simulator.core.outcome import Interval
from simulator.core.plan import ModelSpec
from simulator.core.ports import CallId, Role, Vector
from simulator.core.run import Ledger
from simulator.core.scenario import Scenario
from simulator.core.traffic import Traffic
from simulator.generate.attempts import Attempts, Checker, Progress
from simulator.generate.conversation import TaskWriter
from simulator.generate.forms import Candidate, Rejected
from simulator.generate.log import QuestionLog
from simulator.generate.planning import (
    ReportLine,
    Rounds,
    SessionPlan,
    Watcher,
    place_of,
    report_line,
    report_path,
    report_text,
)
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
from simulator.statistics.intervals import wilson
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
        raise InputError("the client has no embedding model (`embedding:` in client.yaml)")
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


_RANKS = (1, 3)


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """One method, over all sessions of the file.

    `dropped` counts questions by fault, `useless` answers without a usable question. `drop_rate`:
    of all questions that were written. `hits`: the share of the questions kept whose entry a
    search (BM25 over the FAQ) finds first, or among the first three; of two entries both.
    `dropped_facts` counts by reason what was not taken of the answers' facts.
    """

    method: str
    kept: int
    edited: int
    deleted: int
    dropped: Mapping[str, int]
    useless: Mapping[str, int]
    unfilled: int
    drop_rate: Interval
    searched: int
    hits: Mapping[int, Interval]
    dropped_facts: Mapping[str, int]

    @property
    def in_file(self) -> int:
        """Scenarios that stand in the file."""
        return self.kept + self.edited


def summaries(lines: Sequence[ReportLine]) -> list[MethodSummary]:
    """A summary for each method of which there is anything, in the methods' order."""
    by_method = []
    for method in Method:
        own = [line for line in lines if line.method == method]
        if own:
            by_method.append(_summary(method, own))
    return by_method


def as_json(session: Session) -> dict[str, object]:
    """A session as JSON values."""
    request = session.plan.request
    by_method = summaries(session.lines)
    return {
        "client": request.client.name,
        "faq": request.faq,
        "entries": len(request.entries),
        "language": request.client.language,
        "model": request.model.model if request.model and session.plan.asks_a_model else None,
        "new": len(session.made),
        "scenarios": sum(s.in_file for s in by_method),
        "edited": sum(s.edited for s in by_method),
        "deleted": sum(s.deleted for s in by_method),
        "unfilled": sum(s.unfilled for s in by_method),
        "unfinished": session.left,
        "methods": {summary.method: _method_json(summary) for summary in by_method},
        "log": log_json(session.plan, session.lines),
        "notes": list(session.notes),
        **_costs(session.ledger, session.before),
        "wall_s": session.wall_s,
    }


def log_of(plan: SessionPlan, lines: Sequence[ReportLine]) -> QuestionLog | None:
    """The log of a session, with what became of its clusters; None without one."""
    log = plan.request.log
    entries = {line.unit: line.entries for line in lines if line.has_number}
    return log and replace(
        log,
        clusters=tuple(
            replace(cluster, answered=bool(entries.get(cluster.name, cluster.answered)))
            for cluster in log.clusters
        ),
    )


def log_json(plan: SessionPlan, lines: Sequence[ReportLine]) -> dict[str, object] | None:
    """The questions of a log as JSON values; None without one."""
    log = log_of(plan, lines)
    if log is None:
        return None
    of_unit = {progress.unit.name: progress.unit for progress in plan.units}
    gaps = [cluster for cluster in log.groups if not cluster.answered]
    return {
        "file": plan.request.log_name,
        "asked": log.asked,
        "empty": log.empty,
        "other_language": log.foreign,
        "tested": log.near,
        "untested": log.far,
        "gaps": len(gaps),
        "asked_of_gaps": sum(cluster.count for cluster in gaps),
        "clusters": [
            {
                "question": cluster.question,
                "count": cluster.count,
                "different": cluster.different,
                "scenario": unit.id_of(1) if (unit := of_unit.get(cluster.name)) else None,
                "tested": cluster.tested,
                "nearest": cluster.nearest,
                "nearness": round(cluster.nearness, 4),
                "entry": cluster.entry and cluster.entry.id,
                "answered": cluster.answered,
            }
            for cluster in log.clusters
        ],
    }


def interval_json(interval: Interval) -> dict[str, float | None]:
    """A rate with its 95 % interval."""
    ends = {"rate": interval.mean, "low": interval.low, "high": interval.high}
    return {name: None if x is None else round(x, 4) for name, x in ends.items()}


def _costs(ledger: Ledger, before: Ledger) -> dict[str, object]:
    paid = ledger.cost_usd
    return {
        "calls": ledger.model_calls - before.model_calls,
        "calls_in_all": ledger.model_calls,
        "tokens": {
            "input": ledger.input_tokens,
            "output": ledger.output_tokens,
            "cached": ledger.cached_tokens,
        },
        "cost_usd": None if paid is None else round(paid, 6),
    }


def _summary(method: Method, lines: Sequence[ReportLine]) -> MethodSummary:
    status = Counter(line.status for line in lines)
    dropped = [line for line in lines if line.status == "dropped"]
    questions = [line for line in dropped if line.query]
    written = len(questions) + status["kept"] + status["edited"] + status["deleted"]
    dropped_facts = Counter(fact.fault.value for line in lines for fact in line.dropped_facts)
    ranked = [n for n in lines if n.status in ("kept", "edited") and n.ranks]
    return MethodSummary(
        method=method.value,
        kept=status["kept"],
        edited=status["edited"],
        deleted=status["deleted"],
        dropped=dict(Counter(line.fault for line in questions).most_common()),
        useless=dict(Counter(line.fault for line in dropped if not line.query).most_common()),
        unfilled=sum(line.number for line in lines if line.status == "unfilled"),
        drop_rate=wilson(len(questions), written),
        searched=len(ranked),
        hits={k: wilson(sum(_hit(line, k) for line in ranked), len(ranked)) for k in _RANKS},
        dropped_facts=dict(dropped_facts.most_common()),
    )


def _hit(line: ReportLine, k: int) -> bool:
    """Whether a search finds all that is expected at rank `k` or before; two entries take two."""
    most = max(k, len(line.ranks))
    return all(rank is not None and rank <= most for rank in line.ranks.values())


def _method_json(summary: MethodSummary) -> dict[str, object]:
    return {
        "kept": summary.kept,
        "edited": summary.edited,
        "deleted": summary.deleted,
        "dropped": dict(summary.dropped),
        "useless_answers": dict(summary.useless),
        "unfilled": summary.unfilled,
        "drop_rate": interval_json(summary.drop_rate),
        "searched": summary.searched,
        "dropped_facts": dict(summary.dropped_facts),
        **{f"hit@{k}": interval_json(rate) for k, rate in summary.hits.items()},
    }


QUERIES = "queries.csv"
ENTRIES = "faq.csv"


def check_folder(folder: Path) -> None:
    """Before anything is made: can the files be put there?

    Raises:
        InputError: it is a file, or the folder that it is to be in is not there.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--export-retrieval: {folder} is a file; use a folder")
    if not folder.absolute().parent.is_dir():
        raise InputError(f"--export-retrieval: the folder {folder.parent} doesn't exist; create it")


def export(session: Session, folder: Path) -> int:
    """Write queries.csv (query, id) and faq.csv (id, title, content); how many rows of queries.

    A query that needs two entries has two rows; those that no entry answers have none, nor have
    those that were deleted. What was edited stands there as it is now. In UTF-8; a text that a
    spreadsheet would take for a formula has an apostrophe before it (`core.clean.guarded`).

    Raises:
        InputError: the folder cannot be made.
        MogiError: a file cannot be written.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"can't create {folder}: {error.strerror or error}") from error
    entries = session.plan.request.entries
    known = {str(entry.id) for entry in entries}
    rows = list(_queries(session.lines, known))
    table = [[str(entry.id), entry.title, entry.text] for entry in entries]
    write_whole(folder / QUERIES, _csv([["query", "id"], *rows]))
    write_whole(folder / ENTRIES, _csv([["id", "title", "content"], *table]))
    return len(rows)


def _queries(lines: Iterable[ReportLine], known: set[str]) -> Iterable[list[str]]:
    for line in lines:
        if line.status in ("kept", "edited") and line.ranks:
            for entry in line.entries:
                if entry in known:
                    yield [line.query, entry]


def _csv(rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(guarded, row) for row in rows)
    return out.getvalue()
