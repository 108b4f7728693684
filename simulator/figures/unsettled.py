"""What a model or a person could decide of a run, and what that would cost."""

from simulator.core.claim import ClaimKind, Reader, State, counting, kind_of
from simulator.core.form import spoken
from simulator.core.result import Finding
from simulator.core.run import Episode, RunHeader, Turn, Unsettled
from simulator.figures.reading_time import seconds_to_judge
from simulator.figures.results import TO_BE_READ
from simulator.llm.prices import TOKENS_PER_CHAR

_ASKED = frozenset({ClaimKind.SAYS, ClaimKind.MUST_NOT})  # what a model named as reader is asked
_INSTRUCTION = 450  # characters of its prompt beside question, answer and claim


class UnsettledTally:
    """Counts one run; of an answer a hash is kept."""

    def __init__(self, header: RunHeader) -> None:
        self._language = header.language
        self._answers: set[int] = set()
        self._pairs: set[int] = set()  # claims in answers that only words have read
        self._talks = 0
        self._characters = 0
        self._seconds = 0.0

    def add(self, episode: Episode, finding: Finding) -> None:
        """Count one conversation."""
        for turn in episode.turns:
            self._ask(turn)
        if finding.why in TO_BE_READ:
            self._talks += 1
            shown = episode.turns[(finding.turn or 0) - 1 :][:1]
            for turn in [turn for turn in episode.turns if _is_unknown(turn)] or shown:
                self._read(episode, turn)

    def summary(self) -> Unsettled:
        """The figures so far."""
        read = self._characters + _INSTRUCTION * len(self._pairs)
        return Unsettled(
            talks=self._talks,
            answers=len(self._answers),
            seconds=self._seconds,
            calls=len(self._pairs),
            tokens=round(read * TOKENS_PER_CHAR[self._language].likely),
        )

    def _read(self, episode: Episode, turn: Turn) -> None:
        answer = hash(spoken(episode, turn.exchange.turn))
        if answer not in self._answers:
            self._answers.add(answer)
            self._seconds += seconds_to_judge(episode, turn, self._language)

    def _ask(self, turn: Turn) -> None:
        """Each claim in each answer to a question is asked about once."""
        readings, exchange = turn.readings or (), turn.exchange
        known = {reading.claim for reading in readings if reading.reader is not Reader.WORDS}
        for reading in readings:
            if reading.state is not State.UNKNOWN or reading.claim in known:
                continue
            pair = hash((reading.claim, exchange.user, exchange.assistant))
            if kind_of(reading.claim) in _ASKED and pair not in self._pairs:
                self._pairs.add(pair)
                texts = (exchange.user, exchange.assistant, reading.against)
                self._characters += sum(map(len, texts))


def _is_unknown(turn: Turn) -> bool:
    readings = counting(turn.readings or ()).values()
    return any(reading.state is State.UNKNOWN for reading in readings)
