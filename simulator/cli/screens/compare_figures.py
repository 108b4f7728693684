"""A comparison in figures: how many went which way, each metric, what else differs."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import figure, labelled, paragraph, spaced, table
from simulator.console.layout import fit
from simulator.console.output import as_json
from simulator.console.palette import BOLD, DIM
from simulator.core.clean import visible
from simulator.core.comparison import Difference, People
from simulator.core.verdict import Faults
from simulator.view.compare_view import (
    CompareView,
    cell_name,
    few,
    p_in_text,
    p_value,
    signed,
)
from simulator.words import Words

_NAMED = 5
_WIDEST_METRIC = 22
_SECTIONS = ("only_before", "only_after", "questions")
_HEADS = ("metric", "mean_before", "mean_after", "difference", "ci", "p", "p_adjusted", "n")
_UNTOLD = ("knowledge", "guidelines", "file")  # what of them differs tells nobody anything


def figures(view: CompareView, width: int) -> Iterator[RenderableType]:
    """How many went which way, and a line for each metric."""
    comparison, words = view.comparison, view.words
    score = comparison.of_score
    lines = [(words("pairs_label"), Text(words("pairs", n=comparison.paired)))]
    if comparison.by_results:
        lines.append((words("results"), Text(_flips(view))))
    if score.pairs:
        same = score.pairs - score.lower - score.higher
        ways = words("ways", lower=score.lower, higher=score.higher, same=same)
        lines.append((words("scores"), Text(ways)))
    yield labelled(lines)
    if any(metric.pairs for metric in comparison.metrics) or view.people:
        yield from spaced(_table(view, width))


def _flips(view: CompareView) -> str:
    flips, words = view.comparison.flips, view.words
    text = words("flips", **as_json(flips))
    if flips.unknown:
        text += words("flips_unknown", n=flips.unknown)
    return text + (words("flips_p", p=p_in_text(flips.p)) if flips.failing + flips.fixed else "")


def _table(view: CompareView, width: int) -> Table:
    words = view.words
    score, *others = view.comparison.metrics
    heads = [head for head in _HEADS if head != "p_adjusted" or others]
    columns = table([words(head) for head in heads], gap=2 if width >= 100 else 1, no_wrap=True)
    # *The* score is named beforehand: nothing to adjust for.
    rows = [{**_row(score), "p_adjusted": ""}, *map(_row, others)]
    if view.people is not None:
        rows.insert(1, _people_row(view.people, words))
    for place, row in enumerate(rows):
        low, high = row["value"].low, row["value"].high
        ends = "" if low is None or high is None else (signed(low), signed(high))
        cells = {
            **row,
            "mean_before": figure(row["before"]),
            "mean_after": figure(row["after"]),
            "difference": signed(row["value"].mean),
            "ci": ends and words("ends", low=ends[0], high=ends[1]),
        }
        columns.add_row(*(cells.get(head, "") for head in heads), style="" if place else BOLD)
    return columns


def _row(metric: Difference) -> dict[str, Any]:
    return {
        **as_json(metric, "before", "after"),
        "metric": fit(metric.info.name, _WIDEST_METRIC),
        "value": metric.value,
        "p": p_value(metric.p),
        "p_adjusted": p_value(metric.p_adjusted),
        "n": f"{metric.pairs:,}",
    }


def _people_row(people: People, words: Words) -> dict[str, Any]:
    shares = {"before": people.before, "after": people.after, "value": people.value}
    return {**shares, "metric": words("people"), "n": f"{people.n:,}"}


def faults(table_: Faults | None, words: Words, width: int) -> Iterator[RenderableType]:
    """What people called wrong beside what was blamed, a line for each pair, most first."""
    if table_ is None:
        return
    plain = Words(words.language, "report")
    yield from spaced(Text(words("faults"), BOLD))
    columns = table([words("faults.people"), words("faults.blamed"), words("faults.n")])
    for (named, blamed), n in table_.counts.items():
        columns.add_row(
            plain.name("fault", named) if named else words("faults.own"),
            plain.name("fault", blamed) if blamed else words("faults.none"),
            f"{n:,}",
        )
    yield columns
    if table_.n:
        yield from paragraph(words("faults.agreed", n=table_.n, agreed=table_.agreed), width)


def apart(view: CompareView, plain: Words) -> Iterator[RenderableType]:
    """What could not be compared, by name."""
    comparison, words = view.comparison, view.words
    of = comparison.apart
    named = {name: getattr(of, name) for name in _SECTIONS}
    lines = [
        (words(name), _keys([cell_name(comparison, key) for key in keys], words))
        for name, keys in named.items()
        if keys
    ]
    if of.unmeasured:
        # `a/b/1 (after: judge failed)`; on both sides: `a/b/1 (bot failed → judge failed)`.
        missing = []
        for each in of.unmeasured:
            reasons = {"before": each.before, "after": each.after}
            why = [f"{words(k)}: {_reason(v, plain)}" for k, v in reasons.items() if v]
            missing.append(f"{cell_name(comparison, each.key)} ({words.comma.join(why)})")
        lines.append((words("unmeasured"), _keys(missing, words)))
    if of.not_applicable:
        lines.append((words("not_applicable"), Text(f"{of.not_applicable:,}")))
    if lines:
        yield from spaced(Text(words("apart"), BOLD))
        yield labelled([(f"  {label}", text) for label, text in lines])


def _keys(keys: Sequence[str], words: Words) -> Text:
    shown, more = words.comma.join(map(visible, keys[:_NAMED])), len(keys) - _NAMED
    key = "keys_more" if more > 0 else "keys"
    return Text(words(key, n=len(keys), keys=shown, more=more))


def _reason(why: str, plain: Words) -> str:
    return plain.find(f"gap.{why}") or plain.name("stop", why)


def differs(view: CompareView) -> Iterator[RenderableType]:
    """What else is not the same, but for what was warned of."""
    comparison, words = view.comparison, view.words
    warned = {doubted.doubt.value for doubted in comparison.doubts}
    groups = {name: lines for name, lines in comparison.differs.items() if name not in warned}
    yield Text("")
    if not groups:
        yield Text(words("differs_none"), DIM)
        return
    yield Text(words("differs"), BOLD)
    rows = []
    for name, lines in groups.items():
        keys = [line.removeprefix("client.") for line in lines]
        text = words("changed") if name in _UNTOLD else few(keys, words)
        rows.append((f"  {words(f'group.{name}')}", Text(text)))
    yield labelled(rows)
