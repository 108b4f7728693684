"""What became of the score: regressed, improved, no difference seen, or undecided."""

from collections.abc import Set

from simulator.compare.differs import YARDSTICKS
from simulator.core.comparison import Change, Difference, Doubt, Undecided
from simulator.statistics import paired


def change_of(
    score: Difference,
    bounds: tuple[paired.Differences, paired.Differences],
    alpha: float,
    doubts: Set[Doubt],
) -> tuple[Change, Undecided | None]:
    """What can be said of the score at `alpha`, and why where nothing can.

    As a gate is: it holds only if it holds whatever the missing scores would have been. The test
    is made with the gaps at their worst for B and at their best; where these two say different
    things, the gaps decide. Turns on which the bot failed stand at the low end in both.

    Args:
        score: the pairs that have a score on both sides.
        bounds: the differences with the gaps at their worst and at their best.
        alpha: of the test, two-sided.
        doubts: one that is about the yardstick leaves nothing to be said.
    """
    found = {_tested(each, alpha) for each in bounds}
    if None in found:
        nothing = score.pairs == 0
        return Change.UNDECIDED, Undecided.NOTHING if nothing else Undecided.FEW
    if doubts & YARDSTICKS:
        return Change.UNDECIDED, Undecided.YARDSTICK
    if len(found) > 1:
        nothing = score.pairs == 0
        return Change.UNDECIDED, Undecided.NOTHING if nothing else Undecided.GAPS
    change = found.pop()
    return (Change.UNDECIDED, Undecided.NOTHING) if change is None else (change, None)


def _tested(differences: paired.Differences, alpha: float) -> Change | None:
    """What the test says; None where so few clusters could not have said anything."""
    if differences.mean is None:
        return None
    test = paired.sign_flip(differences)
    if test.least > alpha:
        return None
    if test.p > alpha:
        return Change.NO_DIFFERENCE
    return Change.REGRESSED if differences.mean < 0 else Change.IMPROVED
