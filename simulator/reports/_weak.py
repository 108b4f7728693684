"""Where a run is weak: persona × scenario as a heat map, and the worst turns, first the worst."""

from collections.abc import Generator, Iterator, Sequence
from itertools import takewhile

from rich.cells import cell_len
from rich.text import Text

from simulator.console.blocks import INDENT, entry, figure, paragraph, passage, spaced
from simulator.console.layout import fit, fit_id, pad, wrap
from simulator.console.palette import BAD, BOLD, DIM, share
from simulator.console.palette import heat as heat_style
from simulator.core.clean import visible
from simulator.core.result import Result, WeakTurn, Why
from simulator.core.run import Run
from simulator.view.run_view import rating, row_name, where
from simulator.view.summary import HeatCell, HeatMap, HeatRow
from simulator.view.worst import (
    Entry,
    TurnLists,
    is_undecided,
    persona_names,
    reasons_of,
    score_name,
    screen_names,
)
from simulator.words import Words

_ROWS = (5, 15)  # of the map, fewest and most
_AROUND = 7  # lines of the map that are no scenario
_FEW = 3  # rows that all pass are shown up to this many
_NAME = (16, 32)  # least and most screen cells of a scenario's id
_HEAD = 12  # most screen cells of a persona's id
NO_THRESHOLD = 0.5
"""Where the colours turn, if the score has no threshold."""

_MARKS = {Result.FAILED: "✗", Result.UNDECIDED: "?", Result.UNCHECKED: "–"}
_NAMED = 15  # entries that are named only
_BOT, _WHY, _COMMENT = 6, 3, 2  # lines; what decides may stand anywhere in the answer


def heatmap(
    run: Run, heat: HeatMap, words: Words, width: int, lines: int | None = None
) -> Iterator[Text]:
    """The heat map, worst first, in so many lines; None: with every scenario."""
    rows: Sequence[HeatRow] = heat.scenarios
    fine = 0
    if lines is not None:
        rows, fine = _folded(rows, min(_ROWS[1], max(_ROWS[0], lines - _AROUND)))
    shown = [*rows, *([heat.total] if heat.is_total_shown else [])]
    texts = [[_text(cell) for cell in heat.shown(row)] for row in shown]
    # A space on either side of a column's widest text, and a gap.
    widths = [
        max(min(_HEAD, cell_len(head)), *map(len, column)) + 3
        for head, column in zip(heat.heads, zip(*texts, strict=True), strict=True)
    ]
    longest = min(_NAME[1], max(cell_len(row.name) for row in shown))
    name_width = min(longest, max(_NAME[0], width - sum(widths)))
    columns = _columns(widths, width - name_width)
    score = run.summary.score
    threshold = score.threshold if score and score.threshold is not None else NO_THRESHOLD
    yield Text(words("heat", score=visible(score_name(run.header))), BOLD)
    head = "".join("  " + pad(heat.heads[i], widths[i] - 2) for i in columns)
    yield Text(" " * name_width + head.rstrip(), BOLD)
    for row, row_texts in zip(shown, texts, strict=True):
        style = BOLD if row is heat.total else ""
        name = pad(fit_id(row.name, name_width), name_width)
        cells = (_shown(row.cells[i], row_texts[i], widths[i], threshold) for i in columns)
        yield Text.assemble((name, style), *cells)
    if fine:
        yield Text(words("all_pass", n=fine), DIM)
    if left := len(heat.scenarios) - len(rows) - fine:
        yield Text(f"{words('more_scenarios', n=left)}: mogi show {run.header.id} --map", DIM)
    if len(heat.heads) > len(columns):
        yield Text(words("more_personas", n=len(heat.heads) - len(columns)), DIM)
    yield Text(words("legend"), DIM)


