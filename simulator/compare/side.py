"""The numbers of one run, conversation by conversation; no text is kept."""

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import IntEnum

from simulator.core.clean import visible
from simulator.core.outcome import MetricInfo, Outcome, Score, Unscored
from simulator.core.plan import Cell
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.talk import StopReason, TargetFailure
from simulator.figures.aggregate import outcomes_of
from simulator.figures.tally import bounds_of, is_gap
from simulator.judging.thresholds import under
from simulator.statistics.totals import mean_of

_NONE = math.nan  # how "no value" stands in an array


class State(IntEnum):
    """Whether a turn of a conversation is flagged. UNKNOWN: what is missing leaves it open."""

    CLEAR = 0
    FLAGGED = 1
    UNKNOWN = 2


class Side:
    """One of the two runs.

    Args:
        header: of the run.
        infos: the metrics that are compared, the score first.
        limits: the thresholds by which turns of both runs are flagged here.
    """

    def __init__(
        self, header: RunHeader, infos: Sequence[MetricInfo], limits: Mapping[str, float]
    ) -> None:
        self.header = header
        self.limits = limits
        self.cells: list[Cell] = []
        self.places: dict[str, int] = {}
        self._infos = infos
        self._means: Mapping[str, array[float]] = {info.name: array("d") for info in infos}
        self._raws: Mapping[str, array[float]] = {info.name: array("d") for info in infos}
        self._worst, self._best = array("d"), array("d")  # of the score
        self._gaps = array("l")
        self._reasons: dict[int, str] = {}
        self._states = bytearray()
        self.asked = array("q")

    def add(self, episode: Episode) -> None:
        """Count one complete conversation."""
        place = len(self.cells)
        self.cells.append(episode.cell)
        self.places[episode.cell.key] = place
        self._states.append(state_of(episode, self._infos, self.limits))
        asked = visible(episode.turns[0].exchange.user) if episode.turns else ""
        self.asked.append(hash(asked))
        for info in self._infos:
            outcomes = outcomes_of(episode, info)
            mean, worst, best = bounds_of(info, outcomes)
            self._means[info.name].append(_NONE if mean is None else mean)
            raw = mean_of(o.raw for o in outcomes if isinstance(o, Score))
            self._raws[info.name].append(_NONE if raw is None else raw)
            if info is self._infos[0]:
                self._worst.append(_NONE if worst is None else worst)
                self._best.append(_NONE if best is None else best)
                self._gaps.append(sum(map(is_gap, outcomes)))
                if mean is None:
                    self._reasons[place] = _reason(episode, outcomes)

    def mean(self, metric: str, place: int) -> float | None:
        """The mean of a conversation; `place` as `places` has it."""
        return _number(self._means[metric][place])

    def raw(self, metric: str, place: int) -> float | None:
        """The mean of what was said, such as a rating."""
        return _number(self._raws[metric][place])

    def bounds(self, place: int) -> tuple[float, float] | None:
        """The score with its gaps at the scale's ends; None where it does not apply."""
        worst = _number(self._worst[place])
        return None if worst is None else (worst, self._best[place])

    def gaps(self, place: int) -> int:
        """How many turns have no score."""
        return self._gaps[place]

    def reason(self, place: int) -> str | None:
        """Why a conversation has no score; None where it has one."""
        return self._reasons.get(place)

    def state(self, place: int) -> State:
        """Whether a turn is flagged."""
        return State(self._states[place])

    def asks_as(self, place: int, other: "Side", there: int) -> bool:
        """Whether the first question is the same as that of a conversation of the other run."""
        return self.asked[place] == other.asked[there]

    @property
    def score(self) -> str:
        """The name of the metric that decides."""
        return self._infos[0].name


def is_flagged(turn: Turn, limits: Mapping[str, float]) -> bool:
    """Whether the target failed, or a metric is under its limit."""
    if isinstance(turn.exchange.reply, TargetFailure):
        return True
    outcomes = ((turn.outcomes.get(name), limit) for name, limit in limits.items())
    return any(isinstance(o, Score) and under(o.value, limit) for o, limit in outcomes)


def state_of(episode: Episode, infos: Sequence[MetricInfo], limits: Mapping[str, float]) -> State:
    """What a conversation's flags say; those of an unsound user say nothing of the bot."""
    if episode.stop.reason is StopReason.USER_INVALID or not episode.turns:
        return State.UNKNOWN
    if any(is_flagged(turn, limits) for turn in episode.turns):
        return State.FLAGGED
    limited = [info for info in infos if info.name in limits]
    outcomes = (o for info in limited if info.scope == "turn" for o in outcomes_of(episode, info))
    return State.UNKNOWN if any(map(is_gap, outcomes)) else State.CLEAR


def _reason(episode: Episode, outcomes: Sequence[Outcome]) -> str:
    """The most frequent reason why there is no score; how it ended where nothing was said."""
    reasons = Counter(o.reason for o in outcomes if isinstance(o, Unscored) and is_gap(o))
    reasons = reasons or Counter(o.reason for o in outcomes if isinstance(o, Unscored))
    return reasons.most_common(1)[0][0].value if reasons else episode.stop.reason.value


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
