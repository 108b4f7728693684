"""How often the 95 % interval of the people's difference holds the truth after a repair.

Conversations of one turn. Of A's answers some are drawn, the flagged ones the more likely, and
judged. A repair replaces a share of them, wrong ones three times as often as right ones. B's new
answers are drawn and judged (`mogi review plan B --new-since A`); of the others people said what
they said of A. The judge is lenient.
"""

import zlib
from dataclasses import dataclass

import numpy as np

from benchmarks.coverage import Coverage
from benchmarks.coverage_corrected import drawn_of, eases, estimate_of, judged
from simulator.statistics.ppi import PpiEstimate, difference

_TRIALS = 400
_PERSONAS = 3
_WRONG = 3.0


@dataclass(frozen=True, slots=True)
class Cell:
    """`rate`: of A's answers that are OK; `repaired`: of B's new ones; `new`: the share of these.

    `judged`: so many answers of A are; `judged_new`: so many of B's new ones, or all there are.
    """

    scenarios: int
    rate: float
    repaired: float
    new: float
    judged: int
    judged_new: int = 30
    alike: float = 0.3

    @property
    def replaced(self) -> tuple[float, float]:
        """How likely a right answer is replaced, and a wrong one."""
        right = self.new / (self.rate + _WRONG * (1 - self.rate))
        if right * _WRONG > 1:  # all wrong ones are
            return (self.new - (1 - self.rate)) / self.rate, 1.0
        return right, right * _WRONG

    @property
    def truth(self) -> float:
        """The difference of the shares of answers that are OK."""
        return self.new * self.repaired - self.replaced[0] * self.rate


CELLS = tuple(
    Cell(scenarios, rate, repaired, new, count)
    for scenarios, count in ((30, 30), (60, 30), (60, 60), (100, 100))
    for rate, repaired in ((0.6, 0.9), (0.8, 0.95), (0.9, 0.6), (0.95, 0.95))
    for new in (0.1, 0.3, 0.6)
)


def measure(cell: Cell, trials: int = _TRIALS) -> Coverage:
    """Draw pairs of runs of this shape; those whose difference is refused do not count."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    covered, widths, n = 0, 0.0, 0
    for _ in range(trials):
        before, after = _runs(cell, rng)
        if before is None or after is None:
            continue
        value = difference(before, after)
        if value.low is None or value.high is None:
            raise ValueError(f"{cell} has no interval")
        n += 1
        covered += value.low <= cell.truth + 1e-12 and cell.truth - 1e-12 <= value.high
        widths += value.high - value.low
    return Coverage(covered / n, widths / n)


def _runs(cell: Cell, rng: np.random.Generator) -> tuple[PpiEstimate | None, PpiEstimate | None]:
    ease = eases(cell.rate, cell.alike, cell.scenarios, rng)
    shape = (cell.scenarios, _PERSONAS)
    right = rng.random(shape) < ease
    of_right, of_wrong = cell.replaced
    new = rng.random(shape) < np.where(right, of_right, of_wrong)
    right_b = np.where(new, rng.random(shape) < cell.repaired, right)
    score = judged(right, rng)
    score_b = np.where(new, judged(right_b, rng), score)
    drawn = drawn_of(score, np.ones(shape, dtype=bool), cell.judged, rng)
    drawn_new = drawn_of(score_b, new, cell.judged_new, rng)
    before = estimate_of(right, score, drawn, np.zeros(shape, dtype=bool))
    return before, estimate_of(right_b, score_b, np.where(new, drawn_new, drawn), new)


def main(rounds: int) -> None:
    """Print the table; `rounds` times 350 pairs of runs are drawn for each figure."""
    print("Coverage of 95 % intervals of the people's difference (mean width)")
    print(f"{'answers':>8}{'judged':>8}{'OK':>6}{'new OK':>8}  new .1, .3, .6")
    for n in range(0, len(CELLS), 3):
        cell = CELLS[n]
        row = [measure(each, 350 * rounds) for each in CELLS[n : n + 3]]
        shown = "  ".join(f"{each.covered:.3f} ({each.width:.2f})" for each in row)
        answers = cell.scenarios * _PERSONAS
        print(f"{answers:>8}{cell.judged:>8}{cell.rate:>6}{cell.repaired:>8}  {shown}")
