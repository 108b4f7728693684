"""Several judgements of one turn become one outcome for each aspect of a rubric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.rubric import Aspect, Labels, Said
from simulator.metrics._form import Judgement

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What an answer to an aspect is worth on one turn; see `Aspect.right_if`."""

    aspect: Aspect
    yes_is_right: bool = True

    def value(self, said: Said) -> float:
        """0–1."""
        return self.aspect.value(self.aspect.scale.raw(said), yes_is_right=self.yes_is_right)

    def score(self, said: Said, comment: str) -> Score:
        """The value beside what was said."""
        return Score(self.value(said), self.aspect.scale.raw(said), comment)


def enough(votes: Sequence[T | Unscored]) -> list[T] | Unscored:
    """The usable votes; half of them or fewer usable: the reason of the first that failed."""
    usable = [vote for vote in votes if not isinstance(vote, Unscored)]
    failed = [vote for vote in votes if isinstance(vote, Unscored)]
    return failed[0] if len(usable) * 2 <= len(votes) else usable


def middle(votes: Sequence[T], key: Callable[[T], float]) -> T:
    """The vote in the middle; the lower one of an even number."""
    return sorted(votes, key=key)[(len(votes) - 1) // 2]


def counted(rulings: Sequence[Ruling], votes: Sequence[Judgement]) -> dict[str, Outcome]:
    """The value in the middle for each aspect, with the comment of the vote nearest to them all.

    A comment ends with the labels that count, since their numbers do not tell them. Where more
    than half of the votes say so, the rubric does not apply.

    Args:
        rulings: The aspects that are counted.
        votes: One or more, in their order.
    """
    given = [(vote.comment, vote.said) for vote in votes if vote.said is not None]
    if len(given) * 2 < len(votes):
        silent = next(vote.comment for vote in votes if vote.said is None)
        return {r.aspect.name: Unscored(Gap.NOT_APPLICABLE, silent) for r in rulings}
    counts = {r.aspect.name: _middle(r, [said for _, said in given]) for r in rulings}

    def distance(vote: tuple[str, Mapping[str, Said]]) -> float:
        names = ((r, r.aspect.name) for r in rulings)
        return sum(abs(r.value(vote[1][name]) - r.value(counts[name])) for r, name in names)

    nearest, _ = min(given, key=distance)
    labels = [
        f"{r.aspect.name}: {counts[r.aspect.name]}"
        for r in rulings
        if isinstance(r.aspect.scale, Labels)
    ]
    comment = "\n".join([nearest, *labels])
    return {r.aspect.name: r.score(counts[r.aspect.name], comment) for r in rulings}


def _middle(ruling: Ruling, votes: Sequence[Mapping[str, Said]]) -> Said:
    return middle([said[ruling.aspect.name] for said in votes], ruling.value)
