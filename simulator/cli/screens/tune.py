"""`mogi tune`: thresholds from people's verdicts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import figure, labelled, next_steps, paragraph, spaced, table
from simulator.console.palette import BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.outcome import Interval
from simulator.execution.snapshot import Instrument
from simulator.formats.json_contracts import Count, Share, contract, filled
from simulator.review.tune import Obstacle, OperatingPoint, Tuning, Unused
from simulator.review.verdict_labels import (
    FEWEST,
    FEWEST_OF_A_KIND,
    FEWEST_TALKS,
    Exclusion,
    LeftOut,
)
from simulator.statistics.thresholds import PRINTED, FlagQuality, Spread
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.core.persona import Language

Flags = TypeVar("Flags", bound="FlagFigures")


@contract
class FlagFigures:
    """What some flags would catch."""

    flagged: Interval | None
    """The share that it flags."""
    precision: Interval | None
    """Of the flagged, those that are NG."""
    recall: Interval | None
    """Of the NG, those that are flagged."""
    miss_rate: Share | None
    """Of the NG, those that are not."""
    f2: Share | None
    """Precision and recall, recall counting double."""
    youden: float | None
    """Recall less the share of OK answers that are flagged."""


@contract
class Candidate(FlagFigures):
    """A threshold and what it would catch."""

    threshold: Share
    """Under which a turn is flagged."""


@contract
class UsedVerdicts:
    """Number of distinct answers that it's based on."""

    used: Count
    """All."""
    ok: Count
    """OK."""
    ng: Count
    """NG."""


@contract
class LackingVerdicts:
    """Verdicts that are lacking."""

    verdicts: Count
    """Verdicts."""
    ok: Count
    """OK."""
    ng: Count
    """NG."""


@contract
class UnusedRun:
    """A run whose verdicts are not used."""

    run: str
    """The run's id."""
    why: Exclusion
    """Why."""
    judge: str | None
    """The model that judged; null without one."""
    rubric: str | None
    """The rubric's fingerprint; null without one."""


@contract
class TuneFigures:
    """The output of `mogi tune CLIENT --json`; null if there's no result."""

    client: str
    """The client's name."""
    metric: str
    """The metric."""
    objective: str
    """What the threshold is the best for, such as f2."""
    judge: str | None
    """The model that judged; null without one."""
    rubric: str | None
    """The rubric's fingerprint; null without one."""
    verdicts: UsedVerdicts
    """Number of distinct answers that it's based on."""
    unused: Mapping[Unused, Count]
    """Verdicts that are not used, by why."""
    needed: LackingVerdicts
    """What is lacking."""
    conversations: Count
    """That the verdicts are from."""
    ng_conversations: Count
    """Of these with an NG answer."""
    ok_conversations: Count
    """With an OK answer."""
    auc: Interval | None
    """The chance that of an OK and an NG answer the OK one has the greater value."""
    represents: bool
    """Whether the figures speak of all turns."""
    runs: tuple[str, ...]
    """Runs that are used."""
    left_out: tuple[UnusedRun, ...]
    """Runs that are not."""
    today: Candidate | None
    """The threshold of today."""
    recommended: Candidate | None
    """The one that is recommended."""
    keep_today: bool
    """Whether that is today's."""
    cross_fitted: FlagFigures | None
    """What it would catch on verdicts that it was not chosen by."""
    spread: Spread | None
    """How far it would move with other verdicts."""
    candidates: tuple[Candidate, ...]
    """All that were tried."""
    obstacles: tuple[Obstacle, ...]
    """Why it's unknown."""
    written: str | None
    """The file that it was written to."""


