"""What `mogi agreement` shows: each metric beside people, and what the figures mean; JSON."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.cli.contracts.agreement import name_of
from simulator.cli.screens.compare import faults
from simulator.console.blocks import beside, command_lines, paragraph, spaced, table
from simulator.console.layout import fit, wrap
from simulator.console.palette import BOLD, DIM, WARN
from simulator.core.clean import visible
from simulator.core.plan import Client
from simulator.core.verdict import Faults, Word
from simulator.review.agreement import (
    FEWEST_PAIRS,
    WANTED,
    Agreement,
    NoAgreement,
    Sides,
    Statistic,
)
from simulator.review.verdict_labels import LeftOut
from simulator.statistics.intervals import FEWEST_CLUSTERS
from simulator.words import Words

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
