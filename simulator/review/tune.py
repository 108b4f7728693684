"""Which threshold of a metric people's verdicts speak for, and what it would catch and miss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from simulator.core.errors import InputError
from simulator.core.outcome import Score
from simulator.core.verdict import Word
from simulator.files.client import LoadedClient
from simulator.files.client_metrics import MetricNames
from simulator.files.hints import hint, shown
from simulator.judging.thresholds import under
from simulator.review.labels import Label, Labelled, Why, choose_runs, labels_of
from simulator.statistics.choosing import Choice, Objective, Spread, cross_fitted
from simulator.statistics.cutoffs import Caught, Spoken, caught, cut_points, precision_only
from simulator.store.store import Store

FEWEST = 30
"""So many verdicts of OK or NG a threshold needs at least to be written."""
FEWEST_OF_A_KIND = 5
_LISTED = 200  # candidates; of more, some evenly over the answers


class Unused(StrEnum):
    """Why a verdict is not used."""

    UNSURE = "unsure"  # the people themselves, or because they differ
    UNSCORED = "unscored"  # the metric has no score there
    UNDRAWN = "undrawn"  # nobody drew that turn, so it stands for no other
    FLAGGED_ONLY = "flagged_only"  # of that run only flagged turns were reviewed
    OTHER_FLAG = "other_flag"  # flagged by something else than this metric and yardstick


class Obstacle(StrEnum):
    """Why no threshold is recommended, or why one is not written."""

    NO_METRIC = "no_metric"  # no reviewed run has it
    FEW = "few"  # verdicts
    NO_RECALL = "no_recall"  # only flagged turns were reviewed
    FEW_TALKS = "few_talks"  # with an NG answer, for a promise
    NO_CUT = "no_cut"  # no threshold keeps the promise, is better than none, or all are alike


@dataclass(frozen=True, slots=True)
class Candidate:
    """A threshold and what it would do to the answers that people spoke of."""

    threshold: float
    caught: Caught


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the verdicts of a client's runs say of one metric's threshold.

    Attributes:
        labelled: the metric, what it was measured with, the runs usable and left out.
        runs: those whose scores are used.
        ok: verdicts used; likewise `ng`.
        unused: verdicts that are not used, by reason.
        talks: conversations with a verdict that is used; `ng_talks` those with an NG answer.
        represents: whether the verdicts speak for unflagged answers, too. Where they do not,
            precision is all that is known, of thresholds up to those that flagged.
        candidates: the thresholds that tell answers apart, ascending (at most 200).
        own: the client's threshold now, if it has one.
        today: what that does; None where it is not known.
        best: the recommended one; None: see `obstacles`.
        fresh: what one chosen like this is worth on conversations that it was not chosen on.
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
    heaviest: float
    represents: bool
    candidates: tuple[Candidate, ...]
    own: float | None
    today: Candidate | None
    best: Candidate | None
    fresh: Caught | None
    spread: Spread | None
    obstacles: tuple[Obstacle, ...]

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
    def can_be_written(self) -> bool:
        """Whether the recommended threshold rests on enough."""
        return self.best is not None and not self.obstacles


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
    sorted_ = _Sorted(labelled)
    for label in labels_of(store, labelled.used):
        sorted_.add(label)
    return _tuning(loaded, labelled, objective, sorted_)


def _check(loaded: LoadedClient, metric: str | None) -> None:
    known = MetricNames(loaded.shelf.rubrics(loaded.client.language)).all()
    if metric is not None and metric not in known and ":" not in metric:
        raise InputError(f"--metric: no metric {shown(metric)}; {hint(metric, known)}")


class _Sorted:
    """Labels that can be used, and why others cannot."""

    def __init__(self, labelled: Labelled) -> None:
        self._metric = labelled.name
        self._thresholds = {r.id: r.thresholds.get(labelled.name) for r in labelled.used}
        self._of_all: list[Label] = []
        self._of_flagged: list[Label] = []
        self.unused: Counter[Unused] = Counter()

    def add(self, label: Label) -> None:
        why = self._why_not(label)
        if why is not None:
            self.unused[why] += 1
        else:
            (self._of_all if label.represents else self._of_flagged).append(label)

    def _why_not(self, label: Label) -> Unused | None:
        if label.word is Word.UNSURE:
            return Unused.UNSURE
        if not isinstance(label.outcomes.get(self._metric), Score):
            return Unused.UNSCORED
        return Unused.UNDRAWN if label.weight is None else None

    def chosen(self) -> tuple[list[Label], bool]:
        """The labels that go together, and whether they speak for all turns."""
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
        of_metric = threshold is not None and under(value_of(label, self._metric), threshold)
        return label.own and of_metric


def value_of(label: Label, metric: str) -> float:
    """The metric's value on a turn; not a number where there is none."""
    outcome = label.outcomes.get(metric)
    return outcome.value if isinstance(outcome, Score) else float("nan")


