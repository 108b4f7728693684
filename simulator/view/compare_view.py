"""What every display shows of two runs beside each other, as values: worded once.

Terminal, page, markdown and JSON put these in their own form and work out nothing themselves.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.style import Style
from rich.text import Text

from simulator.console.blocks import figure
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import cut, visible
from simulator.core.comparison import (
    CellChange,
    Change,
    Comparison,
    Doubt,
    Doubted,
    Moved,
    People,
    Replayed,
    Undecided,
    Unjudged,
    Unknown,
    WorseCell,
    Worsening,
)
from simulator.core.result import Result
from simulator.core.run import NOBODY
from simulator.statistics.ppi import ENOUGH_LABELS
from simulator.view.run_view import row_name
from simulator.view.worst import screen_names
from simulator.words import Words

_NAMED = 5
_SAID = 300  # characters of why scores are missing
_STYLES = {
    Change.REGRESSED: BAD,
    Change.IMPROVED: GOOD,
    Change.NO_DIFFERENCE: BOLD,
    Change.UNDECIDED: WARN,
}
Sign = Literal["failed", "doubtful", "passed"]


@dataclass(frozen=True, slots=True)
class Worse:
    """What got worse in one scenario, by the conversation that shows it best.

    Attributes:
        name: scenario, persona and repeat of that conversation; of a row its id.
        way: from which result to which.
        others: how many cells more of the scenario got worse.
        replays: what playing it again says; empty where it was not.
        why: what decided it.
        answer: the words of the answer that show it, or its beginning.
        moved: both turns.
        must_pass: the gate says so.
    """

    name: str
    way: str
    others: int
    replays: str
    why: str
    answer: str
    moved: Moved
    must_pass: bool


@dataclass(frozen=True, slots=True)
class Matrix:
    """How many conversations went from which result to which: a row for each result before."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CompareView:
    """Two runs as they are shown beside each other.

    Attributes:
        comparison: the figures.
        words: the section compare, which knows whether rows or conversations are compared.
        sign: whether something that must pass or the score fell, or something newly fails.
        headline: what newly fails and passes, beside what would by chance; the first of them first.
        ways: in which ways how many got worse, where that is more than what newly fails.
        states: what fails for another reason, and what playing cells again says.
        worse: what got worse, by scenario, the gravest first.
        worse_left: in how many scenarios more.
        matrix: None where nothing has a result.
        doubts: why the figures may mislead.
        verdict: what became of the score, and how sure that is.
        people: what people would say of all answers of both; None where that is not known.
        people_unknown: why it is not known, and what to judge; empty where nobody judged.
        failing_scenarios: in how many scenarios conversations newly fail.
        passing_scenarios: in how many they newly pass.
    """

    comparison: Comparison
    words: Words
    sign: Sign
    headline: tuple[Text, ...]
    ways: tuple[Text, ...]
    states: tuple[Text, ...]
    worse: tuple[Worse, ...]
    worse_left: int
    matrix: Matrix | None
    doubts: tuple[Text, ...]
    verdict: tuple[Text, ...]
    people: People | None
    people_unknown: tuple[Text, ...]
    failing_scenarios: int
    passing_scenarios: int

    @property
    def first(self) -> tuple[Text, ...]:
        """What is said before what got worse: how much changed, and why that may mislead."""
        return (*self.headline[:1], *self.ways, *self.doubts)

    @property
    def then(self) -> tuple[Text, ...]:
        """What is said behind it, beside a run."""
        return (*self.headline[1:], *self.states)

    @property
    def sentences(self) -> tuple[Text, ...]:
        """All that is said before the figures."""
        people = () if self.people is None else (Text(_by_people(self.people, self.words)),)
        return (*self.first, *self.then, *people, *self.people_unknown, *self.verdict)


def compared(comparison: Comparison) -> CompareView:
    """What is shown of a comparison, in the language of its later run."""
    words = words_of(comparison)
    worse = _worse(comparison, words)
    scenarios = {cell.scenario for cell in comparison.states.lasting}
    return CompareView(
        comparison=comparison,
        words=words,
        sign=_sign(comparison),
        headline=_texts(_headline(comparison, words)),
        ways=_texts(_ways(comparison, words)),
        states=_texts(_states(comparison, words)),
        worse=worse,
        worse_left=len(scenarios) - len(worse),
        matrix=_matrix(comparison, words),
        doubts=_texts(_doubts(comparison, words)),
        verdict=_texts(_verdict(comparison, words)),
        people=comparison.people if isinstance(comparison.people, People) else None,
        people_unknown=_texts(_people_unknown(comparison, words)),
        failing_scenarios=_scenarios(comparison.newly_failing),
        passing_scenarios=_scenarios(comparison.cells.newly_passing),
    )


def words_of(comparison: Comparison) -> Words:
    """With what both runs are made of: rows or conversations."""
    language = comparison.after.language
    kind = "rows" if comparison.after.is_of_rows else "talks"
    plain = Words(language, "compare")
    thing, things = plain(f"thing.{kind}"), plain(f"things.{kind}")
    return Words(language, "compare", "result", thing=thing, things=things)


