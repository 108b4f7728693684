"""What `mogi tune` prints: thresholds side by side, the recommended one, and what is missing."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import BOLD, DIM, GOOD, WARN, command_lines
from simulator.console.layout import wrap
from simulator.console.output import screen
from simulator.console.output import show as show_parts
from simulator.core.clean import visible
from simulator.reports._figures import labelled
from simulator.review.labels import LeftOut, Why
from simulator.review.tune import FEWEST, Candidate, Obstacle, Tuning
from simulator.statistics.choosing import PRINTED
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.core.persona import Language
    from simulator.core.run import Interval
    from simulator.statistics.choosing import Objective
    from simulator.statistics.cutoffs import Caught

_SHOWN = 11  # rows, beside today's and the recommended one
_NONE = "–"


def show(tuning: Tuning, language: "Language", written: str | None = None) -> None:
    """Print it on stdout, in the client's language.

    `written`: the file that the recommended threshold was put into; then that is all that is told.
    """
    console, words = screen(), Words(language, "tune")
    parts = _parts(tuning, words, console.width)
    if written:
        parts = _written(tuning, words, written, console.width)
    show_parts(parts, console)


def why_not_written(tuning: Tuning) -> str:
    """Why a threshold is not written, in English."""
    words = Words("en", "tune")
    return " ".join(_obstacles(tuning, words))


def _parts(tuning: Tuning, words: Words, width: int) -> Iterator[RenderableType]:
    yield from _head(tuning, words, width)
    if tuning.candidates:
        yield Text("")
        yield _table(tuning, words)
        meaning = "meaning" if tuning.represents else "meaning_precision"
        mark = "mark_candidate" if tuning.keeps_today else "mark_best"
        there = {mark: tuning.best, "mark_today": tuning.today}
        yield Text("   ".join(words(mark) for mark, of in there.items() if of), DIM)
        yield Text("\n".join(wrap(words(meaning), width)), DIM)
    yield from _block(
        [Text("\n".join(wrap(line, width)), WARN) for line in _obstacles(tuning, words)]
    )
    lines = list(_result(tuning, words))
    yield from _block([labelled(lines)] if lines else [])
    if _is_todays(tuning):
        yield from _block([Text("\n".join(wrap(words("same"), width)), WARN)])
    elif tuning.keeps_today and tuning.best:
        values = {"own": f"{tuning.own:g}", "threshold": f"{tuning.best.threshold:g}"}
        yield from _block([Text("\n".join(wrap(words("no_gain", **values), width)), WARN)])
    else:
        yield from _next(tuning, words, width)


def _written(tuning: Tuning, words: Words, file: str, width: int) -> Iterator[RenderableType]:
    """What was put where, and what stood there before."""
    yield from _head(tuning, words, width)
    old = words("nobody") if tuning.own is None else f"{tuning.own:g}"
    new = f"{tuning.best.threshold:g}" if tuning.best else old
    values = {"metric": tuning.labelled.name, "old": old, "new": new, "file": visible(file)}
    lines = [
        (words("written"), Text(words("written_text", **values), BOLD)),
        *_promise(tuning, words),
    ]
    yield from _block([labelled(lines)])
    if _is_todays(tuning):
        yield from _block([Text("\n".join(wrap(words("written_same"), width)), WARN)])


def _head(tuning: Tuning, words: Words, width: int) -> Iterator[RenderableType]:
    name = tuning.labelled.name
    head = words("head", client=tuning.client, metric=name, objective=tuning.objective)
    yield Text(visible(head), BOLD)
    for line in _basis(tuning, words):
        yield Text("\n".join(wrap(line, width)), DIM)


def _is_todays(tuning: Tuning) -> bool:
    """Whether the recommended threshold is the one that the client has."""
    best, own = tuning.best, tuning.own
    return best is not None and own is not None and math.isclose(best.threshold, own)


def _block(parts: Sequence[RenderableType]) -> Iterator[RenderableType]:
    if parts:
        yield Text("")
        yield from parts


def _basis(tuning: Tuning, words: Words) -> Iterator[str]:
    found = tuning.labelled
    if found.used:
        counts = {"n": tuning.verdicts, "ok": tuning.ok, "ng": tuning.ng}
        yield words("verdicts", **counts, talks=tuning.talks, runs=len(tuning.runs))
    if found.yardstick.rubric:
        judge = visible(found.yardstick.judge) or words("nobody")
        yield words("measured", judge=judge, rubric=found.yardstick.rubric)
    elif found.yardstick.judge:
        yield words("measured_by", judge=visible(found.yardstick.judge))
    if tuning.represents and tuning.heaviest > 1.05:
        yield words("weights", heaviest=f"{tuning.heaviest:.2g}")
    if tuning.unused:
        reasons = [words(f"unused.{why.value}", n=n) for why, n in tuning.unused.items()]
        yield words("unused", reasons=words.comma.join(reasons))
    for left in found.left_out:
        yield words("left_out", run=left.run, why=_why(left, tuning, words))


def _why(left: LeftOut, tuning: Tuning, words: Words) -> str:
    now = tuning.labelled.yardstick
    if left.why is Why.CLIENT:
        return words("why.client", client=tuning.client, folder=visible(left.folder))
    if left.why is Why.METRIC:
        return words("why.metric", metric=tuning.labelled.name)
    if left.why is Why.JUDGE:
        judges = [visible(j) or words("nobody") for j in (left.yardstick.judge, now.judge)]
        return words("why.judge", run=left.run, judge=judges[0], now=judges[1])
    rubrics = [r or words("nobody") for r in (left.yardstick.rubric, now.rubric)]
    return words("why.rubric", run=left.run, rubric=rubrics[0], now=rubrics[1])


def _table(tuning: Tuning, words: Words) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    table.add_column("")
    heads = ("threshold", "flagged", "precision", "recall")
    for head in heads if tuning.represents else (heads[0], heads[2]):
        table.add_column(words(head), justify="right")
    if tuning.represents:
        table.add_column(_worth_name(tuning.objective), justify="right")
    for row in _rows(tuning):
        marks = [m for m, of in (("→", tuning.best), ("=", tuning.today)) if _is(row, of)]
        found = row.caught
        cells = [f"{row.threshold:g}", _share(found.precision)]
        if tuning.represents:
            shares = map(_share, (found.flagged, found.precision, found.recall))
            cells[1:] = [*shares, _worth(found, tuning.objective)]
        style = GOOD if "→" in marks else None
        table.add_row(*(Text(cell) for cell in ("".join(marks), *cells)), style=style)
    return table


def _worth_name(objective: "Objective") -> str:
    return "J" if objective.kind == "youden" else f"F{_beta(objective):g}"


def _worth(found: "Caught", objective: "Objective") -> str:
    worth = objective.worth(found)
    return _NONE if worth is None else f"{worth:.{PRINTED}f}"


def _beta(objective: "Objective") -> float:
    return objective.number if objective.kind == "f" else 2.0


def _rows(tuning: Tuning) -> Sequence[Candidate]:
    """Some of the candidates, with today's threshold and the recommended one among them."""
    every = tuning.candidates
    step = max(1, (len(every) - 1) / (_SHOWN - 1))
    some = {round(i * step) for i in range(_SHOWN)}
    rows = {c.threshold: c for place, c in enumerate(every) if place in some}
    rows |= {c.threshold: c for c in (tuning.today, tuning.best) if c}
    return [rows[threshold] for threshold in sorted(rows)]


