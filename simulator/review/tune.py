"""Which threshold of a metric people's verdicts speak for, and what it would catch and miss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from simulator.core.errors import InputError
from simulator.core.outcome import Interval, Score
from simulator.core.talk import StopReason
from simulator.core.verdict import Word
from simulator.files.client.folder import LoadedClient
from simulator.files.client.metrics import MetricNames
from simulator.formats.complaints import hint, shown
from simulator.review.verdict_labels import (
    FEWEST,
    FEWEST_OF_A_KIND,
    FEWEST_TALKS,
    Exclusion,
    Label,
    Labelled,
    choose_runs,
    labels_of,
)
from simulator.statistics.intervals import HAIR, under
from simulator.statistics.thresholds import (
    Choice,
    FlagQuality,
    LabelledScores,
    Objective,
    Spread,
    cross_fitted,
    cut_points,
    flag_quality,
    precision_only,
    tells,
    with_choice,
)
from simulator.store.store import Store

_CHANCE = 0.5  # an AUC
_UNKNOWN = Interval(None)
_LISTED = 200  # candidates; of more, some evenly over the answers


class Unused(StrEnum):
    """Why a verdict is not used."""

    UNSURE = "unsure"  # the people themselves, or because they differ
    UNSCORED = "unscored"  # the metric has no score there
    UNDRAWN = "undrawn"  # nobody drew that turn, so it stands for no other
    FLAGGED_ONLY = "flagged_only"  # of that run only flagged turns were reviewed
    UNFLAGGED_ONLY = "unflagged_only"  # of that run only drawn turns were, while others are flagged
    OTHER_FLAG = "other_flag"  # flagged by something else than this metric and instrument


class Sorted:
    """Labels that can be used, by what they speak for, and why others cannot."""

    def __init__(self, labelled: Labelled) -> None:
        self._metric = labelled.name
        self._thresholds = {r.id: r.thresholds.get(labelled.name) for r in labelled.used}
        self._of_all: list[Label] = []
        self._of_flagged: list[Label] = []
        self._of_unflagged: list[Label] = []
        self.unused: Counter[Unused] = Counter()

    def add(self, label: Label) -> None:
        """Put one where it belongs."""
        why = self._why_not(label)
        if why is not None:
            self.unused[why] += 1
        elif label.represents:
            self._of_all.append(label)
        else:
            (self._of_unflagged if label.drawn else self._of_flagged).append(label)

    def _why_not(self, label: Label) -> Unused | None:
        if label.word is Word.UNSURE:
            return Unused.UNSURE
        if not isinstance(label.outcomes.get(self._metric), Score):
            return Unused.UNSCORED
        return Unused.UNDRAWN if label.weight is None else None

    def chosen(self) -> tuple[list[Label], bool]:
        """The labels that go together, and whether they speak for all turns."""
        if not self._of_all and not self._of_flagged and self._of_unflagged:
            return self._of_unflagged, False
        self.unused[Unused.UNFLAGGED_ONLY] += len(self._of_unflagged)
        if self._of_all or not self._of_flagged:
            self.unused[Unused.FLAGGED_ONLY] += len(self._of_flagged)
            return self._of_all, True
        kept = [label for label in self._of_flagged if self._is_under(label)]
        self.unused[Unused.OTHER_FLAG] += len(self._of_flagged) - len(kept)
        return kept, False

    def reach(self, labels: Sequence[Label]) -> float:
        """Up to which threshold every flagged answer was shown to people."""
        found = [self._thresholds[label.run] for label in labels]
        return min((t for t in found if t is not None), default=0.0)

    def _is_under(self, label: Label) -> bool:
        threshold = self._thresholds[label.run]
        of_metric = threshold is not None and under(metric_value(label, self._metric), threshold)
        return label.own and of_metric


def metric_value(label: Label, metric: str) -> float:
    """The metric's value on a turn; not a number where there is none."""
    outcome = label.outcomes.get(metric)
    return outcome.value if isinstance(outcome, Score) else float("nan")


def labelled_scores(labels: Sequence[Label], metric: str) -> LabelledScores:
    """The labels as arrays; each has a score and a weight."""
    talks: dict[tuple[str, str], int] = {}
    return LabelledScores(
        values=np.array([metric_value(label, metric) for label in labels], dtype=float),
        ng=np.array([label.word is Word.NG for label in labels], dtype=bool),
        weights=np.array([label.weight or 0.0 for label in labels], dtype=float),
        talks=np.array([talks.setdefault(x.talk, len(talks)) for x in labels], dtype=np.intp),
    )


class FlagShares:
    """The values of a metric on all turns of some runs that have one.

    What an invalid user was answered is left out, as it is of verdicts.
    """

    def __init__(self, store: Store, runs: Collection[str], metric: str) -> None:
        self._values = np.sort(
            [
                outcome.value
                for run in runs
                for episode in store.episodes(run)
                if episode.stop.reason is not StopReason.USER_INVALID
                for turn in episode.turns
                if isinstance(outcome := turn.outcomes.get(metric), Score)
            ]
        )

    def under(self, threshold: float) -> Interval:
        """The share of these that the threshold flags, 0-1; it is known, so it has no interval."""
        if not self._values.size:
            return Interval(None)
        below = np.searchsorted(self._values, threshold - HAIR, side="left")
        return Interval(float(below) / self._values.size)


