"""Prediction-powered inference: a mean that people's labels correct, from a sample in strata.

Every turn has a prediction f (a judge's score), some have a label Y (what people say). Labels come
in strata: here flagged turns, which people are all shown, and others, of which some are drawn. The
estimate is the mean over conversations of

    θ_i = 1/T_i · Σ_t [λ·f_t + r̄ + ξ_t/π_t · (Y_t - λ·f_t - r̄)]

with ξ whether a turn was labelled, π_t the probability with which it was drawn times the share of
its stratum, by these probabilities, that was labelled (Horvitz & Thompson 1952 in Hájek's form,
which also makes up for turns that were shown and not answered) and r̄ the mean of Y - λ·f in its
stratum: prediction-powered inference with power tuning (Angelopoulos, Duchi & Zrnic 2023, "PPI++",
arXiv:2311.01453), with inverse-probability weights (Zrnic & Candès 2024, "Active statistical
inference", arXiv:2403.03208).
"""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul

from simulator.core.outcome import Interval
from simulator.statistics.intervals import (
    FEWEST_CLUSTERS,
    Z95,
    residual_sums,
    score_interval,
    standard_error,
    t_quantile,
)
from simulator.statistics.paired import by_cluster

FEWEST_LABELS = 20
"""In each stratum, unless all of it is labelled.

Where none of 20 turns is bad, up to 14 % of their stratum may be (0.86²⁰ = .05): a smaller sample
says next to nothing of what a judge lets pass. The coverage of the interval is simulated from here.
"""
ENOUGH_LABELS = 30
"""In all strata together: then half of `FEWEST_LABELS` will do in each."""
# Added to either side of a stratum's labels for their variance (Agresti & Coull 1998, The American
# Statistician 52:119-126): labels that happen to be all alike are no proof that the others are.
_PSEUDO = 2.0


@dataclass(frozen=True, slots=True)
class Observation:
    """What people say of one turn (0-1) beside what was predicted (0-1). `talk`: whose turn.

    `answer`: turns of one number have the same answer, on which people said one word: together
    they are no more evidence than one of them. None: no other turn has it. `probability`: how
    likely it was to be drawn, above 0; where all of a stratum have the same it makes no difference.
    """

    talk: int
    stratum: int
    predicted: float
    said: float
    answer: int | None = None
    probability: float = 1.0


