"""`mogi judge-check`: does the judge notice what it must?"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from simulator.checks.judge_check import FORMS, planted_verdicts_taken
from simulator.checks.probes import (
    CLAIMS_READ,
    JudgeCheck,
    KindFigures,
    MetricCheck,
    MovedShare,
    Probe,
    ProbeFinding,
)
from simulator.console.blocks import (
    INDENT,
    entry,
    figure,
    labelled,
    next_steps,
    paragraph,
    passage,
    spaced,
    table,
)
from simulator.console.layout import fit, wrap
from simulator.console.output import as_json
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import cut, visible
from simulator.core.mutation import Mutation
from simulator.core.outcome import Interval, Outcome, Score, Unscored
from simulator.view.aggregate import GapTexts
from simulator.view.run_view import local_time, paid, rating
from simulator.view.worst import spread
from simulator.words import Words

_HEADS = ("change", "must", "n", "right", "share", "ci", "move", "no_room", "unscored")
_SHOWN = 8
_SAID = 300  # characters of why scores are missing
_WIDE = 100  # cells; from here on columns stand further apart
_WIDEST_KIND = 22
_ASKED_LINES, _ANSWER_LINES, _JUDGE_LINES = 1, 4, 3


def check_view(check: JudgeCheck, width: int) -> Iterator[RenderableType]:
    """All that a check has to say; `width` is the screen's, in cells."""
    header = check.header
    words, plain = Words(header.language, "judge_check"), Words(header.language, "report")
    yield from _head(check, words, width)
    for metric in check.metrics:
        yield from _metric(check, metric, words, width)
    taken = planted_verdicts_taken()
    line = words("planted", taken=len(taken), tried=len(FORMS))
    yield Text("")
    yield from paragraph(line, width, BAD if taken else GOOD)
    yield from spaced(
        labelled([(label, Text(text)) for label, text in paid(check.ledger, plain) if text])
    )
    what = words("go_on", n=check.unfinished) if check.unfinished else words("again")
    yield from next_steps(plain("next"), [(header.resume, what)], width)


def _head(check: JudgeCheck, words: Words, width: int) -> Iterator[RenderableType]:
    header, plain = check.header, Words(check.header.language, "report")
    yield Text.assemble((visible(header.client), BOLD), f"  {header.id}  {local_time(header)}")
    model = header.snapshot.get("client.judge.chat.model")
    if model:
        yield Text(plain("model.judge", model=visible(str(model))), DIM)
    kinds = len(check.metrics[0].kinds)
    size = words("size", mutations=check.mutations, kinds=kinds, answers=check.answers)
    if check.own:
        size += f" ({words('own', own=check.own, file=visible(check.files[0]))})"
    yield from paragraph(size, width)
    if not check.own:
        yield from paragraph(words("shipped"), width, DIM)


def _metric(
    check: JudgeCheck, metric: MetricCheck, words: Words, width: int
) -> Iterator[RenderableType]:
    name, limit = visible(metric.info.name), metric.threshold
    yield Text("")
    if metric.info is CLAIMS_READ:
        yield Text(words("claims"), BOLD)
    elif limit is None:
        yield Text(words("no_limit", metric=name), BOLD)
    else:
        yield Text(words("metric", metric=name, limit=f"{limit:g}"), BOLD)
    yield _table(metric, words, gap=3 if width >= _WIDE else 1)
    yield from paragraph(words("legend"), width, DIM)
    yield Text("")
    for line, style in _sentences(check, metric, words):
        yield from paragraph(line, width, style)
    yield from spaced(*_worst(metric, words, width))


def _table(metric: MetricCheck, words: Words, gap: int) -> Table:
    columns = table([words(head) for head in _HEADS], gap=gap, left=(0, 1), no_wrap=True)
    for kind in metric.kinds:
        columns.add_row(*_row(kind, words))
    if len(metric.kinds) > 1:
        n, no_room = (sum(getattr(k, of) for k in metric.kinds) for of in ("n", "no_room"))
        share = (_count(metric.share), figure(metric.share.interval.mean, ".0%"))
        cells = (words("all"), "", f"{n}", *share, "", "", f"{no_room or ''}")
        columns.add_row(*cells, f"{metric.unscored or ''}", style=BOLD)
    return columns