def _folded(scenarios: Sequence[HeatRow], most: int) -> tuple[Sequence[HeatRow], int]:
    """The rows that are shown, and how many that pass wholly are not, where these are many."""
    weak = [row for row in scenarios if not row.together.all_pass]
    fine = len(scenarios) - len(weak)
    return (weak[:most], fine) if fine > _FEW else (scenarios[:most], 0)


def _columns(widths: Sequence[int], room: int) -> list[int]:
    """The columns that there is room for: the last one, and of the others the first ones."""
    *others, last = range(len(widths))
    room -= widths[last]
    kept = list(takewhile(lambda i: sum(widths[: i + 1]) <= room or i == 0, others))
    return [*kept, last]


def _text(cell: HeatCell) -> str:
    if not cell.figures.conversations:
        return "–"
    return f"{figure(cell.figures.mean)} {cell.marks}".rstrip()


def _shown(cell: HeatCell, text: str, width: int, threshold: float) -> Text:
    """The colour is that of the results or, where there are none, of the score."""
    mean, results = cell.figures.mean, cell.figures.results
    style = DIM if mean is None else heat_style(mean, threshold)
    if any(results):
        style = share((results.passed + results.undecided / 2) / sum(results))
    return Text.assemble(" ", (f" {text}".ljust(width - 1), style))


def weak_turns(run: Run, lists: TurnLists, words: Words, width: int) -> Iterator[Text]:
    """The lines of the list of the worst turns: each scenario's worst one before its others.

    What is to be fixed is a scenario; ten personas who stumble over the same answer are one.
    """
    summary, header = run.summary, run.header
    if not lists.worst:
        if not lists.undecided and summary.score and summary.score.scored:
            yield from _none(run, words, width)
        return
    entries = _Entries(run, lists, words, width)
    key = "lowest" if lists.weak is None else "worst"
    n = summary.turns if lists.weak is None else lists.weak
    by, shown = visible(score_name(header)), sum(entry.count for entry in lists.worst)
    yield Text(words(key, shown=shown, n=n, score=by, entries=len(lists.worst)), BOLD)
    for number, each in enumerate(lists.worst, 1):
        yield from entries.lines(number, each)
        if more := lists.more_weak(each):
            yield from passage("", [words("more_weak", n=more)])
    shown += yield from entries.named(lists.also_failed, "worst_also")
    if lists.weak is not None and n > shown:
        command = f"mogi export {header.id}"
        yield from spaced(*paragraph(words("more_by", n=n - shown, command=command), width))
    if summary.blames:
        yield Text("")
        faults = words.counts("fault", summary.blames)
        yield from paragraph(words("faults", faults=faults), width)


def undecided(run: Run, lists: TurnLists, words: Words, width: int) -> Iterator[Text]:
    """The lines of the list of undecided conversations."""
    if not lists.undecided:
        return
    entries = _Entries(run, lists, words, width)
    n, shown = run.summary.results[Result.UNDECIDED], sum(e.count for e in lists.undecided)
    yield Text(words("open", shown=shown, n=n, entries=len(lists.undecided)), BOLD)
    for number, each in enumerate(lists.undecided, 1):
        yield from entries.lines(number, each)
    shown += yield from entries.named(lists.also_undecided, "open_also")
    if n > shown:
        command = f"mogi show {run.header.id} --undecided"
        yield from spaced(*paragraph(words("more_by", n=n - shown, command=command), width))


