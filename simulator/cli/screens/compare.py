"""Two runs side by side: what newly fails first, then figures, then what differs; and as JSON."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath

from rich.console import RenderableType
from rich.text import Text

from simulator.cli.screens.compare_cases import headline
from simulator.cli.screens.compare_figures import (
    apart,
    differs,
    doubts,
    faults,
    figures,
    people_lines,
    people_unknown,
    verdict,
)
from simulator.console.blocks import INDENT, entry, figure, labelled, next_steps, passage, spaced
from simulator.console.layout import wrap
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.comparison import (
    Comparison,
    Moved,
    Moves,
)
from simulator.core.run import RunHeader
from simulator.view.run_view import local_time, rating, row_name, where
from simulator.words import Words

SHOWN = 10  # scenarios
_WIDE = 100_000  # cells: no line is broken
_USER_LINES, _BOT_LINES, _WHY_LINES, _OTHER_LINES = 2, 3, 2, 2


def compare_view(comparison: Comparison, width: int) -> Iterator[RenderableType]:
    """All that a comparison has to say; `width` is the screen's, in cells."""
    words, plain = _words(comparison), Words(comparison.after.language, "report")
    yield from _head(comparison, words, plain)
    yield from doubts(comparison, words, width)
    yield from spaced(*headline(comparison, words, width))
    yield from spaced(*verdict(comparison, words, width))
    if unknown := [*people_unknown(comparison, words, width)]:
        yield from spaced(*unknown)
    for moves, fell in ((comparison.fell, True), (comparison.rose, False)):
        yield from _moves(comparison, moves, words, width, fell=fell)
    yield from spaced(*figures(comparison, words, width))
    yield from faults(comparison.faults, words, width)
    yield from apart(comparison, words, plain)
    yield from differs(comparison, words)
    yield from next_steps(plain("next"), _commands(comparison, words), width)


def compare_lines(comparison: Comparison) -> list[str]:
    """What is said of a comparison before its figures, a sentence each, in the client's language.

    What newly fails is the first.
    """
    return _lines(comparison, headline, people_lines, doubts, verdict)


def since_lines(comparison: Comparison) -> list[str]:
    """What newly fails and passes, and why that may mislead: the first of `compare_lines`."""
    return _lines(comparison, headline, doubts)


def _lines(comparison: Comparison, *views: Callable[..., Iterable[Text]]) -> list[str]:
    words = _words(comparison)
    return [line.plain for view in views for line in view(comparison, words, _WIDE)]


def _words(comparison: Comparison) -> Words:
    """With what both runs are made of: rows or conversations."""
    language = comparison.after.language
    kind = "rows" if comparison.after.is_of_rows else "talks"
    return Words(language, "compare", things=Words(language, "compare")(f"things.{kind}"))


def _head(comparison: Comparison, words: Words, plain: Words) -> Iterator[RenderableType]:
    headers = (comparison.before, comparison.after)
    yield Text(" → ".join(dict.fromkeys(visible(header.client) for header in headers)), BOLD)
    sides = zip(("before", "after"), headers, comparison.complete, strict=True)
    yield labelled([(words(side), _run(header, done, words)) for side, header, done in sides])
    if not any("judge" in metric.info.needs for metric in comparison.metrics):
        yield Text(plain("lexical"), WARN)


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
    comparison: Comparison, moves: Moves, words: Words, width: int, *, fell: bool
) -> Iterator[Text]:
    if not moves.n:
        return
    yield Text("")
    key = {(True, True): "failing", (False, True): "fixed", (True, False): "fell"}
    by = visible(comparison.score)
    yield Text(words(key.get((fell, comparison.by_results), "rose"), n=moves.n, score=by), BOLD)
    # What is to be mended is a scenario: those of one stand together, where its first does.
    groups: dict[str, list[Moved]] = {}
    for moved in moves.told:
        groups.setdefault(moved.cell.scenario, []).append(moved)
    left = moves.n
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
        yield from passage(plain("why"), wrap(weak.reason, room, _WHY_LINES))


def _commands(comparison: Comparison, words: Words) -> list[tuple[str, str]]:
    before, after = comparison.before, comparison.after
    commands = []
    moved: Sequence[Moved] = comparison.fell.told or comparison.rose.told
    for first in moved[:1]:
        sides = (before, first.before, "show"), (after, first.after, "show_after")
        for header, view, what in sides:
            key = shlex.quote(visible(view.episode))
            commands.append((f"mogi show {header.id} {key}", words(what)))
    return [*commands, (f"mogi compare {before.id} {after.id} --json", words("json"))]