def _row(kind: KindFigures, words: Words) -> list[str | Text]:
    interval = kind.share.interval
    is_wrong = kind.share.moved < kind.share.tested
    known = interval.low is not None and interval.high is not None
    return [
        fit(words.name("kind", kind.kind), _WIDEST_KIND),
        "/".join(words(must) for must in kind.musts),
        f"{kind.n}",
        Text(_count(kind.share), BAD if is_wrong else ""),
        figure(interval.mean, ".0%"),
        "–".join(_percents(interval)) if known else "",
        "–" if kind.move is None else f"{round(kind.move, 2) + 0.0:+.2f}",  # never -0.00
        f"{kind.no_room or ''}",
        Text(f"{sum(kind.unscored.values()) or ''}", WARN),
    ]


def _count(share: MovedShare) -> str:
    return f"{share.moved}/{share.tested}" if share.tested else "–"


def _percents(interval: Interval) -> tuple[str, str]:
    """The ends of a known interval, in per cent."""
    return f"{100 * (interval.low or 0.0):.0f}", f"{100 * (interval.high or 0.0):.0f}"


def _missing(metric: MetricCheck, words: Words, plain: Words) -> Iterator[str]:
    """How many scores are missing, and why."""
    reasons: Counter[str] = Counter()
    for kind in metric.kinds:
        reasons.update(kind.unscored)
    texts = GapTexts()
    for probe in metric.probes:
        texts.add((probe.base, probe.mutated))
    if reasons:
        yield words("missing", reasons=plain.counts("gap", reasons))
    if texts.most:
        yield plain("missing_why", said=cut(visible(texts.most), _SAID))


def _sentences(check: JudgeCheck, metric: MetricCheck, words: Words) -> Iterator[tuple[str, Style]]:
    """What the table does not say, and how each is to be coloured."""
    plain = Words(check.header.language, "report")
    if any(probe.mutation.attacks for probe in metric.probes):
        yield _flips(metric, words)
    if metric.spoilt and metric.spoilt.scored:
        unseen, scored = metric.spoilt.unseen, metric.spoilt.scored
        yield words("spoilt", unseen=unseen, scored=scored), BAD if unseen else GOOD
    weak = {p.mutation.base.id: p for p in metric.probes if p.mutation.must == "not_rise"}
    top = [p for p in weak.values() if p.finding is ProbeFinding.NO_ROOM]
    if top:
        yield words("kind_judge", n=len(top), all=len(weak)), WARN
    yield from ((text, WARN) for text in _missing(metric, words, plain))
    if check.unfinished:
        yield words("left", n=check.unfinished), BAD
    if check.under is not None:
        passed = metric.passed(check.under) if not check.unfinished else None
        style = {True: GOOD, False: BAD, None: WARN}[passed]
        text = plain(f"gate.{passed}".lower(), under=f"{check.under:g}")
        yield f"{plain('gate')} {text}", style


def _flips(metric: MetricCheck, words: Words) -> tuple[str, Style]:
    flips, interval = metric.flips, metric.flips.interval
    if interval.low is None or interval.high is None or interval.mean is None:
        return words("no_flips"), WARN
    low, high = _percents(interval)
    ends = {"rate": f"{interval.mean:.0%}", "low": low, "high": high}
    line = words("flips", flipped=flips.flipped, tested=flips.tested, **ends)
    line += words("crossed", crossed=flips.crossed) if flips.crossed else ""
    return line, BAD if flips.flipped else GOOD


def _worst(metric: MetricCheck, words: Words, width: int) -> Iterator[Text]:
    if not metric.missed:
        if metric.share.tested:
            yield Text(words("none_wrong"), GOOD)
        return
    shown = spread(metric.missed, lambda probe: probe.mutation.kind, _SHOWN)
    yield Text(words("worst", shown=len(shown), n=len(metric.missed)), BOLD)
    room = width - INDENT
    for number, probe in enumerate(shown, 1):
        mutation = probe.mutation
        yield Text("")
        must = words(f"must.{mutation.must}")
        yield entry(number, mutation.id, (_move(probe, metric, words), BAD), width, must)
        yield from passage(words("asked"), wrap(mutation.base.question, room, _ASKED_LINES))
        label, text = _changed(mutation)
        yield from passage(words(label), wrap(text, room, _ANSWER_LINES))
        if isinstance(probe.mutated, Score) and probe.mutated.comment:
            yield from passage(words("judge"), wrap(probe.mutated.comment, room, _JUDGE_LINES))


