"""The JSON of `mogi tune`."""

from collections.abc import Mapping
from typing import TypeVar

from simulator.core.outcome import Interval
from simulator.execution.snapshot import Instrument
from simulator.formats.json_contracts import Count, Share, contract, filled
from simulator.review.tune import Obstacle, OperatingPoint, Tuning, Unused
from simulator.review.verdict_labels import Exclusion
from simulator.statistics.thresholds import FlagQuality, Spread

Flags = TypeVar("Flags", bound="FlagFigures")


@contract
class FlagFigures:
    """What some flags would catch."""

    flagged: Interval | None
    """The share that it flags."""
    precision: Interval | None
    """Of the flagged, those that are NG."""
    recall: Interval | None
    """Of the NG, those that are flagged."""
    miss_rate: Share | None
    """Of the NG, those that are not."""
    f2: Share | None
    """Precision and recall, recall counting double."""
    youden: float | None
    """Recall less the share of OK answers that are flagged."""


@contract
class Candidate(FlagFigures):
    """A threshold and what it would catch."""

    threshold: Share
    """Under which a turn is flagged."""


@contract
class UsedVerdicts:
    """Number of distinct answers that it's based on."""

    used: Count
    """All."""
    ok: Count
    """OK."""
    ng: Count
    """NG."""


@contract
class LackingVerdicts:
    """Verdicts that are lacking."""

    verdicts: Count
    """Verdicts."""
    ok: Count
    """OK."""
    ng: Count
    """NG."""


@contract
class UnusedRun:
    """A run whose verdicts are not used."""

    run: str
    """The run's id."""
    why: Exclusion
    """Why."""
    judge: str | None
    """The model that judged; null without one."""
    rubric: str | None
    """The rubric's fingerprint; null without one."""


@contract
class TuneFigures:
    """The output of `mogi tune CLIENT --json`; null if there's no result."""

    client: str
    """The client's name."""
    metric: str
    """The metric."""
    objective: str
    """What the threshold is the best for, such as f2."""
    judge: str | None
    """The model that judged; null without one."""
    rubric: str | None
    """The rubric's fingerprint; null without one."""
    verdicts: UsedVerdicts
    """Number of distinct answers that it's based on."""
    unused: Mapping[Unused, Count]
    """Verdicts that are not used, by why."""
    needed: LackingVerdicts
    """What is lacking."""
    conversations: Count
    """That the verdicts are from."""
    ng_conversations: Count
    """Of these with an NG answer."""
    ok_conversations: Count
    """With an OK answer."""
    auc: Interval | None
    """The chance that of an OK and an NG answer the OK one has the greater value."""
    represents: bool
    """Whether the figures speak of all turns."""
    runs: tuple[str, ...]
    """Runs that are used."""
    left_out: tuple[UnusedRun, ...]
    """Runs that are not."""
    today: Candidate | None
    """The threshold of today."""
    recommended: Candidate | None
    """The one that is recommended."""
    keep_today: bool
    """Whether that is today's."""
    cross_fitted: FlagFigures | None
    """What it would catch on verdicts that it was not chosen by."""
    spread: Spread | None
    """How far it would move with other verdicts."""
    candidates: tuple[Candidate, ...]
    """All that were tried."""
    obstacles: tuple[Obstacle, ...]
    """Why it's unknown."""
    written: str | None
    """The file that it was written to."""


def tuning_json(tuning: Tuning, written: str | None) -> TuneFigures:
    """The figures of a tuning; `written`: the file that the threshold was put into."""
    labelled, fresh = tuning.labelled, tuning.fresh
    return filled(
        TuneFigures,
        tuning,
        metric=labelled.name,
        objective=str(tuning.objective),
        **_measured_by(labelled.instrument),
        verdicts=UsedVerdicts(tuning.verdicts, tuning.ok, tuning.ng),
        needed=LackingVerdicts(*tuning.lacking),
        conversations=tuning.talks,
        ng_conversations=tuning.ng_talks,
        ok_conversations=tuning.ok_talks,
        auc=_known(tuning.auc),
        left_out=tuple(
            UnusedRun(left.run, left.why, **_measured_by(left.instrument))
            for left in labelled.left_out
        ),
        today=tuning.today and _candidate(tuning.today),
        recommended=tuning.best and _candidate(tuning.best),
        keep_today=tuning.keeps_today,
        cross_fitted=fresh and _flags(FlagFigures, fresh),
        candidates=tuple(map(_candidate, tuning.candidates)),
        written=written,
    )


def _measured_by(instrument: Instrument) -> dict[str, str | None]:
    return {"judge": instrument.judge or None, "rubric": instrument.rubric or None}


def _known(interval: Interval) -> Interval | None:
    return None if interval.mean is None else interval


def _candidate(point: OperatingPoint) -> Candidate:
    return _flags(Candidate, point.quality, threshold=point.threshold)


def _flags(kind: type[Flags], quality: FlagQuality, **more: float) -> Flags:
    recall = quality.recall.mean
    return filled(
        kind,
        quality,
        flagged=_known(quality.flagged),
        precision=_known(quality.precision),
        recall=_known(quality.recall),
        miss_rate=None if recall is None else 1 - recall,
        f2=quality.f_beta(2),
        **more,
    )
