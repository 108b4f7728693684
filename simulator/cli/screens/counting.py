"""What has happened in a run so far, how fast it goes, and what is left."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from simulator.core.events import CallMade, ConversationEnded, Event, TurnScored
from simulator.core.result import Result
from simulator.statistics.intervals import Total

_PACE_OVER_S = 10.0
_LEFT_OVER_S = 60.0

Clock = Callable[[], float]
"""Seconds, monotonic."""


@dataclass(slots=True)
class Counts:
    """What has happened so far. It only counts: 10,000 conversations must not be slowed.

    `unit` is what the `planned` things are, a key of the words; `scores`: whether their scores
    are worth showing.
    """

    planned: int = 0
    before: int = 0  # conversations that an earlier start of this run completed
    ended: int = 0
    turns: int = 0
    results: Counter[Result] = field(default_factory=Counter)
    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced: bool = False
    score: Total = field(default_factory=Total)
    _open: dict[str, Total] = field(default_factory=dict)
    _open_turns: dict[str, int] = field(default_factory=dict)
    _ended_turns: int = 0
    unit: str = "conversations"
    scores: bool = True

    def __call__(self, event: Event) -> None:
        """Count what has happened."""
        if isinstance(event, CallMade):
            self._count_call(event)
        elif isinstance(event, TurnScored):
            self._count_turn(event)
        elif isinstance(event, ConversationEnded):
            self._count_conversation(event)

    def _count_call(self, call: CallMade) -> None:
        """Count a call, unless it was paid for earlier."""
        if call.attempts == 0 or call.recalled:
            return
        self.calls += 1
        self.tokens += call.usage.input + call.usage.output
        if call.cost_usd is None:
            self.unpriced = True
        else:
            self.cost_usd += call.cost_usd

    def _count_turn(self, turn: TurnScored) -> None:
        """Count a turn; its score waits for the end of its conversation."""
        self.turns += 1
        self._open_turns[turn.episode] = self._open_turns.get(turn.episode, 0) + 1
        if turn.score is not None:
            self._open.setdefault(turn.episode, Total()).add(turn.score)

    def _count_conversation(self, ended: ConversationEnded) -> None:
        """Count a conversation; a running score is the mean over those that ended."""
        self.ended += 1
        self.results[ended.result] += 1
        self._ended_turns += self._open_turns.pop(ended.episode, 0)
        mean = self._open.pop(ended.episode, Total()).mean
        if mean is not None:
            self.score.add(mean)

    @property
    def done(self) -> int:
        """Conversations that are complete, those of an earlier start among them."""
        return self.before + self.ended

    @property
    def worth(self) -> float:
        """What was done now, in conversations: those under way count by their turns."""
        a_talk = self._ended_turns / self.ended if self.ended else 0.0
        under_way = sum(self._open_turns.values())
        return self.ended + (under_way / a_talk if a_talk else 0.0)


class Pace:
    """How fast it goes: calls a second over the last ten, and the seconds that are left."""

    def __init__(self, counts: Counts, clock: Clock) -> None:
        self._counts = counts
        self._clock = clock
        self._began = clock()
        self._calls = _Recent(self._began, _PACE_OVER_S)
        self._worth = _Recent(self._began, _LEFT_OVER_S)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._began

    def calls_per_second(self) -> float:
        """Calls a second, lately. To be asked now and then, not for every call."""
        return self._calls.per_second(self._clock(), self._counts.calls)

    def seconds_left(self) -> float | None:
        """A guess, from what was done in the last minute; None before a conversation ended."""
        counts = self._counts
        worth = counts.worth
        speed = self._worth.per_second(self._clock(), worth)
        if not counts.ended or not speed:
            return None
        return max(0.0, counts.planned - counts.before - worth) / speed


class _Recent:
    """How fast a figure grew over the last `over_s` seconds, or since the beginning."""

    def __init__(self, began: float, over_s: float) -> None:
        self._over_s = over_s
        self._samples: deque[tuple[float, float]] = deque([(began, 0.0)])

    def per_second(self, now: float, figure: float) -> float:
        self._samples.append((now, figure))
        while len(self._samples) > 2 and now - self._samples[1][0] >= self._over_s:
            self._samples.popleft()
        then, before = self._samples[0]
        return (figure - before) / (now - then) if now > then else 0.0
