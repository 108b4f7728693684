"""What a threshold catches and misses by people's verdicts, and which one these speak for.

A flag is a score under the threshold; a positive is an answer that people call NG. How good a
chosen threshold is on other answers, and how sure it is, is told with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from simulator.core.outcome import Interval
from simulator.statistics.intervals import (
    FEWEST_CLUSTERS,
    HAIR,
    Z95,
    portions,
    score_interval,
    t_quantile,
)
from simulator.statistics.ranking import auc

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Flags = NDArray[np.bool_]

_NOTHING = 1e-12  # a variance that is 0 but for the rounding of weights and shares
_APART = 1e-8  # values nearer to each other are one value
_MOST_DIGITS = 9
FOLDS = 10
RESAMPLES = 1000
_AT_ONCE = 2_000_000  # numbers in memory at once
_TIED = 1e-12
PRINTED = 2
"""Digits of an objective that are shown, and that one threshold has to be better by."""


def clustered_ratio(part: Floats, whole: Floats, clusters: Places, heaviest: float) -> Interval:
    """Σ part / Σ whole with its 95 % interval; the ends are None below 5 clusters with any.

    Wilson's (1927) interval with the number of independent answers that would have the variance
    of the linearised ratio over clusters, K/(K-1) · Σ_c (Σ_{i∈c} (part_i - r · whole_i))² / (Σ
    whole)², and Korn & Graubard's (1998, Survey Methodology 24:193-201) correction for few
    clusters. Where that variance is 0 and says nothing, as it is at 0 and 1 and where all clusters
    are alike, the number is the least of Kish's effective number of clusters and Σ whole /
    `heaviest`. A percentile bootstrap over
    clusters promises too much: with 15 conversations of 3 turns it covered a recall of .87 in
    78 % of all samples, this one in 97 %; with a tenth of the unflagged turns of 100
    conversations audited, 67 % and 96 %.

    Args:
        part: what is counted, of each item; 0 … whole.
        whole: what it is counted of; the mean is None where that sums to 0.
        clusters: of each item, from 0.
        heaviest: the greatest weight that an item counted the other way could have had.
    """
    total = float(whole.sum())
    if total <= 0:
        return Interval(None)
    ratio = min(1.0, max(0.0, float(part.sum()) / total))
    sizes = np.bincount(clusters, whole)
    count = int(np.count_nonzero(sizes))
    if count < FEWEST_CLUSTERS:
        return Interval(ratio)
    squares = float((np.bincount(clusters, part - ratio * whole) ** 2).sum())
    variance = count / (count - 1) * squares / total**2
    if variance < _NOTHING or ratio in (0.0, 1.0):
        n = min(total**2 / float((sizes**2).sum()), total / heaviest)
    else:
        n = ratio * (1 - ratio) / variance
    return score_interval(ratio, n * (Z95 / t_quantile(count - 1)) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledScores:
    """Answers that people called OK or NG; arrays of one length.

    Attributes:
        values: the metric's, 0–1.
        ng: whether people call it NG.
        weights: how many answers each stands for, above 0.
        talks: its conversation, from 0: answers of one are alike.
    """

    values: Floats
    ng: Flags
    weights: Floats
    talks: Places

    def where(self, kept: Flags | Places) -> LabelledScores:
        """Some of them, in the order of their places, with their conversations counted anew."""
        _, talks = np.unique(self.talks[kept], return_inverse=True)
        return LabelledScores(self.values[kept], self.ng[kept], self.weights[kept], talks)

    def flags(self, threshold: float) -> Flags:
        """Which of them a threshold flags."""
        flagged: Flags = self.values < threshold - HAIR
        return flagged


@dataclass(frozen=True, slots=True)
class FlagQuality:
    """What some flags are worth; shares in 0–1, with 95 % intervals over conversations.

    `flagged`: the share of answers that is flagged; `precision`: of what is flagged, the share
    that people call NG; `recall`: of what people call NG, the share that is flagged, so that
    1 - recall is missed; `alarms`: of what people call OK, the share that is flagged.
    """

    flagged: Interval
    precision: Interval
    recall: Interval
    alarms: float | None = None

    @property
    def youden(self) -> float | None:
        """Youden's J: recall + specificity - 1."""
        r = self.recall.mean
        return None if r is None or self.alarms is None else r - self.alarms

    def f_beta(self, beta: float) -> float | None:
        """Van Rijsbergen's F: recall counts β times as much as precision."""
        p, r = self.precision.mean, self.recall.mean
        if r is None:
            return None
        if not p or not r:
            return 0.0
        return (1 + beta**2) * p * r / (beta**2 * p + r)


