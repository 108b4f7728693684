"""Conversations of two runs: their numbers, their pairs, and the texts of those that moved.

Of each conversation numbers are kept and no text; what has no partner is kept by name.
"""

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from simulator.core.clean import cut, visible
from simulator.core.comparison import Apart, Difference, Flips, Moved, Moves, TurnView, Unmeasured
from simulator.core.outcome import Gap, MetricInfo, Outcome, Score, Unscored
from simulator.core.plan import Cell
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.talk import StopReason, TargetFailure
from simulator.figures.aggregate import bounds_of, flag_reason, is_gap, metric_outcomes, spread
from simulator.statistics import paired
from simulator.statistics.intervals import mean_of, under
from simulator.store.store import Store

_NONE = math.nan  # how "no value" stands in an array
_HAIR = 1e-9  # means of binary fractions that should be equal are
KEPT = 200  # conversations told with their texts
_TEXT = 2_000  # characters of each text


class FlagState(IntEnum):
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
        self.gaps = array("l")  # turns without a score
        self.reasons: dict[int, str] = {}  # why a conversation has no score
        self.states: list[FlagState] = []
        self.asked = array("q")  # of each first question its hash
        self.score = infos[0].name
        self.reach = infos[0].high - infos[0].low

    def add(self, episode: Episode) -> None:
        """Count one complete conversation."""
        place = len(self.cells)
        self.cells.append(episode.cell)
        self.places[episode.cell.key] = place
        self.states.append(state_of(episode, self._infos, self.limits))
        asked = visible(episode.turns[0].exchange.user) if episode.turns else ""
        self.asked.append(hash(asked))
        for info in self._infos:
            outcomes = metric_outcomes(episode, info)
            mean, worst, best = bounds_of(info, outcomes)
            self._means[info.name].append(_NONE if mean is None else mean)
            raw = mean_of(o.raw for o in outcomes if isinstance(o, Score))
            self._raws[info.name].append(_NONE if raw is None else raw)
            if info.name == self.score:
                self._worst.append(_NONE if worst is None else worst)
                self._best.append(_NONE if best is None else best)
                self.gaps.append(sum(map(is_gap, outcomes)))
                if mean is None:
                    self.reasons[place] = _reason(episode, outcomes)

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


def is_flagged(turn: Turn, limits: Mapping[str, float]) -> bool:
    """Whether the target failed, or a metric is under its limit."""
    if isinstance(turn.exchange.reply, TargetFailure):
        return True
    outcomes = ((turn.outcomes.get(name), limit) for name, limit in limits.items())
    return any(isinstance(o, Score) and under(o.value, limit) for o, limit in outcomes)


def state_of(
    episode: Episode, infos: Sequence[MetricInfo], limits: Mapping[str, float]
) -> FlagState:
    """What a conversation's flags say; those of an unsound user say nothing of the bot."""
    if episode.stop.reason is StopReason.USER_INVALID or not episode.turns:
        return FlagState.UNKNOWN
    if any(is_flagged(turn, limits) for turn in episode.turns):
        return FlagState.FLAGGED
    limited = [info for info in infos if info.name in limits]
    outcomes = (
        o for info in limited if info.scope == "turn" for o in metric_outcomes(episode, info)
    )
    return FlagState.UNKNOWN if any(map(is_gap, outcomes)) else FlagState.CLEAR


def _reason(episode: Episode, outcomes: Sequence[Outcome]) -> str:
    """The most frequent reason why there is no score; how it ended where nothing was said."""
    reasons = Counter(o.reason for o in outcomes if isinstance(o, Unscored) and is_gap(o))
    reasons = reasons or Counter(o.reason for o in outcomes if isinstance(o, Unscored))
    return reasons.most_common(1)[0][0].value if reasons else episode.stop.reason.value


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


