"""How simulated and real customers write, by numbers: length, politeness, questions, orders."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf

from simulator.core.outcome import Interval
from simulator.core.persona import Language, Politeness
from simulator.core.run import Episode
from simulator.statistics.intervals import Total, clustered
from simulator.text.asking import asks, commands
from simulator.text.en import asking as en
from simulator.text.ja import politeness as ja
from simulator.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class Manner:
    """How one persona, or real customers, wrote from the second turn of their talks on.

    The first turn is apart, since a simulated user's is the scenario's query word for word: `first`
    is its mean length. Lengths are characters (ja) or words (en) of a turn. `plain`, `polite` and
    `formal` are shares of the turns that have a register, in 0-1; `neither` counts those without.
    `questions` are sentences that ask or request, per turn; `orders` the turns with an imperative.
    Means are means over talks; the ends of their 95 % intervals are None below 5 talks.
    """

    name: str
    talks: int
    turns: int
    first: float | None
    length: Interval
    median: float | None
    plain: Interval
    polite: Interval
    formal: Interval
    neither: int
    questions: Interval
    orders: int


@dataclass(frozen=True, slots=True)
class _Turn:
    length: int
    register: Politeness | None
    questions: int
    orders: bool


@dataclass(slots=True)
class Gatherer:
    """Takes in one talk after the other; of each it keeps only a few means.

    Args:
        name: whose talks these are.
        language: theirs.
    """

    name: str
    language: Language
    _talks: int = field(default=0, init=False)
    _first: Total = field(default_factory=Total, init=False)
    _lengths: Counter[int] = field(default_factory=Counter, init=False)
    _neither: int = field(default=0, init=False)
    _orders: int = field(default=0, init=False)
    _means: dict[str, list[tuple[float, Hashable]]] = field(default_factory=dict, init=False)

    def add(self, turns: Sequence[str], cluster: Hashable) -> None:
        """One talk: what the customer said, turn by turn. Talks of a cluster are alike."""
        self._talks += 1
        if not turns:
            return
        self._first.add(_measured(turns[0], self.language).length)
        later = [_measured(turn, self.language) for turn in turns[1:]]
        self._lengths.update(turn.length for turn in later)
        self._orders += sum(turn.orders for turn in later)
        self._note("length", (turn.length for turn in later), cluster)
        self._note("questions", (turn.questions for turn in later), cluster)
        registers = [turn.register for turn in later if turn.register]
        self._neither += len(later) - len(registers)
        for register in Politeness:
            self._note(register, (found is register for found in registers), cluster)

    def _note(self, what: str, values: Iterable[float], cluster: Hashable) -> None:
        total = Total()
        for value in values:
            total.add(value)
        if total.mean is not None:
            self._means.setdefault(what, []).append((total.mean, cluster))

    def manner(self) -> Manner:
        """The figures over all talks so far."""
        return Manner(
            name=self.name,
            talks=self._talks,
            turns=self._lengths.total(),
            first=self._first.mean,
            length=self._interval("length", inf),
            median=_median(self._lengths),
            plain=self._interval(Politeness.PLAIN, 1),
            polite=self._interval(Politeness.POLITE, 1),
            formal=self._interval(Politeness.FORMAL, 1),
            neither=self._neither,
            questions=self._interval("questions", inf),
            orders=self._orders,
        )

    def _interval(self, what: str, high: float) -> Interval:
        means = self._means.get(what, [])
        return clustered([m for m, _ in means], [c for _, c in means], high=high)


def manners(episodes: Iterable[Episode], language: Language) -> list[Manner]:
    """The manner of each persona of a run, by its name; talks on one scenario are a cluster."""
    found: dict[str, Gatherer] = {}
    for episode in episodes:
        name = episode.cell.persona
        if name not in found:
            found[name] = Gatherer(name, language)
        said = [turn.exchange.user for turn in episode.turns]
        found[name].add(said, episode.cell.scenario)
    return [found[name].manner() for name in sorted(found)]


def manner_of(
    name: str, talks: Iterable[tuple[Hashable, Sequence[str]]], language: Language
) -> Manner:
    """The manner of real customers: (the talk's id, their turns) of each talk."""
    gatherer = Gatherer(name, language)
    for talk, turns in talks:
        gatherer.add(turns, talk)
    return gatherer.manner()


def _measure(text: str, language: Language) -> _Turn:
    found = sentences(text, language)
    return _Turn(
        length=len(text) if language == "ja" else len(text.split()),
        register=politeness(text, language),
        questions=sum(asks(sentence, language) for sentence in found),
        orders=any(commands(sentence, language) for sentence in found),
    )


# Users without a model have a limited stock of phrases.
_measured: Callable[[str, Language], _Turn] = lru_cache(maxsize=4096)(_measure)


def _median(lengths: Counter[int]) -> float | None:
    """The middle of the values of a histogram; the mean of both middles where there are two."""
    n = lengths.total()
    middles: list[int] = []
    seen = 0
    for length in sorted(lengths):
        seen += lengths[length]
        while len(middles) < 2 and seen > (n - 1 + len(middles)) // 2:
            middles.append(length)
    return sum(middles) / 2 if middles else None


@dataclass(frozen=True, slots=True)
class Registers:
    """How many sentences of a text are in each register, and how many are in none."""

    plain: int = 0
    polite: int = 0
    formal: int = 0
    neither: int = 0

    @property
    def of_all(self) -> Politeness | None:
        """The register of the text as a whole; None where no sentence has one.

        Polite and formal sentences together have to be at least as many as plain ones, and formal
        ones at least half of them.
        """
        courteous = self.polite + self.formal
        if not courteous + self.plain:
            return None
        if self.plain > courteous:
            return Politeness.PLAIN
        return Politeness.FORMAL if 2 * self.formal >= courteous else Politeness.POLITE


def registers(text: str, language: Language) -> Registers:
    """Count the sentences of a text by register.

    Japanese: a sentence is polite if its last predicate ends in です, ます, ください or a form of
    them, formal if it is polite and holds an honorific or humble word (いただく, お伺いする),
    plain if it has another predicate. Noun phrases, calls and はい are neither.

    English has no such forms: a sentence is polite by its courtesies (please, could you, thanks,
    I'd like), formal by elaborate ones (would you kindly, I should be grateful). A plain sentence
    is not rude for that; as a courtesy covers what is said beside it, plain sentences do not
    count where there is one in the text.
    """
    rule = en.register_of if language == "en" else ja.register_of
    found = [rule(sentence) for sentence in sentences(text, language)]
    courteous = language == "en" and (Politeness.POLITE in found or Politeness.FORMAL in found)
    return Registers(
        plain=0 if courteous else found.count(Politeness.PLAIN),
        polite=found.count(Politeness.POLITE),
        formal=found.count(Politeness.FORMAL),
        neither=found.count(None),
    )


def politeness(text: str, language: Language) -> Politeness | None:
    """The register of an utterance; None for noun phrases, はい, and empty texts."""
    return registers(text, language).of_all