def tuning_json(tuning: Tuning, written: str | None) -> TuneFigures:
    """The figures of a tuning; `written`: the file that the threshold was put into."""
    labelled, fresh = tuning.labelled, tuning.fresh
    return filled(
        TuneFigures,
        tuning,
        metric=labelled.name,
        objective=str(tuning.objective),
        **_measured_by(labelled.instrument),
        verdicts=UsedVerdicts(tuning.verdicts, tuning.ok, tuning.ng),
        needed=LackingVerdicts(*tuning.lacking),
        conversations=tuning.talks,
        ng_conversations=tuning.ng_talks,
        ok_conversations=tuning.ok_talks,
        auc=_known(tuning.auc),
        left_out=tuple(
            UnusedRun(left.run, left.why, **_measured_by(left.instrument))
            for left in labelled.left_out
        ),
        today=tuning.today and _candidate(tuning.today),
        recommended=tuning.best and _candidate(tuning.best),
        keep_today=tuning.keeps_today,
        cross_fitted=fresh and _flags(FlagFigures, fresh),
        candidates=tuple(map(_candidate, tuning.candidates)),
        written=written,
    )


def _measured_by(instrument: Instrument) -> dict[str, str | None]:
    return {"judge": instrument.judge or None, "rubric": instrument.rubric or None}


def _known(interval: Interval) -> Interval | None:
    return None if interval.mean is None else interval


def _candidate(point: OperatingPoint) -> Candidate:
    return _flags(Candidate, point.quality, threshold=point.threshold)


def _flags(kind: type[Flags], quality: FlagQuality, **more: float) -> Flags:
    recall = quality.recall.mean
    return filled(
        kind,
        quality,
        flagged=_known(quality.flagged),
        precision=_known(quality.precision),
        recall=_known(quality.recall),
        miss_rate=None if recall is None else 1 - recall,
        f2=quality.f_beta(2),
        **more,
    )


_SHOWN = 11  # rows, beside today's and the recommended one


def tuning_view(tuning: Tuning, language: "Language", width: int) -> Iterator[RenderableType]:
    """All that a tuning has to say; `width` is the screen's, in cells."""
    words = Words(language, "tune")
    yield from _head(tuning, words, width)
    if tuning.candidates:
        yield from spaced(_table(tuning, words))
        mark = "mark_candidate" if tuning.keeps_today else "mark_best"
        marked = {mark: tuning.best, "mark_today": tuning.today}
        yield Text("   ".join(words(mark) for mark, of in marked.items() if of), DIM)
        meaning = "meaning" if tuning.represents else "meaning_precision"
        yield from paragraph(words(meaning), width, DIM)
    obstacles = list(_obstacles(tuning, words))
    yield from [Text("")] if obstacles else []
    for obstacle in obstacles:
        yield from paragraph(obstacle, width, WARN)
    lines = list(_promise(tuning, words))
    if tuning.candidates:
        lines.append((words("today"), Text(_today(tuning, words))))
    if lines:
        yield from spaced(labelled(lines))
    if _is_todays(tuning):
        yield from _warning(words("same"), width)
    elif tuning.keeps_today:
        yield from _warning(_no_gain(tuning, words), width)
    else:
        yield from next_steps(words("next"), _next(tuning, words), width)


def written_view(
    tuning: Tuning, language: "Language", file: str, width: int
) -> Iterator[RenderableType]:
    """What was put into which file, and what stood there before; `width` as above."""
    words = Words(language, "tune")
    yield from _head(tuning, words, width)
    old = words("nobody") if tuning.own is None else f"{tuning.own:g}"
    new = f"{tuning.best.threshold:g}" if tuning.best else old
    values = {"metric": tuning.labelled.name, "old": old, "new": new, "file": visible(file)}
    written = (words("written"), Text(words("written_text", **values), BOLD))
    yield from spaced(labelled([written, *_promise(tuning, words)]))
    if _is_todays(tuning):
        yield from _warning(words("written_same"), width)


def why_not_written(tuning: Tuning) -> str:
    """Why a threshold is not written, in English."""
    words = Words("en", "tune")
    reasons = " ".join(_obstacles(tuning, words))
    return reasons or (_no_gain(tuning, words) if tuning.keeps_today else "")


def _no_gain(tuning: Tuning, words: Words) -> str:
    best = tuning.best.threshold if tuning.best else None
    values = {"own": figure(tuning.own, "g"), "threshold": figure(best, "g")}
    return words("no_gain", **values)


