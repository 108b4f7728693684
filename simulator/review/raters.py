"""How far two sides agree on the same turns: a metric with people, or people with each other.

A word of each person counts, not what people say all together: turns on which people differ are
as hard for a metric as they are for them. A turn with several words counts as one all the same.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from simulator.core.outcome import Interval, Score
from simulator.core.verdict import Word
from simulator.review.verdict_labels import Label, Person
from simulator.statistics import agreement
from simulator.statistics.agreement import Measure, Spearman, alpha, coincidences, estimates
from simulator.statistics.intervals import mean_of, under

Array = NDArray[np.float64]

FEWEST_PAIRS = 5
"""Below it there is no figure."""
PLACES = {Word.NG: 0, Word.UNSURE: 1, Word.OK: 2}
"""In order: a word of its own lies between the two others."""
_SURE = ("agreement", "ok_first", "ok_second", "bias", "kappa")  # without what is unsure
NAMES = (*_SURE, "quadratic_kappa", "alpha", "spearman")
"""What `RaterAgreement.figures` holds. `ok_…`: how often that side says OK; `bias`: how much more
often the first does."""
_Two = tuple[Person, Person]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic with its 95 % interval, and how many pairs of words it is made of."""

    value: Interval
    n: int


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """How far two sides agree.

    Attributes:
        turns: how many were compared.
        pairs: the pairs of words on them, in `unsure` of which somebody is unsure.
        figures: by name, see `NAMES`; the mean of one that is not defined is None.
    """

    turns: int
    pairs: int
    unsure: int
    figures: Mapping[str, Statistic]


@dataclass(frozen=True, slots=True)
class TwoPeople:
    """Two reviewers on the turns that both judged."""

    people: tuple[Person, Person]
    agreement: RaterAgreement


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words on one turn, by their place in `PLACES`; `talk` is the conversation's number."""

    talk: int
    first: int
    second: int
    weight: float


def weighed(labels: Sequence[Label], *, whole: bool) -> list[float]:
    """What each turn counts, 1 on average: where they stand for all turns, what its weight says."""
    weights = [(label.weight or 0.0) if whole else 1.0 for label in labels]
    mean = mean_of(weights)
    return [weight / mean for weight in weights] if mean else weights


def numbered(labels: Sequence[Label]) -> dict[tuple[str, str], int]:
    """The conversations of some turns, numbered from 0."""
    return {talk: number for number, talk in enumerate(dict.fromkeys(x.talk for x in labels))}


def word_tables(pairs: Sequence[WordPair], talks: int) -> Array:
    """A table of words for each conversation."""
    made = np.zeros((talks, len(PLACES), len(PLACES)))
    for pair in pairs:
        made[pair.talk, pair.first, pair.second] += pair.weight
    return made


def sure(table: Array) -> Array:
    """OK and NG alone: the middle row and column left out."""
    return table[..., ::2, ::2]


def shares(table: Array) -> list[Array]:
    """Of tables of OK and NG what stands before kappa in `NAMES`."""
    said = [agreement.prevalence(table, 1, rater) for rater in (0, 1)]
    return [agreement.raw_agreement(table), *said, agreement.bias(table, 1)]


def rater_agreement(
    measure: Measure, talks: int, turns: int, pairs: Sequence[WordPair]
) -> RaterAgreement:
    """The figures that `measure` gives in the order of `NAMES`, for so many conversations."""
    unsure = sum(PLACES[Word.UNSURE] in (pair.first, pair.second) for pair in pairs)
    nothing = [Interval(None)] * len(NAMES)
    found = estimates(measure, talks) if len(pairs) >= FEWEST_PAIRS else nothing
    figures = {}
    for name, value in zip(NAMES, found, strict=True):
        n = len(pairs) - (unsure if name in _SURE else 0)
        figures[name] = Statistic(value if n >= FEWEST_PAIRS else Interval(None), n)
    return RaterAgreement(turns, len(pairs), unsure, figures)


def agreement_among_people(labels: Sequence[Label], *, whole: bool) -> RaterAgreement:
    """All pairs of words that different people gave to the same turns.

    Kappa is one over all pairs of people who share at least 5 turns (Conger 1980), alpha one over
    all people. Which of two stands first is chance, so there is no bias.

    Args:
        labels: the turns; those with one word only are left out.
        whole: turns count as much as their weight says, so that they stand for all turns.
    """
    shared = [label for label in labels if len(label.words) > 1]
    words = [label.words for label in shared]
    return _compared(shared, words, whole=whole, ordered=False)


