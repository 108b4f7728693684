"""How sound the simulated users of a run were, whom they took away, and what that cost."""

from collections import Counter
from collections.abc import Mapping, Sequence

from simulator.core.health import Kept, SimulatorSummary
from simulator.core.outcome import Score
from simulator.core.result import Why
from simulator.core.run import Episode, RunHeader
from simulator.core.verdict import Verdict
from simulator.figures.results import finding
from simulator.judging.soundness import unsound_tags
from simulator.statistics.intervals import mean_of, under


class UserTally:
    """Counts the conversations of one run; of each only what is counted is kept."""

    def __init__(self, header: RunHeader) -> None:
        self._find = finding(header, doubted=False)  # a judge's health excuses no user
        self._score_by = header.score_by
        self._limit = header.thresholds.get(header.score_by)
        self._unsound = 0
        self._held_again: dict[str, bool] = {}  # by episode: whether it is excluded all the same
        self._excluded = 0
        self._rerun_for: Counter[str] = Counter()
        self._kept = {True: Counter[bool](), False: Counter[bool]()}  # weak or strong: excluded

    def add(self, episode: Episode, verdicts: Sequence[Verdict] = ()) -> None:
        """Count one complete conversation."""
        is_excluded = self._find(episode, verdicts).why is Why.UNSOUND
        self._excluded += is_excluded
        self._unsound += bool(unsound_tags(episode.turns))
        if episode.rerun_for:
            self._held_again[episode.cell.key] = is_excluded
            self._rerun_for.update(episode.rerun_for)
        found = (turn.outcomes.get(self._score_by) for turn in episode.turns)
        score = mean_of(outcome.value for outcome in found if isinstance(outcome, Score))
        if score is not None and self._limit is not None:
            self._kept[under(score, self._limit)][is_excluded] += 1

    def summary(self, paid: Mapping[str, Sequence[float | None]]) -> SimulatorSummary:
        """The figures so far; `paid` is what each take cost of those that were held again."""
        costs = [
            cost
            for episode, (first, last) in paid.items()
            for cost in (first, *([last] if self._held_again.get(episode) else []))
        ]
        known = [cost for cost in costs if cost is not None]
        weak, strong = (
            Kept(counts.total(), counts[True]) for counts in (self._kept[True], self._kept[False])
        )
        return SimulatorSummary(
            unsound=self._unsound,
            rerun=len(self._held_again),
            excluded=self._excluded,
            cost_usd=sum(known, 0.0) if len(known) == len(costs) else None,
            weak=weak,
            strong=strong,
            rerun_for=dict(self._rerun_for.most_common()),
        )
