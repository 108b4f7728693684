"""Which threshold of a metric people's verdicts speak for, and what it would catch and miss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from simulator.core.errors import InputError
from simulator.core.outcome import Interval, Score
from simulator.core.talk import StopReason
from simulator.core.verdict import Word
from simulator.files.client.folder import LoadedClient
from simulator.files.client.metrics import MetricNames
from simulator.formats.sources import hint, shown
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
    Floats,
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


@dataclass(frozen=True, slots=True)
class _UsableLabels:
    """The labels that go together; `represents`: they speak for all turns."""

    labels: Sequence[Label]
    represents: bool
    unused: Counter[Unused]


def _usable(labels: Iterable[Label], labelled: Labelled) -> _UsableLabels:
    """The labels that can be used, by what they speak for, and why others cannot."""
    metric = labelled.name
    unused: Counter[Unused] = Counter()
    of_all, flagged, unflagged = list[Label](), list[Label](), list[Label]()
    for label in labels:
        if label.word is Word.UNSURE:
            unused[Unused.UNSURE] += 1
        elif not isinstance(label.outcomes.get(metric), Score):
            unused[Unused.UNSCORED] += 1
        elif label.weight is None:
            unused[Unused.UNDRAWN] += 1
        elif label.represents:
            of_all.append(label)
        else:
            (unflagged if label.drawn else flagged).append(label)
    if unflagged and not of_all and not flagged:
        return _UsableLabels(unflagged, represents=False, unused=unused)
    unused[Unused.UNFLAGGED_ONLY] += len(unflagged)
    if of_all or not flagged:
        unused[Unused.FLAGGED_ONLY] += len(flagged)
        return _UsableLabels(of_all, represents=True, unused=unused)
    thresholds = {
        run.id: run.thresholds[metric] for run in labelled.used if metric in run.thresholds
    }
    kept = [
        label
        for label in flagged
        if label.own and label.run in thresholds
        if under(metric_value(label, metric), thresholds[label.run])
    ]
    unused[Unused.OTHER_FLAG] += len(flagged) - len(kept)
    return _UsableLabels(kept, represents=False, unused=unused)


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


def values_of_all(store: Store, runs: Collection[str], metric: str) -> Floats:
    """The values of a metric on all turns of some runs that have one.

    What an invalid user was answered is left out, as it is of verdicts.
    """
    return np.array(
        [
            outcome.value
            for run in runs
            for episode in store.episodes(run)
            if episode.stop.reason is not StopReason.USER_INVALID
            for turn in episode.turns
            if isinstance(outcome := turn.outcomes.get(metric), Score)
        ]
    )


def share_flagged(values: Floats, threshold: float) -> Interval:
    """The share of values that a threshold flags, 0-1; it is known, so it has no interval."""
    return Interval(float((values < threshold - HAIR).mean()) if values.size else None)


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
            f"{labelled.name} rates whole conversations, but verdicts apply to turns; use a metric "
            "that scores turns (--metric)"
        )
    return _tuning(store, loaded, labelled, objective)


def _check(loaded: LoadedClient, metric: str | None) -> None:
    known = MetricNames(loaded.catalog.rubrics(loaded.client.language)).all()
    if metric is not None and metric not in known and ":" not in metric:
        raise InputError(f"--metric: no metric {shown(metric)}; {hint(metric, known)}")


def _tuning(store: Store, loaded: LoadedClient, labelled: Labelled, objective: Objective) -> Tuning:
    metric = labelled.name
    usable = _usable(labels_of(store, labelled.used), labelled)
    labels, represents = usable.labels, usable.represents
    spoken = labelled_scores(labels, metric)
    runs = tuple(dict.fromkeys(label.run for label in labels))
    own = loaded.client.thresholds.get(metric)
    reach = 1.0 if represents else _reach(labels, labelled)
    flags_seen = represents or not labels or not labels[0].drawn
    cuts = [cut for cut in cut_points(spoken.values, own) if cut <= reach and flags_seen]
    values = values_of_all(store, runs if represents else (), metric)

    def candidate(threshold: float) -> OperatingPoint:
        flags = spoken.flags(threshold)
        if not represents:
            return OperatingPoint(threshold, precision_only(spoken, flags))
        flagged = share_flagged(values, threshold)
        return OperatingPoint(threshold, replace(flag_quality(spoken, flags), flagged=flagged))

    is_known = own is not None and own <= reach and labels and flags_seen
    tuning = Tuning(
        client=loaded.client.name,
        labelled=labelled,
        runs=runs,
        objective=objective,
        ok=int((~spoken.ng).sum()),
        ng=int(spoken.ng.sum()),
        unused=+usable.unused,
        talks=len({label.talk for label in labels}),
        ng_talks=len({label.talk for label in labels if label.word is Word.NG}),
        ok_talks=len({label.talk for label in labels if label.word is Word.OK}),
        heaviest=float(spoken.weights.max(initial=1.0)),
        represents=represents,
        candidates=tuple(map(candidate, _some(cuts))),
        own=own,
        today=candidate(own) if own is not None and is_known else None,
    )
    return _recommended(tuning, spoken, candidate, flags_seen=flags_seen)


def _reach(labels: Sequence[Label], labelled: Labelled) -> float:
    """Up to which threshold every flagged answer was shown to people."""
    runs = {label.run for label in labels}
    thresholds = [run.thresholds.get(labelled.name) for run in labelled.used if run.id in runs]
    return min((t for t in thresholds if t is not None), default=0.0)


def _some(cuts: Sequence[float]) -> Sequence[float]:
    if len(cuts) <= _LISTED:
        return cuts
    return [cuts[round(i * (len(cuts) - 1) / (_LISTED - 1))] for i in range(_LISTED)]


def _recommended(
    tuning: Tuning,
    spoken: LabelledScores,
    candidate: Callable[[float], OperatingPoint],
    *,
    flags_seen: bool,
) -> Tuning:
    """The same with a threshold, or with what stands against one."""
    obstacles = _obstacles(tuning, flags_seen=flags_seen)
    if obstacles:
        return replace(tuning, obstacles=obstacles)
    tuning = replace(tuning, auc=tells(spoken))
    if tuning.auc.low is None or tuning.auc.low <= _CHANCE:
        return replace(tuning, obstacles=(Obstacle.TELLS_NOTHING,))
    choice = Choice(spoken, tuning.objective, tuning.own)
    threshold = choice.best()
    if not threshold:  # 0 flags nothing: the scores tell nothing
        return replace(tuning, obstacles=(Obstacle.NO_CUT,))
    fresh = cross_fitted(spoken, tuning.objective, tuning.own)
    quality = with_choice(candidate(threshold).quality, fresh, spoken)
    if fresh is not None:
        fresh = replace(
            fresh,
            precision=replace(quality.precision, mean=fresh.precision.mean),
            recall=replace(quality.recall, mean=fresh.recall.mean),
        )
    best = OperatingPoint(threshold, quality)
    return replace(tuning, best=best, fresh=fresh, spread=choice.spread())


def _obstacles(tuning: Tuning, *, flags_seen: bool) -> tuple[Obstacle, ...]:
    """What has to be there before a threshold is looked for, and is not."""
    if tuning.labelled.metric is None:
        own = any(left.why is not Exclusion.CLIENT for left in tuning.labelled.left_out)
        return (Obstacle.NO_METRIC if own else Obstacle.FEW,)
    obstacles = []
    if tuning.lacking[0]:
        obstacles.append(Obstacle.FEW)
    elif any(tuning.lacking_talks):
        obstacles.append(Obstacle.FEW_CONVERSATIONS)
    if not tuning.represents:
        obstacles.append(Obstacle.NO_RECALL if flags_seen else Obstacle.NO_PRECISION)
    elif tuning.ng_talks < tuning.objective.talks_needed:
        obstacles.append(Obstacle.FEW_TALKS)
    return tuple(obstacles)
