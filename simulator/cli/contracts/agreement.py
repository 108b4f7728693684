"""The JSON of `mogi agreement`."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Literal, TypeVar

from simulator.cli.contracts.compare import FaultTable
from simulator.core.verdict import Faults, Word
from simulator.formats.json_contracts import Count, Share, contract, filled
from simulator.review.agreement import (
    Agreement,
    NoAgreement,
    RaterAgreement,
    Sides,
    Statistic,
)
from simulator.review.verdict_labels import Exclusion, LeftOut, Person


@contract
class Figure:
    """A value with its 95% interval; null if undefined."""

    mean: float | None
    """The estimate."""
    low: float | None
    """The lower end."""
    high: float | None
    """The upper end."""
    n: Count
    """Pairs of words that it is made of."""


@contract
class RaterFigures:
    """Two sides that spoke of the same turns."""

    turns: Count
    """That were compared."""
    pairs: Count
    """Pairs of words on them."""
    unsure: Count
    """Of these with somebody unsure."""
    agreement: Figure
    """How often they say the same."""
    kappa: Figure
    """Cohen's kappa, -1 to 1."""
    quadratic_kappa: Figure
    """Kappa with unsure halfway between NG and OK."""
    alpha: Figure
    """Krippendorff's alpha, -1 to 1."""


@contract
class WithPeople(RaterFigures):
    """The metric with people."""

    ok_metric: Figure
    """How often the metric says OK."""
    ok_people: Figure
    """How often people do."""
    bias: Figure
    """How much more often the first says OK."""
    spearman: Figure
    """Spearman's rho of score and verdict."""


@contract
class AmongPeople(RaterFigures):
    """People with each other."""

    ok_people: Figure
    """How often people do."""


@contract
class TwoReviewers(RaterFigures):
    """Two reviewers who share enough turns."""

    reviewers: tuple[str, ...]
    """The two."""
    ok_first: Figure
    """How often the first does."""
    ok_second: Figure
    """How often the second does."""
    bias: Figure
    """How much more often the first says OK."""


@contract
class BothSides:
    """The metric with people, and people with each other."""

    with_people: WithPeople
    """The metric with people."""
    among_people: AmongPeople
    """People with each other."""


@contract
class RunLeftOut:
    """A run that is left out."""

    run: str
    """The run's id."""
    why: Exclusion
    """Why."""
    judge: str
    """The model that judged; empty without one."""
    rubric: str
    """The rubric's fingerprint; empty without one."""


@contract
class MetricAgreement(BothSides):
    """A metric compared with reviewers."""

    threshold: Share | None
    """Under which it says NG; null: it has an order only."""
    judge: str
    """The model that judged; empty without one."""
    rubric: str
    """The rubric's fingerprint; empty without one."""
    runs: tuple[str, ...]
    """Runs whose scores these are."""
    left_out: tuple[RunLeftOut, ...]
    """Runs that are left out."""
    speaks_of: Literal["all", "flagged", "unflagged"]
    """Which turns the figures speak of."""
    turns: Count
    """With a verdict."""
    unscored: Count
    """Of these without a score."""
    few_drawn: Count | None
    """The number of sampled turns if there are too few for a valid interval; otherwise null."""
    aside: Count
    """Turns that represent no others and are excluded."""
    people: Count
    """Reviewers."""
    counts: Mapping[Word, Mapping[Word, Count]]
    """How often the metric and a reviewer gave each pair of verdicts."""
    more: Count | None
    """Pairs of verdicts needed to get kappa within ±0.15; null if unknown."""
    pairs: tuple[TwoReviewers, ...]
    """Each two reviewers who share enough turns."""
    personas: Mapping[str, BothSides]
    """The same by persona."""
    tags: Mapping[str, BothSides]
    """The same by tag."""


@contract
class AgreementFigures:
    """What `mogi agreement CLIENT --json` prints."""

    client: str
    """The client's name."""
    metrics: Mapping[str, MetricAgreement]
    """By name."""
    without: Mapping[str, tuple[RunLeftOut, ...]]
    """Metrics without a figure, and the runs that are left out."""
    faults: FaultTable | None
    """Reviewers' error types compared with mogi's causes; null if no reviewer gave one."""


Raters = TypeVar("Raters", bound=RaterFigures)
Side = TypeVar("Side", bound=BothSides)


def agreement_json(
    client: str, results: Sequence[Agreement | NoAgreement], named: Faults | None
) -> AgreementFigures:
    """All metrics by name."""
    return AgreementFigures(
        client,
        {r.info.name: _metric(r) for r in results if isinstance(r, Agreement)},
        {r.name: _left_out(r.left_out) for r in results if isinstance(r, NoAgreement)},
        FaultTable.of(named),
    )


def name_of(person: Person) -> str:
    """The reviewer's name or, if unknown, the source of the verdicts."""
    return next((part for part in person if part), "")


def _metric(result: Agreement) -> MetricAgreement:
    one_kind = "unflagged" if result.unflagged_only else "flagged"
    counts: dict[Word, dict[Word, int]] = {}
    for (says, word), n in result.counts.items():
        counts.setdefault(says, {})[word] = n
    pairs = (
        _raters(TwoReviewers, pair.agreement, reviewers=tuple(map(name_of, pair.people)))
        for pair in result.pairs
    )
    return _sides(
        MetricAgreement,
        result.sides,
        result,
        result.chosen.instrument,
        left_out=_left_out(result.chosen.left_out),
        speaks_of="all" if result.whole else one_kind,
        counts=counts,
        pairs=tuple(pairs),
        personas={name: _sides(BothSides, sides) for name, sides in result.personas.items()},
        tags={name: _sides(BothSides, sides) for name, sides in result.tags.items()},
    )


def _left_out(runs: Sequence[LeftOut]) -> tuple[RunLeftOut, ...]:
    return tuple(filled(RunLeftOut, run, run.instrument) for run in runs)


def _sides(kind: type[Side], sides: Sides, *sources: object, **more: object) -> Side:
    metric = sides.metric.figures
    with_people = _raters(
        WithPeople,
        sides.metric,
        ok_metric=_figure(metric["ok_first"]),
        ok_people=_figure(metric["ok_second"]),
    )
    among = _raters(AmongPeople, sides.people, ok_people=_figure(sides.people.figures["ok_first"]))
    return filled(kind, *sources, with_people=with_people, among_people=among, **more)


def _raters(kind: type[Raters], raters: RaterAgreement, **more: object) -> Raters:
    """The figures that it has by name; what it calls otherwise is among `more`."""
    names = {field.name for field in fields(kind)} & raters.figures.keys() - more.keys()
    figures = {name: _figure(raters.figures[name]) for name in names}
    return filled(kind, raters, **figures, **more)


def _figure(figure: Statistic) -> Figure:
    return filled(Figure, figure.value, n=figure.n)
