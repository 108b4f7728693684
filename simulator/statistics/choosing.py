"""The threshold that verdicts speak for, how good it is on other answers, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from simulator.statistics.cutoffs import (
    FlagQuality,
    Floats,
    LabelledScores,
    cut_points,
    flag_quality,
)
from simulator.statistics.intervals import HAIR, portions

Places = NDArray[np.intp]

FOLDS = 10
RESAMPLES = 1000
_AT_ONCE = 2_000_000  # numbers in memory at once
_TIED = 1e-12
PRINTED = 2
"""Digits of an objective that are shown, and that one threshold has to be better by."""


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

    def worth(self, found: FlagQuality) -> float | None:
        """What is to be as great as can be; of a promise F2, which it does not go by."""
        if self.kind == "youden":
            return found.youden
        return found.f_beta(self.number if self.kind == "f" else 2.0)

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
        self._spoken = LabelledScores(
            spoken.values[order], spoken.ng[order], spoken.weights[order], spoken.talks[order]
        )
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
        found: Places = np.where(kept.any(axis=1), np.argmax(kept, axis=1), -1)
        return found

    def _below(self, mass: Floats) -> Floats:
        """The sums over what each threshold flags: rows × thresholds."""
        sums = np.zeros((mass.shape[0], mass.shape[1] + 1))
        np.cumsum(mass, axis=1, out=sums[:, 1:])
        found: Floats = sums[:, self._ends]
        return found

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
