"""How simulated and real customers write: figures, registers, how well style tells them apart."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise
from math import inf
from statistics import fmean, median

import numpy as np

from simulator.core.clean import folded
from simulator.core.outcome import Interval
from simulator.core.persona import Language, Politeness
from simulator.core.run import Episode
from simulator.metrics.repeated_questions import repeats
from simulator.statistics.discriminant import Floats, direction, separability
from simulator.statistics.intervals import Total, clustered, mean_of
from simulator.text.acts import asks, commands, leans_back
from simulator.text.en import asking as en
from simulator.text.ja import endings as ja
from simulator.text.ja.sudachi import morphemes
from simulator.text.phrases import phrases
from simulator.text.tokens import is_content, sentences, stop_words


def registers(text: str, language: Language) -> Counter[Politeness | None]:
    """Count the sentences of a text by register; None: those in none.

    Japanese: a sentence is polite if its last predicate ends in です, ます, ください or a form of
    them, formal if it is polite and holds an honorific or humble word (いただく, お伺いする),
    plain if it has another predicate. Noun phrases, calls and はい are neither.

    English has no such forms: a sentence is polite by its courtesies (please, could you, thanks,
    I'd like), formal by elaborate ones (would you kindly, I should be grateful). A plain sentence
    is not rude for that; as a courtesy covers what is said beside it, plain sentences do not
    count where there is one in the text.
    """
    rule = en.register_of if language == "en" else ja.register_of
    counts = Counter(rule(sentence) for sentence in sentences(text, language))
    if language == "en" and counts[Politeness.POLITE] + counts[Politeness.FORMAL]:
        del counts[Politeness.PLAIN]
    return counts


def politeness(text: str, language: Language) -> Politeness | None:
    """The register of an utterance; None for noun phrases, はい, and empty texts.

    Polite and formal sentences together have to be at least as many as plain ones, and formal ones
    at least half of them.
    """
    counts = registers(text, language)
    courteous = counts[Politeness.POLITE] + counts[Politeness.FORMAL]
    if not courteous + counts[Politeness.PLAIN]:
        return None
    if counts[Politeness.PLAIN] > courteous:
        return Politeness.PLAIN
    return Politeness.FORMAL if 2 * counts[Politeness.FORMAL] >= courteous else Politeness.POLITE


MASK = "~"
FEWEST_TALKS = 10  # of either side; with so few, the interval is some 0.5 wide
_MOST_TALKS = 500  # of either side, taken evenly from all
_FEWEST_TURNS = 5  # that have a feature,
_LEAST_SHARE = 0.02  # and so many of either side's turns, on average
_NAMED = 3  # features
_KEPT_KINDS = ("代名詞", "副詞")  # content words that say nothing of a matter
_WORD = re.compile(r"[^\W_]+(?:['.@-][^\W_]+)*|[^\w\s]")

Talk = Sequence[str]


@dataclass(frozen=True, slots=True, order=True)
class Feature:
    """Something countable in a turn.

    `kind`: length, sentences, questions, lines (line breaks), commas; or, as a yes or no, register,
    word (anywhere), opening (the first word) and ending (the last words of a sentence) with the
    `form` that it has: a register's name, or words, content masked as `~`.
    """

    kind: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A feature and its mean a turn on both sides."""

    feature: Feature
    simulated: float
    real: float


@dataclass(frozen=True, slots=True)
class Separation:
    """How well style alone tells simulated turns from real ones; 0.5 where it cannot.

    `auc` has no mean where a side has too few conversations. `chance`: what it has to exceed to be
    more than chance. `differences`: those three features that part the two sides most, the first
    one most.
    """

    auc: Interval
    chance: float | None = None
    differences: tuple[Difference, ...] = ()


def separation(simulated: Sequence[Talk], real: Sequence[Talk], language: Language) -> Separation:
    """How well style alone tells the turns of simulated talks from those of real ones."""
    sides = [[talk for talk in talks if talk] for talks in (simulated, real)]
    if min(map(len, sides)) < FEWEST_TALKS:
        return Separation(Interval(None))
    sides = [talks[:: -(-len(talks) // _MOST_TALKS)] for talks in sides]
    turns = [[features(turn, language) for talk in talks for turn in talk] for talks in sides]
    columns = _columns(*turns)
    first, second = (
        np.array([[turn.get(column, 0.0) for column in columns] for turn in side]) for side in turns
    )
    groups = [
        (at, n) for at, talks in enumerate(sides) for n, talk in enumerate(talks) for _ in talk
    ]
    measured = separability(first, second, groups)
    return Separation(measured.auc, measured.chance, tuple(_differences(columns, first, second)))


def _columns(*sides: Sequence[Counter[Feature]]) -> list[Feature]:
    """The features that are no rarity, in a fixed order."""
    counts = [Counter(feature for turn in side for feature in turn) for side in sides]
    return sorted(
        feature
        for feature, count in sum(counts, Counter[Feature]()).items()
        if count >= _FEWEST_TURNS
        and fmean(n[feature] / len(side) for n, side in zip(counts, sides, strict=True))
        >= _LEAST_SHARE
    )


def _differences(columns: Sequence[Feature], first: Floats, second: Floats) -> Iterator[Difference]:
    """The features with the greatest parts in the distance of the two sides' mean scores."""
    means = first.mean(axis=0), second.mean(axis=0)
    labels = np.repeat((0, 1), (len(first), len(second)))[:, np.newaxis]
    weights = direction(np.vstack((first, second)), labels)[:, 0]
    parts = weights * (means[1] - means[0])
    for at in np.argsort(-parts, kind="stable")[:_NAMED].tolist():
        yield Difference(columns[at], float(means[0][at]), float(means[1][at]))


@lru_cache(maxsize=4096)  # users without a model have a limited stock of phrases
def features(text: str, language: Language) -> Counter[Feature]:
    """The style features of one turn, each with its number; those that are not there left out."""
    text = folded(text).replace("...", "…")
    parts = sentences(text, language)
    worded = [words for part in parts if (words := style_words(part, language))]
    counts = Counter(
        {
            Feature("length"): len(text) if language == "ja" else len(text.split()),
            Feature("sentences"): len(parts),
            Feature("questions"): sum(asks(part, language) for part in parts),
            Feature("lines"): text.count("\n"),
            Feature("commas"): text.count("、") + text.count(","),
        }
    )
    named = {Feature("word", word) for words in worded for word in words if word != MASK}
    named |= {Feature("opening", words[0]) for words in worded[:1]}
    named |= {Feature("ending", _joined(words[-3:], language)) for words in worded}
    if register := politeness(text, language):
        named.add(Feature("register", register.value))
    return +(counts + Counter(named))


def style_words(sentence: str, language: Language) -> list[str]:
    """The words and marks of a sentence; content words, and what is said again, as one mask."""
    words = _japanese(sentence) if language == "ja" else _english(sentence)
    return [word for word, _ in groupby(words)]


def _japanese(sentence: str) -> Iterator[str]:
    words = morphemes(sentence)
    for at, word in enumerate(words):
        if word.pos[0] == "空白" or not word.surface:
            continue
        is_masked = is_content(words, at) and word.pos[0] not in _KEPT_KINDS
        yield MASK if is_masked or word.pos[1] == "数詞" else word.surface


def _english(sentence: str) -> Iterator[str]:
    kept = stop_words() | phrases("text/en/words").words("style_words")
    for word in _WORD.findall(sentence):
        is_kept = not word[0].isalnum() or word.partition("'")[0] in kept
        yield word if is_kept else MASK


def _joined(words: Sequence[str], language: Language) -> str:
    return ("" if language == "ja" else " ").join(words)


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
