"""How well scores and reviewers agree, and reviewers with each other, as text and as JSON."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Literal, TypeVar

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.cli.screens.compare import FaultTable, faults
from simulator.console.blocks import beside, command_lines, paragraph, spaced, table
from simulator.console.layout import fit, wrap
from simulator.console.palette import BOLD, DIM, WARN
from simulator.core.clean import visible
from simulator.core.plan import Client
from simulator.core.verdict import Faults, Word
from simulator.formats.json_contracts import Count, Share, contract, filled
from simulator.review.agreement import (
    FEWEST_PAIRS,
    WANTED,
    Agreement,
    NoAgreement,
    RaterAgreement,
    Sides,
    Statistic,
)
from simulator.review.verdict_labels import Exclusion, LeftOut, Person
from simulator.statistics.intervals import FEWEST_CLUSTERS
from simulator.words import Words


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
        {r.info.name: _metric_figures(r) for r in results if isinstance(r, Agreement)},
        {r.name: _left_out_figures(r.left_out) for r in results if isinstance(r, NoAgreement)},
        FaultTable.of(named),
    )


def name_of(person: Person) -> str:
    """The reviewer's name or, if unknown, the source of the verdicts."""
    return next((part for part in person if part), "")


def _metric_figures(result: Agreement) -> MetricAgreement:
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
        left_out=_left_out_figures(result.chosen.left_out),
        speaks_of="all" if result.whole else one_kind,
        counts=counts,
        pairs=tuple(pairs),
        personas={name: _sides(BothSides, sides) for name, sides in result.personas.items()},
        tags={name: _sides(BothSides, sides) for name, sides in result.tags.items()},
    )


def _left_out_figures(runs: Sequence[LeftOut]) -> tuple[RunLeftOut, ...]:
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


_WIDEST_NAME = 24
_ROWS = ("agreement", "ok_second", "ok_first", "bias", "kappa", "quadratic_kappa", "alpha")
_EXPLAINED = ("agreement", "bias", "kappa", "quadratic_kappa", "alpha", "spearman", "among_people")
_MOST = 12  # of the parts of a table
_WIDE = 100  # cells; from here on there is room for one more interval
_GAP = 2


def agreement_view(
    client: Client,
    results: Sequence[Agreement | NoAgreement],
    named: Faults | None,
    width: int,
) -> Iterator[RenderableType]:
    """A block for each metric, and what the figures mean; `width` is the screen's, in cells."""
    words = Words(client.language, "agreement")
    yield Text.assemble((visible(client.name), BOLD), "  ", words("title"))
    if not results:
        yield from spaced(*paragraph(words("nobody"), width))
        name = shlex.quote(visible(client.name))
        sheet = f"mogi run {name} --audit 0.1 --report xlsx=review.xlsx"
        pull = "mogi review pull latest --from review.xlsx"
        yield from command_lines([(sheet, words("sheet")), (pull, words("pull"))], width)
        return
    for result in results:
        yield Text("")
        if isinstance(result, NoAgreement):
            yield Text(fit(result.name, _WIDEST_NAME), BOLD)
            yield from _left_out(result.left_out, words, width)
        else:
            yield from _metric(result, words, width)
    yield from faults(named, Words(client.language, "compare"), width)
    yield Text("")
    cells = max(cell_len(words(name)) for name in _EXPLAINED) + _GAP
    for name in _EXPLAINED:
        yield from beside(words(name), wrap(words(f"about.{name}"), width - cells), cells, BOLD)


def _metric(result: Agreement, words: Words, width: int) -> Iterator[RenderableType]:
    name, limit = visible(result.info.name), result.threshold
    rule = words("no_threshold") if limit is None else words("rule", value=f"{limit:g}")
    yield Text.assemble((name, BOLD), "  ", rule)
    yield Text(words("size", turns=result.turns, people=result.people, runs=len(result.runs)))
    yield from _limits(result, words, width)
    yield from spaced(_figures(result, words))
    if not result.sides.people.pairs:
        yield from spaced(*paragraph(words("alone"), width))
    if limit is None:  # then there are no words to lay side by side
        return
    yield from spaced(_counts(result.counts, name, words))
    if more := _how_many_more(result, words):
        yield from spaced(*paragraph(more, width, WARN))
    yield from _pairs(result, words)
    yield from _parts("persona", result.personas, words, width)
    yield from _parts("tag", result.tags, words, width)


def _limits(result: Agreement, words: Words, width: int) -> Iterator[Text]:
    """What the figures speak of, and what was left out of them."""
    of_one_kind = ("unflagged_only",) if result.unflagged_only else ("flagged_only", "biased")
    for key in ("all",) if result.whole else of_one_kind:
        yield from paragraph(words(key), width, "" if result.whole else WARN)
    if result.few_drawn is not None:
        yield from paragraph(words("few_drawn", n=result.few_drawn), width, WARN)
    if result.aside:
        yield from paragraph(words("aside", n=result.aside), width, WARN)
    if result.unscored:
        unscored = words("unscored", n=result.unscored, name=visible(result.info.name))
        yield from paragraph(unscored, width, DIM)
    yield from _left_out(result.chosen.left_out, words, width)