@dataclass(frozen=True, slots=True)
class Pairs:
    """The places of paired conversations in each run, in the order of A."""

    before: Side
    after: Side
    places: tuple[tuple[int, int], ...]
    apart: Apart

    @classmethod
    def of(cls, before: Side, after: Side) -> "Pairs":
        """Pair by scenario × persona × repeat; a row of a file by its id, if it asks the same.

        A row is known by its place in the file where it has no id: another question there means
        that it is another row. A scenario's first question may be worded anew by its user.
        """
        rows = before.header.is_of_rows
        places, questions = [], []
        for key, place in before.places.items():
            there = after.places.get(key)
            if there is None:
                continue
            if rows and before.asked[place] != after.asked[there]:
                questions.append(key)
            else:
                places.append((place, there))
        apart = Apart(
            only_before=tuple(k for k in before.places if k not in after.places),
            only_after=tuple(k for k in after.places if k not in before.places),
            questions=tuple(questions),
        )
        return cls(before, after, tuple(places), apart)

    def unmeasured(self) -> tuple[list[Unmeasured], int]:
        """Pairs without a score on one side or both; how many of them it does not apply to."""
        found, not_applicable = [], 0
        for a, b in self.places:
            first, second = self.before.reasons.get(a), self.after.reasons.get(b)
            if first == second == Gap.NOT_APPLICABLE:
                not_applicable += 1
            elif first or second:
                found.append(Unmeasured(self.before.cells[a].key, first, second))
        return found, not_applicable

    def gap_turns(self) -> tuple[int, int]:
        """Turns without a score, of A and of B."""
        before = sum(self.before.gaps[a] for a, _ in self.places)
        return before, sum(self.after.gaps[b] for _, b in self.places)

    def bounded(self) -> tuple[paired.Differences, paired.Differences]:
        """Differences of the score with what is missing at its worst for B, and at its best."""
        worst, best, scenarios = [], [], []
        for a, b in self.places:
            before, after = self.before.bounds(a), self.after.bounds(b)
            if before and after:
                worst.append(after[0] - before[1])
                best.append(after[1] - before[0])
                scenarios.append(self.before.cells[a].scenario)
        reach = self.before.reach
        return (
            paired.by_cluster(worst, scenarios, reach=reach),
            paired.by_cluster(best, scenarios, reach=reach),
        )

    def difference(self, info: MetricInfo, alpha: float) -> Difference:
        """One metric over the pairs that have a value of it on both sides."""
        befores, afters, raws, scenarios = [], [], [], []
        for a, b in self.places:
            first, second = self.before.mean(info.name, a), self.after.mean(info.name, b)
            if first is None or second is None:
                continue
            befores.append(first)
            afters.append(second)
            raws.append((self.before.raw(info.name, a), self.after.raw(info.name, b)))
            scenarios.append(self.before.cells[a].scenario)
        moved = [after - before for before, after in zip(befores, afters, strict=True)]
        found = paired.by_cluster(moved, scenarios, reach=info.high - info.low)
        test = paired.difference_test(found)
        return Difference(
            info=info,
            before=mean_of(befores),
            after=mean_of(afters),
            raw_before=mean_of(raw for raw, _ in raws if raw is not None),
            raw_after=mean_of(raw for _, raw in raws if raw is not None),
            value=paired.interval(found, test, alpha),
            p=test.p if moved else None,
            p_adjusted=None,
            exact=test.exact,
            pairs=len(moved),
            clusters=len(found.sums),
            changed=test.moved,
            noticeable=paired.noticeable(found, alpha),
            lower=sum(d < -_HAIR for d in moved),
            higher=sum(d > _HAIR for d in moved),
        )

    def flips(self) -> Flips:
        """Conversations by whether a turn is flagged, before and after."""
        known = [(a, b) for a, b in self.places if FlagState.UNKNOWN not in self._states(a, b)]
        states = [self._states(a, b) for a, b in known]
        failing = states.count((FlagState.CLEAR, FlagState.FLAGGED))
        fixed = states.count((FlagState.FLAGGED, FlagState.CLEAR))
        scenarios = [self.before.cells[a].scenario for a, _ in known]
        flipped = paired.by_cluster([float(before - after) for before, after in states], scenarios)
        return Flips(
            failing=failing,
            fixed=fixed,
            failing_still=states.count((FlagState.FLAGGED, FlagState.FLAGGED)),
            passing_still=states.count((FlagState.CLEAR, FlagState.CLEAR)),
            unknown=len(self.places) - len(known),
            p=paired.sign_flip(flipped).p if known else None,
            p_mcnemar=paired.mcnemar(failing, fixed) if known else None,
        )

    def moved(self, *, fell: bool, by_flags: bool) -> "Sequence[tuple[int, int]]":
        """The pairs that went down or up, furthest first: by flags, or else by the score."""
        wanted = (
            (FlagState.CLEAR, FlagState.FLAGGED) if fell else (FlagState.FLAGGED, FlagState.CLEAR)
        )
        found = []
        for a, b in self.places:
            change = self.change(a, b)
            sign = -1 if fell else 1
            moved = change is not None and sign * change > _HAIR
            if self._states(a, b) == wanted or (
                moved and not by_flags
            ):  # one without a score first: there the bot failed
                found.append(
                    (change is not None, -sign * (change or 0.0), self.before.cells[a], a, b)
                )
        return [(a, b) for *_, a, b in sorted(found)]

    def change(self, a: int, b: int) -> float | None:
        """The difference of the score; None where either side has none."""
        score = self.before.score
        first, second = self.before.mean(score, a), self.after.mean(score, b)
        return None if first is None or second is None else second - first

    def _states(self, a: int, b: int) -> tuple[FlagState, FlagState]:
        return self.before.states[a], self.after.states[b]


