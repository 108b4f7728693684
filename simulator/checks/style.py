"""How turns are written, whatever they are about: style features, and what tells two sides apart.

Content words are masked: nouns, verbs, adjectives, names and numbers. What is left are function
words, endings, forms of politeness, marks, lengths and questions.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from statistics import fmean

import numpy as np

from simulator.checks.registers import politeness
from simulator.core.clean import folded
from simulator.core.outcome import Interval
from simulator.core.persona import Language
from simulator.statistics.discriminant import Floats, direction, separability
from simulator.text.acts import asks
from simulator.text.ja.sudachi import morphemes
from simulator.text.phrases import phrases
from simulator.text.tokens import is_content, sentences, stop_words

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
