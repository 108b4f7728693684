"""Is a cell broken, or noisy? Further plays of it, one after the other, until that is decided.

Wald's sequential probability ratio test (1945, doi:10.1214/aoms/1177731118) between two rates of
bad plays: a cell that is bad in no more than half of its plays is `noise`; one that is bad in 19 of
20 is `broken`. What it decides is about fresh plays alone: the play that made somebody look at the
cell was chosen because it was bad, so it does not count.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.core.comparison import Replayed
from simulator.statistics.paired import more_often

NOISE, BROKEN = 0.5, 0.95
"""Rates of bad plays."""
ALPHA = 0.05
"""How likely any cell is called broken though all of them are noise, at most."""
BETA = 0.1
"""How likely a broken cell is taken for noise, at most."""
_BAD, _GOOD = math.log(BROKEN / NOISE), math.log((1 - BROKEN) / (1 - NOISE))
_LUCK = 1 / 2  # of Jeffreys' prediction from a count over the same exposure


@dataclass(frozen=True, slots=True)
class Chances:
    """How likely a cell is decided in which way, and how many plays that takes on average."""

    broken: float
    noise: float
    plays: float


@dataclass(frozen=True, slots=True)
class Sprt:
    """The test of one of several cells, of at most so many plays each.

    Between all cells the error is shared (Bonferroni). Where so few plays can never reach that
    bound, a cell that is bad in all of them is called broken; `surely` counts what that is worth.
    """

    cells: int
    most: int

    @property
    def upper(self) -> float:
        """From this log likelihood ratio on it is broken."""
        return min(math.log((1 - BETA) * self.cells / ALPHA), self.most * _BAD) - 1e-9

    @property
    def lower(self) -> float:
        """Down from this log likelihood ratio it is noise."""
        return math.log(BETA / (1 - ALPHA / self.cells))

    def decide(self, plays: Sequence[bool]) -> Replayed:
        """What these plays say; True where one was bad."""
        ratio = 0.0
        for bad in plays[: self.most]:
            ratio += _BAD if bad else _GOOD
            if ratio >= self.upper:
                return Replayed.BROKEN
            if ratio <= self.lower:
                return Replayed.NOISE
        return Replayed.OPEN

    def chances(self, rate: float) -> Chances:
        """What becomes of a cell that is bad in this share of its plays; exact."""
        going = {0: 1.0}  # by the number of bad plays so far
        broken = noise = plays = 0.0
        for n in range(1, self.most + 1):
            plays += sum(going.values())
            after: dict[int, float] = {}
            for bad, chance in going.items():
                after[bad + 1] = after.get(bad + 1, 0.0) + chance * rate
                after[bad] = after.get(bad, 0.0) + chance * (1 - rate)
            going = {}
            for bad, chance in after.items():
                ratio = bad * _BAD + (n - bad) * _GOOD
                if ratio >= self.upper:
                    broken += chance
                elif ratio <= self.lower:
                    noise += chance
                else:
                    going[bad] = chance
        return Chances(broken, noise, plays)

    def surely(self, broken: int) -> int:
        """How many of the cells that are called broken are more than noise would give.

        By closed testing at `ALPHA`: a further one counts as long as so many among the cells that
        are left would be rare if each of them were noise.
        """
        chance, sure = self.chances(NOISE).broken, 0
        while sure < broken and more_often(broken - sure, self.cells - sure, chance) <= ALPHA:
            sure += 1
        return sure


def most_by_luck(lucky: int) -> int:
    """How many cells that are always bad may have passed once by luck, where so many others did.

    In two runs of the same bot as many pass by luck in the one as in the other. The upper 95 % end
    of Jeffreys' prediction of a Poisson count from another over the same exposure.
    """
    size = lucky + 0.5
    below, n = 0.0, -1
    while below < 1 - ALPHA:
        n += 1
        ways = math.lgamma(n + size) - math.lgamma(size) - math.lgamma(n + 1)
        below += math.exp(ways + (n + size) * math.log(_LUCK))
    return n


def surely_broken(test: Sprt, steady: int, once: int, lucky: int) -> int:
    """How many cells are broken for sure, at 95 %.

    Args:
        test: of the cells that got worse.
        steady: those called broken that were never so bad before, in several plays.
        once: those called broken of which that is not known.
        lucky: cells that got better, and are as bad as before when they are played again.
    """
    return max(0, test.surely(steady + once) - min(once, most_by_luck(lucky)))
