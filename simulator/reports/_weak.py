"""The worst turns, first the worst: what was said, why it is weak, and whose fault it is."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from simulator.console.layout import fit, pad, wrap
from simulator.console.palette import BAD, BOLD, DIM, WEAK
from simulator.core.clean import visible
from simulator.core.plan import Cell
from simulator.core.recorded import NOBODY
from simulator.core.run import Run, WeakTurn
from simulator.reports._headline import rating
from simulator.words import Words

SHOWN = 10
_USER_LINES, _BOT_LINES, _WHY_LINES = 2, 3, 2


def weak_turns(run: Run, words: Words, width: int) -> Iterator[Text]:
    """The lines of the list of the worst turns: each scenario's worst one before its others.

    What is to be mended is a scenario; ten personas who stumble over the same answer are one.
    """
    weak = _chosen(run.summary.weak)
    others = _flagged_by_scenario(run)
    if not weak:
        if run.summary.score and run.summary.score.scored:
            yield from _none(run, words, width)
        return
    yield _head(run, weak, words)
    for number, turn in enumerate(weak, 1):
        yield Text("")
        yield _title(run, number, turn, words, width)
        yield from said(words("user"), wrap(turn.user, width - INDENT, _USER_LINES))
        yield from said(words("bot"), _answer(turn, words, width), width=width, weak=turn.flagged)
        if turn.reason:
            yield from said(words("why"), wrap(turn.reason, width - INDENT, _WHY_LINES))
        if turn.blame:
            yield from said(words("fault"), [words.name("fault", turn.blame)])
        yield from _more(turn, weak, others, words, width)
    if run.summary.blames:
        yield Text("")
        faults = words.counts("fault", run.summary.blames)
        yield from map(Text, wrap(words("faults", faults=faults), width))


def _none(run: Run, words: Words, width: int) -> Iterator[Text]:
    """That nothing is flagged, and which metrics flag nothing however low they are."""
    header, metrics = run.header, run.summary.metrics
    by = visible(header.score_by)
    key = "none_flagged"
    if header.is_of_rows:
        key = "none_under" if header.thresholds else "none_low"
    yield Text(words(key, score=by), BOLD)
    means = {n: m.value.mean for n, m in metrics.items() if m.threshold is None}
    low = [f"{visible(n)} {mean:.2f}" for n, mean in means.items() if mean is not None and mean < 1]
    if low:
        lines = wrap(words("unwatched", metrics=", ".join(low)), width)
        yield from (Text(line, DIM) for line in lines)


def _head(run: Run, weak: Sequence[WeakTurn], words: Words) -> Text:
    shown = f"{sum(1 + turn.alike for turn in weak):,}"
    if all(turn.flagged for turn in weak):
        return Text(words("worst", shown=shown, n=f"{run.summary.flagged:,}"), BOLD)
    by = visible(run.header.score_by)
    return Text(words("lowest", shown=shown, n=f"{run.summary.turns:,}", score=by), BOLD)


def _more(
    turn: WeakTurn,
    weak: Sequence[WeakTurn],
    flagged: Mapping[str, int],
    words: Words,
    width: int,
) -> Iterator[Text]:
    """Who else got this answer, and below a scenario's first turn what else is flagged there."""
    scenario = turn.cell.scenario
    if turn.alike:
        names = ", ".join(map(visible, turn.alike_personas))
        line = words("alike", n=f"{turn.alike:,}", personas=names)
        yield from said("", wrap(line, width - INDENT))
    here = [t for t in weak if t.cell.scenario == scenario]
    more = flagged.get(scenario, 0) - sum(1 + t.alike for t in here)
    if more > 0 and turn is here[0]:
        yield from said("", [words("more_weak", n=f"{more:,}")])


def _chosen(weak: Sequence[WeakTurn]) -> list[WeakTurn]:
    """At most SHOWN turns, in the order of `weak`; no scenario's second before another's first."""
    seen: Counter[str] = Counter()
    ranked = []
    for place, turn in enumerate(weak):
        ranked.append((seen[turn.cell.scenario], place))
        seen[turn.cell.scenario] += 1
    return [weak[place] for place in sorted(place for _, place in sorted(ranked)[:SHOWN])]


def _flagged_by_scenario(run: Run) -> Counter[str]:
    flagged: Counter[str] = Counter()
    for (_, scenario), cell in run.summary.cells.items():
        flagged[scenario] += cell.flagged
    return flagged


INDENT = 14  # cells before the text


def said(label: str, lines: list[str], *, width: int = 0, weak: bool = False) -> Iterator[Text]:
    """A label and the lines beside it; weak ones are a coloured block up to `width` cells."""
    mark = "!" if weak else " "
    for number, line in enumerate(lines):
        head = set_cell_size(f"  {mark} {label}" if number == 0 else "", INDENT)
        body = (pad(line, width - INDENT), WEAK) if weak else line
        yield Text.assemble((head, DIM), body)


def where(cell: Cell, turn: int, words: Words) -> str:
    """`login-fails · angry · turn 2`, and which repeat if it is not the first."""
    parts = [visible(cell.scenario), visible(cell.persona)]
    parts += [words("repeat", n=cell.repeat)] if cell.repeat > 1 else []
    return " · ".join([*parts, words("turn", n=turn)])


def row_name(cell: Cell) -> str:
    """The id of a row of a file, and its persona if it names one."""
    parts = [cell.scenario] if cell.persona == NOBODY else [cell.scenario, cell.persona]
    return " · ".join(map(visible, parts))


def _title(run: Run, number: int, turn: WeakTurn, words: Words, width: int) -> Text:
    score = run.summary.score
    raw = rating(score.info, turn.raw) if score else ""
    value = _value(turn, words)
    value += f" ({words('raw', raw=raw)})" if raw else ""
    of_rows = run.header.is_of_rows
    place = row_name(turn.cell) if of_rows else where(turn.cell, turn.turn, words)
    place = fit(place, width - cell_len(value) - 7)
    return Text.assemble((f"{number:>2}  ", DIM), (place, BOLD), "   ", (value, BAD))


def _value(turn: WeakTurn, words: Words) -> str:
    if turn.score is not None:
        return f"{turn.score:.2f}"
    return "–" if turn.assistant else words.name("gap", "target_failed")


def _answer(turn: WeakTurn, words: Words, width: int) -> list[str]:
    return wrap(turn.assistant or words("no_answer"), width - INDENT, _BOT_LINES)
