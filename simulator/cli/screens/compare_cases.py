"""The head of a comparison: how many newly fail and newly pass, and how many would by chance."""

from collections.abc import Iterator, Sequence

from rich.style import Style
from rich.text import Text

from simulator.console.blocks import paragraph
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.comparison import CellChange, Comparison
from simulator.words import Words

_NAMED = 5


def headline(comparison: Comparison, words: Words, width: int) -> Iterator[Text]:
    """What changed case by case, beside what would be expected by chance."""
    for line, style in _lines(comparison, words):
        yield from paragraph(line, width, style)


def scenarios(cells: Sequence[CellChange]) -> int:
    """In how many scenarios they are."""
    return len({cell.scenario for cell in cells})


def _lines(comparison: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    flips, cells = comparison.flips, comparison.cells
    if not flips.known:
        if comparison.paired:
            yield words("cases.none"), WARN
        return
    failing, passing = cells.newly_failing, cells.newly_passing
    style = BAD if failing else GOOD if passing else BOLD
    key = "cases.failing" if failing else "cases.none_failing"
    scenario = {"in_failing": scenarios(failing), "in_passing": scenarios(passing)}
    counts = {"failing": len(failing), "passing": len(passing), "n": flips.known, **scenario}
    end = words("cases.passing" if passing else "cases.none_passing", **counts)
    yield words(key, **counts) + end, style
    yield from _chance(comparison, words)
    must = [cell for cell in failing if cell.must_pass]
    if must:
        yield words("cases.must_pass", n=len(must), names=_named(must, words)), BAD
    if comparison.repeated:
        yield words("cases.repeats"), DIM
    if cells.unsteady:
        n, names = len(cells.unsteady), _unsteady(cells.unsteady, words)
        yield words("cases.unsteady", n=n, names=names), WARN
    if flips.unknown:
        passed = sum(cell.after.passed == cell.after.failed for cell in cells.left_open)
        left = words("cases.left_open", n=passed) if passed else ""
        yield words("cases.unknown", n=flips.unknown, left=left), WARN


def _chance(comparison: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    """How many would by chance, and whether these are more."""
    chance = comparison.chance
    if chance is None:
        rows = comparison.after.kind != "run"  # nothing was said anew: nothing can be repeated
        yield words("chance.unknown_rows" if rows else "chance.unknown"), WARN
        return
    failing = chance.failing
    if chance.runs:
        by = words("chance.same", before=chance.runs[0], after=chance.runs[1])
    else:
        by = words("chance.repeats")
    more = len(comparison.cells.newly_failing) > failing.high
    expected = words(
        "chance", mean=f"{failing.mean:.1f}", low=failing.low, high=failing.high, by=by
    )
    if not comparison.cells.newly_failing:
        yield expected, DIM
        return
    conclusion = words("chance.more" if more else "chance.no_more")
    yield expected + conclusion, BAD if more else BOLD


def _named(cells: Sequence[CellChange], words: Words) -> str:
    names = words.comma.join(visible(cell.name) for cell in cells[:_NAMED])
    return names + (words("more", n=len(cells) - _NAMED) if cells[_NAMED:] else "")


def _unsteady(cells: Sequence[CellChange], words: Words) -> str:
    """`s/p (2/3 → 1/3)`: how many of the repeats that passed or failed passed."""
    shares = (
        "/".join(map(str, (side.passed, side.passed + side.failed)))
        for cell in cells[:_NAMED]
        for side in (cell.before, cell.after)
    )
    pairs = zip(cells, shares, shares, strict=False)
    names = words.comma.join(f"{visible(cell.name)} ({a} → {b})" for cell, a, b in pairs)
    return names + (words("more", n=len(cells) - _NAMED) if cells[_NAMED:] else "")
