"""People beside people on the same turns: what a metric can be asked for at most."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from simulator.core.verdict import Word
from simulator.review.compared import (
    FEWEST_PAIRS,
    PLACES,
    Compared,
    Pair,
    TwoPeople,
    compared,
    numbered,
    shares,
    sure,
    tables,
    weighed,
)
from simulator.review.labels import Label, Person
from simulator.statistics import agreement
from simulator.statistics.krippendorff_alpha import alpha, coincidences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_Two = tuple[Person, Person]


def among_people(labels: Sequence[Label], *, whole: bool) -> Compared:
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


def by_two(labels: Sequence[Label], *, whole: bool) -> tuple[TwoPeople, ...]:
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
    return tuple(sorted(found, key=lambda pair: -pair.compared.turns))


def _compared(
    labels: Sequence[Label], words: Sequence[Mapping[Person, Word]], *, whole: bool, ordered: bool
) -> Compared:
    """The words on each turn beside each other; `ordered`: it matters who is the first."""
    talks = numbered(labels)
    weights = weighed(labels, whole=whole)
    of = [talks[label.talk] for label in labels]
    pairs: dict[_Two, list[Pair]] = defaultdict(list)
    for talk, said, weight in zip(of, words, weights, strict=True):
        each = 2 * weight / (len(said) * (len(said) - 1))
        for one, other in combinations(sorted(said), 2):
            pairs[one, other].append(Pair(talk, PLACES[said[one]], PLACES[said[other]], each))
    every = [pair for of_two in pairs.values() for pair in of_two]
    units = [[PLACES[word] for word in said.values()] for said in words]
    matrix = coincidences(units, len(PLACES), of, weights)
    measure = _Measure(pairs, matrix, len(talks), ordered=ordered)
    return compared(measure, len(talks), len(labels), every)


class _Measure:
    """The figures in the order of `NAMES`, by how often each conversation counts."""

    def __init__(
        self, pairs: Mapping[_Two, Sequence[Pair]], matrix: "Array", talks: int, *, ordered: bool
    ) -> None:
        self._all = tables([pair for of_two in pairs.values() for pair in of_two], talks)
        often = (of_two for of_two in pairs.values() if len(of_two) >= FEWEST_PAIRS)
        self._by_two = [tables(of_two, talks) for of_two in often]
        self._matrix = matrix
        self._ordered = ordered

    def __call__(self, counts: "Array") -> "Array":
        import numpy as np

        nothing = np.full(len(counts), np.nan)
        both = sure(np.tensordot(counts, self._all, 1))
        found = shares(both)
        if not self._ordered:
            found = [*shares(both + both.swapaxes(1, 2))[:3], nothing]
        kappas = [nothing, nothing]
        if self._by_two:
            of_two = np.stack([np.tensordot(counts, table, 1) for table in self._by_two], axis=1)
            kappas = [
                agreement.pooled_kappa(sure(of_two)),
                agreement.pooled_kappa(of_two, quadratic=True),
            ]
        return np.column_stack(
            [*found, *kappas, alpha(np.tensordot(counts, self._matrix, 1)), nothing]
        )