def cut_points(values: Floats, today: float | None = None) -> list[float]:
    """Every threshold that flags other answers than the next, ascending, within 0–1.

    One between each two neighbouring values: the middle, rounded as far as it stays in the middle
    half; 0 to flag nothing; and one above the highest value, unless that is 1, which no threshold
    flags. Today's threshold stands for the one that flags the same.
    """
    ordered = np.unique(values)
    if not ordered.size:
        return []
    after = np.flatnonzero(np.diff(ordered) > _APART)
    gaps = [(float(ordered[i]), float(ordered[i + 1])) for i in after]
    top = float(ordered[-1])
    if 1 - top > _APART:
        gaps.append((top, 1.0))
    return [0.0, *(_cut(low, high, today) for low, high in gaps)]


def _cut(low: float, high: float, today: float | None) -> float:
    if today is not None and low < today - HAIR <= high:
        return today
    return between(low, high)


def between(low: float, high: float) -> float:
    """The middle of two numbers, with as few digits as leave it in the middle half."""
    middle = (low + high) / 2
    for digits in range(1, _MOST_DIGITS):
        short = round(middle, digits)
        if abs(short - middle) <= (high - low) / 4:
            return short
    return middle


def flag_quality(spoken: LabelledScores, flags: Flags) -> FlagQuality:
    """What these flags are worth."""
    weights, ng = spoken.weights, spoken.ng
    heaviest = float(weights.max()) if weights.size else 1.0
    of_flags = float(weights[flags].max()) if flags.any() else 1.0
    right = weights * (flags & ng)
    ok = float((weights * ~ng).sum())
    return FlagQuality(
        flagged=clustered_ratio(weights * flags, weights, spoken.talks, heaviest),
        precision=clustered_ratio(right, weights * flags, spoken.talks, of_flags),
        recall=clustered_ratio(right, weights * ng, spoken.talks, heaviest),
        alarms=float((weights * (flags & ~ng)).sum()) / ok if ok > 0 else None,
    )


def precision_only(spoken: LabelledScores, flags: Flags) -> FlagQuality:
    """The same where only flagged answers were looked at: all that can be told of these flags."""
    return FlagQuality(Interval(None), flag_quality(spoken, flags).precision, Interval(None))


@dataclass(frozen=True, slots=True)
class Objective:
    """What a good threshold is.

    f: the greatest F_β (`number` is β: recall counts β times as much as precision). youden: the
    greatest recall + specificity - 1. miss-rate: the least threshold that is promised to miss at
    most the share `number` of what people call NG.
    """

    kind: Literal["f", "youden", "miss-rate"]
    number: float = 2.0

    def __str__(self) -> str:
        """As it is typed: `f2`, `youden`, `miss-rate=0.1`."""
        if self.kind == "youden":
            return self.kind
        return f"f{self.number:g}" if self.kind == "f" else f"miss-rate={self.number:g}"

    def worth(self, quality: FlagQuality) -> float | None:
        """What is to be as great as can be; of a promise F2, which it does not go by."""
        if self.kind == "youden":
            return quality.youden
        return quality.f_beta(self.number if self.kind == "f" else 2.0)

    @property
    def talks_needed(self) -> int:
        """So many conversations with an NG answer a promise needs at least: n ≥ 1/α - 1."""
        return math.ceil(1 / self.number - 1 - _TIED) if self.kind == "miss-rate" else 0


@dataclass(frozen=True, slots=True)
class Spread:
    """How sure a chosen threshold is, over samples drawn anew from the conversations.

    `same`: the share of these that choose the same one; `low`–`high` hold 95 % of what is chosen;
    `none`: the share in which none can be chosen.
    """

    same: float
    low: float
    high: float
    none: float


