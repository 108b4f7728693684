"""How often the intervals beside a chosen threshold hold its true precision and recall."""

import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.coverage import Coverage
from simulator.core.outcome import Interval
from simulator.statistics.thresholds import (
    Choice,
    FlagQuality,
    LabelledScores,
    Objective,
    cross_fitted,
    flag_quality,
    tells,
    with_choice,
)

_TRIALS = 200
_MANY = 30_000


@dataclass(frozen=True, slots=True)
class Cell:
    """What is drawn: conversations with so many verdicts each.

    `apart`: how far the scores of bad answers lie below those of good ones, in standard
    deviations; `rated`: whether the scores are ratings from 1 to 5; `audit`: the share of the
    answers over .5 that people see.
    """

    objective: Objective
    talks: int
    turns: int
    apart: float
    rated: bool = False
    audit: float = 1.0

    def __str__(self) -> str:
        kind = "rated" if self.rated else "any"
        return f"{self.objective}-{self.talks}x{self.turns}-{self.apart}-{kind}-{self.audit}"


CELLS = (
    *(
        Cell(objective, talks, turns, apart, rated)
        for objective in (Objective("f"), Objective("youden"), Objective("miss-rate", 0.2))
        for talks, turns in ((30, 1), (15, 2), (10, 5), (60, 1), (50, 3), (150, 2))
        for apart, rated in ((1.2, False), (2.4, False), (2.4, True))
    ),
    *(
        Cell(objective, 200, 2, 2.4, audit=share)
        for objective in (Objective("f"), Objective("youden"))
        for share in (0.1, 0.3)
    ),
)


def measure(cell: Cell, trials: int = _TRIALS) -> tuple[Coverage, Coverage]:
    """Draw verdicts, choose, and look up what the threshold is worth: of precision, of recall.

    Samples of which no threshold is recommended are left out, as in `mogi tune`.
    """
    draw = np.random.default_rng(zlib.crc32(str(cell).encode()))
    every, found = _everything(cell.apart, cell.rated, cell.turns > 1), []
    for _ in range(trials):
        spoken = _shown(_drawn(draw, cell.talks, cell.turns, cell.apart, cell.rated), cell, draw)
        chosen = _recommended(spoken, cell.objective)
        if chosen is None:
            continue
        threshold, quality = chosen
        flags = every.flags(threshold)
        right = int((flags & every.ng).sum())
        truths = right / max(1, int(flags.sum())), right / int(every.ng.sum())
        pairs = zip((quality.precision, quality.recall), truths, strict=True)
        found.append([_held(share, truth) for share, truth in pairs])
    if not found:
        raise ValueError(f"{cell}: no threshold was recommended")
    held, widths = np.array(found).mean(axis=0).T
    one, other = (Coverage(float(h), float(w)) for h, w in zip(held, widths, strict=True))
    return one, other


def _held(share: Interval, truth: float) -> tuple[float, float]:
    low, high = share.low or 0.0, 1.0 if share.high is None else share.high
    return float(low - 1e-12 <= truth <= high + 1e-12), high - low


def _recommended(spoken: LabelledScores, objective: Objective) -> tuple[float, FlagQuality] | None:
    """The threshold with what is printed beside it; None where `mogi tune` recommends none."""
    kinds = (spoken.ng, ~spoken.ng)
    if len(spoken.ng) < 30 or len(set(spoken.talks)) < 10:
        return None
    if any(len(set(spoken.talks[kind])) < 5 for kind in kinds) or (tells(spoken).low or 0) <= 0.5:
        return None
    best, fresh = Choice(spoken, objective).best(), cross_fitted(spoken, objective)
    if not best or fresh is None:
        return None
    return best, with_choice(flag_quality(spoken, spoken.flags(best)), fresh, spoken)


def _drawn(
    draw: np.random.Generator, talks: int, turns: int, apart: float, rated: bool
) -> LabelledScores:
    """Answers of which those of one conversation are alike, in score and in verdict."""
    of = np.repeat(np.arange(talks), turns)
    tilt = draw.normal(0, 1, talks)[of]
    ng = draw.random(len(of)) < 1 / (1 + np.exp(1 - tilt))
    values = 1 / (1 + np.exp(-(1 - apart * ng - 0.3 * tilt + draw.normal(0, 1, len(of)))))
    if rated:
        values = np.clip(np.round(5 * values), 1, 5) / 5
    return LabelledScores(values, ng, np.ones(len(of)), of)


def _shown(every: LabelledScores, cell: Cell, draw: np.random.Generator) -> LabelledScores:
    if cell.audit == 1:
        return every
    low = every.flags(0.5)
    weighted = LabelledScores(every.values, every.ng, np.where(low, 1, 1 / cell.audit), every.talks)
    return weighted.where(low | (draw.random(len(low)) < cell.audit))


@cache
def _everything(apart: float, rated: bool, several: bool) -> LabelledScores:
    return _drawn(np.random.default_rng(1), _MANY, 1 + several, apart, rated)


def main(rounds: int) -> None:
    """Print the table; `rounds` times 100 samples of verdicts are drawn for each row."""
    print("Coverage of 95 % intervals beside a chosen threshold, and their mean width")
    heads = f"{'objective':>14}{'talks':>7}{'turns':>7}{'apart':>7}{'rated':>7}{'audit':>7}"
    print(f"{heads}{'precision':>11}{'width':>7}{'recall':>8}{'width':>7}")
    for cell in CELLS:
        precision, recall = measure(cell, 100 * rounds)
        shape = f"{cell.talks:>7}{cell.turns:>7}{cell.apart:>7}{'yes' if cell.rated else 'no':>7}"
        print(
            f"{cell.objective!s:>14}{shape}{cell.audit:>7}{precision.covered:>11.3f}"
            f"{precision.width:>7.2f}{recall.covered:>8.3f}{recall.width:>7.2f}"
        )
