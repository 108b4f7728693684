"""How simulated and real customers write, by numbers, and how well style tells them apart."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import inf
from statistics import median

from simulator.checks.registers import politeness
from simulator.checks.style import Separation, Talk, separation
from simulator.core.outcome import Interval
from simulator.core.persona import Language, Politeness
from simulator.core.run import Episode
from simulator.metrics.repeated_questions import repeats
from simulator.statistics.intervals import Total, clustered, mean_of
from simulator.text.acts import asks, commands, leans_back
from simulator.text.tokens import sentences


@dataclass(frozen=True, slots=True)
class Manner:
    """How one persona, or real customers, wrote from the second turn of their talks on.

    The first turn is apart, since a simulated user's is the scenario's query word for word: `first`
    is its mean length. Lengths are characters (ja) or words (en) of a turn. `plain`, `polite` and
    `formal` are shares of the turns that have a register, in 0-1; `neither` counts those without.
    `questions` are sentences that ask or request, per turn; `orders` the turns with an imperative.
    `repeats`: the share of turns that ask again what an earlier one asked; `follow_ups`: of those
    that only the customer's turn before makes clear. Means are means over talks; the ends of their
    95 % intervals are None below 5 talks. `later`: the turns themselves, talk by talk.
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
    repeats: Interval
    follow_ups: Interval
    later: tuple[Talk, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Realism:
    """The personas of a run beside real customers.

    `styles`: how well style tells each persona from them, by its name; `style`: all together.
    """

    personas: tuple[Manner, ...]
    real: Manner
    styles: Mapping[str, Separation]
    style: Separation


@dataclass(frozen=True, slots=True)
class _Turn:
    length: int
    register: Politeness | None
    questions: int
    orders: bool


class _Gatherer:
    """Takes in one talk after the other."""

    def __init__(self, name: str, language: Language) -> None:
        self._name, self._language = name, language
        self._talks = self._neither = self._orders = 0
        self._first = Total()
        self._lengths: Counter[int] = Counter()
        self._means: defaultdict[str, list[tuple[float, Hashable]]] = defaultdict(list)
        self._later: list[Talk] = []

    def add(self, turns: Sequence[str], cluster: Hashable) -> None:
        """Count a talk: what the customer said, turn by turn. Talks of a cluster are alike."""
        self._talks += 1
        if not turns:
            return
        self._first.add(_measured(turns[0], self._language).length)
        self._later.append(tuple(turns[1:]))
        again = repeats(turns, self._language)
        later = [_measured(turn, self._language) for turn in turns[1:]]
        self._lengths.update(turn.length for turn in later)
        self._orders += sum(turn.orders for turn in later)
        registers = [turn.register for turn in later if turn.register]
        self._neither += len(later) - len(registers)
        columns: dict[str, Iterable[float]] = {
            "length": (turn.length for turn in later),
            "questions": (turn.questions for turn in later),
            "repeats": (at in again for at in range(1, len(turns))),
            "follow_ups": (leans_back(now, old, self._language) for old, now in pairwise(turns)),
            **{kind: [register is kind for register in registers] for kind in Politeness},
        }
        for column, values in columns.items():
            if (mean := mean_of(values)) is not None:
                self._means[column].append((mean, cluster))

    def manner(self) -> Manner:
        """The figures over all talks so far."""
        return Manner(
            name=self._name,
            talks=self._talks,
            turns=self._lengths.total(),
            first=self._first.mean,
            length=self._interval("length", inf),
            median=float(median(self._lengths.elements())) if self._lengths else None,
            plain=self._interval(Politeness.PLAIN, 1),
            polite=self._interval(Politeness.POLITE, 1),
            formal=self._interval(Politeness.FORMAL, 1),
            neither=self._neither,
            questions=self._interval("questions", inf),
            orders=self._orders,
            repeats=self._interval("repeats", 1),
            follow_ups=self._interval("follow_ups", 1),
            later=tuple(self._later),
        )

    def _interval(self, column: str, high: float) -> Interval:
        means = self._means[column]
        return clustered([mean for mean, _ in means], [c for _, c in means], high=high)


def realism(
    episodes: Iterable[Episode], real: Iterable[tuple[Hashable, Talk]], language: Language
) -> Realism:
    """The personas of a run beside real customers: (the talk's id, their turns) of each talk."""
    personas, customers = manners(episodes, language), manner_of("real customers", real, language)
    return Realism(
        personas=tuple(personas),
        real=customers,
        styles={
            manner.name: separation(manner.later, customers.later, language) for manner in personas
        },
        style=separation(
            [talk for manner in personas for talk in manner.later], customers.later, language
        ),
    )


def manners(episodes: Iterable[Episode], language: Language) -> list[Manner]:
    """The manner of each persona of a run, by its name; talks on one scenario are a cluster."""
    gatherers: dict[str, _Gatherer] = {}
    for episode in episodes:
        name = episode.cell.persona
        gatherer = gatherers.setdefault(name, _Gatherer(name, language))
        gatherer.add([turn.exchange.user for turn in episode.turns], episode.cell.scenario)
    return [gatherers[name].manner() for name in sorted(gatherers)]


def manner_of(
    name: str, talks: Iterable[tuple[Hashable, Sequence[str]]], language: Language
) -> Manner:
    """The manner of real customers: (the talk's id, their turns) of each talk."""
    gatherer = _Gatherer(name, language)
    for talk, turns in talks:
        gatherer.add(turns, talk)
    return gatherer.manner()


def _measure(text: str, language: Language) -> _Turn:
    parts = sentences(text, language)
    return _Turn(
        length=len(text) if language == "ja" else len(text.split()),
        register=politeness(text, language),
        questions=sum(asks(sentence, language) for sentence in parts),
        orders=any(commands(sentence, language) for sentence in parts),
    )


# Users without a model have a limited stock of phrases.
_measured: Callable[[str, Language], _Turn] = lru_cache(maxsize=4096)(_measure)