class Choice:
    """The thresholds of some answers, weighed by an objective.

    Of thresholds that are equally good the lowest is chosen: it flags least. Today's is kept where
    none is better by more than what is printed.
    """

    def __init__(
        self, spoken: LabelledScores, objective: Objective, today: float | None = None
    ) -> None:
        self.objective = objective
        self.cuts = cut_points(spoken.values, today)
        self._today = self.cuts.index(today) if today and today in self.cuts else None
        order = np.argsort(spoken.values, kind="stable")
        self._ends = np.searchsorted(
            spoken.values[order], np.asarray(self.cuts) - HAIR, side="left"
        )
        self._spoken = spoken.where(order)
        self._losses, self._talks, self._most = _losses(self._spoken)

    def best(self) -> float | None:
        """The threshold; None where there is not both OK and NG, or no promise can be kept."""
        place = int(self.chosen(np.ones((1, self._count)))[0])
        return None if place < 0 else self.cuts[place]

    def chosen(self, times: Floats) -> Places:
        """The place of the best threshold in `cuts`, -1 for none.

        Args:
            times: rows of how often each conversation is there.
        """
        weights = times[:, self._spoken.talks]
        if self.objective.kind == "miss-rate":
            return self._promised(times, weights)
        mass = weights * self._spoken.weights
        right = self._below(mass * self._spoken.ng)
        wrong = self._below(mass * ~self._spoken.ng)
        bad = (mass * self._spoken.ng).sum(axis=1, keepdims=True)
        good = (mass * ~self._spoken.ng).sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.objective.kind == "youden":
                worth = right / bad - wrong / good
            else:
                square = self.objective.number**2
                worth = (1 + square) * right / (square * bad + right + wrong)
        worth[((bad <= 0) | (good <= 0))[:, 0]] = -np.inf
        best = worth.max(axis=1, keepdims=True)
        place: Places = np.argmax(worth >= best - _TIED, axis=1)
        if self._today is not None:
            kept = np.round(worth[:, self._today], PRINTED) >= np.round(best[:, 0], PRINTED)
            place = np.where(kept, self._today, place)
        return np.where(np.isfinite(best[:, 0]), place, -1)

    def _promised(self, times: Floats, weights: Floats) -> Places:
        """Conformal risk control: inf{λ : n/(n+1) · R̂(λ) + 1/(n+1) ≤ α}.

        Angelopoulos, Bates, Fisch, Lei & Schuster (2022), arXiv:2208.02814. The loss of a
        conversation with an NG answer is the share of its NG answers that is not flagged, and
        these conversations are the n. Where they have weights v, the new one is taken to have the
        greatest (their covariate shift): (Σ v·loss + v_max) / (Σ v + v_max).
        """
        lost = weights * self._losses
        missed = lost.sum(axis=1, keepdims=True) - self._below(lost)
        whole = (times @ self._talks)[:, None]
        bound = (missed + self._most) / (whole + self._most)
        kept = bound <= self.objective.number + _TIED
        places: Places = np.where(kept.any(axis=1), np.argmax(kept, axis=1), -1)
        return places

    def _below(self, mass: Floats) -> Floats:
        """The sums over what each threshold flags: rows × thresholds."""
        sums = np.zeros((mass.shape[0], mass.shape[1] + 1))
        np.cumsum(mass, axis=1, out=sums[:, 1:])
        below: Floats = sums[:, self._ends]
        return below

    @property
    def _count(self) -> int:
        return len(self._talks)

    def spread(self, seed: int = 0) -> Spread | None:
        """How sure `best` is; None where there is none."""
        best = self.best()
        if best is None:
            return None
        draw, n = np.random.default_rng(seed), self._count
        places = np.concatenate(
            [
                self.chosen(draw.multinomial(n, np.full(n, 1 / n), size).astype(float))
                for size in portions(RESAMPLES, len(self._spoken.values), _AT_ONCE)
            ]
        )
        chosen = np.asarray(self.cuts)[places[places >= 0]]
        none = 1 - len(chosen) / RESAMPLES
        if not len(chosen):
            return Spread(0.0, best, best, none)
        low, high = np.quantile(chosen, [0.025, 0.975], method="nearest")
        return Spread(float((chosen == best).sum()) / RESAMPLES, float(low), float(high), none)