def _head(tuning: Tuning, words: Words, width: int) -> Iterator[RenderableType]:
    name = tuning.labelled.name
    head = words("head", client=tuning.client, metric=name, objective=tuning.objective)
    yield Text(visible(head), BOLD)
    for line in _basis(tuning, words):
        yield from paragraph(line, width, DIM)


def _is_todays(tuning: Tuning) -> bool:
    """Whether the recommended threshold is the one that the client has."""
    best, own = tuning.best, tuning.own
    return best is not None and own is not None and math.isclose(best.threshold, own)


def _warning(text: str, width: int) -> Iterator[Text]:
    yield from spaced(*paragraph(text, width, WARN))


def _basis(tuning: Tuning, words: Words) -> Iterator[str]:
    labelled = tuning.labelled
    if labelled.used:
        counts = {"n": tuning.verdicts, "ok": tuning.ok, "ng": tuning.ng}
        yield words("verdicts", **counts, talks=tuning.talks, runs=len(tuning.runs))
    if labelled.instrument.rubric:
        judge = visible(labelled.instrument.judge) or words("nobody")
        yield words("measured", judge=judge, rubric=labelled.instrument.rubric)
    elif labelled.instrument.judge:
        yield words("measured_by", judge=visible(labelled.instrument.judge))
    if tuning.represents and tuning.heaviest > 1.05:
        yield words("weights", heaviest=f"{tuning.heaviest:.2g}")
    if tuning.unused:
        reasons = [words(f"unused.{why.value}", n=n) for why, n in tuning.unused.items()]
        yield words("unused", reasons=words.comma.join(reasons))
    for left in labelled.left_out:
        yield words("left_out", run=left.run, why=_why(left, tuning, words))


def _why(left: LeftOut, tuning: Tuning, words: Words) -> str:
    now = tuning.labelled.instrument
    if left.why is Exclusion.CLIENT:
        return words("why.client", client=tuning.client, folder=visible(left.folder))
    if left.why is Exclusion.METRIC:
        return words("why.metric", metric=tuning.labelled.name)
    if left.why is Exclusion.JUDGE:
        judges = [visible(j) or words("nobody") for j in (left.instrument.judge, now.judge)]
        return words("why.judge", run=left.run, judge=judges[0], now=judges[1])
    rubrics = [r or words("nobody") for r in (left.instrument.rubric, now.rubric)]
    return words("why.rubric", run=left.run, rubric=rubrics[0], now=rubrics[1])


def _table(tuning: Tuning, words: Words) -> Table:
    objective = tuning.objective
    named = ("threshold", "flagged", "precision", "recall")
    heads = [words(name) for name in (named if tuning.represents else (named[0], named[2]))]
    if tuning.represents:
        beta = objective.number if objective.kind == "f" else 2.0
        heads.append("J" if objective.kind == "youden" else f"F{beta:g}")
    columns = table(["", *heads])
    for row in _rows(tuning):
        marked = (("→", tuning.best), ("=", tuning.today))
        marks = [mark for mark, other in marked if other and other.threshold == row.threshold]
        caught = row.quality
        cells = [f"{row.threshold:g}", _share(caught.precision)]
        if tuning.represents:
            shares = map(_share, (caught.flagged, caught.precision, caught.recall))
            cells[1:] = [*shares, figure(objective.worth(caught), f".{PRINTED}f")]
        style = GOOD if "→" in marks else None
        columns.add_row(*(Text(cell) for cell in ("".join(marks), *cells)), style=style)
    return columns


def _rows(tuning: Tuning) -> Sequence[OperatingPoint]:
    """Some of the candidates, with today's threshold and the recommended one among them."""
    every = tuning.candidates
    step = max(1, (len(every) - 1) / (_SHOWN - 1))
    some = {round(i * step) for i in range(_SHOWN)}
    rows = {c.threshold: c for place, c in enumerate(every) if place in some}
    rows |= {c.threshold: c for c in (tuning.today, tuning.best) if c}
    return [rows[threshold] for threshold in sorted(rows)]