def _texts(sentences: Iterator[tuple[str, Style]]) -> tuple[Text, ...]:
    return tuple(Text(text, style) for text, style in sentences)


def _sign(comparison: Comparison) -> Sign:
    worse = comparison.states.lasting
    must = any(cell.must_pass for cell in worse)
    if must or comparison.change is Change.REGRESSED:
        return "failed"
    return "doubtful" if worse or comparison.states.unjudged.n else "passed"


def _scenarios(cells: Sequence[CellChange]) -> int:
    return len({cell.scenario for cell in cells})


def compared_score(comparison: Comparison) -> str:
    """What a screen calls the metric that both runs are compared by."""
    names = screen_names(comparison.after)
    return visible(names.get(comparison.score, comparison.score))


def _ways(comparison: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    worse = comparison.states.lasting
    ways = {how: sum(cell.how is how for cell in worse) for how in Worsening}
    apart = comparison.apart
    if apart.only_before or apart.only_after:
        before, after = len(apart.only_before), len(apart.only_after)
        yield words("not_compared", before=before, after=after), WARN
    if len(worse) > len(comparison.newly_failing):
        listed = words.counts("worse", {how.value: n for how, n in ways.items()})
        n = len({cell.scenario for cell in worse})
        yield words("worse", n=len(worse), scenarios=n, ways=listed), BAD


def _states(comparison: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    worse, burn_in = comparison.states.worse, comparison.states.burn_in
    unjudged = comparison.states.unjudged
    changed = [key for key in unjudged.conversations if key not in unjudged.unchanged]
    for kind, keys in (("unchanged", unjudged.unchanged), ("changed", changed)):
        if keys:
            listed = few([cell_name(comparison, key) for key in keys], words)
            yield words(f"cases.{kind}", n=len(keys), names=listed), WARN
    others = comparison.states.failed_otherwise
    if otherwise := [each for each in others if not each.newly_violated]:
        names = [cell_name(comparison, each.conversation) for each in otherwise]
        yield words("otherwise", n=len(otherwise), names=few(names, words)), WARN
    if burn_in is not None:
        decisions = [cell.replays.replayed for cell in worse if cell.replays]
        counts = {f"n_{replayed}": decisions.count(replayed) for replayed in Replayed}
        said = words("burn_in", n=burn_in.conversations, lucky=burn_in.lucky, **counts)
        noise = [cell_name(comparison, c.name) for c in worse if c.was_noise]
        yield said + (words("burn_in.noise", names=few(noise, words)) if noise else ""), BOLD


def _worse(comparison: Comparison, words: Words) -> tuple[Worse, ...]:
    """By scenario, in the order of the first of each."""
    lasting = comparison.states.lasting
    cells = {(cell.scenario, cell.persona): cell for cell in lasting}
    sizes = Counter(cell.scenario for cell in lasting)
    first: dict[str, Moved] = {}
    for moved in shown_worse(comparison):
        first.setdefault(moved.cell.scenario, moved)
    return tuple(
        _worst(comparison, moved, cells[scenario, moved.cell.persona], sizes[scenario], words)
        for scenario, moved in first.items()
    )


def shown_worse(comparison: Comparison) -> tuple[Moved, ...]:
    """The conversations that show what got worse, but for what was noise."""
    noise, shown = comparison.states.noise, comparison.worse.shown
    return tuple(m for m in shown if f"{m.cell.scenario}/{m.cell.persona}" not in noise)


def _worst(comparison: Comparison, first: Moved, cell: WorseCell, n: int, words: Words) -> Worse:
    after = first.after
    replays = ""
    if cell.replays is not None:
        again = {"bad": cell.replays.bad, "n": cell.replays.plays}
        replays = words(f"again.{cell.replays.replayed}", **again)
    return Worse(
        name=name_of(comparison, first),
        way=words(f"worse.{cell.how}"),
        others=n - 1,
        replays=replays,
        why=after.reason.removesuffix(f": {after.quote}"),
        answer=visible(after.quote or after.assistant),
        moved=first,
        must_pass=cell.must_pass,
    )


def name_of(comparison: Comparison, moved: Moved) -> str:
    """`login-fails · angry · 1`: scenario, persona and repeat; of a row its id."""
    cell = moved.cell
    if comparison.after.is_of_rows:
        return row_name(cell)
    return f"{row_name(cell)} · {cell.repeat}"


def _matrix(comparison: Comparison, words: Words) -> Matrix | None:
    counts = {(move.before, move.after): move.n for move in comparison.states.moves}
    if not any(Result.UNCHECKED not in pair for pair in counts):
        return None
    results = [r for r in Result if any(r in pair for pair in counts)]
    heads = (words("matrix"), *(words.name("result", r) for r in results))
    rows = (
        (words.name("result", a), *(f"{counts.get((a, b), 0):,}" for b in results)) for a in results
    )
    return Matrix(heads, tuple(rows))


def _headline(comparison: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    flips, cells, unjudged = comparison.flips, comparison.cells, comparison.states.unjudged
    same = len(unjudged.unchanged)
    left = words("cases.unjudged", n=unjudged.n, same=same) if unjudged.n else ""
    if not flips.known:
        if comparison.paired:
            yield words("cases.none") + left, WARN
        return
    failing, passing = comparison.newly_failing, cells.newly_passing
    style = BAD if failing else WARN if unjudged.n else GOOD if passing else BOLD
    key = "cases.failing" if failing else "cases.none_failing"
    scenario = {"in_failing": _scenarios(failing), "in_passing": _scenarios(passing)}
    counts = {"failing": len(failing), "passing": len(passing), "n": flips.known, **scenario}
    end = words("cases.passing" if passing else "cases.none_passing", **counts)
    yield words(key, **counts) + end + left, style
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
        key = "unknown" if comparison.differs else "same_bot"
        yield words(f"chance.{'unknown_rows' if rows else key}"), WARN
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
    if not comparison.newly_failing:
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


def _doubts(comparison: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    for doubted in comparison.doubts:
        yield f"{words('doubt')}: {_doubt(comparison, doubted, words)}", WARN


def _doubt(comparison: Comparison, doubted: Doubted, words: Words) -> str:
    """One reason for doubt as a sentence."""
    names, kind = doubted.names, doubted.doubt
    if kind is Doubt.SCORE_BY:
        before, after, score = map(visible, names)
        return words(f"doubt.{kind}", names=f"{before}{words.comma}{after}", score=score)
    shown = few([cell_name(comparison, name) for name in names], words)
    by_place = kind is Doubt.QUESTIONS and any(name.startswith("row-") for name in names)
    hint = words("hint.questions") if by_place else ""
    return words(f"doubt.{kind}", n=len(names), names=shown) + hint


def cell_name(comparison: Comparison, key: str) -> str:
    """A conversation's key as people know it: of a row its id, and its persona if it has one.

    Other names are as they are.
    """
    if not comparison.after.is_of_rows:
        return key
    return key.removesuffix("/1").removesuffix(f"/{NOBODY}")


def few(names: Sequence[str], words: Words) -> str:
    """The first names of a list, and how many more there are."""
    more = words("more", n=len(names) - _NAMED) if len(names) > _NAMED else ""
    return words.comma.join(map(visible, names[:_NAMED])) + more


def _verdict(comparison: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    score = comparison.of_score
    by = compared_score(comparison)
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
        low, high = map(signed, comparison.bounds)
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
        low, high = map(signed, comparison.bounds)
        return words(key, low=low, high=high)
    return words(key)


def _moved(comparison: Comparison, words: Words) -> str:
    score, value = comparison.of_score, comparison.of_score.value
    ends = ""
    if value.low is not None and value.high is not None:
        ends = words("interval", low=signed(value.low), high=signed(value.high))
    return words(
        "moved" if score.lower or score.higher else "same",
        n=score.pairs,
        score=compared_score(comparison),
        before=figure(score.before),
        after=figure(score.after),
        change=signed(value.mean),
        interval=ends,
        p=p_in_text(score.p),
    )


def _by_people(people: People, words: Words) -> str:
    """What people say as a sentence, for where no table is."""
    value, ends = people.value, ""
    if value.low is not None and value.high is not None:
        ends = words("interval", low=signed(value.low), high=signed(value.high))
    shown = {"before": figure(people.before), "after": figure(people.after)}
    figures = {**shown, "change": signed(value.mean), "interval": ends}
    return words("by_people", name=words("people"), **figures)


def _people_unknown(comparison: Comparison, words: Words) -> Iterator[tuple[str, Style]]:
    unknown = comparison.people
    if not isinstance(unknown, Unknown) or unknown.why is Unjudged.NOTHING:
        return
    run = comparison.before if unknown.why is Unjudged.FEW_BEFORE else comparison.after
    text = words(f"people.{unknown.why}", run=run.id, n=unknown.answers, needed=ENOUGH_LABELS)
    if unknown.judge:
        minutes = max(1, round(unknown.seconds / 60))
        text += words("people.judge", n=unknown.judge, minutes=minutes, command=unknown.command)
    yield text, WARN


def signed(value: float | None) -> str:
    """A difference; 0 has no sign."""
    if value is None:
        return "–"
    rounded = round(value, 2)
    return f"{rounded:+.2f}" if rounded else "0.00"


def p_in_text(p: float | None) -> str:
    """`p=0.031`, or `p<0.001`."""
    shown = p_value(p)
    return f"p{shown}" if shown.startswith("<") else f"p={shown}"  # no line breaks within it


def p_value(p: float | None) -> str:
    """A p-value; small ones are not told to the last digit."""
    return "<0.001" if p is not None and p < 0.001 else figure(p, ".3f")
