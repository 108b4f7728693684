"""What `mogi agreement` shows."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import BOLD, DIM, WARN, command_lines
from simulator.console.layout import fit, wrap
from simulator.core.clean import visible
from simulator.core.plan import Client
from simulator.core.verdict import Word
from simulator.review.agreement import WANTED, Agreement, NoAgreement, Sides
from simulator.review.compared import FEWEST_PAIRS, Compared, Figure
from simulator.review.labels import LeftOut, Person
from simulator.statistics.intervals import FEWEST_CLUSTERS
from simulator.words import Words

_WIDEST_NAME = 24
_ROWS = ("agreement", "ok_second", "ok_first", "bias", "kappa", "quadratic_kappa", "alpha")
_MOST = 12  # of the parts of a table
_WIDE = 100  # cells; from here on there is room for one more interval
_GAP = 2


def agreement_view(
    client: Client, found: Sequence[Agreement | NoAgreement], width: int
) -> Iterator[RenderableType]:
    """A block for each metric, and what the figures mean; `width` is the screen's, in cells."""
    words = Words(client.language, "agreement")
    yield Text.assemble((visible(client.name), BOLD), "  ", words("title"))
    if not found:
        yield Text("")
        yield from _told(words("nobody"), width)
        yield from _how_to_begin(client, words, width)
        return
    for one in found:
        yield Text("")
        if isinstance(one, NoAgreement):
            yield Text(fit(one.name, _WIDEST_NAME), BOLD)
            yield from _left_out(one.left_out, words, width)
        else:
            yield from _metric(one, words, width)
    yield Text("")
    names = ("agreement", "bias", "kappa", "quadratic_kappa", "alpha", "spearman", "among_people")
    widest = max(cell_len(words(name)) for name in names)
    for name in names:
        lines = wrap(words(f"about.{name}"), width - widest - _GAP)
        yield from _beside(words(name), lines, widest + _GAP)


def _metric(found: Agreement, words: Words, width: int) -> Iterator[RenderableType]:
    name = visible(found.info.name)
    yield Text.assemble((name, BOLD), "  ", _rule(found.threshold, words))
    yield Text(words("size", **_size(found)))
    yield from _limits(found, words, width)
    yield Text("")
    yield _figures(found, words)
    if not found.sides.people.pairs:
        yield Text("")
        yield from _told(words("alone"), width)
    if found.threshold is None:  # then there are no words to lay side by side
        return
    yield Text("")
    yield _counts(found.counts, name, words)
    if more := _how_many_more(found, words):
        yield Text("")
        yield from _told(more, width, WARN)
    yield from _pairs(found, words)
    yield from _parts("persona", found.personas, words, width)
    yield from _parts("tag", found.tags, words, width)


def _limits(found: Agreement, words: Words, width: int) -> Iterator[Text]:
    """What the figures speak of, and what was left out of them."""
    of_one_kind = ("unflagged_only",) if found.unflagged_only else ("flagged_only", "biased")
    for speaks in ("all",) if found.whole else of_one_kind:
        yield from _told(words(speaks), width, "" if found.whole else WARN)
    if found.few_drawn is not None:
        yield from _told(words("few_drawn", n=f"{found.few_drawn:,}"), width, WARN)
    if found.aside:
        yield from _told(words("aside", n=f"{found.aside:,}"), width, WARN)
    if found.unscored:
        unscored = words("unscored", n=f"{found.unscored:,}", name=visible(found.info.name))
        yield from _told(unscored, width, DIM)
    yield from _left_out(found.chosen.left_out, words, width)


def _rule(threshold: float | None, words: Words) -> str:
    return words("no_threshold") if threshold is None else words("rule", value=f"{threshold:g}")


def _size(found: Agreement) -> dict[str, str]:
    return {
        "turns": f"{found.turns:,}",
        "people": f"{found.people:,}",
        "runs": f"{len(found.runs):,}",
    }


def _left_out(runs: Sequence[LeftOut], words: Words, width: int) -> Iterator[Text]:
    by_why: dict[str, list[str]] = {}
    for one in runs:
        by_why.setdefault(one.why.value, []).append(one.run)
    for why, ids in by_why.items():
        yield from _told(words(f"left_out.{why}", runs=", ".join(ids)), width, DIM)


def _figures(found: Agreement, words: Words) -> Table:
    name = fit(found.info.name, _WIDEST_NAME)
    metric, people = found.sides.metric, found.sides.people
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    for head in ("", words("with_people", name=name), words("among_people")):
        table.add_column(head)
    for row in _ROWS if found.threshold is not None else ():
        cells = [_cell(metric.figures[row], words)]
        if people.pairs and row not in ("bias", "ok_first"):
            cells.append(_cell(people.figures[row], words))
        table.add_row(Text(words(row, name=name)), *map(Text, cells))
    table.add_row(Text(words("spearman")), Text(_cell(metric.figures["spearman"], words)))
    if not people.pairs:
        table.columns.pop()
    return table


