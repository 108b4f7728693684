"""Where a run is weak: persona × scenario as a heat map, and the worst turns, first the worst."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from rich.cells import cell_len
from rich.text import Text

from simulator.console.blocks import INDENT, entry, figure, paragraph, passage, spaced
from simulator.console.layout import pad, wrap
from simulator.console.palette import BAD, BOLD, DIM, WEAK, heat
from simulator.core.clean import visible
from simulator.core.plan import Cell
from simulator.core.run import NOBODY, CellSummary, Run, WeakTurn
from simulator.figures.aggregate import spread
from simulator.judging.facts import RIGHT
from simulator.reports._figures import rating
from simulator.words import Words

_SHOWN = 10
_USER_LINES, _BOT_LINES, _WHY_LINES = 2, 3, 2
_ROWS = 30
_NAME = (16, 32)  # least and most screen cells of a scenario's id
_HEAD = 12  # most screen cells of a persona's id
NO_THRESHOLD = 0.5
"""Where the colours turn, if the score has no threshold."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One scenario, or all of them."""

    name: str
    cells: Sequence[CellSummary]  # one for each persona, then all of them together


def heatmap(run: Run, words: Words, width: int) -> Iterator[Text]:
    """The lines of the heat map, worst first; nothing where no turn was scored or flagged."""
    if not has_heat(run):
        return
    personas, scenarios, total = heat_rows(run, words)
    shown = scenarios[:_ROWS] + ([total] if len(scenarios) > 1 else [])
    heads = [*personas, words("all")] if len(personas) > 1 else personas
    # A space on either side of a column's widest text, and a gap.
    texts = [[_text(row.cells[i]) for row in shown] for i in range(len(heads))]
    widths = [
        max(min(_HEAD, cell_len(head)), *map(len, column)) + 3
        for head, column in zip(heads, texts, strict=True)
    ]
    longest = min(_NAME[1], max(cell_len(row.name) for row in shown))
    name_width = min(longest, max(_NAME[0], width - sum(widths)))
    kept = _kept(widths, width - name_width)
    score = run.summary.score
    threshold = score.threshold if score and score.threshold is not None else NO_THRESHOLD
    yield Text(words("heat", score=run.header.score_by), BOLD)
    head = "".join("  " + pad(heads[i], widths[i] - 2) for i in kept)
    yield Text(" " * name_width + head.rstrip(), BOLD)
    for row in shown:
        name = (pad(row.name, name_width), BOLD if row is total else "")
        yield Text.assemble(name, *(_shown(row.cells[i], widths[i], threshold) for i in kept))
    if len(scenarios) > _ROWS:
        yield Text(words("more_scenarios", n=len(scenarios) - _ROWS), DIM)
    if len(heads) > len(kept):
        yield Text(words("more_personas", n=len(heads) - len(kept)), DIM)
    yield Text(words("legend"), DIM)


def _kept(widths: Sequence[int], room: int) -> list[int]:
    """The columns that there is room for: the last one, and of the others the first ones."""
    *others, last = range(len(widths))
    room -= widths[last]
    kept = list(takewhile(lambda i: sum(widths[: i + 1]) <= room or i == 0, others))
    return [*kept, last]


def has_heat(run: Run) -> bool:
    """Whether any turn of a cell was scored or flagged."""
    return any(cell.mean is not None or cell.flagged for cell in run.summary.cells.values())


def heat_rows(run: Run, words: Words) -> tuple[list[str], list[HeatRow], HeatRow]:
    """Personas and scenarios, each worst first, and a row for all scenarios together."""
    cells = run.summary.cells
    empty = CellSummary(None, 0, 0, 0)
    together = {p: _together(c for (q, _), c in cells.items() if q == p) for p, _ in cells}
    personas = sorted(together, key=lambda p: _rank(together[p], p))
    scenarios: dict[str, dict[str, CellSummary]] = {}
    for (persona, scenario), cell in cells.items():
        scenarios.setdefault(scenario, {})[persona] = cell
    rows = [
        HeatRow(name, [*(row.get(p, empty) for p in personas), _together(row.values())])
        for name, row in scenarios.items()
    ]
    rows.sort(key=lambda row: _rank(row.cells[-1], row.name))
    last = [*(together[p] for p in personas), _together(cells.values())]
    return personas, rows, HeatRow(words("all"), last)


def _together(cells: Iterable[CellSummary]) -> CellSummary:
    """Several cells as one; its mean is that of their conversations."""
    several = list(cells)
    scored = sum(c.scored for c in several)
    total = sum(c.mean * c.scored for c in several if c.mean is not None)
    return CellSummary(
        mean=total / scored if scored else None,
        conversations=sum(c.conversations for c in several),
        flagged=sum(c.flagged for c in several),
        gaps=sum(c.gaps for c in several),
        scored=scored,
    )


