"""Two runs side by side on the screen: what newly fails first, then figures, then what differs."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import BAD, BOLD, DIM, GOOD, WARN, command_lines
from simulator.console.layout import fit, wrap
from simulator.core.clean import visible
from simulator.core.comparison import Comparison, Moved, Moves, Told
from simulator.core.plan import Cell
from simulator.core.run import RunHeader
from simulator.reports._figures import labelled, local_time, rating
from simulator.reports._weak import INDENT, row_name, said, where
from simulator.screens.compare_tables import apart, differs, figures
from simulator.screens.compare_verdict import doubts, verdict
from simulator.words import Words

SHOWN = 10  # scenarios
_USER_LINES, _BOT_LINES, _WHY_LINES, _OTHER_LINES = 2, 3, 2, 2


def compare_view(found: Comparison, width: int) -> Iterator[RenderableType]:
    """All that a comparison has to say; `width` is the screen's, in cells."""
    language = found.after.language
    words = Words(language, "compare", things=_things(found))
    plain = Words(language, "report")
    yield from _head(found, words, plain)
    yield from doubts(found, words, width)
    yield Text("")
    yield from verdict(found, words, width)
    for moves, fell in ((found.fell, True), (found.rose, False)):
        yield from _moves(found, moves, words, width, fell=fell)
    yield Text("")
    yield from figures(found, words, width)
    yield from apart(found, words, plain)
    yield from differs(found, words)
    yield Text("")
    yield Text(plain("next"), BOLD)
    yield from command_lines(_commands(found, words), width)


def _things(found: Comparison) -> str:
    """What both runs are made of, in the client's words."""
    kind = "rows" if found.after.is_of_rows else "talks"
    return Words(found.after.language, "compare")(f"things.{kind}")


def _head(found: Comparison, words: Words, plain: Words) -> Iterator[RenderableType]:
    names = dict.fromkeys(visible(h.client) for h in (found.before, found.after))
    yield Text(" → ".join(names), BOLD)
    headers = ((found.before, "before"), (found.after, "after"))
    yield labelled(
        [
            (words(which), _run(header, done, words))
            for (header, which), done in zip(headers, found.complete, strict=True)
        ]
    )
    if not any("judge" in d.info.needs for d in found.metrics):
        yield Text(plain("lexical"), WARN)


def _run(header: RunHeader, done: int, words: Words) -> Text:
    parts = [header.id, local_time(header)]
    file = PurePath(header.options["file"]).name if header.is_of_rows else header.client
    parts += [visible(file)] if file != header.client else []
    parts += [words("of_run", of=header.of)] if header.kind == "rejudge" else []
    text = Text("  ".join([*parts, ""]))
    if done < header.planned:
        return text.append(words("done_of", n=f"{done:,}", planned=f"{header.planned:,}"), WARN)
    return text.append(words("done", n=f"{done:,}"))


def _moves(
    found: Comparison, moves: Moves, words: Words, width: int, *, fell: bool
) -> Iterator[Text]:
    by = visible(found.score)
    if not moves.n:
        if fell and found.paired:
            yield Text("")
            yield Text(words("none_failing" if found.by_flags else "none_fell", score=by), BOLD)
        return
    yield Text("")
    key = {(True, True): "failing", (False, True): "fixed", (True, False): "fell"}
    head = key.get((fell, found.by_flags), "rose")
    yield Text(words(head, n=f"{moves.n:,}", score=by), BOLD)
    groups = _by_scenario(moves.told)
    left = moves.n
    for number, (worst, *others) in enumerate(groups[:SHOWN], 1):
        yield Text("")
        yield _title(found, number, worst, words, width, fell=fell)
        yield from _texts(worst, words, Words(found.after.language, "report"), width, fell=fell)
        if others:
            told = " · ".join(f"{_who(m.cell, words)} {_values(m)}" for m in others)
            yield from said(words("others"), wrap(told, width - INDENT, _OTHER_LINES))
        left -= 1 + len(others)
    if left:
        yield Text("")
        yield Text(words("left", n=f"{left:,}"), DIM)


def _by_scenario(told: Sequence[Moved]) -> list[list[Moved]]:
    """What is to be mended is a scenario: those of one stand together, where its first does."""
    groups: dict[str, list[Moved]] = {}
    for moved in told:
        groups.setdefault(moved.cell.scenario, []).append(moved)
    return list(groups.values())


def _who(cell: Cell, words: Words) -> str:
    repeat = f" ({words('repeat', n=cell.repeat)})" if cell.repeat > 1 else ""
    return f"{visible(cell.persona)}{repeat}"


def _title(
    found: Comparison, number: int, moved: Moved, words: Words, width: int, *, fell: bool
) -> Text:
    value = _values(moved)
    ratings = [rating(found.of_score.info, told.raw) for told in (moved.before, moved.after)]
    if all(ratings):
        value += f" ({words('rating', before=ratings[0], after=ratings[1])})"
    if found.after.is_of_rows:
        place = row_name(moved.cell)
    else:
        turn = (moved.after if fell else moved.before).turn
        place = where(moved.cell, turn, Words(found.after.language, "report"))
    place = fit(place, width - cell_len(value) - 7)
    return Text.assemble(
        (f"{number:>2}  ", DIM), (place, BOLD), "   ", (value, BAD if fell else GOOD)
    )


def _values(moved: Moved) -> str:
    return f"{_value(moved.before)} → {_value(moved.after)}"


def _value(told: Told) -> str:
    return "–" if told.score is None else f"{told.score:.2f}"


def _texts(moved: Moved, words: Words, plain: Words, width: int, *, fell: bool) -> Iterator[Text]:
    """What was asked once where it is the same, and both answers."""
    room = width - INDENT
    weak = moved.after if fell else moved.before
    asked = None
    for label, told in (("before", moved.before), ("after", moved.after)):
        if told.turn and visible(told.user) != asked:
            asked = visible(told.user)
            yield from said(plain("user"), wrap(told.user, room, _USER_LINES))
        answer = told.assistant or plain("no_answer")
        lines = wrap(answer, room, _BOT_LINES)
        yield from said(words(label), lines, width=width, weak=told.flagged)
    if weak.reason:
        yield from said(plain("why"), wrap(weak.reason, room, _WHY_LINES))


def _commands(found: Comparison, words: Words) -> list[tuple[str, str]]:
    commands = []
    told: Sequence[Moved] = found.fell.told or found.rose.told
    if told:
        key = shlex.quote(visible(told[0].cell.key))
        for header, what in ((found.before, "show"), (found.after, "show_after")):
            commands.append((f"mogi show {header.id} {key}", words(what)))
    commands.append((f"mogi compare {found.before.id} {found.after.id} --json", words("json")))
    return commands
