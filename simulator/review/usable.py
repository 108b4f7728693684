"""Verdicts that a threshold can be found by, and why others cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from simulator.core.outcome import Score
from simulator.core.verdict import Word
from simulator.judging.thresholds import under
from simulator.review.labels import Label, Labelled
from simulator.statistics.cutoffs import Spoken


class Unused(StrEnum):
    """Why a verdict is not used."""

    UNSURE = "unsure"  # the people themselves, or because they differ
    UNSCORED = "unscored"  # the metric has no score there
    UNDRAWN = "undrawn"  # nobody drew that turn, so it stands for no other
    FLAGGED_ONLY = "flagged_only"  # of that run only flagged turns were reviewed
    UNFLAGGED_ONLY = "unflagged_only"  # of that run only drawn turns were, while others are flagged
    OTHER_FLAG = "other_flag"  # flagged by something else than this metric and yardstick


class Sorted:
    """Labels that can be used, by what they speak for, and why others cannot."""

    def __init__(self, labelled: Labelled) -> None:
        self._metric = labelled.name
        self._thresholds = {r.id: r.thresholds.get(labelled.name) for r in labelled.used}
        self._of_all: list[Label] = []
        self._of_flagged: list[Label] = []
        self._of_unflagged: list[Label] = []
        self.unused: Counter[Unused] = Counter()

    def add(self, label: Label) -> None:
        """Put one where it belongs."""
        why = self._why_not(label)
        if why is not None:
            self.unused[why] += 1
        elif label.represents:
            self._of_all.append(label)
        else:
            (self._of_unflagged if label.drawn else self._of_flagged).append(label)

    def _why_not(self, label: Label) -> Unused | None:
        if label.word is Word.UNSURE:
            return Unused.UNSURE
        if not isinstance(label.outcomes.get(self._metric), Score):
            return Unused.UNSCORED
        return Unused.UNDRAWN if label.weight is None else None

    def chosen(self) -> tuple[list[Label], bool]:
        """The labels that go together, and whether they speak for all turns."""
        if not self._of_all and not self._of_flagged and self._of_unflagged:
            return self._of_unflagged, False
        self.unused[Unused.UNFLAGGED_ONLY] += len(self._of_unflagged)
        if self._of_all or not self._of_flagged:
            self.unused[Unused.FLAGGED_ONLY] += len(self._of_flagged)
            return self._of_all, True
        kept = [label for label in self._of_flagged if self._is_under(label)]
        self.unused[Unused.OTHER_FLAG] += len(self._of_flagged) - len(kept)
        return kept, False

    def reach(self, labels: Sequence[Label]) -> float:
        """Up to which threshold every flagged answer was shown to people."""
        found = [self._thresholds[label.run] for label in labels]
        return min((t for t in found if t is not None), default=0.0)

    def _is_under(self, label: Label) -> bool:
        threshold = self._thresholds[label.run]
        of_metric = threshold is not None and under(value_of(label, self._metric), threshold)
        return label.own and of_metric


def value_of(label: Label, metric: str) -> float:
    """The metric's value on a turn; not a number where there is none."""
    outcome = label.outcomes.get(metric)
    return outcome.value if isinstance(outcome, Score) else float("nan")


def spoken_of(labels: Sequence[Label], metric: str) -> Spoken:
    """The labels as arrays; each has a score and a weight."""
    import numpy as np

    talks: dict[tuple[str, str], int] = {}
    return Spoken(
        values=np.array([value_of(label, metric) for label in labels], dtype=float),
        ng=np.array([label.word is Word.NG for label in labels], dtype=bool),
        weights=np.array([label.weight or 0.0 for label in labels], dtype=float),
        talks=np.array([talks.setdefault(x.talk, len(talks)) for x in labels], dtype=np.intp),
    )