def _rank(cell: CellSummary, name: str) -> tuple[bool, float, int, str]:
    """Worst first: what is flagged without a score, low means, then what says nothing."""
    silent = cell.mean is None and not cell.flagged
    return silent, -1.0 if cell.mean is None else cell.mean, -cell.flagged, name


def _text(cell: CellSummary) -> str:
    if not cell.conversations:
        return "–"
    parts = [figure(cell.mean)]
    parts += [f"!{cell.flagged}"] if cell.flagged else []
    parts += [f"?{cell.gaps}"] if cell.gaps else []
    return " ".join(parts)


def _shown(cell: CellSummary, width: int, threshold: float) -> Text:
    style = DIM if cell.mean is None else heat(cell.mean, threshold)
    if cell.mean is None and cell.flagged:
        style = WEAK
    return Text.assemble(" ", (f" {_text(cell)}".ljust(width - 1), style))


def weak_turns(run: Run, words: Words, width: int) -> Iterator[Text]:
    """The lines of the list of the worst turns: each scenario's worst one before its others.

    What is to be mended is a scenario; ten personas who stumble over the same answer are one.
    """
    weak = spread(run.summary.weak, lambda turn: turn.cell.scenario, _SHOWN)
    if not weak:
        if run.summary.score and run.summary.score.scored:
            yield from _none(run, words, width)
        return
    flagged: Counter[str] = Counter()
    for (_, scenario), cell in run.summary.cells.items():
        flagged[scenario] += cell.flagged
    # What the judge took and the facts do not may not be flagged, and is weak all the same.
    unflagged = sum(1 + t.alike for t in run.summary.weak if t.against and not t.flagged)
    only_weak = all(turn.flagged or turn.against for turn in weak)
    n = run.summary.flagged + unflagged if only_weak else run.summary.turns
    key = "worst" if only_weak else "lowest"
    by, shown = visible(run.header.score_by), sum(1 + turn.alike for turn in weak)
    yield Text(words(key, shown=shown, n=n, score=by), BOLD)
    for number, turn in enumerate(weak, 1):
        yield from spaced(_title(run, number, turn, words, width))
        yield from _told(turn, words, width)
        yield from _more(turn, weak, flagged, words, width)
    if run.summary.blames:
        yield Text("")
        faults = words.counts("fault", run.summary.blames)
        yield from paragraph(words("faults", faults=faults), width)


def _told(turn: WeakTurn, words: Words, width: int) -> Iterator[Text]:
    """What was asked and answered, and what is wrong with it."""
    yield from passage(words("user"), wrap(turn.user, width - INDENT, _USER_LINES))
    answer = wrap(turn.assistant or words("no_answer"), width - INDENT, _BOT_LINES)
    is_weak = turn.flagged or (bool(turn.against) and turn.against != RIGHT)
    yield from passage(words("bot"), answer, width=width, weak=is_weak)
    if turn.against:
        odds = words.name("against", turn.against)
        yield from passage(words("judge_label"), wrap(odds, width - INDENT))
    if turn.reason:
        yield from passage(words("why"), wrap(turn.reason, width - INDENT, _WHY_LINES))
    if turn.blame:
        yield from passage(words("fault"), [words.name("fault", turn.blame)])


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
        yield from paragraph(words("unwatched", metrics=", ".join(low)), width, DIM)


def _more(
    turn: WeakTurn, weak: Sequence[WeakTurn], flagged: Mapping[str, int], words: Words, width: int
) -> Iterator[Text]:
    """Who else got this answer, and below a scenario's first turn what else is flagged there."""
    scenario = turn.cell.scenario
    if turn.alike:
        names = ", ".join(map(visible, turn.alike_personas))
        line = words("alike", n=turn.alike, personas=names)
        yield from passage("", wrap(line, width - INDENT))
    here = [t for t in weak if t.cell.scenario == scenario]
    more = flagged.get(scenario, 0) - sum(1 + t.alike for t in here)
    if more > 0 and turn is here[0]:
        yield from passage("", [words("more_weak", n=more)])


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
    has_answer = turn.score is not None or turn.assistant
    value = figure(turn.score) if has_answer else words.name("gap", "target_failed")
    value += f" ({words('raw', raw=raw)})" if raw else ""
    of_rows = run.header.is_of_rows
    place = row_name(turn.cell) if of_rows else where(turn.cell, turn.turn, words)
    return entry(number, place, (value, BAD), width)
