"""What came of a session: its figures, and the evaluation set of a search that it makes."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from simulator.core.clean import guarded
from simulator.core.errors import InputError
from simulator.core.outcome import Interval
from simulator.core.run import Ledger
from simulator.generate.log import QuestionLog
from simulator.generate.planning import ReportLine, SessionPlan
from simulator.generate.scenario_file import write_whole
from simulator.generate.session import Session
from simulator.generate.units import Method
from simulator.statistics.intervals import wilson

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
        raise InputError(f"--export-retrieval: {folder} is a file; name a folder")
    if not folder.absolute().parent.is_dir():
        raise InputError(f"--export-retrieval: the folder {folder.parent} is not there; make it")


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
        raise InputError(f"{folder} cannot be made: {error.strerror or error}") from error
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
