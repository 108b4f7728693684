"""Two runs side by side: what got worse first, then figures, then what differs."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.console.blocks import (
    INDENT,
    entry,
    figure,
    labelled,
    next_steps,
    paragraph,
    passage,
    spaced,
    table,
)
from simulator.console.layout import fit, wrap
from simulator.console.output import as_json
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.comparison import Comparison, Difference, Moved, People
from simulator.core.run import RunHeader
from simulator.core.verdict import Faults
from simulator.view.compare_view import (
    CompareView,
    Matrix,
    Worse,
    cell_name,
    compared_score,
    few,
    p_in_text,
    p_value,
    shown_worse,
    signed,
)
from simulator.view.run_view import local_time, rating, row_name, where
from simulator.view.worst import screen_names
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
    names = screen_names(view.comparison.after)
    rows = [{**_row(score, names), "p_adjusted": ""}, *(_row(each, names) for each in others)]
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


def _row(metric: Difference, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        **as_json(metric, "before", "after"),
        "metric": fit(names.get(metric.info.name, metric.info.name), _WIDEST_METRIC),
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
        keys = [line.removeprefix("client.").replace(" -> ", " → ") for line in lines]
        text = words("changed") if name in _UNTOLD else few(keys, words)
        rows.append((f"  {words(f'group.{name}')}", Text(text)))
    yield labelled(rows)


SHOWN = 10  # scenarios
_USER_LINES, _BOT_LINES, _WHY_LINES, _OTHER_LINES = 2, 3, 2, 2
_MARGIN = 4  # cells before what an entry says


def compare_view(view: CompareView, width: int) -> Iterator[RenderableType]:
    """All that a comparison has to say; `width` is the screen's, in cells."""
    comparison, words = view.comparison, view.words
    plain = Words(words.language, "report")
    yield from _head(comparison, words)
    yield from _lines(view.doubts, width)
    yield from _block((*view.headline[:1], *view.ways), width)
    yield from _worse(view, width)
    yield from _block((*view.headline[1:], *view.states), width)
    if view.matrix is not None:
        yield from spaced(_matrix(view.matrix))
    yield from _block(view.verdict, width)
    yield from _block(view.people_unknown, width)
    if comparison.by_results:
        yield from _moves(
            view, shown_worse(comparison), len(comparison.states.lasting), "worst", width
        )
        yield from _moves(view, comparison.rose.shown, comparison.rose.n, "fixed", width)
    else:
        yield from _moves(view, comparison.fell.shown, comparison.fell.n, "fell", width)
        yield from _moves(view, comparison.rose.shown, comparison.rose.n, "rose", width)
    yield from spaced(*figures(view, width))
    yield from faults(comparison.faults, words, width)
    yield from apart(view, plain)
    yield from differs(view)
    yield from next_steps(plain("next"), _commands(comparison, words), width)


def _block(texts: Sequence[Text], width: int) -> Iterator[Text]:
    if texts:
        yield from spaced(*_lines(texts, width))


def _lines(texts: Iterable[Text], width: int) -> Iterator[Text]:
    for text in texts:
        yield from paragraph(text.plain, width, text.style)


def _worse(view: CompareView, width: int) -> Iterator[Text]:
    """A few lines for each scenario: from what to what, and the words that show it."""
    words, shown = view.words, view.worse[:SHOWN]
    for number, worse in enumerate(shown, 1):
        yield from spaced() if number == 1 else ()
        more = words("more_cells", n=worse.others) if worse.others else ""
        must = words("must_pass") if worse.must_pass else ""
        yield entry(number, worse.name, (worse.way, BAD), width, more)
        if note := words.comma.join(filter(None, (must, worse.replays))):
            yield Text(" " * _MARGIN + fit(note, width - _MARGIN), DIM)
        yield Text(" " * _MARGIN + _shows(worse, words, width - _MARGIN))
    left = len(view.worse) - len(shown) + view.worse_left
    if left:
        yield Text(words("worse_left", n=left), DIM)


