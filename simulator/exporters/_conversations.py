"""The events of a run, put together: whole conversations, and every rating of one."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from simulator.core.events import (
    ConversationEnded,
    ConversationStarted,
    Event,
    RunPlanned,
    TurnPlayed,
    TurnScored,
)
from simulator.core.outcome import Gap, Outcomes, Score, Unscored
from simulator.core.persona import Language
from simulator.core.result import Result
from simulator.core.verdict import Word, latest
from simulator.view.worst import why_text

_RESULTS = {Result.PASSED: 1.0, Result.FAILED: 0.0}
_WORDS = {Word.OK: 1.0, Word.NG: 0.0}


def stable_id(digits: int, *names: str | int) -> str:
    """So many hexadecimal digits that depend on nothing but the names."""
    text = "\x1f".join(map(str, names))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


@dataclass(frozen=True, slots=True)
class Rating:
    """What a metric, the verdict table or a person says of a turn, or of all of a conversation.

    Attributes:
        turn: From 1; 0: all of the conversation.
        value: From 0 to 1; None where there is only a label, or an error.
        label: `fail` of a metric that flags the turn; the result; a person's word.
        error: Why a metric has no score.
        person: Tells those of several people apart; no name.
    """

    turn: int
    name: str
    value: float | None
    label: str = ""
    explanation: str = ""
    error: str = ""
    person: str = ""


@dataclass(slots=True)
class Conversation:
    """A conversation with its turns, from its first event to its last."""

    planned: RunPlanned
    episode: str
    started: ConversationStarted | None = None
    turns: list[TurnPlayed] = field(default_factory=list)
    scored: dict[int, TurnScored] = field(default_factory=dict)
    ended: ConversationEnded | None = None

    @property
    def scenario(self) -> str:
        """The scenario's id."""
        return self.episode.rsplit("/", 2)[0]

    @property
    def persona(self) -> str:
        """The persona's id."""
        return self.episode.rsplit("/", 2)[1]

    @property
    def tags(self) -> tuple[str, ...]:
        """Those of the scenario; none in older runs."""
        return self.started.tags if self.started else ()

    @property
    def name(self) -> str:
        """What tells it from all conversations of all runs."""
        return f"{self.planned.run}/{self.episode}"

    def id(self, digits: int, *parts: str | int) -> str:
        """The id of a part of it, or of all of it, in so many hexadecimal digits."""
        return stable_id(digits, self.name, *parts)

    @property
    def times(self) -> list[tuple[float, float]]:
        """When the bot was asked and when it answered, by turn, in seconds since 1970.

        Where no time was stored, the turns follow each other from the beginning of the run on.
        """
        clock, times = self._began, []
        for turn in self.turns:
            takes = turn.target_ms / 1000
            clock = turn.at or clock + turn.user_ms / 1000 + takes
            times.append((clock - takes, clock))
        return times

    @property
    def start(self) -> float:
        """When it began."""
        return self.times[0][0] if self.turns else self._began

    @property
    def end(self) -> float:
        """When its last answer came."""
        return self.times[-1][1] if self.turns else self._began

    @property
    def _began(self) -> float:
        return datetime.fromisoformat(self.planned.started).timestamp()

    def ratings(self, language: Language) -> Iterator[Rating]:
        """Everything that is said of it and its turns, by now."""
        for number, scored in sorted(self.scored.items()):
            yield from _of_metrics(number, scored.outcomes, scored.flags)
        if self.ended is None:
            return
        yield from _of_metrics(0, self.ended.outcomes, ())
        result, finding = self.ended.result, self.ended.finding
        why = why_text(finding, language) if finding else ""
        yield Rating(0, "result", _RESULTS.get(result), result.value, why)
        for turn in self.turns:
            verdicts = latest(v for v in self.ended.verdicts if v.turn == turn.turn)
            for person, verdict in verdicts.items():
                texts = (verdict.error_type, verdict.comment, verdict.corrected)
                yield Rating(
                    turn.turn,
                    "verdict",
                    _WORDS.get(verdict.word) if verdict.word else None,
                    verdict.word.value if verdict.word else "",
                    "\n".join(filter(None, texts)),
                    person=stable_id(16, *person),
                )


def _of_metrics(turn: int, outcomes: Outcomes, flags: tuple[str, ...]) -> Iterator[Rating]:
    for name, outcome in outcomes.items():
        match outcome:
            case Score():
                label = "fail" if name in flags else ""
                yield Rating(turn, name, float(outcome.value), label, outcome.comment)
            case Unscored(reason) if reason is not Gap.NOT_APPLICABLE:
                yield Rating(turn, name, None, "", outcome.detail, reason.value)


class Conversations:
    """Puts conversations together. Of an earlier take nothing is kept."""

    def __init__(self) -> None:
        self._planned: RunPlanned | None = None
        self._open: dict[str, Conversation] = {}

    def take(self, event: Event) -> Conversation | None:
        """The conversation that this event completes, if it does."""
        if isinstance(event, RunPlanned):
            self._planned = event
        planned = self._planned
        if planned is None:
            return None
        match event:
            case ConversationStarted():
                self._open[event.episode] = Conversation(planned, event.episode, event)
            case TurnPlayed():  # without a start in older runs, which do not tell the scenario
                new = Conversation(planned, event.episode)
                self._open.setdefault(event.episode, new).turns.append(event)
            case TurnScored() if event.episode in self._open:
                self._open[event.episode].scored[event.turn] = event
            case ConversationEnded() if whole := self._open.pop(event.episode, None):
                whole.ended = event
                return whole
        return None