def spoken_of(labels: Sequence[Label], metric: str) -> Spoken:
    """The labels as arrays; each has a score and a weight."""
    import numpy as np

    talks: dict[tuple[str, str], int] = {}
    return Spoken(
        values=np.array([value_of(label, metric) for label in labels], dtype=float),
        ng=np.array([label.word is Word.NG for label in labels], dtype=bool),
        weights=np.array([label.weight or 0.0 for label in labels], dtype=float),
        talks=np.array([talks.setdefault(x.talk, len(talks)) for x in labels], dtype=np.intp),
    )


def _tuning(
    loaded: LoadedClient, labelled: Labelled, objective: Objective, sorted_: _Sorted
) -> Tuning:
    labels, represents = sorted_.chosen()
    spoken = spoken_of(labels, labelled.name)
    figures = caught if represents else precision_only
    reach = 1.0 if represents else sorted_.reach(labels)
    cuts = [cut for cut in cut_points(spoken.values) if cut <= reach]
    own = loaded.client.thresholds.get(labelled.name)
    ng_talks = len({label.talk for label in labels if label.word is Word.NG})
    found = Tuning(
        client=loaded.client.name,
        labelled=labelled,
        runs=tuple(dict.fromkeys(label.run for label in labels)),
        objective=objective,
        ok=int((~spoken.ng).sum()),
        ng=int(spoken.ng.sum()),
        unused=+sorted_.unused,
        talks=len({label.talk for label in labels}),
        ng_talks=ng_talks,
        heaviest=float(spoken.weights.max(initial=1.0)),
        represents=represents,
        candidates=tuple(Candidate(t, figures(spoken, spoken.flags(t))) for t in _some(cuts)),
        own=own,
        today=Candidate(own, figures(spoken, spoken.flags(own)))
        if own is not None and own <= reach and labels
        else None,
        best=None,
        fresh=None,
        spread=None,
        obstacles=(),
    )
    return _recommended(found, spoken)


def _some(cuts: Sequence[float]) -> Sequence[float]:
    if len(cuts) <= _LISTED:
        return cuts
    return [cuts[round(i * (len(cuts) - 1) / (_LISTED - 1))] for i in range(_LISTED)]


def _recommended(found: Tuning, spoken: Spoken) -> Tuning:
    if found.labelled.metric is None:
        own = any(left.why is not Why.CLIENT for left in found.labelled.left_out)
        lacks = Obstacle.NO_METRIC if own else Obstacle.FEW
        return replace(found, obstacles=(lacks,))
    obstacles = [Obstacle.FEW] if found.lacking[0] else []
    if not found.represents:
        return replace(found, obstacles=(*obstacles, Obstacle.NO_RECALL))
    if found.ng_talks < found.objective.talks_needed:
        return replace(found, obstacles=(*obstacles, Obstacle.FEW_TALKS))
    choice = Choice(spoken, found.objective) if found.verdicts else None
    threshold = choice.best() if choice else None
    if choice is None or not threshold:  # 0 flags nothing: the scores tell nothing
        no_cut = [] if Obstacle.FEW in obstacles else [Obstacle.NO_CUT]
        return replace(found, obstacles=(*obstacles, *no_cut))
    best = Candidate(threshold, caught(spoken, spoken.flags(threshold)))
    return replace(
        found,
        best=best,
        fresh=cross_fitted(spoken, found.objective),
        spread=choice.spread(),
        obstacles=tuple(obstacles),
    )
