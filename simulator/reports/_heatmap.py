"""Persona × scenario: where the weak cells are, readable with and without colour."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from rich.cells import cell_len
from rich.text import Text

from simulator.console.layout import pad
from simulator.console.palette import BOLD, DIM, WEAK, heat
from simulator.core.run import CellSummary, Run
from simulator.words import Words

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
    widths = [_width(head, [row.cells[i] for row in shown]) for i, head in enumerate(heads)]
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
    yield from _left_out(len(scenarios) - _ROWS, len(heads) - len(kept), words)
    yield Text(words("legend"), DIM)


def _width(head: str, cells: Sequence[CellSummary]) -> int:
    """Screen cells of a column, with a space on either side of its widest text and a gap."""
    return max(min(_HEAD, cell_len(head)), *(len(_text(cell)) for cell in cells)) + 3


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
    found = list(cells)
    scored = sum(c.scored for c in found)
    total = sum(c.mean * c.scored for c in found if c.mean is not None)
    return CellSummary(
        mean=total / scored if scored else None,
        conversations=sum(c.conversations for c in found),
        flagged=sum(c.flagged for c in found),
        gaps=sum(c.gaps for c in found),
        scored=scored,
    )


def _rank(cell: CellSummary, name: str) -> tuple[bool, float, int, str]:
    """Worst first: what is flagged without a score, low means, then what says nothing."""
    silent = cell.mean is None and not cell.flagged
    return silent, -1.0 if cell.mean is None else cell.mean, -cell.flagged, name


def _text(cell: CellSummary) -> str:
    if not cell.conversations:
        return "–"
    parts = ["–" if cell.mean is None else f"{cell.mean:.2f}"]
    parts += [f"!{cell.flagged}"] if cell.flagged else []
    parts += [f"?{cell.gaps}"] if cell.gaps else []
    return " ".join(parts)


def _shown(cell: CellSummary, width: int, threshold: float) -> Text:
    style = DIM if cell.mean is None else heat(cell.mean, threshold)
    if cell.mean is None and cell.flagged:
        style = WEAK
    return Text.assemble(" ", (f" {_text(cell)}".ljust(width - 1), style))


def _left_out(scenarios: int, personas: int, words: Words) -> Iterator[Text]:
    if scenarios > 0:
        yield Text(words("more_scenarios", n=scenarios), DIM)
    if personas > 0:
        yield Text(words("more_personas", n=personas), DIM)
