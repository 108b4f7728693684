"""How much a threshold flags: counted over all scored turns of runs, and estimated by nobody."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from simulator.core.outcome import Score
from simulator.core.run import Interval
from simulator.core.talk import StopReason
from simulator.statistics.cutoffs import HAIR

if TYPE_CHECKING:
    from simulator.store.store import Store


class FlagShares:
    """The values of a metric on all turns of some runs that have one.

    What an invalid user was answered is left out, as it is of verdicts.
    """

    def __init__(self, store: Store, runs: Collection[str], metric: str) -> None:
        import numpy as np

        self._values = np.sort(
            [
                outcome.value
                for run in runs
                for episode in store.episodes(run)
                if episode.stop.reason is not StopReason.USER_INVALID
                for turn in episode.turns
                if isinstance(outcome := turn.outcomes.get(metric), Score)
            ]
        )

    def under(self, threshold: float) -> Interval:
        """The share of these that the threshold flags, 0-1; it is known, so it has no interval."""
        import numpy as np

        if not self._values.size:
            return Interval(None)
        below = np.searchsorted(self._values, threshold - HAIR, side="left")
        return Interval(float(below) / self._values.size)
