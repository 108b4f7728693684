"""What `mogi generate` prints when it is through: figures, what to look at, how to go on."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.console.layout import one_liners
from simulator.console.output import tell
from simulator.core.clean import visible
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.core.outcome import Interval
    from simulator.generate.log import Cluster
    from simulator.generate.planning import ReportLine, SessionPlan
    from simulator.generate.session import MethodSummary, Session

_MOST_ASKED = 10
_HEAD = ("method", "kept", "edited", "deleted", "dropped", "share", "open", "hit@1", "hit@3")


def show_session(session: "Session", folder: Path | None, rows: int, again: str) -> None:
    """Print the figures on stdout, and what to do next on stderr; `again` is the command."""
    from simulator.generate.session import summaries

    methods = summaries(session.lines)
    request = session.plan.request
    every = len(request.entries)
    drawn = len({str(entry.id) for p in session.plan.units for entry in p.unit.entries})
    total = sum(summary.in_file for summary in methods)
    words = Words(request.client.language, "generated")
    counts = {"n": len(session.made), "drawn": drawn, "of": every, "total": total}
    key = "sum.drawn" if drawn < every else "sum"
    tell(words(key, client=request.client.name, faq=request.faq, **counts))
    tell(f"{_cost(session, words)}{words('seconds', n=f'{session.wall_s:.1f}')}")
    if methods:
        tell("")
        head = [words(f"head.{name}") for name in _HEAD]
        one_liners((*head, ""), [(*_row(summary), "") for summary in methods])
        for line in (*_reasons(methods, words), *_legend(methods, words)):
            tell(line)
    show_log(session.plan, session.lines)
    if folder:
        tell(words("rows", queries=folder / "queries.csv", n=rows, faq=folder / "faq.csv"))
    for note in (*session.notes, *(still_open(session, again) if total else ())):
        tell(words("note", text=note), err=True)
    if total:
        tell("", err=True)
        for line in _next_steps(session):
            tell(line, err=True)


def show_log(plan: "SessionPlan", lines: Sequence["ReportLine"]) -> None:
    """Print what a log asks: how much of it is tested, answered and neither, with the questions."""
    from simulator.generate.session import log_of

    log = log_of(plan, lines)
    if log is None:
        return
    words = Words(plan.request.client.language, "generated")
    counts = {"asked": log.asked, "empty": log.empty, "foreign": log.foreign}
    tell("")
    tell(words("log", file=plan.request.log_name, different=len(log.clusters), **counts))
    tested = [cluster for cluster in log.clusters if cluster.tested]
    answered = [cluster for cluster in log.groups if cluster.answered]
    gaps = [cluster for cluster in log.groups if not cluster.answered]
    for key, clusters in (("tested", tested), ("answered", answered), ("gaps", gaps)):
        asked = sum(cluster.count for cluster in clusters)
        tell(f"  {words(f'log.{key}', n=len(clusters), asked=asked)}")
    for key, clusters in (("answered", answered), ("gaps", gaps)):
        if clusters:
            tell("")
            head = words("log.asked"), words(f"log.entry.{key}"), words(f"log.{key}.head")
            one_liners(head, [_cluster_row(cluster) for cluster in clusters[:_MOST_ASKED]])
        if len(clusters) > _MOST_ASKED:
            tell(words("log.more", n=len(clusters) - _MOST_ASKED))


def _cluster_row(cluster: "Cluster") -> tuple[str, str, str]:
    entry = visible(str(cluster.entry.id)) if cluster.entry else "-"
    return f"{cluster.count:,}", entry, visible(cluster.question)


def still_open(session: "Session", again: str) -> Iterator[str]:
    """For which questions the model had nothing, why, and what would bring them."""
    from simulator.generate.planning import is_to_be_tried_again

    words = Words(session.plan.request.client.language, "generated")
    unusable: Counter[str] = Counter()
    faulty: Counter[str] = Counter()
    for line in session.lines:
        if line.status == "unfilled" and line.model:
            counts = unusable if is_to_be_tried_again(line) else faulty
            counts[line.fault] += line.number
    if unusable:
        n, why = sum(unusable.values()), _counts(unusable, words)
        yield words("open.unusable", n=n, counts=why, command=again)
    if faulty:
        yield words("open.faulty", n=sum(faulty.values()), counts=_counts(faulty, words))


def _cost(session: "Session", words: Words) -> str:
    calls = session.ledger.model_calls - session.before.model_calls
    if not session.plan.asks_a_model and not calls:
        return ""
    paid = session.ledger.cost_usd
    money = words("cost.unknown") if paid is None else f"${paid:,.4f}"
    return words("cost.earlier" if session.before.model_calls else "cost", n=calls, money=money)


def _row(summary: "MethodSummary") -> Sequence[str]:
    return (
        summary.method,
        f"{summary.kept:,}",
        f"{summary.edited:,}",
        f"{summary.deleted:,}",
        f"{sum(summary.dropped.values()):,}",
        _rate(summary.drop_rate),
        f"{summary.unfilled:,}",
        *(_rate(summary.hits[k]) for k in (1, 3)),
    )


def _rate(interval: "Interval") -> str:
    return "-" if interval.mean is None else f"{interval.mean:.0%}"


def _reasons(methods: Sequence["MethodSummary"], words: Words) -> Iterator[str]:
    counts = {
        "dropped": _added(summary.dropped for summary in methods),
        "useless": _added(summary.useless for summary in methods),
        "facts": _added(summary.dropped_facts for summary in methods),
    }
    for key, faults in counts.items():
        if faults:
            yield words(key, counts=_counts(faults, words))
    searched = sum(summary.searched for summary in methods)
    if searched:
        yield words("hits", n=searched)


def _legend(methods: Sequence["MethodSummary"], words: Words) -> Iterator[str]:
    """The meaning of the table's words that nobody can guess."""
    dropped = _added(summary.dropped for summary in methods)
    if dropped:
        yield words("legend.share")
    if "unchecked" in dropped:
        yield words("legend.unchecked")
    if any(summary.unfilled for summary in methods):
        yield words("legend.open")


def _added(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return total


def _counts(counts: Mapping[str, int], words: Words) -> str:
    return words.counts("fault", dict(sorted(counts.items(), key=lambda item: -item[1])))


def _next_steps(session: "Session") -> Iterator[str]:
    """What is left to do, in the client's language."""
    from simulator.formats.sources import Source
    from simulator.generate.planning import report_path
    from simulator.generate.units import ships

    request = session.plan.request
    client, output = request.client, request.output
    words = Words(client.language, "generated")
    yield words("next.report", file=Source.of(output).name, report=report_path(output).name)
    if ships(client):
        yield words("next.shipped", client=client.name)
        return
    relative = Path(os.path.relpath(output, client.folder)).as_posix()
    key = "next.named" if _is_named(relative, Path(client.folder)) else "next.write"
    yield words(key, client=client.name, file=relative)
    yield words("next.run", client=client.name)


def _is_named(relative: str, folder: Path) -> bool:
    """Whether a client's own file names these scenarios."""
    from simulator.formats.sources import Source
    from simulator.formats.yaml.reading import read_yaml

    written = read_yaml(Source.of(folder / "client.yaml")).data
    return isinstance(written, dict) and written.get("scenarios") == relative
