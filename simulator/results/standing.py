"""How each claim stands over a whole conversation, from the readings of its answers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from simulator.core.claim import (
    Claim,
    ClaimKind,
    Reader,
    Reading,
    State,
    claims_of,
    counting,
    kind_of,
)
from simulator.core.run import Episode, Turn
from simulator.core.soundness import first_unsound
from simulator.core.talk import TargetFailure
from simulator.core.verdict import Word

_LAST_FIRST = tuple(reversed(Reader))
NO_WORDS: Mapping[int, Word] = MappingProxyType({})
SUPPORT = "unsupported"
"""The entry of a client's `fail_on` that makes the claim SUPPORTED."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of one claim over a conversation.

    `reading` is the one that decides it, `turn` the answer that it is about, from 1; both are None
    where no answer was read. `needed`: the weakest reader that says so. `at_odds`: a model and
    words disagree about it.
    """

    claim: Claim
    state: State
    reading: Reading | None = None
    turn: int | None = None
    needed: Reader = Reader.WORDS
    at_odds: bool = False


class CountedAnswers:
    """The answers of a conversation, and which of them count.

    Args:
        episode: the conversation.
        words: what people say of its turns, all together, by turn.
    """

    def __init__(self, episode: Episode, words: Mapping[int, Word] = NO_WORDS) -> None:
        self.episode = episode
        self.words = words
        self.unsound = first_unsound(episode.turns)

    @cached_property
    def substantive(self) -> Sequence[Turn]:
        """Those that answer something: the bot did not fail, ask back or take leave.

        By words an answer may look like a question back; a model's reading of it counts more.
        """
        turns = [turn for turn in self.episode.turns if not failed(turn)]
        return [t for t in turns if not (t.asks_back or t.closes) or _says_by_model(t)]

    @cached_property
    def counting(self) -> Sequence[Turn]:
        """Those of them before the first message of the user that is not sound."""
        first = self.unsound
        return [t for t in self.substantive if first is None or t.exchange.turn < first]

    def accepts(self, turn: Turn) -> bool:
        """True if people say OK of this answer."""
        return self.words.get(turn.exchange.turn) is Word.OK

    @property
    def last(self) -> Turn | None:
        """The last answer, or else the last turn."""
        return next(iter((self.substantive or self.episode.turns)[-1:]), None)

    @property
    def are_read(self) -> bool:
        """True if readings are stored for all answers that count."""
        return all(turn.readings is not None for turn in self.counting)


def _says_by_model(turn: Turn) -> bool:
    """True if a model reads in the answer what a claim expects, or its opposite."""
    return any(
        reading.reader is Reader.MODEL
        and reading.state in (State.MET, State.VIOLATED)
        and kind_of(reading.claim) is ClaimKind.SAYS
        for reading in turn.readings or ()
    )


def standings(
    episode: Episode, words: Mapping[int, Word] = NO_WORDS, fail_on: Collection[str] = ()
) -> tuple[Standing, ...]:
    """As `standings_of`, for a conversation and what people say of its turns."""
    return standings_of(CountedAnswers(episode, words), fail_on)


def standings_of(answers: CountedAnswers, fail_on: Collection[str]) -> tuple[Standing, ...]:
    """How each claim of the scenario stands; empty where the run kept no scenario.

    A claim is violated if any answer violates it, else met if any meets it, else unknown if any
    reading is unknown, else unmet. Where the bot only asked back, it is unmet. A person's OK on an
    answer takes the violations of that answer away, and meets what no reader could tell of it.
    """
    scenario = answers.episode.scenario
    if scenario is None or not answers.episode.turns:
        return ()
    by_turn = [(turn, counting(turn.readings or ())) for turn in answers.counting]
    claims = claims_of(scenario.expected, supported=SUPPORT in fail_on)
    return tuple(_standing(claim, by_turn, answers) for claim in claims)


def failed(turn: Turn) -> bool:
    """True if the target failed instead of answering."""
    return isinstance(turn.exchange.reply, TargetFailure)


def _standing(
    claim: Claim, by_turn: Sequence[tuple[Turn, Mapping[str, Reading]]], answers: CountedAnswers
) -> Standing:
    read = [(t, _heard(claim, readings.get(claim.id), t, answers)) for t, readings in by_turn]
    if not read:
        return Standing(claim, State.UNKNOWN if answers.substantive else State.UNMET)
    for state in (State.VIOLATED, State.MET, State.UNKNOWN, State.UNMET):
        for turn, reading in read:
            if (reading.state if reading else State.UNKNOWN) is state and not (
                state is State.VIOLATED and answers.accepts(turn)
            ):
                return _by(claim, state, turn, reading)
    return _by(claim, State.MET, read[-1][0], _accepted(claim))  # with all its violations


def _heard(
    claim: Claim, reading: Reading | None, turn: Turn, answers: CountedAnswers
) -> Reading | None:
    """The reading that counts; an answer without one may say anything, unless people accept it."""
    if (reading is None or reading.state is State.UNKNOWN) and answers.accepts(turn):
        return _accepted(claim)
    return reading


def _accepted(claim: Claim) -> Reading:
    return Reading(claim.id, State.MET, Reader.PERSON)


def _by(claim: Claim, state: State, turn: Turn, reading: Reading | None) -> Standing:
    by_reader = {r.reader: r.state for r in turn.readings or () if r.claim == claim.id}
    same = [reader for reader in _LAST_FIRST if by_reader.get(reader) is state]
    model, words = by_reader.get(Reader.MODEL), by_reader.get(Reader.WORDS)
    at_odds = (model, words) == (State.MET, State.VIOLATED)
    heard = reading.reader if reading else Reader.WORDS
    needed = same[0] if same else heard
    return Standing(claim, state, reading, turn.exchange.turn, needed, at_odds=at_odds)
