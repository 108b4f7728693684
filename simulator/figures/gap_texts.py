"""What was said of the gaps of one metric: what the report quotes, which counts do not say."""

from collections import Counter
from collections.abc import Iterable

from simulator.core.outcome import Gap, Outcome, Unscored

_MOST = 200  # different texts that are counted; where an endpoint fails they are nearly always one


class GapTexts:
    """Counts the texts."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Count those of some outcomes; scores, and what does not apply, say nothing."""
        for outcome in outcomes:
            if not isinstance(outcome, Unscored) or outcome.reason is Gap.NOT_APPLICABLE:
                continue
            said = outcome.detail
            if said and (said in self._counts or len(self._counts) < _MOST):
                self._counts[said] += 1

    @property
    def most(self) -> str:
        """The most frequent one; of equally many the first; empty where there is none."""
        return next((said for said, _ in self._counts.most_common(1)), "")
