"""One metric over a run, conversation by conversation: the mean, its gaps and its bounds."""

from array import array
from collections import Counter
from collections.abc import Sequence

from simulator.core.outcome import Gap, MetricInfo, Outcome, Score, Unscored
from simulator.core.run import MetricSummary
from simulator.statistics.intervals import clustered
from simulator.statistics.totals import Total, mean_of


def is_gap(outcome: Outcome) -> bool:
    """Whether a score is missing. What does not apply is not missing."""
    return isinstance(outcome, Unscored) and outcome.reason is not Gap.NOT_APPLICABLE


class Tally:
    """Counts one metric (`info`). It keeps two numbers for each conversation, and no text."""

    def __init__(self, info: MetricInfo) -> None:
        self.info = info
        self._means = array("d")
        self._scenarios = array("l")
        self._raw, self._worst, self._best = Total(), Total(), Total()
        self._reasons: Counter[Gap] = Counter()
        self._scored = 0
        self._flagged = 0

    def add(self, scenario: int, outcomes: Sequence[Outcome]) -> float | None:
        """Count one conversation's turns; its mean, or None where none of them has a score."""
        values = [o.value for o in outcomes if isinstance(o, Score)]
        reasons = [o.reason for o in outcomes if isinstance(o, Unscored)]
        gaps = [r for r in reasons if r is not Gap.NOT_APPLICABLE]
        self._scored += len(values)
        self._reasons.update(reasons)
        mean = mean_of(values)
        if mean is not None:
            self._means.append(mean)
            self._scenarios.append(scenario)
            self._raw.add(mean_of(o.raw for o in outcomes if isinstance(o, Score)) or 0.0)
        worst, best = _bounds(self.info, mean, values, gaps)
        if worst is not None and best is not None:
            self._worst.add(worst)
            self._best.add(best)
        return mean

    def flag(self) -> None:
        """Count one turn under the threshold."""
        self._flagged += 1

    def summary(self, threshold: float | None) -> MetricSummary:
        """The figures of all conversations so far."""
        gaps = {r.value: n for r, n in sorted(self._reasons.items()) if r != Gap.NOT_APPLICABLE}
        low, high = self.info.low, self.info.high
        return MetricSummary(
            info=self.info,
            value=clustered(self._means, self._scenarios, low=low, high=high),
            raw_mean=self._raw.mean,
            worst=self._worst.mean,
            best=self._best.mean,
            scored=self._scored,
            unscored=gaps,
            not_applicable=self._reasons[Gap.NOT_APPLICABLE],
            threshold=threshold,
            flagged=self._flagged,
        )


def bounds_of(
    info: MetricInfo, outcomes: Sequence[Outcome]
) -> tuple[float | None, float | None, float | None]:
    """The mean of one conversation's scores; and the same with its gaps at the scale's ends.

    Where the target failed there is no better end: that stands low in both. None, None, None
    where nothing applies.
    """
    values = [o.value for o in outcomes if isinstance(o, Score)]
    gaps = [o.reason for o in outcomes if isinstance(o, Unscored) and is_gap(o)]
    mean = mean_of(values)
    return (mean, *_bounds(info, mean, values, gaps))


def _bounds(
    info: MetricInfo, mean: float | None, values: Sequence[float], gaps: Sequence[Gap]
) -> tuple[float | None, float | None]:
    if not gaps:
        return mean, mean
    low, high = info.low, info.high
    worst = mean_of([*values, *(low for _ in gaps)])
    best = mean_of([*values, *(low if g is Gap.TARGET_FAILED else high for g in gaps)])
    return worst, best
