"""How often the 95 % interval of the difference of two corrected scores holds the truth.

Conversations of one turn. A share of B's answers are A's: what people said of these is known, and
of the others they judge the flagged ones and a sample, as in A. The judge is lenient.
"""

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage import Coverage
from simulator.statistics.ppi import Observation, PpiEstimate, StratifiedSample, difference, ppi

_TRIALS = 1_000
_PERSONAS = 3
_LIMIT = 0.5
_FLAGGED, _AUDIT, _KNOWN = range(3)


@dataclass(frozen=True, slots=True)
class Cell:
    """`rate`: of answers that are OK; `lower`: B's new answers are OK so much less often.

    `same`: the share of answers that B gives as A did; `audit`: the probability of a draw; `alike`:
    the intra-class correlation of the scenarios. All 0-1.
    """

    scenarios: int
    rate: float
    lower: float
    same: float
    audit: float
    alike: float = 0.3

    def __str__(self) -> str:
        shape = f"{self.scenarios}x{_PERSONAS}-{self.rate}-{self.lower}"
        return f"{shape}-{self.same}-{self.audit}-{self.alike}"


CELLS = tuple(
    Cell(scenarios, rate, lower, same, audit)
    for scenarios, audit in ((30, 0.5), (60, 0.3), (60, 1.0), (200, 0.15))
    for rate in (0.6, 0.9)
    for lower in (0.0, 0.3)
    for same in (0.0, 0.5, 0.9)
)


def measure(cell: Cell, trials: int = _TRIALS) -> Coverage:
    """Draw pairs of runs of this shape; those without a corrected score on both sides count not."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    truth = -cell.lower * cell.rate * (1 - cell.same)
    held, widths, n = 0, 0.0, 0
    for _ in range(trials):
        a, b = _runs(cell, rng)
        if a is None or b is None:
            continue
        found = difference(a, b)
        if found.low is None or found.high is None:
            raise ValueError(f"{cell} has no interval")
        n += 1
        held += found.low <= truth + 1e-12 and truth - 1e-12 <= found.high
        widths += found.high - found.low
    return Coverage(held / n, widths / n)


def _runs(cell: Cell, rng: np.random.Generator) -> tuple[PpiEstimate | None, PpiEstimate | None]:
    weight = (1 - cell.alike) / cell.alike
    p = rng.beta(cell.rate * weight, (1 - cell.rate) * weight, (cell.scenarios, 1))
    shape = (cell.scenarios, _PERSONAS)
    said, again = (rng.random(shape) < p), (rng.random(shape) < p * (1 - cell.lower))
    same = rng.random(shape) < cell.same
    said_b = np.where(same, said, again)
    score = judged(said, rng)
    score_b = np.where(same, score, judged(again, rng))
    drawn, drawn_b = (rng.random(shape) < cell.audit for _ in range(2))
    seen = (score < _LIMIT) | drawn
    known = same & seen & (score_b >= _LIMIT)
    nothing = np.zeros(shape, dtype=bool)
    return (
        _estimate(said, score, drawn, nothing, cell.audit),
        _estimate(said_b, score_b, drawn_b, known, cell.audit),
    )


def judged(said: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.float64]:
    """Scores that are high for half of what is wrong."""
    lenient = said | (rng.random(said.shape) < 0.5)
    noise = rng.normal(0, 0.12, said.shape)
    scores: NDArray[np.float64] = np.clip(np.where(lenient, 0.75, 0.3) + noise, 0, 1)
    return scores


def _estimate(
    said: NDArray[np.bool_],
    score: NDArray[np.float64],
    drawn: NDArray[np.bool_],
    known: NDArray[np.bool_],
    audit: float,
) -> PpiEstimate | None:
    sample = StratifiedSample(3)
    for (scenario, persona), f in np.ndenumerate(score):
        at = scenario, persona
        stratum = _FLAGGED if f < _LIMIT else _KNOWN if known[at] else _AUDIT
        talk = sample.add(scenario, [int(stratum == each) for each in range(3)], float(f))
        if stratum != _AUDIT or drawn[at]:
            probability = audit if stratum == _AUDIT else 1.0
            label = Observation(talk, stratum, float(f), float(said[at]), None, probability)
            sample.labels.append(label)
    return ppi(sample)


def main(rounds: int) -> None:
    """Print the table; `rounds` times 350 pairs of runs are drawn for each figure."""
    print("Coverage of 95 % intervals of the difference of two corrected scores (mean width)")
    print(f"{'scenarios':>9}{'audit':>7}{'OK':>6}{'change':>8}  same 0, .5, .9")
    for n in range(0, len(CELLS), 3):
        cell = CELLS[n]
        row = [measure(each, 350 * rounds) for each in CELLS[n : n + 3]]
        told = "  ".join(f"{each.covered:.3f} ({each.width:.2f})" for each in row)
        print(f"{cell.scenarios:>9}{cell.audit:>7}{cell.rate:>6}{-cell.lower:>8}  {told}")