def agreement_by_two(labels: Sequence[Label], *, whole: bool) -> tuple[TwoPeople, ...]:
    """Each two people who share at least 5 turns, those who share most first.

    The bias is that of the first: how much more often that person says OK.
    """
    people = sorted({person for label in labels for person in label.words})
    found = []
    for two in combinations(people, 2):
        shared = [label for label in labels if label.words.keys() >= set(two)]
        if len(shared) >= FEWEST_PAIRS:
            words = [{person: label.words[person] for person in two} for label in shared]
            found.append(TwoPeople(two, _compared(shared, words, whole=whole, ordered=True)))
    return tuple(sorted(found, key=lambda pair: -pair.agreement.turns))


def _compared(
    labels: Sequence[Label], words: Sequence[Mapping[Person, Word]], *, whole: bool, ordered: bool
) -> RaterAgreement:
    """The words on each turn beside each other; `ordered`: it matters who is the first."""
    talks = numbered(labels)
    weights = weighed(labels, whole=whole)
    of = [talks[label.talk] for label in labels]
    pairs: dict[_Two, list[WordPair]] = defaultdict(list)
    for talk, said, weight in zip(of, words, weights, strict=True):
        each = 2 * weight / (len(said) * (len(said) - 1))
        for one, other in combinations(sorted(said), 2):
            pairs[one, other].append(WordPair(talk, PLACES[said[one]], PLACES[said[other]], each))
    every = [pair for of_two in pairs.values() for pair in of_two]
    units = [[PLACES[word] for word in said.values()] for said in words]
    matrix = coincidences(units, len(PLACES), of, weights)
    tables = word_tables(every, len(talks))
    often = [of_two for of_two in pairs.values() if len(of_two) >= FEWEST_PAIRS]
    tables_of_two = [word_tables(of_two, len(talks)) for of_two in often]

    def measure(counts: Array) -> Array:
        nothing = np.full(len(counts), np.nan)
        both = sure(np.tensordot(counts, tables, 1))
        columns = shares(both)
        if not ordered:
            columns = [*shares(both + both.swapaxes(1, 2))[:3], nothing]
        kappas = [nothing, nothing]
        if tables_of_two:
            of_two = np.stack([np.tensordot(counts, table, 1) for table in tables_of_two], axis=1)
            kappas = [
                agreement.pooled_kappa(sure(of_two)),
                agreement.pooled_kappa(of_two, quadratic=True),
            ]
        return np.column_stack([*columns, *kappas, alpha(np.tensordot(counts, matrix, 1)), nothing])

    return rater_agreement(measure, len(talks), len(labels), every)


def metric_word(score: Score, threshold: float) -> Word:
    """What a metric says of a turn."""
    return Word.NG if under(score.value, threshold) else Word.OK


def agreement_with_people(
    labels: Sequence[Label], metric: str, threshold: float | None, *, whole: bool
) -> RaterAgreement:
    """A metric (the first side) beside each word of a person on the turns that have a score.

    The metric is never unsure. A person who is stands halfway in quadratic kappa and alpha, and is
    left out of the others. Spearman's correlation is that of the metric's value with people's
    words; without a threshold there is no other figure.

    Args:
        labels: the turns.
        metric: its name.
        threshold: under it the metric says NG.
        whole: turns count as much as their weight says, so that they stand for all turns.
    """
    scored = [label for label in labels if isinstance(label.outcomes.get(metric), Score)]
    talks = numbered(scored)
    pairs, values = [], []
    for label, weight in zip(scored, weighed(scored, whole=whole), strict=True):
        score = label.outcomes[metric]
        assert isinstance(score, Score)  # noqa: S101  for the type checker; filtered above
        says = Word.OK if threshold is None else metric_word(score, threshold)
        each = weight / len(label.words)
        for word in label.words.values():
            pairs.append(WordPair(talks[label.talk], PLACES[says], PLACES[word], each))
            values.append(score.value)
    spearman = Spearman(values, [pair.second for pair in pairs])
    of = [pair.talk for pair in pairs]
    weights = np.array([pair.weight for pair in pairs])
    by_talk = word_tables(pairs, len(talks))

    def measure(counts: Array) -> Array:
        correlation = spearman(counts[:, of] * weights)
        if threshold is None:
            nothing = np.full((len(counts), len(NAMES) - 1), np.nan)
            return np.column_stack([nothing, correlation])
        table = np.tensordot(counts, by_talk, 1)
        both = sure(table)
        kappas = (agreement.kappa(both), agreement.quadratic_kappa(table))
        return np.column_stack(
            [*shares(both), *kappas, alpha(table + table.swapaxes(1, 2)), correlation]
        )

    return rater_agreement(measure, len(talks), len(scored), pairs)
