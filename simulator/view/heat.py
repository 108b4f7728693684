"""Persona × scenario: what came of each cell, worst first."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from simulator.console.blocks import figure
from simulator.core.result import Result
from simulator.core.run import CellResults, CellSummary


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell, or (`is_sum`) several as one."""

    figures: CellSummary
    is_sum: bool

    @property
    def marks(self) -> str:
        """`✗` failed, `?` undecided: of several repeats how many, of a sum their number."""
        cell, marks = self.figures, []
        for mark, n in (("✗", cell.results.failed), ("?", cell.results.undecided)):
            several = f"{n}/{cell.conversations}" if cell.conversations > 1 else ""
            marks += [mark + (f"{n:,}" if self.is_sum else several)] if n else []
        return " ".join(marks)

    @property
    def result(self) -> Result | None:
        """The worst that any of its conversations has; None where none has one."""
        passed, failed, undecided = self.figures.results
        worst = ((failed, Result.FAILED), (undecided, Result.UNDECIDED), (passed, Result.PASSED))
        return next((result for n, result in worst if n), None)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One scenario, or all of them: a cell for each persona, then all of them together."""

    name: str
    cells: tuple[HeatCell, ...]

    @property
    def together(self) -> CellSummary:
        """All its cells as one."""
        return self.cells[-1].figures


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Personas and scenarios, each worst first, and a row for all scenarios together.

    `heads` are those of the columns: the personas and, if there are several, all of them.
    """

    personas: tuple[str, ...]
    heads: tuple[str, ...]
    scenarios: tuple[HeatRow, ...]
    total: HeatRow

    @property
    def is_total_shown(self) -> bool:
        """Whether the row for all scenarios says more than the one of one scenario."""
        return len(self.scenarios) > 1

    def shown(self, row: HeatRow) -> tuple[HeatCell, ...]:
        """The cells of a row below `heads`."""
        return row.cells[: len(self.heads)]

    @classmethod
    def of(
        cls,
        cells: Mapping[tuple[str, str], CellSummary],
        every: str,
        names: Mapping[str, str] | None = None,
    ) -> "HeatMap | None":
        """The map of a run's cells, by (persona, scenario); None without a score or a result.

        `every` is what the row and the column of all of them are called; `names` the personas
        that have another name than their id.
        """
        if not any(cell.mean is not None or any(cell.results) for cell in cells.values()):
            return None
        nothing = CellSummary(None, 0, 0, 0)
        by_persona: dict[str, list[CellSummary]] = {}
        for (persona, _), cell in cells.items():
            by_persona.setdefault(persona, []).append(cell)
        together = {persona: _together(some) for persona, some in by_persona.items()}
        personas = tuple(sorted(together, key=lambda persona: _rank(together[persona], persona)))
        scenarios: dict[str, dict[str, CellSummary]] = {}
        for (persona, scenario), cell in cells.items():
            scenarios.setdefault(scenario, {})[persona] = cell
        rows = [
            _row(name, (row.get(p, nothing) for p in personas), _together(row.values()))
            for name, row in scenarios.items()
        ]
        rows.sort(key=lambda row: _rank(row.together, row.name))
        sums = (together[persona] for persona in personas)
        total = _row(every, sums, _together(cells.values()), is_sum=True)
        called = tuple((names or {}).get(persona, persona) for persona in personas)
        heads = (*called, every) if len(personas) > 1 else called
        return cls(personas, heads, tuple(rows), total)


def cell_text(cell: HeatCell) -> str:
    """`✗1/3 0.62`; a tick where all of it passed that is decided."""
    passed = "✓" if cell.result is Result.PASSED else ""
    return f"{cell.marks or passed} {figure(cell.figures.mean)}".strip()


def _row(
    name: str, cells: Iterable[CellSummary], together: CellSummary, *, is_sum: bool = False
) -> HeatRow:
    shown = (HeatCell(cell, is_sum) for cell in cells)
    return HeatRow(name, (*shown, HeatCell(together, is_sum=True)))


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
        results=CellResults(*map(sum, zip(*(c.results for c in several), strict=True))),
    )


def _rank(cell: CellSummary, name: str) -> tuple[bool, float, float, float, str]:
    """Worst first: by the share that failed, that is undecided, by score; last what is silent."""
    silent = cell.mean is None and not any(cell.results)
    several = max(1, cell.conversations)
    failed, undecided = cell.results.failed / several, cell.results.undecided / several
    return silent, -failed, -undecided, -1.0 if cell.mean is None else cell.mean, name