def _left_out(runs: Sequence[LeftOut], words: Words, width: int) -> Iterator[Text]:
    for why in dict.fromkeys(run.why for run in runs):
        ids = ", ".join(run.run for run in runs if run.why is why)
        yield from paragraph(words(f"left_out.{why.value}", runs=ids), width, DIM)


def _figures(result: Agreement, words: Words) -> Table:
    name = fit(result.info.name, _WIDEST_NAME)
    metric, people = result.sides.metric.figures, result.sides.people
    heads = ["", words("with_people", name=name)]
    heads += [words("among_people")] if people.pairs else []
    columns = table(heads, left=range(3))
    for row in _ROWS if result.threshold is not None else ():
        cells = [_with_n(metric[row], words)]
        if people.pairs and row not in ("bias", "ok_first"):
            cells.append(_with_n(people.figures[row], words))
        columns.add_row(Text(words(row, name=name)), *map(Text, cells))
    columns.add_row(Text(words("spearman")), Text(_with_n(metric["spearman"], words)))
    return columns


def _with_n(figure: Statistic, words: Words) -> str:
    """`0.81 (0.73–0.88)  n 50`."""
    return f"{figure_text(figure, words)}  n {figure.n:,}"


def figure_text(figure: Statistic, words: Words) -> str:
    """`0.81 (0.73–0.88)`; `–` where it is not defined."""
    value = figure.value
    if value.mean is None:
        return "–"
    if value.low is None or value.high is None:
        return f"{value.mean:z.2f}"
    low = f"{value.low:z.2f}"  # z: never -0.00
    between = words("to") if low.startswith("-") else "–"  # a dash would pass for one more minus
    return f"{value.mean:z.2f} ({low}{between}{value.high:z.2f})"


def _counts(counts: Mapping[tuple[Word, Word], int], name: str, words: Words) -> Table:
    named = {word: words(f"word.{word.name.lower()}") for word in Word}
    columns = table([words("counts"), *(words("people_say", word=w) for w in named.values())])
    for says in (Word.OK, Word.NG):
        head = Text(words("metric_says", name=name, word=named[says]))
        columns.add_row(head, *(f"{counts[says, word]:,}" for word in Word))
    return columns


def _how_many_more(result: Agreement, words: Words) -> str:
    figures, more = result.sides.metric.figures, result.more
    kappa = figures["kappa"]
    if more == 0:
        return ""
    if kappa.n < FEWEST_PAIRS:
        return words("too_few", n=kappa.n, fewest=FEWEST_PAIRS)
    if more is not None:
        half = ((kappa.value.high or 0.0) - (kappa.value.low or 0.0)) / 2
        return words("more", n=more, half=f"{half:.2f}", wanted=f"{WANTED:g}")
    if kappa.value.mean is None:
        return words("no_kappa")
    if result.talks < FEWEST_CLUSTERS:
        return words("no_interval.few", n=result.talks, fewest=FEWEST_CLUSTERS)
    is_alike = math.isclose(kappa.value.mean, 1) or figures["agreement"].value.low is None
    return words(f"no_interval.{'alike' if is_alike else 'rare'}")


def _pairs(result: Agreement, words: Words) -> Iterator[RenderableType]:
    if not result.pairs:
        return
    heads = ("two_people", "turns", "agreement", "kappa", "bias")
    columns = table([words(head) for head in heads], left=(0, 2, 3, 4))
    for pair in result.pairs[:_MOST]:
        people = [visible(name_of(person)) or words("somebody") for person in pair.people]
        names = " · ".join(fit(person, 12) for person in people)
        cells = [figure_text(pair.agreement.figures[head], words) for head in heads[2:]]
        columns.add_row(Text(names), f"{pair.agreement.turns:,}", *map(Text, cells))
    yield from _first_of(columns, len(result.pairs), words)


def _parts(
    head: str, parts: Mapping[str, Sides], words: Words, width: int
) -> Iterator[RenderableType]:
    """Each persona or tag, unless there is one only, which says what is said already."""
    if len(parts) < 2:
        return
    names = ("agreement", "bias", "kappa") if width >= _WIDE else ("agreement", "kappa")
    shared = ("people_kappa",) if any(sides.people.pairs for sides in parts.values()) else ()
    heads = [words(name) for name in (head, "turns", *names, *shared)]
    columns = table(heads, left=(0, *range(2, len(heads))))
    for column in columns.columns[2:]:
        column.no_wrap = True
    for part, sides in list(parts.items())[:_MOST]:
        cells = [figure_text(sides.metric.figures[name], words) for name in names]
        if shared:
            kappa = sides.people.figures["kappa"]
            mean = kappa.value.mean
            cells.append("–" if mean is None else f"{mean:.2f}  n {kappa.n:,}")
        columns.add_row(fit(part, 16), f"{sides.metric.turns:,}", *map(Text, cells))
    yield from _first_of(columns, len(parts), words)


def _first_of(columns: Table, count: int, words: Words) -> Iterator[RenderableType]:
    """A table of the first parts, and how many more there are."""
    yield from spaced(columns)
    if count > _MOST:
        yield Text(words("rest", n=count - _MOST), DIM)