class _Entries:
    """The entries of one screen, in lines."""

    def __init__(self, run: Run, lists: TurnLists, words: Words, width: int) -> None:
        self._run, self._lists, self._words, self._width = run, lists, words, width
        self._language, self._metrics = run.header.language, screen_names(run.header)

    def named(self, entries: Sequence[Entry], key: str) -> Generator[Text, None, int]:
        """What has no room otherwise, in two lines each; of how many conversations that is."""
        shown, room = entries[:_NAMED], self._width - _NAME[0] - 6
        count = sum(entry.count for entry in shown)
        if shown:
            yield from spaced(*paragraph(self._words(key, n=count), self._width))
        for turn in (each.first for each in shown):
            name = pad(fit_id(turn.cell.scenario, _NAME[0]), _NAME[0])
            reason = next((text for _, text in reasons_of(turn, self._language, self._metrics)), "")
            yield Text(f"    {name}  {fit(turn.assistant or self._words('no_answer'), room)}")
            yield Text(f"    {'':{_NAME[0]}}  {fit(reason, room)}", DIM)
        return count

    def lines(self, number: int, each: Entry) -> Iterator[Text]:
        """A turn, and what it stands for: other personas and scenarios that got the same."""
        words, is_brief = self._words, self._lists.is_brief and is_undecided(each.first)
        yield from spaced(self._title(number, each.first))
        yield from self._turn(each.first)
        if each.blames and not is_brief:
            faults = " · ".join(words.name("fault", blame) for blame in each.blames)
            yield from self._passage("fault", faults)
        notes: list[str] = []
        if each.alike:
            called = persona_names(self._run.header)
            names = words.comma.join(visible(called.get(name, name)) for name in each.personas)
            notes.append(words("alike", n=each.alike, personas=names))
        if each.scenarios:
            names = words.comma.join(map(visible, each.scenarios))
            notes.append(words("same", n=len(each.scenarios), names=names))
        for line in [" · ".join(notes)] if is_brief and notes else notes:
            yield from passage("", wrap(line, self._width - INDENT))

    def _passage(self, label: str, text: str, *lines: int) -> Iterator[Text]:
        return passage(self._words(label), wrap(text, self._width - INDENT, *lines))

    def _turn(self, turn: WeakTurn) -> Iterator[Text]:
        """What was asked and answered, what is wrong with it, and why it is flagged."""
        words, width, is_brief = self._words, self._width, self._lists.is_brief
        yield from self._passage("user", turn.user, 1 if is_brief else 2)
        answer = wrap(turn.assistant or words("no_answer"), width - INDENT, _BOT)
        is_weak = turn.flagged or turn.against == "lenient"
        yield from passage(words("bot"), answer, width=width, weak=is_weak)
        if turn.against:
            yield from self._passage("judge_label", words.name("against", turn.against))
        for label, text in reasons_of(turn, self._language, self._metrics):
            yield from self._passage(label, text, _WHY)
        finding = turn.finding
        is_known = finding is not None and finding.why is Why.TARGET_FAILED  # with how it failed
        if turn.reason and not (is_known or (is_brief and finding)):
            yield from self._passage("comment", turn.reason, _COMMENT)

    def _title(self, number: int, turn: WeakTurn) -> Text:
        header, score, words = self._run.header, self._run.summary.score, self._words
        raw = rating(score.info, turn.raw) if score else ""
        has_answer = turn.score is not None or turn.assistant
        value = figure(turn.score) if has_answer else words.name("gap", "target_failed")
        value += f" ({words('raw', raw=raw)})" if raw else ""
        if turn.finding is not None:
            value = f"{_MARKS.get(turn.finding.result, '')} {value}".strip()
        place = row_name(turn.cell) if header.is_of_rows else where(turn.cell, turn.turn, words)
        return entry(number, place, (value, BAD), self._width)


def _none(run: Run, words: Words, width: int) -> Iterator[Text]:
    """That nothing is flagged, and which metrics flag nothing however low they are."""
    header, metrics = run.header, run.summary.metrics
    by, names = visible(score_name(header)), screen_names(header)
    key = "none_flagged"
    if header.is_of_rows:
        key = "none_under" if header.thresholds else "none_low"
    yield Text(words(key, score=by), BOLD)
    means = {n: m.value.mean for n, m in metrics.items() if m.threshold is None}
    low = [
        f"{visible(names.get(n, n))} {mean:.2f}"
        for n, mean in means.items()
        if mean is not None and mean < 1
    ]
    if low:
        yield from paragraph(words("unwatched", metrics=words.comma.join(low)), width, DIM)
