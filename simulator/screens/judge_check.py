"""A judge check on the screen: a table for each metric, the flips, the worst, how to go on."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from simulator.checks.probes import Finding, JudgeCheck, KindFigures, MetricCheck, Probe, Share
from simulator.console.blocks import BAD, BOLD, DIM, GOOD, WARN, command_lines
from simulator.console.layout import fit, wrap
from simulator.core.clean import visible
from simulator.core.mutation import Mutation
from simulator.core.outcome import Outcome, Score
from simulator.core.run import Interval
from simulator.reports._figures import labelled, local_time, paid, rating
from simulator.reports._weak import INDENT, said
from simulator.words import Words

_SHOWN = 8
_WIDE = 100  # cells; from here on columns stand further apart
_WIDEST_KIND = 22
_ASKED_LINES, _ANSWER_LINES, _JUDGE_LINES = 1, 4, 3


def check_view(check: JudgeCheck, width: int) -> Iterator[RenderableType]:
    """All that a check has to say; `width` is the screen's, in cells."""
    words = Words(check.header.language, "judge_check")
    yield from _head(check, words, width)
    for metric in check.metrics:
        yield from _metric(check, metric, words, width)
    yield from _end(check, words, width)


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
    yield from map(Text, wrap(size, width))
    if not check.own:
        yield from (Text(line, DIM) for line in wrap(words("shipped"), width))


def _metric(
    check: JudgeCheck, metric: MetricCheck, words: Words, width: int
) -> Iterator[RenderableType]:
    name, limit = visible(metric.info.name), metric.threshold
    yield Text("")
    key = "no_limit" if limit is None else "metric"
    yield Text(words(key, metric=name, **({} if limit is None else {"limit": f"{limit:g}"})), BOLD)
    yield _table(metric, words, wide=width >= _WIDE)
    yield from (Text(line, DIM) for line in wrap(words("legend"), width))
    yield Text("")
    for line, style in _sentences(check, metric, words):
        yield from (Text(part, style) for part in wrap(line, width))
    yield Text("")
    yield from _worst(metric, words, width)


