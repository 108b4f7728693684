"""The flagged turns of a run, worst first, and no more of them than anybody reads.

Where answers of a file are scored by a metric that has no threshold, the lowest stand for them.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from simulator.core.clean import cut
from simulator.core.outcome import Outcome, Score
from simulator.core.plan import Cell
from simulator.core.run import RunHeader, Turn, WeakTurn
from simulator.core.talk import TargetFailure

_KEPT = 200  # turns
_TEXT = 2_000  # characters of each text

_Key = tuple[int, float, Cell, int]


class Worst:
    """Keeps the worst turns: failed targets first, then by score, then by place."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._found: list[tuple[_Key, WeakTurn]] = []
        self._bar: float | None = None  # scores above it are not among the lowest

    def add_if_low(self, header: RunHeader, cell: Cell, turn: Turn) -> None:
        """Take in a turn that nothing flags, if its score is not perfect and among the lowest."""
        outcome = turn.outcomes.get(header.score_by)
        if not isinstance(outcome, Score) or outcome.value >= 1:
            return
        if self._bar is None or outcome.value <= self._bar:
            self.add(header, cell, turn)

    def add(self, header: RunHeader, cell: Cell, turn: Turn) -> None:
        """Take in one turn."""
        failed = isinstance(turn.exchange.reply, TargetFailure)
        weak = _weak_turn(header, cell, turn)
        rank = 0 if failed else 2 if weak.score is None else 1
        self._found.append(((rank, weak.score or 0.0, cell, weak.turn), weak))
        if len(self._found) >= 2 * self._kept:
            self._shorten()

    def turns(self) -> tuple[WeakTurn, ...]:
        """The worst turns, worst first."""
        self._shorten()
        return tuple(weak for _, weak in self._found)

    def _shorten(self) -> None:
        """Sort; where there are too many, no scenario's second is kept before another's first."""
        self._found.sort(key=lambda item: item[0])
        if len(self._found) <= self._kept:
            return
        before: Counter[str] = Counter()
        ranked = []
        for item in self._found:
            scenario = item[1].cell.scenario
            ranked.append((before[scenario], item[0], item))
            before[scenario] += 1
        ranked.sort(key=lambda entry: entry[:2])
        self._found = sorted((item for *_, item in ranked[: self._kept]), key=lambda item: item[0])
        self._bar = self._found[-1][1].score


def _weak_turn(header: RunHeader, cell: Cell, turn: Turn) -> WeakTurn:
    outcome = turn.outcomes.get(header.score_by)
    score = outcome if isinstance(outcome, Score) else None
    weak = WeakTurn(
        cell=cell,
        turn=turn.exchange.turn,
        user=cut(turn.exchange.user, _TEXT),
        assistant=cut(turn.exchange.assistant, _TEXT),
        score=score.value if score else None,
        reason=cut(reason_of(header, turn) or (score.comment if score else ""), _TEXT),
        blame=turn.blame,
        flagged=turn.flagged,
    )
    return replace(weak, raw=score.raw if score else None)


def reason_of(header: RunHeader, turn: Turn) -> str:
    """Why a turn is flagged, in one text: the failure, or the comments of what is too low."""
    reply = turn.exchange.reply
    if isinstance(reply, TargetFailure):
        return f"{reply.fault}: {reply.message}" if reply.message else reply.fault.value
    by_score_first = sorted(turn.flags, key=lambda name: name != header.score_by)
    return " / ".join(_why(header, name, turn.outcomes) for name in by_score_first)


def _why(header: RunHeader, name: str, outcomes: Mapping[str, Outcome]) -> str:
    outcome = outcomes.get(name)
    if not isinstance(outcome, Score):
        return name
    said = outcome.comment or f"{outcome.value:.2f} < {header.thresholds.get(name, 1.0):g}"
    return said if name == header.score_by and outcome.comment else f"{name}: {said}"