def _move(probe: Probe, metric: MetricCheck, words: Words) -> str:
    outcomes = (probe.base, probe.mutated)
    scores = [outcome for outcome in outcomes if isinstance(outcome, Score)]
    value = " → ".join(figure(o.value if isinstance(o, Score) else None) for o in outcomes)
    if metric.info.rated and len(scores) == 2:
        base, mutated = (rating(metric.info, score.raw) for score in scores)
        value += f" ({words('rating', base=base, mutated=mutated)})"
    return value


def _changed(mutation: Mutation) -> tuple[str, str]:
    """What was changed, and where it is only an addition, that alone."""
    old, new = mutation.base.answer, mutation.mutated.answer
    if old == new:
        documents = mutation.mutated.documents or ()
        return "documents", ", ".join(d.id or d.title or d.text for d in documents)
    if new.startswith(old):
        return "answer", f"… {new.removeprefix(old).strip()}"
    if new.endswith(old):
        return "answer", f"{new.removesuffix(old).strip()} …"
    return "answer", new


def check_json(check: JudgeCheck) -> dict[str, Any]:
    """The figures of a check, and what came of each mutation; shares are 0–1."""
    header, ledger = check.header, check.ledger
    snapshot = header.snapshot.get
    judge = {"model": "chat.model", "votes": "votes", "calls": "calls"}
    kinds = ("input", "output", "cached")
    return {
        "check": header.id,
        **as_json(header, "client", "language"),
        "judge": {name: snapshot(f"client.judge.{key}") for name, key in judge.items()},
        **as_json(header, "started", "finished", "status"),
        **as_json(check, "files", "mutations", "own", "answers", "unfinished"),
        "metrics": {metric.info.name: _metric_json(check, metric) for metric in check.metrics},
        "planted": {"tried": len(FORMS), "taken": planted_verdicts_taken()},
        "calls": as_json(ledger.calls),
        "tokens": {kind: getattr(ledger, f"{kind}_tokens") for kind in kinds},
        "cost_usd": ledger.cost_usd,
        "gate": None if check.under is None else {"under": check.under, "passed": check.passed},
        "wall_s": header.wall_s,
    }


def _metric_json(check: JudgeCheck, metric: MetricCheck) -> dict[str, Any]:
    return {
        "threshold": metric.threshold,
        "right": metric.share.moved,
        "tested": metric.share.tested,
        "share": metric.share.interval.mean,
        "unscored": metric.unscored,
        "passed": metric.passed(check.under),
        "flips": {**as_json(metric.flips), **_interval_json(metric.flips.interval, "rate")},
        "spoilt": as_json(metric.spoilt),
        "kinds": {kind.kind: _kind_json(kind) for kind in metric.kinds},
        "items": [_item_json(probe) for probe in metric.probes],
    }


def _kind_json(kind: KindFigures) -> dict[str, Any]:
    return {
        "must": as_json(kind.musts),
        "n": kind.n,
        "right": kind.share.moved,
        "tested": kind.share.tested,
        **_interval_json(kind.share.interval, "share"),
        **as_json(kind, "move", "no_room", "unscored"),
    }


def _interval_json(interval: Interval, mean: str) -> dict[str, float | None]:
    return {mean: interval.mean, "low": interval.low, "high": interval.high}


def _item_json(probe: Probe) -> dict[str, Any]:
    is_missed = probe.finding is ProbeFinding.MISSED and isinstance(probe.mutated, Score)
    return {
        **as_json(probe.mutation, "id", "kind", "must", "by"),
        "base": _outcome_json(probe.base),
        "mutated": _outcome_json(probe.mutated),
        **as_json(probe, "move", "finding", "crossed"),
        **(as_json(probe.mutated, "comment") if is_missed else {}),
    }


def _outcome_json(outcome: Outcome) -> Any:
    if isinstance(outcome, Unscored):
        return {"unscored": outcome.reason.value, "detail": outcome.detail}
    return as_json(outcome, "value", "raw")
