"""What a model or a person could decide of a run, and how much work that is."""

from collections.abc import Iterator, Mapping

from simulator.core.claim import ClaimKind, Reader, State, counting, kind_of
from simulator.core.form import spoken
from simulator.core.persona import Language
from simulator.core.result import Finding
from simulator.core.run import Episode, Turn, Unsettled
from simulator.view.results import TO_BE_READ

_ASKED = frozenset({ClaimKind.SAYS, ClaimKind.MUST_NOT})  # what a model named as reader is asked
# Reading speed in characters a second (Trauzettel-Klosinski & Dietz 2012, Investigative
# Ophthalmology & Visual Science 53:5452-5461: 987 and 357 a minute).
_READ: Mapping[Language, float] = {"en": 987 / 60, "ja": 357 / 60}
DECIDE_S = 10.0
"""To make up one's mind and choose, beside reading: an assumption."""
_EARLIER = 1_500  # characters of the turns before, as a worksheet shows them


def seconds_to_judge(episode: Episode, turn: Turn, language: Language) -> float:
    """How long a person takes for one answer: characters to read / speed + the time to decide."""
    exchange, expected = (
        turn.exchange,
        episode.scenario.expected.answers if episode.scenario else (),
    )
    before = [e.exchange for e in episode.turns if e.exchange.turn < exchange.turn]
    earlier = sum(len(each.user) + len(each.assistant) for each in before)
    shown = len(exchange.user) + len(exchange.assistant) + sum(map(len, expected))
    return seconds_to_decide(shown + min(earlier, _EARLIER), language)


def seconds_to_decide(characters: int, language: Language) -> float:
    """How long a person takes to read so much and to decide."""
    return characters / _READ[language] + DECIDE_S


class UnsettledTally:
    """Counts one run; of an answer a hash is kept."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._answers: set[int] = set()
        self._pairs: set[int] = set()  # claims in answers that only words have read
        self._talks = 0
        self._seconds = 0.0

    def add(self, episode: Episode, finding: Finding) -> None:
        """Count one conversation."""
        self._pairs.update(pair for turn in episode.turns for pair in _left_by_words(turn))
        if finding.why not in TO_BE_READ:
            return
        self._talks += 1
        unknown = [turn for turn in episode.turns if _is_unknown(turn)]
        for turn in unknown or episode.turns[(finding.turn or 0) - 1 :][:1]:
            answer = hash(spoken(episode, turn.exchange.turn))
            if answer not in self._answers:
                self._answers.add(answer)
                self._seconds += seconds_to_judge(episode, turn, self._language)

    def summary(self) -> Unsettled:
        """The figures so far."""
        return Unsettled(self._talks, len(self._answers), self._seconds, len(self._pairs))


def _is_unknown(turn: Turn) -> bool:
    readings = counting(turn.readings or ()).values()
    return any(reading.state is State.UNKNOWN for reading in readings)


def _left_by_words(turn: Turn) -> Iterator[int]:
    """What a model would be asked: a claim in an answer to a question."""
    readings, exchange = turn.readings or (), turn.exchange
    known = {reading.claim for reading in readings if reading.reader is not Reader.WORDS}
    for reading in readings:
        is_open = reading.state is State.UNKNOWN and reading.claim not in known
        if is_open and kind_of(reading.claim) in _ASKED:
            yield hash((reading.claim, exchange.user, exchange.assistant))
