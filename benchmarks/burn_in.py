"""How often `--fail-on worse --rerun-newly-failing N` fails: without a fault, and with one.

Two runs of 30 scenarios × 3 personas, one repeat; every answer is worded anew, so that nothing
tells the bot from a noisy one. In A/A pairs both are of the same bot: at most 5 % may end with exit
status 1. In the others something is broken for good.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.core.comparison import Replayed
from simulator.statistics.sequential import Sprt, surely_broken

_TRIALS = 2_000
_SCENARIOS, _PERSONAS = 30, 3
_CELLS = _SCENARIOS * _PERSONAS
_EARLIER = 4  # plays, of A and of three runs before it
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Noise:
    """How often cells fail: `usual` in most, `others` in a `share` of them."""

    name: str
    usual: float
    share: float = 0.0
    others: float = 0.0

    def rates(self) -> Floats:
        """Of each cell, whole scenarios alike."""
        rates = np.full(_CELLS, self.usual)
        rates[: round(self.share * _SCENARIOS) * _PERSONAS] = self.others
        return rates


NOISE = (
    *(Noise(f"each fails with {rate}", rate) for rate in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)),
    Noise("a third fails with 0.5", 0.02, 1 / 3, 0.5),
    *(Noise(f"a fifth passes with {e}", e, 0.2, 1 - e) for e in (0.02, 0.05, 0.1, 0.2, 0.3)),
    Noise("half passes with 0.1", 0.1, 0.5, 0.9),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """So many cells that passed before fail with this rate in B; `before`: plays before it."""

    name: str
    cells: int = 0
    rate: float = 1.0
    before: int = 1


FAULTS = (
    Fault("none"),
    Fault("none, 3 runs before", before=_EARLIER),
    Fault("one scenario", _PERSONAS),
    Fault("one scenario, 19 of 20", _PERSONAS, 0.95),
    Fault("three scenarios", 3 * _PERSONAS),
    Fault("one cell", 1),
    Fault("one cell, 3 runs before", 1, before=_EARLIER),
)


@dataclass(frozen=True, slots=True)
class Ended:
    """Shares of the exit statuses, and how many conversations were played again on average."""

    failed: float
    undecided: float
    passed: float
    plays: float


def ended(noise: Noise, fault: Fault, most: int, seed: int = 1, trials: int = _TRIALS) -> Ended:
    """What becomes of pairs of runs; with `most` 0 nothing is played again."""
    rng = np.random.default_rng([seed, most, *noise.name.encode(), *fault.name.encode()])
    statuses, plays = [0, 0, 0, 0], 0
    for _ in range(trials):
        status, n = _pair(rng, noise.rates(), fault, most)
        statuses[status] += 1
        plays += n
    return Ended(statuses[1] / trials, statuses[3] / trials, statuses[0] / trials, plays / trials)


def _pair(rng: np.random.Generator, before: Floats, fault: Fault, most: int) -> tuple[int, int]:
    """The exit status of one pair, and how many conversations were played again."""
    after = before.copy()
    broken = slice(_CELLS - fault.cells, _CELLS)  # of those that mostly passed
    after[broken] = np.maximum(after[broken], fault.rate)
    earlier = rng.random((fault.before, _CELLS)) < before
    first, second = earlier[0], rng.random(_CELLS) < after
    worse, better = np.flatnonzero(~first & second), np.flatnonzero(first & ~second)
    if not len(worse):
        return 0, 0
    if not most:
        return 3, 0
    test, luck = Sprt(len(worse), most), Sprt(max(1, len(better)), most)
    decisions, played = _again(rng, after[worse], test)
    of_better, more = _again(rng, after[better], luck)
    called = worse[[decision is Replayed.BROKEN for decision in decisions]]
    steady = sum(fault.before >= _EARLIER and not earlier[:, cell].any() for cell in called)
    lucky = of_better.count(Replayed.BROKEN)
    if all(result is Replayed.NOISE for result in decisions):
        return 0, played + more
    sure = surely_broken(test, steady, len(called) - steady, lucky)
    return (1 if sure else 3), played + more


def _again(
    rng: np.random.Generator, rates: Sequence[float] | Floats, test: Sprt
) -> tuple[list[Replayed], int]:
    """What playing these cells again says, and how many plays that took."""
    decisions, played = [], 0
    for rate in rates:
        plays: list[bool] = []
        while test.decide(plays) is Replayed.OPEN and len(plays) < test.most:
            plays.append(bool(rng.random() < rate))
        decisions.append(test.decide(plays))
        played += len(plays)
    return decisions, played


def main(rounds: int) -> None:
    """Print both tables; `rounds` is not asked for."""
    del rounds
    print("burn_in: 30 scenarios x 3 personas, pairs that end with 1 / 3 / 0, and plays")
    for most in (5, 10, 15):
        for fault in FAULTS:
            print(f"\nN {most}; broken: {fault.name}")
            for noise in NOISE:
                e = ended(noise, fault, most)
                shares = f"{e.failed:.3f} / {e.undecided:.3f} / {e.passed:.3f}"
                print(f"  {noise.name:24} {shares}   {e.plays:.0f} plays")
