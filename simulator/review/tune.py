"""Which threshold of a metric people's verdicts speak for, and what it would catch and miss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from simulator.core.errors import InputError
from simulator.core.verdict import Word
from simulator.files.client.loading import LoadedClient
from simulator.files.client.metrics import MetricNames
from simulator.formats.complaints import hint, shown
from simulator.review.flag_shares import FlagShares
from simulator.review.labels import Labelled, Why, choose_runs, labels_of
from simulator.review.usable import Sorted, Unused, spoken_of
from simulator.statistics.choosing import Choice, Objective, Spread, cross_fitted
from simulator.statistics.cutoffs import Caught, Spoken, caught, cut_points, precision_only
from simulator.store.store import Store

FEWEST = 30
"""So many verdicts of OK or NG a threshold needs at least to be written."""
FEWEST_OF_A_KIND = 5
_LISTED = 200  # candidates; of more, some evenly over the answers


class Obstacle(StrEnum):
    """Why no threshold is recommended, or why one is not written."""

    NO_METRIC = "no_metric"  # no reviewed run has it
    FEW = "few"  # verdicts
    NO_RECALL = "no_recall"  # only flagged turns were reviewed
    NO_PRECISION = "no_precision"  # no flagged turn was
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
        represents: whether the verdicts speak for flagged and unflagged answers. Where they
            speak for flagged ones alone, precision is all that is known, of thresholds up to
            those that flagged; for unflagged ones alone (`NO_PRECISION`): nothing.
        candidates: the thresholds that tell answers apart, ascending (at most 200).
        own: the client's threshold now, if it has one.
        today: what that does; None where it is not known.
        best: the recommended one; None: see `obstacles`. Where `keeps_today`, today's is as good.
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
        now = self.objective.worth(today.caught)
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
    spoken = spoken_of(labels, labelled.name)
    runs = tuple(dict.fromkeys(label.run for label in labels))
    own = loaded.client.thresholds.get(labelled.name)
    reach = 1.0 if represents else sorted_.reach(labels)
    flags_seen = represents or not labels or not labels[0].drawn
    cuts = [cut for cut in cut_points(spoken.values, own) if cut <= reach and flags_seen]
    shares = FlagShares(store, runs if represents else (), labelled.name)

    def candidate(threshold: float) -> Candidate:
        flags = spoken.flags(threshold)
        if not represents:
            return Candidate(threshold, precision_only(spoken, flags))
        known = shares.under(threshold)
        return Candidate(threshold, replace(caught(spoken, flags), flagged=known))

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
        heaviest=float(spoken.weights.max(initial=1.0)),
        represents=represents,
        candidates=tuple(map(candidate, _some(cuts))),
        own=own,
        today=candidate(own)
        if own is not None and own <= reach and labels and flags_seen
        else None,
        best=None,
        fresh=None,
        spread=None,
        obstacles=(),
    )
    recommended = _recommended(found, spoken, flags_seen=flags_seen)
    best = recommended.best
    return replace(recommended, best=candidate(best.threshold)) if best else recommended


def _some(cuts: Sequence[float]) -> Sequence[float]:
    if len(cuts) <= _LISTED:
        return cuts
    return [cuts[round(i * (len(cuts) - 1) / (_LISTED - 1))] for i in range(_LISTED)]


def _recommended(found: Tuning, spoken: Spoken, *, flags_seen: bool) -> Tuning:
    if found.labelled.metric is None:
        own = any(left.why is not Why.CLIENT for left in found.labelled.left_out)
        lacks = Obstacle.NO_METRIC if own else Obstacle.FEW
        return replace(found, obstacles=(lacks,))
    obstacles = [Obstacle.FEW] if found.lacking[0] else []
    if not found.represents:
        lacks = Obstacle.NO_RECALL if flags_seen else Obstacle.NO_PRECISION
        return replace(found, obstacles=(*obstacles, lacks))
    if found.ng_talks < found.objective.talks_needed:
        return replace(found, obstacles=(*obstacles, Obstacle.FEW_TALKS))
    if obstacles:
        return replace(found, obstacles=tuple(obstacles))
    choice = Choice(spoken, found.objective, found.own)
    threshold = choice.best()
    if not threshold:  # 0 flags nothing: the scores tell nothing
        return replace(found, obstacles=(Obstacle.NO_CUT,))
    return replace(
        found,
        best=Candidate(threshold, caught(spoken, spoken.flags(threshold))),
        fresh=cross_fitted(spoken, found.objective, found.own),
        spread=choice.spread(),
    )