def _shows(worse: Worse, words: Words, width: int) -> str:
    """Why, and in at most half of the line the words of the answer that show it."""
    answer = fit(words("quoted", text=worse.answer), width // 2) if worse.answer else ""
    why = fit(worse.why, width - Text(answer).cell_len - 2 * bool(answer))
    return ": ".join(filter(None, (why, answer)))


def _matrix(matrix: Matrix) -> RenderableType:
    """From which result to which."""
    columns = table(matrix.heads)
    for row in matrix.rows:
        columns.add_row(*row)
    return columns


def _head(comparison: Comparison, words: Words) -> Iterator[RenderableType]:
    headers = (comparison.before, comparison.after)
    yield Text(" → ".join(dict.fromkeys(visible(header.client) for header in headers)), BOLD)
    sides = zip(("before", "after"), headers, comparison.complete, strict=True)
    yield labelled([(words(side), _run(header, done, words)) for side, header, done in sides])


def _run(header: RunHeader, done: int, words: Words) -> Text:
    parts = [header.id, local_time(header)]
    file = PurePath(header.options["file"]).name if header.is_of_rows else header.client
    parts += [visible(file)] if file != header.client else []
    parts += [words("of_run", of=header.of)] if header.kind == "rejudge" else []
    text = Text("  ".join([*parts, ""]))
    if done < header.planned:
        return text.append(words("done_of", n=done, planned=header.planned), WARN)
    return text.append(words("done", n=done))


def _moves(
    view: CompareView, shown: Sequence[Moved], n: int, head: str, width: int
) -> Iterator[Text]:
    if not n:
        return
    comparison, words, fell = view.comparison, view.words, head in ("worst", "fell")
    yield Text("")
    yield Text(words(head, n=n, score=compared_score(comparison)), BOLD)
    # What is to be mended is a scenario: those of one stand together, where its first does.
    groups: dict[str, list[Moved]] = {}
    for moved in shown:
        groups.setdefault(moved.cell.scenario, []).append(moved)
    left = n
    for number, (worst, *others) in enumerate(list(groups.values())[:SHOWN], 1):
        yield from spaced(_title(comparison, number, worst, words, width, fell=fell))
        yield from _texts(comparison, worst, words, width, fell=fell)
        if others:
            names = " · ".join(_name(moved, words) for moved in others)
            yield from passage(words("others"), wrap(names, width - INDENT, _OTHER_LINES))
        left -= 1 + len(others)
    if left:
        yield from spaced(Text(words("left", n=left), DIM))


def _name(moved: Moved, words: Words) -> str:
    cell = moved.cell
    repeat = f" ({words('repeat', n=cell.repeat)})" if cell.repeat > 1 else ""
    return f"{visible(cell.persona)}{repeat} {_values(moved)}"


def _values(moved: Moved) -> str:
    return f"{figure(moved.before.score)} → {figure(moved.after.score)}"


def _title(
    comparison: Comparison, number: int, moved: Moved, words: Words, width: int, *, fell: bool
) -> Text:
    info, value = comparison.of_score.info, _values(moved)
    before, after = rating(info, moved.before.raw), rating(info, moved.after.raw)
    if before and after:
        value += f" ({words('rating', before=before, after=after)})"
    if comparison.after.is_of_rows:
        place = row_name(moved.cell)
    else:
        turn = (moved.after if fell else moved.before).turn
        place = where(moved.cell, turn, Words(words.language, "report"))
    return entry(number, place, (value, BAD if fell else GOOD), width)


def _texts(
    comparison: Comparison, moved: Moved, words: Words, width: int, *, fell: bool
) -> Iterator[Text]:
    """What was asked once where it is the same, and both answers."""
    plain, room = Words(words.language, "report"), width - INDENT
    weak = moved.after if fell else moved.before
    question = None
    for label, side in (("before", moved.before), ("after", moved.after)):
        if side.turn and visible(side.user) != question:
            question = visible(side.user)
            yield from passage(plain("user"), wrap(side.user, room, _USER_LINES))
        answer = wrap(side.assistant or plain("no_answer"), room, _BOT_LINES)
        yield from passage(words(label), answer, width=width, weak=side.failed)
    if weak.reason:
        label = plain("why") if fell else words("why_before")
        yield from passage(label, wrap(weak.reason, room, _WHY_LINES))


def _commands(comparison: Comparison, words: Words) -> list[tuple[str, str]]:
    before, after = comparison.before, comparison.after
    commands = []
    moved = shown_worse(comparison) or comparison.fell.shown or comparison.rose.shown
    for first in moved[:1]:
        sides = (before, first.before, "show"), (after, first.after, "show_after")
        for header, view, what in sides:
            key = shlex.quote(visible(view.episode))
            commands.append((f"mogi show {header.id} {key}", words(what)))
    return [*commands, (f"mogi compare {before.id} {after.id} --json", words("json"))]