def _table(metric: MetricCheck, words: Words, *, wide: bool) -> Table:
    made = Table(box=None, padding=(0, 3 if wide else 1, 0, 0), header_style=BOLD)
    for head in ("change", "must", "n", "right", "share", "ci", "move", "no_room", "unscored"):
        justify = "left" if head in ("change", "must") else "right"
        made.add_column(words(head), justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for kind in metric.kinds:
        made.add_row(*_row(kind, words))
    if len(metric.kinds) > 1:
        found = [kind.n for kind in metric.kinds]
        made.add_row(
            words("all"),
            "",
            f"{sum(found)}",
            _count(metric.share),
            _percent(metric.share.interval),
            "",
            "",
            f"{sum(k.no_room for k in metric.kinds) or ''}",
            f"{metric.unscored or ''}",
            style=BOLD,
        )
    return made


def _row(kind: KindFigures, words: Words) -> list[str | Text]:
    interval = kind.share.interval
    is_wrong = kind.share.moved < kind.share.tested
    return [
        fit(words.name("kind", kind.kind), _WIDEST_KIND),
        "/".join(words(must) for must in kind.musts),
        f"{kind.n}",
        Text(_count(kind.share), BAD if is_wrong else ""),
        _percent(interval),
        _ends(interval),
        "–" if kind.move is None else f"{round(kind.move, 2) + 0.0:+.2f}",  # never -0.00
        f"{kind.no_room or ''}",
        Text(f"{sum(kind.unscored.values()) or ''}", WARN),
    ]


def _count(share: Share) -> str:
    return f"{share.moved}/{share.tested}" if share.tested else "–"


def _percent(interval: Interval) -> str:
    return "–" if interval.mean is None else f"{interval.mean:.0%}"


def _ends(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return ""
    return f"{100 * interval.low:.0f}–{100 * interval.high:.0f}"


def _sentences(check: JudgeCheck, metric: MetricCheck, words: Words) -> Iterator[tuple[str, Style]]:
    """What the table does not say, and how each is to be coloured."""
    plain = Words(check.header.language, "report")
    yield from _flips(metric, words)
    if metric.spoilt and metric.spoilt.scored:
        unseen, scored = metric.spoilt.unseen, metric.spoilt.scored
        yield words("spoilt", unseen=unseen, scored=scored), BAD if unseen else GOOD
    weak = {p.mutation.base.id: p for p in metric.probes if p.mutation.must == "not_rise"}
    top = [p for p in weak.values() if p.finding is Finding.NO_ROOM]
    if top:
        yield words("kind_judge", n=len(top), all=len(weak)), WARN
    reasons: Counter[str] = Counter()
    for kind in metric.kinds:
        reasons.update(kind.unscored)
    if reasons:
        yield words("missing", reasons=plain.counts("gap", reasons)), WARN
    if check.unfinished:
        yield words("left", n=f"{check.unfinished:,}"), BAD
    if check.header.gate is not None:
        passed = metric.passed(check.header.gate) if not check.unfinished else None
        style = {True: GOOD, False: BAD, None: WARN}[passed]
        text = plain(f"gate.{passed}".lower(), under=f"{check.header.gate:g}")
        yield f"{plain('gate')} {text}", style


def _flips(metric: MetricCheck, words: Words) -> Iterator[tuple[str, Style]]:
    flips = metric.flips
    if not any(p.mutation.attacks for p in metric.probes):
        return
    interval = flips.interval
    if interval.low is None or interval.high is None or interval.mean is None:
        yield words("no_flips"), WARN
        return
    line = words(
        "flips",
        flipped=flips.flipped,
        tested=flips.tested,
        rate=_percent(interval),
        low=f"{100 * interval.low:.0f}",
        high=f"{100 * interval.high:.0f}",
    )
    if flips.crossed:
        line += words("crossed", crossed=flips.crossed)
    yield line, BAD if flips.flipped else GOOD


def _worst(metric: MetricCheck, words: Words, width: int) -> Iterator[Text]:
    if not metric.missed:
        if metric.share.tested:
            yield Text(words("none_wrong"), GOOD)
        return
    shown = _chosen(metric.missed)
    yield Text(words("worst", shown=len(shown), n=len(metric.missed)), BOLD)
    room = width - INDENT
    for number, probe in enumerate(shown, 1):
        mutation = probe.mutation
        yield Text("")
        yield _title(number, probe, metric, words, width)
        yield from said(words("asked"), wrap(mutation.base.question, room, _ASKED_LINES))
        label, text = _changed(mutation)
        yield from said(words(label), wrap(text, room, _ANSWER_LINES))
        if isinstance(probe.mutated, Score) and probe.mutated.comment:
            yield from said(words("judge"), wrap(probe.mutated.comment, room, _JUDGE_LINES))


def _chosen(missed: Sequence[Probe]) -> list[Probe]:
    """At most _SHOWN of them in their order; no kind's second before another's first."""
    seen: Counter[str] = Counter()
    ranked = []
    for place, probe in enumerate(missed):
        ranked.append((seen[probe.mutation.kind], place))
        seen[probe.mutation.kind] += 1
    return [missed[place] for place in sorted(place for _, place in sorted(ranked)[:_SHOWN])]


def _title(number: int, probe: Probe, metric: MetricCheck, words: Words, width: int) -> Text:
    base, mutated = _value(probe.base), _value(probe.mutated)
    value = f"{base} → {mutated}"
    if metric.info.rated and isinstance(probe.base, Score) and isinstance(probe.mutated, Score):
        ratings = [rating(metric.info, score.raw) for score in (probe.base, probe.mutated)]
        value += f" ({words('rating', base=ratings[0], mutated=ratings[1])})"
    must = words(f"must.{probe.mutation.must}")
    place = fit(probe.mutation.id, width - cell_len(value) - cell_len(must) - 10)
    return Text.assemble(
        (f"{number:>2}  ", DIM), (place, BOLD), "   ", (value, BAD), "   ", (must, DIM)
    )


def _value(outcome: Outcome) -> str:
    return f"{outcome.value:.2f}" if isinstance(outcome, Score) else "–"


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


def _end(check: JudgeCheck, words: Words, width: int) -> Iterator[RenderableType]:
    header, plain = check.header, Words(check.header.language, "report")
    yield Text("")
    yield labelled([(label, Text(text)) for label, text in paid(check.ledger, plain) if text])
    yield Text("")
    yield Text(plain("next"), BOLD)
    what = words("go_on", n=f"{check.unfinished:,}") if check.unfinished else words("again")
    yield from command_lines([(header.resume, what)], width)