class Obstacle(StrEnum):
    """Why no threshold is recommended, or why one is not written."""

    NO_METRIC = "no_metric"  # no reviewed run has it
    FEW = "few"  # verdicts
    FEW_CONVERSATIONS = "few_conversations"  # that the verdicts are from
    NO_RECALL = "no_recall"  # only flagged turns were reviewed
    NO_PRECISION = "no_precision"  # no flagged turn was
    FEW_TALKS = "few_talks"  # with an NG answer, for a promise
    TELLS_NOTHING = "tells_nothing"  # chance lies within the interval of its AUC
    NO_CUT = "no_cut"  # no threshold keeps the promise, is better than none, or all are alike


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A threshold and what it would do to the answers that people spoke of."""

    threshold: float
    quality: FlagQuality


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the verdicts of a client's runs say of one metric's threshold.

    Attributes:
        labelled: the metric, what it was measured with, the runs usable and left out.
        runs: those whose scores are used.
        ok: verdicts used; likewise `ng`.
        unused: verdicts that are not used, by reason.
        talks: conversations with a verdict that is used; `ng_talks` those with an NG answer,
            `ok_talks` those with an OK one.
        represents: whether the verdicts speak for flagged and unflagged answers. Where they
            speak for flagged ones alone, precision is all that is known, of thresholds up to
            those that flagged; for unflagged ones alone (`NO_PRECISION`): nothing.
        candidates: the thresholds that tell answers apart, ascending (at most 200).
        own: the client's threshold now, if it has one.
        today: what that does; None where it is not known.
        best: the recommended one; None: see `obstacles`. Where `keeps_today`, today's is as good.
            Its intervals know that it was chosen on these verdicts (see `with_choice`).
        fresh: what one chosen like this is worth on conversations that it was not chosen on, with
            the intervals of `best`.
        auc: the chance that an OK answer has the higher value than an NG one.
    """

    client: str
    labelled: Labelled
    runs: tuple[str, ...]
    objective: Objective
    ok: int
    ng: int
    unused: Counter[Unused]
    talks: int
    ng_talks: int
    ok_talks: int
    heaviest: float
    represents: bool
    candidates: tuple[OperatingPoint, ...]
    own: float | None
    today: OperatingPoint | None
    best: OperatingPoint | None = None
    fresh: FlagQuality | None = None
    spread: Spread | None = None
    auc: Interval = _UNKNOWN
    obstacles: tuple[Obstacle, ...] = ()

    @property
    def verdicts(self) -> int:
        """How many are used."""
        return self.ok + self.ng

    @property
    def lacking(self) -> tuple[int, int, int]:
        """How many verdicts are still needed; of these at least so many OK, and so many NG."""
        ok, ng = (max(0, FEWEST_OF_A_KIND - n) for n in (self.ok, self.ng))
        return max(FEWEST - self.verdicts, ok + ng), ok, ng

    @property
    def lacking_talks(self) -> tuple[int, int, int]:
        """Of how many conversations more there have to be verdicts; likewise OK, and NG ones."""
        ok, ng = (max(0, FEWEST_OF_A_KIND - n) for n in (self.ok_talks, self.ng_talks))
        return max(0, FEWEST_TALKS - self.talks), ok, ng

    @property
    def can_be_written(self) -> bool:
        """Whether the recommended threshold rests on enough, and is not advised against."""
        return self.best is not None and not self.obstacles and not self.keeps_today

    @property
    def keeps_today(self) -> bool:
        """Whether another threshold is recommended that is no clear gain over today's.

        Today's was not chosen on these verdicts, so it is laid beside what the other one is worth
        on conversations that it was not chosen on. A promise is kept or not, and no gain.
        """
        best, today = self.best, self.today
        is_promise = self.objective.kind == "miss-rate"
        if not best or not today or is_promise or best.threshold == today.threshold:
            return False
        spread, fresh = self.spread, self.fresh
        if spread and spread.same < 0.5 and spread.low <= today.threshold <= spread.high:
            return True
        now = self.objective.worth(today.quality)
        then = self.objective.worth(fresh) if fresh else None
        return now is not None and then is not None and now >= then


def tune(store: Store, loaded: LoadedClient, metric: str | None, objective: Objective) -> Tuning:
    """What the verdicts in the store say of a metric's threshold.

    Args:
        store: where the client's runs are.
        loaded: the client.
        metric: None: the usual one; see `choose_runs`.
        objective: what a good threshold is.

    Raises:
        InputError: there is no such metric, or it speaks of whole conversations.
    """
    _check(loaded, metric)
    labelled = choose_runs(store, loaded, metric)
    if labelled.metric is not None and labelled.metric.scope != "turn":
        raise InputError(
            f"{labelled.name} speaks of whole conversations, and people's verdicts speak of turns; "
            "name a metric of turns with --metric"
        )
    sorted_ = Sorted(labelled)
    for label in labels_of(store, labelled.used):
        sorted_.add(label)
    return _tuning(store, loaded, labelled, objective, sorted_)