def _share(share: "Interval") -> str:
    """`61 % (45–75)`."""
    if share.mean is None:
        return "–"
    if share.low is None or share.high is None:
        return f"{100 * share.mean:.0f} %"
    return f"{100 * share.mean:.0f} % ({100 * share.low:.0f}–{100 * share.high:.0f})"


def _interval(value: "Interval") -> str:
    ends = (figure(end, ".2f") for end in (value.low, value.high))
    return f"{figure(value.mean, '.2f')} ({'–'.join(ends)})"


def _obstacles(tuning: Tuning, words: Words) -> Iterator[str]:
    name = tuning.labelled.name
    if not tuning.labelled.used and not tuning.labelled.left_out:
        yield words("no_verdicts", client=tuning.client)
        return
    for obstacle in tuning.obstacles:
        if obstacle is Obstacle.FEW:
            more, ok, ng = tuning.lacking
            kinds = [words(f"few_{kind}", n=n) for kind, n in (("ok", ok), ("ng", ng)) if n]
            at_least = words("few_kinds", kinds=words.comma.join(kinds)) if kinds else ""
            yield words("few", n=more, fewest=FEWEST, kinds=at_least)
        elif obstacle is Obstacle.FEW_CONVERSATIONS:
            counts = {"talks": tuning.talks, "ok": tuning.ok_talks, "ng": tuning.ng_talks}
            yield words(obstacle.value, **counts, fewest=FEWEST_TALKS, of_a_kind=FEWEST_OF_A_KIND)
        elif obstacle is Obstacle.TELLS_NOTHING:
            yield words(obstacle.value, metric=name, auc=_interval(tuning.auc))
        else:
            yield words(
                obstacle.value,
                client=tuning.client,
                metric=name,
                objective=tuning.objective,
                needed=tuning.objective.talks_needed,
                n=tuning.ng_talks,
            )


def _promise(tuning: Tuning, words: Words) -> Iterator[tuple[str, Text]]:
    """The recommended threshold: what to expect of it, and how sure it is."""
    if tuning.best:
        threshold = f"{tuning.best.threshold:g}"
        fresh, spread = tuning.fresh, tuning.spread
        name = words("candidate" if tuning.keeps_today else "recommended")
        if fresh:
            shares = {"precision": _share(fresh.precision), "recall": _share(fresh.recall)}
            yield name, Text(words("fresh", threshold=threshold, **shares), BOLD)
        else:
            yield name, Text(words("no_fresh", threshold=threshold), BOLD)
        if spread:
            ends = {"low": f"{spread.low:g}", "high": f"{spread.high:g}"}
            yield words("sure"), Text(words("sure_text", same=f"{100 * spread.same:.0f} %", **ends))


def _today(tuning: Tuning, words: Words) -> str:
    if tuning.own is None:
        return words("no_today")
    if tuning.today is None:
        return words("beyond", threshold=f"{tuning.own:g}")
    quality = tuning.today.quality
    shares = {"precision": _share(quality.precision), "recall": _share(quality.recall)}
    key = "today_text" if tuning.represents else "today_precision"
    return words(key, threshold=f"{tuning.own:g}", **shares)


def _next(tuning: Tuning, words: Words) -> list[tuple[str, str]]:
    if tuning.can_be_written:
        options = f" --metric {tuning.labelled.name}"
        options += "" if str(tuning.objective) == "f2" else f" --objective {tuning.objective}"
        return [(f"mogi tune {tuning.client}{options} --write", words("next_write"))]
    if Obstacle.NO_PRECISION in tuning.obstacles:
        run = tuning.runs[0]
        return [
            (f"mogi report {run} --report xlsx=review.xlsx", words("next_sheet")),
            (f"mogi review pull {run} --from review.xlsx", words("next_pull")),
        ]
    if {Obstacle.FEW, Obstacle.FEW_CONVERSATIONS, Obstacle.NO_RECALL} & {*tuning.obstacles}:
        command = f"mogi run {tuning.client} --audit 0.1 --report xlsx=review.xlsx"
        return [(command, words("next_run"))]
    return []