def _cell(figure: Figure, words: Words) -> str:
    """`0.81 (0.73–0.88) n 50`."""
    if figure.value.mean is None:
        return f"–  n {figure.n:,}"
    return f"{figure_text(figure, words)}  n {figure.n:,}"


def figure_text(figure: Figure, words: Words) -> str:
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
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    table.add_column(words("counts"))
    for word in Word:
        table.add_column(
            words("people_say", word=words(f"word.{word.name.lower()}")), justify="right"
        )
    for says in (Word.OK, Word.NG):
        row = [f"{counts[says, word]:,}" for word in Word]
        table.add_row(
            Text(words("metric_says", name=name, word=words(f"word.{says.name.lower()}"))), *row
        )
    return table


def _how_many_more(found: Agreement, words: Words) -> str:
    kappa, more = found.sides.metric.figures["kappa"], found.more
    if more == 0:
        return ""
    if kappa.n < FEWEST_PAIRS:
        return words("too_few", n=kappa.n, fewest=FEWEST_PAIRS)
    if more is None:
        return _no_interval(found, words)
    low, high = kappa.value.low or 0.0, kappa.value.high or 0.0
    return words("more", n=f"{more:,}", half=f"{(high - low) / 2:.2f}", wanted=f"{WANTED:g}")


def _no_interval(found: Agreement, words: Words) -> str:
    figures = found.sides.metric.figures
    kappa = figures["kappa"].value.mean
    if kappa is None:
        return words("no_kappa")
    if found.talks < FEWEST_CLUSTERS:
        return words("no_interval.few", n=found.talks, fewest=FEWEST_CLUSTERS)
    is_alike = math.isclose(kappa, 1) or figures["agreement"].value.low is None
    return words(f"no_interval.{'alike' if is_alike else 'rare'}")


def _pairs(found: Agreement, words: Words) -> Iterator[RenderableType]:
    if not found.pairs:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    table.add_column(words("two_people"))
    for head in ("turns", "agreement", "kappa", "bias"):
        table.add_column(words(head), justify="right" if head == "turns" else "left")
    for pair in found.pairs[:_MOST]:
        figures = pair.compared.figures
        names = " · ".join(fit(_person(person, words), 12) for person in pair.people)
        cells = [figure_text(figures[name], words) for name in ("agreement", "kappa", "bias")]
        table.add_row(Text(names), f"{pair.compared.turns:,}", *map(Text, cells))
    yield Text("")
    yield table
    yield from _rest(len(found.pairs), words)


def _person(person: Person, words: Words) -> str:
    return visible(next((part for part in person if part), "")) or words("somebody")


def _parts(
    head: str, parts: Mapping[str, Sides], words: Words, width: int
) -> Iterator[RenderableType]:
    """Each persona or tag, unless there is one only, which says what is said already."""
    if len(parts) < 2:
        return
    names = ("agreement", "bias", "kappa") if width >= _WIDE else ("agreement", "kappa")
    shared = any(sides.people.pairs for sides in parts.values())
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=BOLD)
    table.add_column(words(head))
    table.add_column(words("turns"), justify="right")
    for name in (*names, *(("people_kappa",) if shared else ())):
        table.add_column(words(name), no_wrap=True)
    for part, sides in list(parts.items())[:_MOST]:
        cells = [figure_text(sides.metric.figures[name], words) for name in names]
        cells += [_with_n(sides.people)] if shared else []
        table.add_row(fit(part, 16), f"{sides.metric.turns:,}", *map(Text, cells))
    yield Text("")
    yield table
    yield from _rest(len(parts), words)


def _with_n(people: Compared) -> str:
    kappa = people.figures["kappa"]
    return "–" if kappa.value.mean is None else f"{kappa.value.mean:.2f}  n {kappa.n:,}"


def _rest(count: int, words: Words) -> Iterator[Text]:
    if count > _MOST:
        yield Text(words("rest", n=f"{count - _MOST:,}"), DIM)


def _how_to_begin(client: Client, words: Words, width: int) -> Iterator[Text]:
    name = shlex.quote(visible(client.name))
    commands = {
        f"mogi run {name} --audit 0.1 --report xlsx=review.xlsx": words("sheet"),
        "mogi review pull latest --from review.xlsx": words("pull"),
    }
    yield from command_lines(list(commands.items()), width)


def _beside(label: str, lines: Sequence[str], width: int) -> Iterator[Text]:
    """A label, and lines of text beside it."""
    for number, line in enumerate(lines):
        yield Text.assemble((set_cell_size("" if number else label, width), BOLD), line)


def _told(text: str, width: int, style: Style | str = "") -> Iterator[Text]:
    for line in wrap(text, width):
        yield Text(line, style)
