"""Two sides that gave words to the same turns: how far they agree, as figures with intervals.

A word of each person counts, not what people say all together: turns on which people differ are
as hard for a metric as they are for them. A turn with several words counts as one all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.core.run import Interval
from simulator.core.verdict import Word
from simulator.review.labels import Label, Person
from simulator.statistics import agreement
from simulator.statistics.bootstrap import Measure, estimates
from simulator.statistics.totals import mean_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FEWEST_PAIRS = 5
"""Below it there is no figure."""
PLACES = {Word.NG: 0, Word.UNSURE: 1, Word.OK: 2}
"""In order: a word of its own lies between the two others."""
_SURE = ("agreement", "ok_first", "ok_second", "bias", "kappa")  # without what is unsure
NAMES = (*_SURE, "quadratic_kappa", "alpha", "spearman")
"""What `Compared.figures` holds. `ok_…`: how often that side says OK; `bias`: how much more often
the first does."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic with its 95 % interval, and how many pairs of words it is made of."""

    value: Interval
    n: int


@dataclass(frozen=True, slots=True)
class Compared:
    """How far two sides agree.

    Attributes:
        turns: how many were compared.
        pairs: the pairs of words on them, in `unsure` of which somebody is unsure.
        figures: by name, see `NAMES`; the mean of one that is not defined is None.
    """

    turns: int
    pairs: int
    unsure: int
    figures: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class TwoPeople:
    """Two reviewers on the turns that both judged."""

    people: tuple[Person, Person]
    compared: Compared


@dataclass(frozen=True, slots=True)
class Pair:
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


def tables(pairs: Sequence[Pair], talks: int) -> "Array":
    """A table of words for each conversation."""
    import numpy as np

    made = np.zeros((talks, len(PLACES), len(PLACES)))
    for pair in pairs:
        made[pair.talk, pair.first, pair.second] += pair.weight
    return made


def sure(table: "Array") -> "Array":
    """OK and NG alone: the middle row and column left out."""
    return table[..., ::2, ::2]


def shares(table: "Array") -> "list[Array]":
    """Of tables of OK and NG what stands before kappa in `NAMES`."""
    said = [agreement.prevalence(table, 1, rater) for rater in (0, 1)]
    return [agreement.raw_agreement(table), *said, agreement.bias(table, 1)]


def compared(measure: Measure, talks: int, turns: int, pairs: Sequence[Pair]) -> Compared:
    """The figures that `measure` gives in the order of `NAMES`, for so many conversations."""
    unsure = sum(PLACES[Word.UNSURE] in (pair.first, pair.second) for pair in pairs)
    nothing = [Interval(None)] * len(NAMES)
    found = estimates(measure, talks) if len(pairs) >= FEWEST_PAIRS else nothing
    figures = {}
    for name, value in zip(NAMES, found, strict=True):
        n = len(pairs) - (unsure if name in _SURE else 0)
        figures[name] = Figure(value if n >= FEWEST_PAIRS else Interval(None), n)
    return Compared(turns, len(pairs), unsure, figures)
