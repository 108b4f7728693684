"""Several judgements of one turn become one outcome for each aspect of a rubric."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_low

from simulator.core.outcome import Outcome, Score, Unscored
from simulator.core.rubric import Rubric
from simulator.metrics._form import Judgement

Vote = dict[str, Judgement] | Unscored
"""What one call said, by rubric id, or why it said nothing usable."""


def counted(rubric: Rubric, votes: Sequence[Vote]) -> dict[str, Outcome]:
    """The median of each rating (the lower one in the middle of an even number of votes).

    The comment is that of the vote nearest to the medians. Half of the votes or fewer usable:
    all aspects are unscored, with the reason of the first vote that failed.

    Args:
        rubric: Whose aspects are counted.
        votes: One or more, in their order.
    """
    usable = [vote[rubric.id] for vote in votes if not isinstance(vote, Unscored)]
    failed = [vote for vote in votes if isinstance(vote, Unscored)]
    if len(usable) * 2 <= len(votes):
        return {aspect.name: failed[0] for aspect in rubric.aspects}
    medians = {a.name: median_low(vote.ratings[a.name] for vote in usable) for a in rubric.aspects}
    comment = min(usable, key=lambda vote: _distance(vote, medians)).comment
    return {
        a.name: Score(medians[a.name] / a.high, float(medians[a.name]), comment)
        for a in rubric.aspects
    }


def _distance(vote: Judgement, medians: dict[str, int]) -> int:
    return sum(abs(vote.ratings[name] - middle) for name, middle in medians.items())
