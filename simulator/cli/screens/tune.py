"""What `mogi tune` prints: thresholds side by side, the recommended one, what is missing; JSON."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import figure, labelled, next_steps, paragraph, spaced, table
from simulator.console.palette import BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.review.tune import Obstacle, OperatingPoint, Tuning
from simulator.review.verdict_labels import (
    FEWEST,
    FEWEST_OF_A_KIND,
    FEWEST_TALKS,
    Exclusion,
    LeftOut,
)
from simulator.statistics.thresholds import PRINTED
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.core.outcome import Interval
    from simulator.core.persona import Language

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
