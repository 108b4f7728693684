"""What became of the score between two runs, in sentences: how sure that is, and why to doubt."""

import math
from collections.abc import Iterator, Sequence

from rich.style import Style
from rich.text import Text

from simulator.console.blocks import BAD, BOLD, DIM, GOOD, WARN
from simulator.console.layout import wrap
from simulator.core.clean import visible
from simulator.core.comparison import Change, Comparison, Doubt, Doubted, Undecided
from simulator.core.recorded import NOBODY
from simulator.core.run import Interval
from simulator.words import Words

_NAMED = 5
_STYLES = {
    Change.REGRESSED: BAD,
    Change.IMPROVED: GOOD,
    Change.NO_DIFFERENCE: BOLD,
    Change.UNDECIDED: WARN,
}


def doubts(found: Comparison, words: Words, width: int) -> Iterator[Text]:
    """Why the figures may mislead; it stands above them."""
    for doubted in found.doubts:
        text = f"{words('doubt')}: {_doubt(found, doubted, words)}"
        yield from (Text(line, WARN) for line in wrap(text, width))


def _doubt(found: Comparison, doubted: Doubted, words: Words) -> str:
    """One reason for doubt as a sentence."""
    names, kind = doubted.names, doubted.doubt
    if kind is Doubt.SCORE_BY:
        before, after, score = map(visible, names)
        pair = f"{before}{words.comma}{after}"
        return words(f"doubt.{kind}", names=pair, score=score)
    told = few([cell_name(found, name) for name in names], words)
    by_place = kind is Doubt.QUESTIONS and any(name.startswith("row-") for name in names)
    hint = words("hint.questions") if by_place else ""
    return words(f"doubt.{kind}", n=f"{len(names):,}", names=told) + hint


def cell_name(found: Comparison, key: str) -> str:
    """A conversation's key as people know it: of a row its id, and its persona if it has one.

    Other names are as they are.
    """
    if not found.after.is_of_rows:
        return key
    return key.removesuffix("/1").removesuffix(f"/{NOBODY}")


def few(names: Sequence[str], words: Words) -> str:
    """The first names of a list, and how many more there are."""
    more = words("more", n=f"{len(names) - _NAMED:,}") if len(names) > _NAMED else ""
    return words.comma.join(map(visible, names[:_NAMED])) + more


def verdict(found: Comparison, words: Words, width: int) -> Iterator[Text]:
    """The word for what became of the score, its figures, and how far they can be trusted."""
    for line, style in _lines(found, words):
        yield from (Text(part, style) for part in wrap(line, width))


def _lines(found: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    score = found.of_score
    yield words(found.change), _STYLES[found.change]
    if found.why:
        yield _why(found, words), WARN
    if score.pairs:
        yield _moved(found, words), BOLD
        of = words("of.scenarios" if score.of_scenarios else "of.talks")
        clusters = f"{score.clusters:,}"
        each = score.of_scenarios and score.clusters == score.pairs
        size = words(
            "tested_each" if each else "tested",
            n=f"{score.pairs:,}",
            clusters=clusters,
            of=of,
            alpha=_plain(found),
        )
        yield size, DIM
    if found.change is Change.NO_DIFFERENCE and score.noticeable is not None:
        yield words("least", least=f"{score.noticeable:.2f}"), Style()
    yield from _gaps(found, words)


def _moved(found: Comparison, words: Words) -> str:
    score, name = found.of_score, visible(found.score)
    if not score.lower and not score.higher:
        return words("same", score=name, before=number(score.before))
    ends = ""
    if score.value.low is not None and score.value.high is not None:
        low, high = signed(score.value.low), signed(score.value.high)
        ends = words("interval", low=low, high=high)
    return words(
        "moved",
        score=name,
        before=number(score.before),
        after=number(score.after),
        change=signed(score.value.mean),
        interval=ends,
        p=p_text(score.p),
    )


def _why(found: Comparison, words: Words) -> str:
    score, key = found.of_score, f"why.{found.why}"
    if found.why is Undecided.FEW:
        rows = found.after.is_of_rows
        of = words("few.scenarios" if score.of_scenarios and not rows else "few.talks")
        needed = 1 + math.ceil(-math.log2(found.alpha))
        return words(key, n=score.clusters, of=of, needed=needed, alpha=_plain(found))
    if found.why is Undecided.GAPS and found.bounds:
        return words(key, **_bounds(found))
    return words(key)


def _gaps(found: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    before, after = found.gap_turns
    if not (before or after) or found.bounds is None or found.why is Undecided.NOTHING:
        return
    ends = _bounds(found)
    if ends["low"] == ends["high"]:  # only the bot failed, and that has no better end
        yield words("failed_low", **ends), WARN
    else:
        yield words("gaps", before=f"{before:,}", after=f"{after:,}", **ends), WARN


def _bounds(found: Comparison) -> dict[str, str]:
    low, high = found.bounds or (None, None)
    return {"low": signed(low), "high": signed(high)}


def _plain(found: Comparison) -> str:
    return f"{found.alpha:g}"


def number(value: float | None) -> str:
    """A mean."""
    return "–" if value is None else f"{value:.2f}"


def signed(value: float | None) -> str:
    """A difference; 0 has no sign."""
    if value is None:
        return "–"
    rounded = round(value, 2)
    return f"{rounded:+.2f}" if rounded else "0.00"


def ends(value: Interval, words: Words) -> str:
    """The ends of an interval of a difference, if it has any."""
    if value.low is None or value.high is None:
        return ""
    return words("ends", low=signed(value.low), high=signed(value.high))


def p_text(p: float | None) -> str:
    """A p-value in a sentence."""
    shown = p_value(p)
    return f"p{shown}" if shown.startswith("<") else f"p={shown}"  # no line breaks within it


def p_value(p: float | None) -> str:
    """A p-value; small ones are not told to the last digit."""
    if p is None:
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}"
