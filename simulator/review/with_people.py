"""A metric beside people: it says NG of what is under its threshold, and OK of the rest."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.core.outcome import Score
from simulator.core.verdict import Word
from simulator.judging.thresholds import under
from simulator.review.compared import (
    NAMES,
    PLACES,
    Compared,
    Pair,
    compared,
    numbered,
    shares,
    sure,
    tables,
    weighed,
)
from simulator.review.labels import Label
from simulator.statistics import agreement
from simulator.statistics.krippendorff_alpha import alpha
from simulator.statistics.spearman import Spearman

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def metric_word(score: Score, threshold: float) -> Word:
    """What a metric says of a turn."""
    return Word.NG if under(score.value, threshold) else Word.OK


def with_people(
    labels: Sequence[Label], metric: str, threshold: float | None, *, whole: bool
) -> Compared:
    """A metric (the first side) beside each word of a person on the turns that have a score.

    The metric is never unsure. A person who is stands halfway in quadratic kappa and alpha, and is
    left out of the others. Spearman's correlation is that of the metric's value with people's
    words; without a threshold there is no other figure.

    Args:
        labels: the turns.
        metric: its name.
        threshold: under it the metric says NG.
        whole: turns count as much as their weight says, so that they stand for all turns.
    """
    scored = [label for label in labels if isinstance(label.outcomes.get(metric), Score)]
    talks = numbered(scored)
    pairs, values = [], []
    for label, weight in zip(scored, weighed(scored, whole=whole), strict=True):
        score = label.outcomes[metric]
        assert isinstance(score, Score)  # noqa: S101  for the type checker; filtered above
        says = Word.OK if threshold is None else metric_word(score, threshold)
        each = weight / len(label.words)
        for word in label.words.values():
            pairs.append(Pair(talks[label.talk], PLACES[says], PLACES[word], each))
            values.append(score.value)
    rank = _Rank(pairs, values)
    if threshold is None:
        return compared(rank.alone, len(talks), len(scored), pairs)
    by_talk = tables(pairs, len(talks))

    def measure(counts: "Array") -> "Array":
        import numpy as np

        table = np.tensordot(counts, by_talk, 1)
        both = sure(table)
        kappas = (agreement.kappa(both), agreement.quadratic_kappa(table))
        return np.column_stack(
            [*shares(both), *kappas, alpha(table + table.swapaxes(1, 2)), rank(counts)]
        )

    return compared(measure, len(talks), len(scored), pairs)


class _Rank:
    """Spearman's correlation of values with words, by how often each conversation counts."""

    def __init__(self, pairs: Sequence[Pair], values: Sequence[float]) -> None:
        self._talks = [pair.talk for pair in pairs]
        self._weights = [pair.weight for pair in pairs]
        self._spearman = Spearman(values, [pair.second for pair in pairs])

    def __call__(self, counts: "Array") -> "Array":
        import numpy as np

        return self._spearman(counts[:, self._talks] * np.array(self._weights))

    def alone(self, counts: "Array") -> "Array":
        """All figures, none of which but this one is defined."""
        import numpy as np

        found = np.full((len(counts), len(NAMES)), np.nan)
        found[:, -1] = self(counts)
        return found
