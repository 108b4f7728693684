"""The figures of a comparison, what had no partner, and what else differs between the two runs."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import BOLD, DIM
from simulator.console.layout import fit
from simulator.core.clean import visible
from simulator.core.comparison import Comparison, Difference, Unmeasured
from simulator.reports._figures import labelled
from simulator.screens.compare_verdict import cell_name, ends, few, number, p_text, p_value, signed
from simulator.words import Words

_WIDEST_METRIC = 22
_NAMED = 5
_SECTIONS = ("only_before", "only_after", "questions")
_HEADS = ("metric", "mean_before", "mean_after", "difference", "ci", "p", "p_adjusted", "n")
_UNTOLD = ("knowledge", "guidelines", "file")  # what of them differs tells nobody anything


def figures(found: Comparison, words: Words, width: int) -> Iterator[RenderableType]:
    """How many went which way, and a line for each metric."""
    score = found.of_score
    lines = [(words("pairs_label"), Text(words("pairs", n=f"{found.paired:,}")))]
    if found.by_flags:
        lines.append((words("flags"), Text(_flips(found, words))))
    if score.pairs:
        same = score.pairs - score.lower - score.higher
        ways = words("ways", lower=f"{score.lower:,}", higher=f"{score.higher:,}", same=f"{same:,}")
        lines.append((words("scores"), Text(ways)))
    yield labelled(lines)
    if any(metric.pairs for metric in found.metrics):
        yield Text("")
        yield _table(found.metrics, words, width)


def _flips(found: Comparison, words: Words) -> str:
    flips = found.flips
    text = words(
        "flips",
        failing=f"{flips.failing:,}",
        fixed=f"{flips.fixed:,}",
        failing_still=f"{flips.failing_still:,}",
        passing_still=f"{flips.passing_still:,}",
    )
    if flips.unknown:
        text += words("flips_unknown", n=f"{flips.unknown:,}")
    return text + (words("flips_p", p=p_text(flips.p)) if flips.failing + flips.fixed else "")


def _table(metrics: Sequence[Difference], words: Words, width: int) -> Table:
    left_out = {"p_adjusted"} if len(metrics) < 2 else set()
    heads = [head for head in _HEADS if head not in left_out]
    table = Table(box=None, padding=(0, 2 if width >= 100 else 1, 0, 0), header_style=BOLD)
    for head in heads:
        justify = "left" if head == "metric" else "right"
        table.add_column(words(head), justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for place, metric in enumerate(metrics):
        cells = _cells(metric, words)
        if place == 0:
            cells["p_adjusted"] = ""  # named beforehand: nothing to adjust for
        table.add_row(*(cells[head] for head in heads), style=BOLD if place == 0 else "")
    return table


def _cells(metric: Difference, words: Words) -> dict[str, str]:
    return {
        "metric": fit(metric.info.name, _WIDEST_METRIC),
        "mean_before": number(metric.before),
        "mean_after": number(metric.after),
        "difference": signed(metric.value.mean),
        "ci": ends(metric.value, words),
        "p": p_value(metric.p),
        "p_adjusted": p_value(metric.p_adjusted),
        "n": f"{metric.pairs:,}",
    }


def apart(found: Comparison, words: Words, plain: Words) -> Iterator[RenderableType]:
    """What could not be compared, by name."""
    of = found.apart
    named = {name: getattr(of, name) for name in _SECTIONS}
    lines = [
        (words(name), _keys([cell_name(found, key) for key in keys], words))
        for name, keys in named.items()
        if keys
    ]
    if of.unmeasured:
        told = [_missing(found, each, words, plain) for each in of.unmeasured[:_NAMED]]
        lines.append((words("unmeasured"), _keys(told, words, len(of.unmeasured))))
    if of.not_applicable:
        lines.append((words("not_applicable"), Text(f"{of.not_applicable:,}")))
    if lines:
        yield Text("")
        yield Text(words("apart"), BOLD)
        yield labelled([(f"  {label}", text) for label, text in lines])


def _keys(keys: Sequence[str], words: Words, count: int | None = None) -> Text:
    n = len(keys) if count is None else count
    shown = words.comma.join(visible(key) for key in keys[:_NAMED])
    if n > _NAMED:
        return Text(words("keys_more", n=f"{n:,}", keys=shown, more=f"{n - _NAMED:,}"))
    return Text(words("keys", n=f"{n:,}", keys=shown))


def _missing(found: Comparison, each: Unmeasured, words: Words, plain: Words) -> str:
    """`a/b/1 (after: judge failed)`; on both sides: `a/b/1 (bot failed → judge failed)`."""
    sides = (("before", each.before), ("after", each.after))
    told = [f"{words(side)}: {_reason(why, plain)}" for side, why in sides if why]
    return f"{cell_name(found, each.key)} ({words.comma.join(told)})"


def _reason(why: str, plain: Words) -> str:
    gap = plain.name("gap", why)
    return gap if gap != why else plain.name("stop", why)


def differs(found: Comparison, words: Words) -> Iterator[RenderableType]:
    """What else is not the same, but for what was warned of."""
    warned = {doubted.doubt.value for doubted in found.doubts}
    groups = {name: lines for name, lines in found.differs.items() if name not in warned}
    yield Text("")
    if not groups:
        yield Text(words("differs_none"), DIM)
        return
    yield Text(words("differs"), BOLD)
    yield labelled(
        [
            (f"  {words(f'group.{name}')}", Text(_changed(name, lines, words)))
            for name, lines in groups.items()
        ]
    )


def _changed(name: str, lines: Sequence[str], words: Words) -> str:
    if name in _UNTOLD:
        return words("changed")
    return few([line.removeprefix("client.") for line in lines], words)
