"""A comparison in figures and sentences: what became of the score, how sure, what else differs."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import figure, labelled, paragraph, spaced, table
from simulator.console.layout import fit
from simulator.console.output import as_json
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import cut, visible
from simulator.core.comparison import (
    Change,
    Comparison,
    Difference,
    Doubt,
    Doubted,
    People,
    Undecided,
    Unjudged,
    Unknown,
)
from simulator.core.run import NOBODY
from simulator.core.verdict import Faults
from simulator.statistics.ppi import ENOUGH_LABELS
from simulator.words import Words

_NAMED = 5
_SAID = 300  # characters of why scores are missing
_STYLES = {
    Change.REGRESSED: BAD,
    Change.IMPROVED: GOOD,
    Change.NO_DIFFERENCE: BOLD,
    Change.UNDECIDED: WARN,
}
_WIDEST_METRIC = 22
_SECTIONS = ("only_before", "only_after", "questions")
_HEADS = ("metric", "mean_before", "mean_after", "difference", "ci", "p", "p_adjusted", "n")
_UNTOLD = ("knowledge", "guidelines", "file")  # what of them differs tells nobody anything


def doubts(comparison: Comparison, words: Words, width: int) -> Iterator[Text]:
    """Why the figures may mislead; it stands above them."""
    for doubted in comparison.doubts:
        yield from paragraph(f"{words('doubt')}: {_doubt(comparison, doubted, words)}", width, WARN)


def _doubt(comparison: Comparison, doubted: Doubted, words: Words) -> str:
    """One reason for doubt as a sentence."""
    names, kind = doubted.names, doubted.doubt
    if kind is Doubt.SCORE_BY:
        before, after, score = map(visible, names)
        return words(f"doubt.{kind}", names=f"{before}{words.comma}{after}", score=score)
    shown = _few([_cell_name(comparison, name) for name in names], words)
    by_place = kind is Doubt.QUESTIONS and any(name.startswith("row-") for name in names)
    hint = words("hint.questions") if by_place else ""
    return words(f"doubt.{kind}", n=len(names), names=shown) + hint


def _cell_name(comparison: Comparison, key: str) -> str:
    """A conversation's key as people know it: of a row its id, and its persona if it has one.

    Other names are as they are.
    """
    if not comparison.after.is_of_rows:
        return key
    return key.removesuffix("/1").removesuffix(f"/{NOBODY}")


def _few(names: Sequence[str], words: Words) -> str:
    """The first names of a list, and how many more there are."""
    more = words("more", n=len(names) - _NAMED) if len(names) > _NAMED else ""
    return words.comma.join(map(visible, names[:_NAMED])) + more


def verdict(comparison: Comparison, words: Words, width: int) -> Iterator[Text]:
    """The word for what became of the score, its figures, and how far they can be trusted."""
    for line, style in _sentences(comparison, words):
        yield from paragraph(line, width, style)


def _sentences(comparison: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    score = comparison.of_score
    by = visible(comparison.score)
    yield words("general", score=by, change=words(comparison.change)), _STYLES[comparison.change]
    if comparison.why:
        yield _why(comparison, words), WARN
    if score.pairs:
        yield _moved(comparison, words), BOLD
        each = score.clusters == score.pairs
        sizes = {"n": score.pairs, "clusters": score.clusters}
        yield (
            words("tested_each" if each else "tested", alpha=f"{comparison.alpha:g}", **sizes),
            DIM,
        )
    if comparison.change is Change.NO_DIFFERENCE and score.noticeable is not None:
        yield words("least", least=f"{score.noticeable:.2f}"), Style()
    before, after = comparison.gap_turns
    if (before or after) and comparison.bounds and comparison.why is not Undecided.NOTHING:
        low, high = map(_signed, comparison.bounds)
        if low == high:  # only the bot failed, and that has no better end
            yield words("failed_low", low=low, high=high), WARN
        else:
            yield words("gaps", before=before, after=after, low=low, high=high), WARN
    for side, text in zip(("before", "after"), comparison.gap_texts, strict=True):
        if text:
            yield words("gap_why", side=words(side), said=cut(visible(text), _SAID)), WARN


def _why(comparison: Comparison, words: Words) -> str:
    score, key = comparison.of_score, f"why.{comparison.why}"
    if comparison.why is Undecided.FEW:
        of = words("few.talks" if comparison.after.is_of_rows else "few.scenarios")
        needed = 1 + math.ceil(-math.log2(comparison.alpha))
        return words(key, n=score.changed, of=of, needed=needed, alpha=f"{comparison.alpha:g}")
    if comparison.why is Undecided.GAPS and comparison.bounds:
        low, high = map(_signed, comparison.bounds)
        return words(key, low=low, high=high)
    return words(key)


def _moved(comparison: Comparison, words: Words) -> str:
    score, value = comparison.of_score, comparison.of_score.value
    ends = ""
    if value.low is not None and value.high is not None:
        ends = words("interval", low=_signed(value.low), high=_signed(value.high))
    return words(
        "moved" if score.lower or score.higher else "same",
        score=visible(comparison.score),
        before=figure(score.before),
        after=figure(score.after),
        change=_signed(value.mean),
        interval=ends,
        p=_p_in_text(score.p),
    )


def figures(comparison: Comparison, words: Words, width: int) -> Iterator[RenderableType]:
    """How many went which way, and a line for each metric."""
    score = comparison.of_score
    lines = [(words("pairs_label"), Text(words("pairs", n=comparison.paired)))]
    if comparison.by_results:
        lines.append((words("results"), Text(_flips(comparison, words))))
    if score.pairs:
        same = score.pairs - score.lower - score.higher
        ways = words("ways", lower=score.lower, higher=score.higher, same=same)
        lines.append((words("scores"), Text(ways)))
    yield labelled(lines)
    if any(metric.pairs for metric in comparison.metrics) or isinstance(comparison.people, People):
        yield from spaced(_table(comparison, words, width))


def _flips(comparison: Comparison, words: Words) -> str:
    flips = comparison.flips
    text = words("flips", **as_json(flips))
    if flips.unknown:
        text += words("flips_unknown", n=flips.unknown)
    return text + (words("flips_p", p=_p_in_text(flips.p)) if flips.failing + flips.fixed else "")


def _table(comparison: Comparison, words: Words, width: int) -> Table:
    score, *others = comparison.metrics
    heads = [head for head in _HEADS if head != "p_adjusted" or others]
    columns = table([words(head) for head in heads], gap=2 if width >= 100 else 1, no_wrap=True)
    # *The* score is named beforehand: nothing to adjust for.
    rows = [{**_row(score), "p_adjusted": ""}, *_by_people(comparison, words), *map(_row, others)]
    for place, row in enumerate(rows):
        low, high = row["value"].low, row["value"].high
        ends = "" if low is None or high is None else (_signed(low), _signed(high))
        cells = {
            **row,
            "mean_before": figure(row["before"]),
            "mean_after": figure(row["after"]),
            "difference": _signed(row["value"].mean),
            "ci": ends and words("ends", low=ends[0], high=ends[1]),
        }
        columns.add_row(*(cells.get(head, "") for head in heads), style="" if place else BOLD)
    return columns


def _row(metric: Difference) -> dict[str, Any]:
    return {
        **as_json(metric, "before", "after"),
        "metric": fit(metric.info.name, _WIDEST_METRIC),
        "value": metric.value,
        "p": _p(metric.p),
        "p_adjusted": _p(metric.p_adjusted),
        "n": f"{metric.pairs:,}",
    }


def _by_people(comparison: Comparison, words: Words) -> Iterator[dict[str, Any]]:
    """What people would say of all answers, beside the score; nothing where that is not known."""
    people = comparison.people
    if isinstance(people, People):
        shares = {"before": people.before, "after": people.after, "value": people.value}
        yield {**shares, "metric": words("people"), "n": f"{people.n:,}"}


def people_lines(comparison: Comparison, words: Words, width: int) -> Iterator[Text]:
    """The same as a sentence, for where no table stands."""
    for row in _by_people(comparison, words):
        value, ends = row["value"], ""
        if value.low is not None and value.high is not None:
            ends = words("interval", low=_signed(value.low), high=_signed(value.high))
        shown = {"before": figure(row["before"]), "after": figure(row["after"])}
        figures = {**shown, "change": _signed(value.mean), "interval": ends}
        yield from paragraph(words("by_people", name=row["metric"], **figures), width, Style())
    yield from people_unknown(comparison, words, width)


def people_unknown(comparison: Comparison, words: Words, width: int) -> Iterator[Text]:
    """Why what people say cannot be compared, and what to judge; nothing where nobody judged."""
    unknown = comparison.people
    if not isinstance(unknown, Unknown) or unknown.why is Unjudged.NOTHING:
        return
    run = comparison.before if unknown.why is Unjudged.FEW_BEFORE else comparison.after
    text = words(f"people.{unknown.why}", run=run.id, n=unknown.answers, needed=ENOUGH_LABELS)
    if unknown.judge:
        minutes = max(1, round(unknown.seconds / 60))
        text += words("people.judge", n=unknown.judge, minutes=minutes, command=unknown.command)
    yield from paragraph(text, width, WARN)


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


def apart(comparison: Comparison, words: Words, plain: Words) -> Iterator[RenderableType]:
    """What could not be compared, by name."""
    of = comparison.apart
    named = {name: getattr(of, name) for name in _SECTIONS}
    lines = [
        (words(name), _keys([_cell_name(comparison, key) for key in keys], words))
        for name, keys in named.items()
        if keys
    ]
    if of.unmeasured:
        # `a/b/1 (after: judge failed)`; on both sides: `a/b/1 (bot failed → judge failed)`.
        missing = []
        for each in of.unmeasured:
            reasons = {"before": each.before, "after": each.after}
            why = [f"{words(k)}: {_reason(v, plain)}" for k, v in reasons.items() if v]
            missing.append(f"{_cell_name(comparison, each.key)} ({words.comma.join(why)})")
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


def differs(comparison: Comparison, words: Words) -> Iterator[RenderableType]:
    """What else is not the same, but for what was warned of."""
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
        text = words("changed") if name in _UNTOLD else _few(keys, words)
        rows.append((f"  {words(f'group.{name}')}", Text(text)))
    yield labelled(rows)


def _signed(value: float | None) -> str:
    """A difference; 0 has no sign."""
    if value is None:
        return "–"
    rounded = round(value, 2)
    return f"{rounded:+.2f}" if rounded else "0.00"


def _p_in_text(p: float | None) -> str:
    shown = _p(p)
    return f"p{shown}" if shown.startswith("<") else f"p={shown}"  # no line breaks within it


def _p(p: float | None) -> str:
    """A p-value; small ones are not told to the last digit."""
    return "<0.001" if p is not None and p < 0.001 else figure(p, ".3f")