def moves(store: Store, pairs: Pairs, *, fell: bool, by_flags: bool) -> Moves:
    """The conversations that went down or up: how many, and the first of them with their texts."""
    found = pairs.moved(fell=fell, by_flags=by_flags)
    chosen = spread(found, lambda pair: pairs.before.cells[pair[0]].scenario, KEPT)
    return Moves(len(found), tuple(_moved(store, pairs, a, b, fell=fell) for a, b in chosen))


def _moved(store: Store, pairs: Pairs, a: int, b: int, *, fell: bool) -> Moved:
    cell = pairs.before.cells[a]
    before = store.episode(pairs.before.header.id, cell.key)
    after = store.episode(pairs.after.header.id, cell.key)
    weak, other = (after, before) if fell else (before, after)
    shown = _weak_turn(pairs.after if fell else pairs.before, weak, other)
    beside = _beside(shown, other)
    turns = (beside, shown) if fell else (shown, beside)
    return Moved(
        cell=cell,
        change=pairs.change(a, b),
        before=_told(pairs.before, a, turns[0]),
        after=_told(pairs.after, b, turns[1]),
    )


def _weak_turn(side: Side, episode: Episode, other: Episode) -> Turn | None:
    """The turn that tells why: the first with the same question on both sides, or the worst.

    From the first different reply on users say different things, so later turns are of two talks.
    """
    turns = [turn for turn in episode.turns if is_flagged(turn, side.limits)] or list(episode.turns)
    turns.sort(key=lambda turn: _rank(side, turn))
    asked = [visible(turn.exchange.user) for turn in other.turns]
    for turn in turns:
        n = turn.exchange.turn
        if asked[n - 1 : n] == [visible(turn.exchange.user)]:
            return turn
    return turns[0] if turns else None


def _rank(side: Side, turn: Turn) -> tuple[bool, float, int]:
    failed = isinstance(turn.exchange.reply, TargetFailure)
    outcome = turn.outcomes.get(side.score)
    value = outcome.value if isinstance(outcome, Score) else 1.0
    return not failed, value, turn.exchange.turn


def _beside(turn: Turn | None, episode: Episode) -> Turn | None:
    """The turn of the same number, or the last one."""
    if turn is None or not episode.turns:
        return None
    return episode.turns[min(turn.exchange.turn, len(episode.turns)) - 1]


def _told(side: Side, place: int, turn: Turn | None) -> TurnView:
    score, raw = side.mean(side.score, place), side.raw(side.score, place)
    if turn is None:
        return TurnView(score, raw, 0, "", "", "", flagged=False)
    exchange = turn.exchange
    return TurnView(
        score=score,
        raw=raw,
        turn=exchange.turn,
        user=cut(exchange.user, _TEXT),
        assistant=cut(exchange.assistant, _TEXT),
        reason=cut(_why(side.header, side.score, turn), _TEXT),
        flagged=is_flagged(turn, side.limits),
    )


def _why(header: RunHeader, score: str, turn: Turn) -> str:
    outcome = turn.outcomes.get(score)
    said = outcome.comment if isinstance(outcome, Score) else ""
    return flag_reason(header, turn) or said