def _check(loaded: LoadedClient, metric: str | None) -> None:
    known = MetricNames(loaded.catalog.rubrics(loaded.client.language)).all()
    if metric is not None and metric not in known and ":" not in metric:
        raise InputError(f"--metric: no metric {shown(metric)}; {hint(metric, known)}")


def _tuning(
    store: Store, loaded: LoadedClient, labelled: Labelled, objective: Objective, sorted_: Sorted
) -> Tuning:
    labels, represents = sorted_.chosen()
    spoken = labelled_scores(labels, labelled.name)
    runs = tuple(dict.fromkeys(label.run for label in labels))
    own = loaded.client.thresholds.get(labelled.name)
    reach = 1.0 if represents else sorted_.reach(labels)
    flags_seen = represents or not labels or not labels[0].drawn
    cuts = [cut for cut in cut_points(spoken.values, own) if cut <= reach and flags_seen]
    shares = FlagShares(store, runs if represents else (), labelled.name)

    def candidate(threshold: float) -> OperatingPoint:
        flags = spoken.flags(threshold)
        if not represents:
            return OperatingPoint(threshold, precision_only(spoken, flags))
        known = shares.under(threshold)
        return OperatingPoint(threshold, replace(flag_quality(spoken, flags), flagged=known))

    ng_talks = len({label.talk for label in labels if label.word is Word.NG})
    found = Tuning(
        client=loaded.client.name,
        labelled=labelled,
        runs=runs,
        objective=objective,
        ok=int((~spoken.ng).sum()),
        ng=int(spoken.ng.sum()),
        unused=+sorted_.unused,
        talks=len({label.talk for label in labels}),
        ng_talks=ng_talks,
        ok_talks=len({label.talk for label in labels if label.word is Word.OK}),
        heaviest=float(spoken.weights.max(initial=1.0)),
        represents=represents,
        candidates=tuple(map(candidate, _some(cuts))),
        own=own,
        today=candidate(own)
        if own is not None and own <= reach and labels and flags_seen
        else None,
    )
    recommended = _recommended(found, spoken, flags_seen=flags_seen)
    best, fresh = recommended.best, recommended.fresh
    if best is None:
        return recommended
    quality = with_choice(candidate(best.threshold).quality, fresh, spoken)
    return replace(
        recommended,
        best=OperatingPoint(best.threshold, quality),
        fresh=fresh
        and replace(
            fresh,
            precision=replace(quality.precision, mean=fresh.precision.mean),
            recall=replace(quality.recall, mean=fresh.recall.mean),
        ),
    )


def _some(cuts: Sequence[float]) -> Sequence[float]:
    if len(cuts) <= _LISTED:
        return cuts
    return [cuts[round(i * (len(cuts) - 1) / (_LISTED - 1))] for i in range(_LISTED)]


def _recommended(found: Tuning, spoken: LabelledScores, *, flags_seen: bool) -> Tuning:
    obstacles = _obstacles(found, flags_seen=flags_seen)
    if obstacles:
        return replace(found, obstacles=obstacles)
    found = replace(found, auc=tells(spoken))
    if found.auc.low is None or found.auc.low <= _CHANCE:
        return replace(found, obstacles=(Obstacle.TELLS_NOTHING,))
    choice = Choice(spoken, found.objective, found.own)
    threshold = choice.best()
    if not threshold:  # 0 flags nothing: the scores tell nothing
        return replace(found, obstacles=(Obstacle.NO_CUT,))
    return replace(
        found,
        best=OperatingPoint(threshold, flag_quality(spoken, spoken.flags(threshold))),
        fresh=cross_fitted(spoken, found.objective, found.own),
        spread=choice.spread(),
    )


def _obstacles(found: Tuning, *, flags_seen: bool) -> tuple[Obstacle, ...]:
    """What has to be there before a threshold is looked for, and is not."""
    if found.labelled.metric is None:
        own = any(left.why is not Exclusion.CLIENT for left in found.labelled.left_out)
        return (Obstacle.NO_METRIC if own else Obstacle.FEW,)
    obstacles = []
    if found.lacking[0]:
        obstacles.append(Obstacle.FEW)
    elif any(found.lacking_talks):
        obstacles.append(Obstacle.FEW_CONVERSATIONS)
    if not found.represents:
        obstacles.append(Obstacle.NO_RECALL if flags_seen else Obstacle.NO_PRECISION)
    elif found.ng_talks < found.objective.talks_needed:
        obstacles.append(Obstacle.FEW_TALKS)
    return tuple(obstacles)