def _is(row: Candidate, other: Candidate | None) -> bool:
    return other is not None and row.threshold == other.threshold


def _share(found: "Interval") -> str:
    """`61 % (45–75)`."""
    if found.mean is None:
        return _NONE
    if found.low is None or found.high is None:
        return f"{100 * found.mean:.0f} %"
    return f"{100 * found.mean:.0f} % ({100 * found.low:.0f}–{100 * found.high:.0f})"


def _obstacles(tuning: Tuning, words: Words) -> Iterator[str]:
    name = tuning.labelled.name
    if not tuning.labelled.used and not tuning.labelled.left_out:
        yield words("no_verdicts", client=tuning.client)
        return
    for obstacle in tuning.obstacles:
        if obstacle is Obstacle.FEW:
            yield _few(tuning, words)
        else:
            yield words(
                obstacle.value,
                client=tuning.client,
                metric=name,
                objective=tuning.objective,
                needed=tuning.objective.talks_needed,
                n=tuning.ng_talks,
            )


def _few(tuning: Tuning, words: Words) -> str:
    more, ok, ng = tuning.lacking
    kinds = [words(f"few_{kind}", n=n) for kind, n in (("ok", ok), ("ng", ng)) if n]
    told = words("few_kinds", kinds=words.comma.join(kinds)) if kinds else ""
    return words("few", n=more, fewest=FEWEST, kinds=told)


def _result(tuning: Tuning, words: Words) -> Iterator[tuple[str, Text]]:
    yield from _promise(tuning, words)
    if tuning.candidates:
        yield words("today"), Text(_today(tuning, words))


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
    found = tuning.today.caught
    shares = {"precision": _share(found.precision), "recall": _share(found.recall)}
    key = "today_text" if tuning.represents else "today_precision"
    return words(key, threshold=f"{tuning.own:g}", **shares)


def _next(tuning: Tuning, words: Words, width: int) -> Iterator[Text]:
    if tuning.can_be_written:
        options = f" --metric {tuning.labelled.name}"
        options += "" if str(tuning.objective) == "f2" else f" --objective {tuning.objective}"
        commands = [(f"mogi tune {tuning.client}{options} --write", words("next_write"))]
    elif Obstacle.NO_PRECISION in tuning.obstacles:
        run = tuning.runs[0]
        commands = [
            (f"mogi report {run} --report xlsx=review.xlsx", words("next_sheet")),
            (f"mogi review pull {run} --from review.xlsx", words("next_pull")),
        ]
    elif Obstacle.FEW in tuning.obstacles or Obstacle.NO_RECALL in tuning.obstacles:
        command = f"mogi run {tuning.client} --audit 0.1 --report xlsx=review.xlsx"
        commands = [(command, words("next_run"))]
    else:
        return
    yield Text("")
    yield Text(words("next"), BOLD)
    yield from command_lines(commands, width)