@dataclass(slots=True)
class StratifiedSample:
    """Conversations, numbered from 0 as they are added, and the labels on their turns.

    `sizes`: of each stratum and conversation, how many turns there are; `predicted`: the sum of f
    over a conversation's turns. Only numbers are kept.
    """

    strata: int
    clusters: "array[int]" = field(default_factory=lambda: array("l"))
    predicted: "array[float]" = field(default_factory=lambda: array("d"))
    sizes: "list[array[int]]" = field(init=False)
    labels: list[Observation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sizes = [array("l") for _ in range(self.strata)]

    def add(self, cluster: int, sizes: Sequence[int], predicted: float) -> int:
        """Count a conversation of at least one turn; its number."""
        self.clusters.append(cluster)
        self.predicted.append(predicted)
        for column, size in zip(self.sizes, sizes, strict=True):
            column.append(size)
        return len(self.clusters) - 1


@dataclass(frozen=True, slots=True)
class PpiEstimate:
    """The mean with its 95 % interval, and λ.

    `parts`: of each cluster Σ (θ_i - θ) / n, what it adds to the mean; `doubt`: the variance that
    these lack; `degrees`: those of t.
    """

    value: Interval
    tuning: float
    parts: Mapping[int, float]
    doubt: float
    degrees: int


def needed_labels(turns: int, in_all: int) -> int:
    """How many labels a stratum of so many turns takes, where all strata have so many `in_all`."""
    return min(FEWEST_LABELS // 2 if in_all >= ENOUGH_LABELS else FEWEST_LABELS, turns)


def chances(sizes: Sequence[float], n: int) -> list[float]:
    """How likely each is among `n` that are drawn in proportion to their sizes; 1 at most."""
    if n >= len(sizes):
        return [1.0] * len(sizes)
    largest_first = sorted(range(len(sizes)), key=lambda place: -sizes[place])
    drawn, left, total = [1.0] * len(sizes), n, math.fsum(sizes)
    for rank, place in enumerate(largest_first):
        if left * sizes[place] < total:
            for other in largest_first[rank:]:
                drawn[other] = left * sizes[other] / total
            break
        left, total = left - 1, total - sizes[place]
    return drawn


def ppi(sample: StratifiedSample) -> PpiEstimate | None:
    """The mean label over conversations, as if all turns were labelled, with its 95 % interval.

    λ is the one within 0-1 that makes the variance least. The variance is that of the θ_i,
    clustered as in `intervals.clustered`, with t; its degrees of freedom are those of the clusters
    that have a label of a stratum which is not labelled throughout. None where a stratum has too
    few labels (`needed_labels`), or where they lie in fewer than 5 clusters.
    """
    in_all = _different(sample.labels)
    strata = [_Stratum.of(sample, number, in_all) for number in range(sample.strata)]
    strata = [stratum for stratum in strata if stratum.turns]
    if not strata or any(stratum.is_short for stratum in strata):
        return None
    degrees = _degrees(sample, strata)
    if degrees < FEWEST_CLUSTERS - 1:
        return None
    labelled, rest = _parts(sample, strata)
    n = len(labelled)
    mean_said, mean_rest = math.fsum(labelled) / n, math.fsum(rest) / n
    sums_said = residual_sums(labelled, sample.clusters, mean_said)
    sums_rest = residual_sums(rest, sample.clusters, mean_rest)
    tuning = _tuning(sums_said, sums_rest)
    theta = mean_said + tuning * mean_rest
    sums = [a + tuning * b for a, b in zip(sums_said, sums_rest, strict=True)]
    doubt = math.fsum(stratum.doubt(n) for stratum in strata)
    value = _interval(sample, _within(theta), standard_error(sums, n) ** 2 + doubt, degrees)
    parts = dict.fromkeys(sample.clusters, 0.0)
    for cluster, a, b in zip(sample.clusters, labelled, rest, strict=True):
        parts[cluster] += (a + tuning * b - theta) / n
    return PpiEstimate(value, tuning, parts, doubt, degrees)


def _interval(sample: StratifiedSample, theta: float, variance: float, degrees: int) -> Interval:
    """θ ± t·SE or Wilson's interval, whichever reaches further at either end.

    The first is too short towards the middle of the scale where nearly all are right, Wilson's
    towards its end (`python -m benchmarks coverage_corrected`). Where few clusters have labels that
    differ from the others', these hardly tell the variance: it is averaged, with their number and 1
    as weights, with the greatest that there can be, as in `intervals.clustered`.
    """
    talks, clusters = len(sample.clusters), len(set(sample.clusters))
    count = talks if clusters < FEWEST_CLUSTERS else clusters
    wrong = {sample.clusters[label.talk] for label in sample.labels if label.said < 1}
    right = {sample.clusters[label.talk] for label in sample.labels if label.said > 0}
    rarer = min(len(wrong), len(right))
    smooth = (theta * count + _PSEUDO) / (count + 2 * _PSEUDO)
    greatest = smooth * (1 - smooth) / count * (0.5 + 0.5 * count / talks)
    variance = max(variance, (rarer * variance + greatest) / (rarer + 1))
    t = t_quantile(degrees)
    half = t * math.sqrt(variance)
    independent = max(1.0, smooth * (1 - smooth) / variance * (Z95 / t) ** 2)
    wilson = score_interval(theta, independent)
    low, high = wilson.low or 0.0, 1.0 if wilson.high is None else wilson.high
    return Interval(theta, min(low, _within(theta - half)), max(high, _within(theta + half)))


def difference(before: PpiEstimate, after: PpiEstimate) -> Interval:
    """The difference of two means over the same scenarios, with its 95 % interval.

    The two are paired by cluster, which are numbered alike: of cluster c the difference is
    D_c = Σ_c (θ_i - θ) / n of `after` less that of `before`, and

        SE² = C/(C-1) · Σ_c D_c² + unseen + doubt of both

    the clustered variance of a difference of linearized means (Cameron & Miller 2015, Journal of
    Human Resources 50:317-372; paired as in Miller 2024, arXiv:2411.00640). As equal answers are of
    one scenario, what a verdict says of both runs cancels within a cluster. `unseen` is what
    paired.py adds for scenarios that are not among these. t has the fewest of both degrees and of
    those of Σ D_c² (Satterthwaite 1946), which are few where few clusters changed. The ends are
    None below 5 clusters.
    """
    clusters = sorted(before.parts.keys() | after.parts.keys())
    mean = (after.value.mean or 0.0) - (before.value.mean or 0.0)
    moved = [after.parts.get(c, 0.0) - before.parts.get(c, 0.0) for c in clusters]
    if len(clusters) < FEWEST_CLUSTERS:
        return Interval(mean)
    differences = by_cluster([mean + len(clusters) * each for each in moved], clusters)
    spread = differences.standard_error**2 + before.doubt + after.doubt
    half = t_quantile(min(before.degrees, after.degrees, _degrees_of(moved))) * math.sqrt(spread)
    return Interval(mean, max(-1.0, mean - half), min(1.0, mean + half))


def _degrees_of(deviations: Sequence[float]) -> int:
    """The degrees of freedom of a sum of squares, from the kurtosis of what is squared."""
    squares = [each * each for each in deviations]
    total = math.fsum(squares)
    excess = math.fsum(map(mul, squares, squares)) - total**2 / len(squares)
    degrees = 2 * total**2 / excess if excess > 0 else math.inf
    return max(FEWEST_CLUSTERS - 1, int(min(degrees, len(squares) - 1)))


def _different(labels: Sequence[Observation]) -> int:
    """How many different answers they are of."""
    numbers = [label.answer for label in labels]
    return numbers.count(None) + len({*numbers} - {None})


@dataclass(frozen=True, slots=True)
class _Stratum:
    """One stratum; `weight` is Σ 1/T_i over its turns, and `scale` that of its labels to it.

    `different`: so many answers its labels are of; `needed`: so many it takes.
    """

    number: int
    turns: int
    labels: int
    different: int
    needed: int
    weight: float
    scale: float
    said: float
    predicted: float

    @classmethod
    def of(cls, sample: StratifiedSample, number: int, in_all: int) -> "_Stratum":
        lengths = _lengths(sample)
        sizes = sample.sizes[number]
        labels = [label for label in sample.labels if label.stratum == number]
        shares = [1 / (lengths[label.talk] * label.probability) for label in labels]
        weight, labelled = math.fsum(map(_over, sizes, lengths)), math.fsum(shares)
        turns = sum(sizes)
        needed = needed_labels(turns, in_all)
        if not labels:
            return cls(number, turns, 0, 0, needed, weight, 0.0, 0.0, 0.0)
        mean_label = math.fsum(map(mul, shares, (label.said for label in labels))) / labelled
        predicted = math.fsum(map(mul, shares, (label.predicted for label in labels))) / labelled
        scale, different = weight / labelled, _different(labels)
        if len(labels) != turns and different >= needed > 2:
            # A mean and λ were fitted to these residuals: as in any regression they are too small.
            scale *= math.sqrt(different / (different - 2))
        sizes_of = turns, len(labels), different, needed
        return cls(number, *sizes_of, weight, scale, mean_label, predicted)

    @property
    def is_whole(self) -> bool:
        return self.labels == self.turns

    @property
    def is_short(self) -> bool:
        return not self.is_whole and self.different < self.needed

    def doubt(self, talks: int) -> float:
        """What the variance of the mean lacks where the labels are nearly all alike."""
        p, n = self.said, self.different
        smooth = (p * n + _PSEUDO) / (n + 2 * _PSEUDO)
        lack = smooth * (1 - smooth) / (n + 2 * _PSEUDO) - p * (1 - p) / n
        return max(0.0, lack) * (1 - self.labels / self.turns) * (self.weight / talks) ** 2


def _parts(
    sample: StratifiedSample, strata: Sequence[_Stratum]
) -> "tuple[array[float], array[float]]":
    """θ_i = said_i + λ·rest_i: what the labels alone say, and what predictions add to it."""
    labelled = array("d", bytes(8 * len(sample.clusters)))
    rest = array("d", sample.predicted)
    for stratum in strata:
        for talk, size in enumerate(sample.sizes[stratum.number]):
            labelled[talk] += size * stratum.said
            rest[talk] -= size * stratum.predicted
    by_number = {stratum.number: stratum for stratum in strata}
    for label in sample.labels:
        stratum = by_number[label.stratum]
        scale = stratum.scale / label.probability
        labelled[label.talk] += scale * (label.said - stratum.said)
        rest[label.talk] -= scale * (label.predicted - stratum.predicted)
    lengths = _lengths(sample)
    return array("d", map(_over, labelled, lengths)), array("d", map(_over, rest, lengths))


def _tuning(labelled: Sequence[float], rest: Sequence[float]) -> float:
    """The λ that makes Σ_c (said_c + λ·rest_c)² least; 0 where predictions add nothing."""
    square = math.fsum(b * b for b in rest)
    return _within(-math.fsum(map(mul, labelled, rest)) / square) if square > 0 else 0.0


def _degrees(sample: StratifiedSample, strata: Sequence[_Stratum]) -> int:
    drawn = {stratum.number for stratum in strata if not stratum.is_whole}
    talks = {label.talk for label in sample.labels if not drawn or label.stratum in drawn}
    clusters = {sample.clusters[talk] for talk in talks}
    few = len(set(sample.clusters)) < FEWEST_CLUSTERS  # then every conversation is its own
    return (len(talks) if few else len(clusters)) - 1


def _lengths(sample: StratifiedSample) -> Sequence[int]:
    return array("l", map(sum, zip(*sample.sizes, strict=True)))


def _over(a: float, b: float) -> float:
    return a / b


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))