def _losses(spoken: LabelledScores) -> tuple[Floats, Floats, float]:
    """By answer: what its conversation loses if it is missed. By conversation: its weight.

    The weight of a conversation is the mean over its NG answers; last comes the greatest weight.
    """
    count = int(spoken.talks.max()) + 1 if spoken.talks.size else 0
    mass = spoken.weights * spoken.ng
    sums = np.bincount(spoken.talks, mass, count)
    numbers = np.bincount(spoken.talks, spoken.ng, count)
    talks = np.divide(sums, numbers, out=np.zeros(count), where=numbers > 0)
    shares = np.divide(talks, sums, out=np.zeros(count), where=sums > 0)
    return mass * shares[spoken.talks], talks, float(talks.max(initial=0.0)) or 1.0


def cross_fitted(
    spoken: LabelledScores, objective: Objective, today: float | None = None, seed: int = 0
) -> FlagQuality | None:
    """What a threshold that is chosen like this is worth on conversations it was not chosen on.

    Each tenth of the conversations is flagged by the threshold that the others speak for. None
    where some of them speak for none, as where there is one conversation only.
    """
    flags = np.zeros(len(spoken.values), dtype=bool)
    fold = _folds(spoken, seed)[spoken.talks]
    folds = int(fold.max(initial=-1)) + 1
    if folds < 2:
        return None
    for number in range(folds):
        held_out = fold == number
        threshold = Choice(spoken.where(~held_out), objective, today).best()
        if threshold is None:
            return None
        flags[held_out] = spoken.flags(threshold)[held_out]
    return flag_quality(spoken, flags)


def _folds(spoken: LabelledScores, seed: int) -> Places:
    """Of each conversation its fold; those with an NG answer are dealt out evenly."""
    count = int(spoken.talks.max()) + 1 if spoken.talks.size else 0
    has_ng = np.bincount(spoken.talks, spoken.ng, count) > 0
    shuffled = np.random.default_rng(seed).permutation(count)
    dealt = shuffled[np.argsort(~has_ng[shuffled], kind="stable")]
    folds = np.empty(count, dtype=np.intp)
    folds[dealt] = np.arange(count) % min(FOLDS, max(1, count))
    return folds


def with_choice(own: FlagQuality, fresh: FlagQuality | None, spoken: LabelledScores) -> FlagQuality:
    """The quality of a threshold that was chosen on the very answers, with intervals that know it.

    Each interval reaches over that of its own answers and over the cross-fitted one (`fresh`; see
    `cross_fitted`): the one is too high, the other is that of several thresholds. Alone they cover
    the printed threshold's true recall and precision in .87 and .80 of all samples at worst, both
    together in .92 and more (`python -m benchmarks coverage`). A threshold is chosen where nothing
    bad was seen above it: so the lower end of recall is that with one NG answer more, as heavy as
    any, that is missed (the n + 1 of a promised miss rate). Without `fresh` there are no ends.
    """
    if fresh is None:
        return replace(
            own, precision=Interval(own.precision.mean), recall=Interval(own.recall.mean)
        )
    return replace(
        own,
        precision=_over(own.precision, fresh.precision),
        recall=_one_missed(_over(own.recall, fresh.recall), spoken),
    )


def _one_missed(recall: Interval, spoken: LabelledScores) -> Interval:
    total = float(spoken.weights[spoken.ng].sum())
    if recall.low is None or total <= 0:
        return recall
    return replace(recall, low=recall.low * total / (total + float(spoken.weights.max())))


def _over(own: Interval, other: Interval) -> Interval:
    """The first with ends that hold both."""
    if own.low is None or own.high is None or other.low is None or other.high is None:
        return Interval(own.mean)
    return Interval(own.mean, min(own.low, other.low), max(own.high, other.high))


def tells(spoken: LabelledScores) -> Interval:
    """The AUC: the chance that an OK answer has the higher value than an NG one; see `auc`."""
    ok, ng = ~spoken.ng, spoken.ng
    return auc(
        spoken.values[ok].tolist(),
        spoken.values[ng].tolist(),
        spoken.talks[ok].tolist(),
        spoken.talks[ng].tolist(),
    )
