"""How often the 95 % interval of a corrected score, and of the difference of two, holds the truth.

Conversations of one turn. A share of B's answers are A's: what people said of these is known, and
of the others they judge the flagged ones and a sample, as in A. The judge is lenient.
"""

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage import Coverage
from simulator.statistics.ppi import (
    Observation,
    PpiEstimate,
    StratifiedSample,
    chances,
    difference,
    ppi,
)

_TRIALS = 1_000
_PERSONAS = 3
_LIMIT = 0.5
_TELLING = 3.0  # a flagged answer is drawn so many times as often as another one
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


@dataclass(frozen=True, slots=True)
class Single:
    """One run; `rows` of a review plan are judged, flagged ones drawn three times as often.

    Where there are none, all flagged answers and the share `audit` of the others are.
    """

    scenarios: int
    rate: float
    rows: int = 0
    audit: float = 0.0
    alike: float = 0.3

    @property
    def shown(self) -> str:
        """What people are shown, as the table has it."""
        return f"plan of {self.rows}" if self.rows else f"audit {self.audit}"


SINGLES = tuple(
    Single(scenarios, rate, rows, audit)
    for scenarios, rows, audit in (
        (30, 30, 0.0), (60, 30, 0.0), (60, 60, 0.0), (100, 100, 0.0), (120, 120, 0.0),
        (30, 0, 0.5), (60, 0, 0.3), (60, 0, 0.15), (200, 0, 0.15),
    )
    for rate in (0.6, 0.8, 0.9, 0.95, 0.98)
)  # fmt: skip


def measure_one(cell: Single, trials: int = _TRIALS) -> Coverage:
    """Draw runs of this shape; those without a corrected score do not count."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    covered, widths, n = 0, 0.0, 0
    for _ in range(trials):
        ease = eases(cell.rate, cell.alike, cell.scenarios, rng)
        said = rng.random((cell.scenarios, _PERSONAS)) < ease
        score = judged(said, rng)
        nothing = np.zeros(said.shape, dtype=bool)
        if cell.rows:
            drawn = drawn_of(score, ~nothing, cell.rows, rng)
            estimate = estimate_of(said, score, drawn, nothing)
        else:
            audited = rng.random(said.shape) < cell.audit
            estimate = _estimate(said, score, audited, nothing, cell.audit)
        if estimate is None or estimate.value.low is None or estimate.value.high is None:
            continue
        n += 1
        covered += estimate.value.low <= cell.rate <= estimate.value.high
        widths += estimate.value.high - estimate.value.low
    return Coverage(covered / n, widths / n)


def eases(
    rate: float, alike: float, scenarios: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """How likely an answer of each scenario is OK; `alike`: their intra-class correlation."""
    weight = (1 - alike) / alike
    return rng.beta(rate * weight, (1 - rate) * weight, (scenarios, 1))


def drawn_of(
    score: NDArray[np.float64], among: NDArray[np.bool_], n: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The probability with which each of the `n` answers of a plan was drawn; 0 of others."""
    places = np.flatnonzero(among)
    sizes = np.where(score.ravel()[places] < _LIMIT, _TELLING, 1.0)
    probability = np.array(chances(sizes.tolist(), n))
    keys = np.where(probability >= 1, -1.0, rng.random(len(places)) / sizes)
    taken = np.argsort(keys)[:n]
    drawn = np.zeros(score.size)
    drawn[places[taken]] = probability[taken]
    return drawn.reshape(score.shape)


def estimate_of(
    said: NDArray[np.bool_],
    score: NDArray[np.float64],
    drawn: NDArray[np.float64],
    new: NDArray[np.bool_],
) -> PpiEstimate | None:
    """The corrected score by what was drawn, with these probabilities; `new` is a stratum."""
    sample = StratifiedSample(2)
    for (scenario, persona), f in np.ndenumerate(score):
        at = scenario, persona
        stratum = int(new[at])
        talk = sample.add(scenario, [1 - stratum, stratum], float(f))
        if drawn[at]:
            label = Observation(talk, stratum, float(f), float(said[at]), None, float(drawn[at]))
            sample.labels.append(label)
    return ppi(sample)


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
    p = eases(cell.rate, cell.alike, cell.scenarios, rng)
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
    """Print both tables; `rounds` times 350 runs, or pairs, are drawn for each figure."""
    print("Coverage of 95 % intervals of corrected scores (mean width)")
    print(f"{'answers':>9}  {'judged':<12}OK .6, .8, .9, .95, .98")
    for n in range(0, len(SINGLES), 5):
        single = SINGLES[n]
        figures = [measure_one(each, 350 * rounds) for each in SINGLES[n : n + 5]]
        shown = "  ".join(f"{each.covered:.3f} ({each.width:.2f})" for each in figures)
        print(f"{single.scenarios * _PERSONAS:>9}  {single.shown:<12}{shown}")
    print("Coverage of 95 % intervals of the difference of two corrected scores (mean width)")
    print(f"{'scenarios':>9}{'audit':>7}{'OK':>6}{'change':>8}  same 0, .5, .9")
    for n in range(0, len(CELLS), 3):
        cell = CELLS[n]
        row = [measure(each, 350 * rounds) for each in CELLS[n : n + 3]]
        told = "  ".join(f"{each.covered:.3f} ({each.width:.2f})" for each in row)
        print(f"{cell.scenarios:>9}{cell.audit:>7}{cell.rate:>6}{-cell.lower:>8}  {told}")
