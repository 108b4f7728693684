"""Where a run is weak: persona × scenario as a heat map, and the worst turns, first the worst."""

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from rich.cells import cell_len
from rich.text import Text

from simulator.console.blocks import INDENT, entry, figure, paragraph, passage, spaced
from simulator.console.layout import fit, fit_id, pad, wrap
from simulator.console.palette import BAD, BOLD, DIM, share
from simulator.console.palette import heat as heat_style
from simulator.core.claim import ClaimKind
from simulator.core.clean import visible
from simulator.core.result import Result, WeakTurn, Why
from simulator.core.run import Run
from simulator.view.heat import HeatCell, HeatMap, HeatRow
from simulator.view.reasons import why_text
from simulator.view.run_view import rating, row_name, where
from simulator.view.worst import spread
from simulator.words import Words

_LARGE = 100  # conversations, from which on less of each is shown
_ROWS = (5, 15)  # of the map, fewest and most
_AROUND = 7  # lines of the map that are no scenario
_FEW = 3  # rows that all pass are shown up to this many
_NAME = (16, 32)  # least and most screen cells of a scenario's id
_HEAD = 12  # most screen cells of a persona's id
NO_THRESHOLD = 0.5
"""Where the colours turn, if the score has no threshold."""

_MARKS = {Result.FAILED: "✗", Result.UNDECIDED: "?", Result.UNCHECKED: "–"}
_Groups = list[list[WeakTurn]]


@dataclass(frozen=True, slots=True)
class _Room:
    """How many entries are shown of what is weak and undecided, and how many lines of each."""

    weak: int = 10
    open_: int = 5
    together: bool = True  # what the first leaves is the second's
    user: int = 2
    bot: int = 6  # what decides may stand anywhere in the answer
    why: int = 3
    brief: bool = False  # of what is undecided the answer, and what decides
    named: int = 15  # undecided conversations that are named only

    @classmethod
    def of(cls, run: Run) -> "_Room":
        """Less of each in a large run: its first screen is read as a whole."""
        is_large = run.summary.conversations >= _LARGE and not run.header.is_of_rows
        return _SMALL if is_large else cls()


_SMALL = _Room(weak=5, open_=10, together=False, user=1, brief=True)


def heatmap(run: Run, heat: HeatMap, words: Words, width: int, lines: int) -> Iterator[Text]:
    """The heat map, worst first, in so many lines."""
    rows, fine = _folded(heat.scenarios, min(_ROWS[1], max(_ROWS[0], lines - _AROUND)))
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
    yield Text(words("heat", score=run.header.score_by), BOLD)
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
        yield Text(f"{words('more_scenarios', n=left)}: mogi show {run.header.id} --all", DIM)
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


def weak_turns(run: Run, words: Words, width: int) -> Iterator[Text]:
    """The lines of the list of the worst turns: each scenario's worst one before its others.

    What is to be mended is a scenario; ten personas who stumble over the same answer are one.
    """
    groups, others, open_, _ = _listed(run)
    weak = [turn for group in groups for turn in group]
    if not weak:
        if not open_ and run.summary.score and run.summary.score.scored:
            yield from _none(run, words, width)
        return
    flagged: Counter[str] = Counter()
    for (_, scenario), cell in run.summary.cells.items():
        flagged[scenario] += cell.flagged
    # What the judge took and the facts do not may not be flagged, and is weak all the same.
    unflagged = sum(1 + t.alike for t in run.summary.weak if t.against and not t.flagged)
    only_weak = all(turn.flagged or turn.against for turn in weak)
    n = run.summary.flagged + unflagged if only_weak else run.summary.turns
    key = "worst" if only_weak else "lowest"
    by, shown = visible(run.header.score_by), sum(1 + turn.alike for turn in weak)
    yield Text(words(key, shown=shown, n=n, score=by, entries=len(groups)), BOLD)
    for number, group in enumerate(groups, 1):
        yield from _entry(run, number, group, words, width)
        yield from _more(group[0], weak, flagged, words, width)
    shown += yield from _named(run, others, words, "worst_also", width)
    if only_weak and n > shown:
        command = f"mogi show {run.header.id} --all, mogi export {run.header.id}"
        yield from spaced(*paragraph(words("more_by", n=n - shown, command=command), width))
    if run.summary.blames:
        yield Text("")
        faults = words.counts("fault", run.summary.blames)
        yield from paragraph(words("faults", faults=faults), width)


def undecided(run: Run, words: Words, width: int) -> Iterator[Text]:
    """The lines of the list of undecided conversations."""
    _, _, groups, others = _listed(run)
    if not groups:
        return
    n, shown = run.summary.results[Result.UNDECIDED], sum(1 + t.alike for g in groups for t in g)
    yield Text(words("open", shown=shown, n=n, entries=len(groups)), BOLD)
    for number, group in enumerate(groups, 1):
        yield from _entry(run, number, group, words, width)
    told = yield from _named(run, others, words, "open_also", width)
    if n > shown + told:
        left = words(
            "more_by", n=n - shown - told, command=f"mogi show {run.header.id} --undecided"
        )
        yield from spaced(*paragraph(left, width))


def _named(
    run: Run, groups: _Groups, words: Words, key: str, width: int
) -> Generator[Text, None, int]:
    """What there is no room for otherwise, in two lines each; of how many conversations that is."""
    more = groups[: _Room.of(run).named]
    told = sum(1 + turn.alike for group in more for turn in group)
    if more:
        yield from spaced(*paragraph(words(key, n=told), width))
    for turn, *_ in more:
        name = pad(fit_id(turn.cell.scenario, _NAME[0]), _NAME[0])
        said = turn.assistant
        telling = next((text for _, text in _telling(run, turn)), "")
        yield Text(f"    {name}  {fit(said or words('no_answer'), width - _NAME[0] - 6)}")
        yield Text(f"    {'':{_NAME[0]}}  {fit(telling, width - _NAME[0] - 6)}", DIM)
    return told


def _listed(run: Run) -> tuple[_Groups, _Groups, _Groups, _Groups]:
    """The entries of both lists, the worst turns and what is undecided; no answer is in both.

    It is told where it stands what would decide it; but where judge and facts disagree comes first.
    Each with those that there is no room for, of the worst turns those that failed.
    """
    found = run.summary
    open_ = {_answer(turn) for turn in found.undecided}
    weak = [turn for turn in found.weak if _goes_first(turn) or _answer(turn) not in open_]
    room = _Room.of(run)
    shown = _grouped(weak, room.weak)
    first = {_answer(turn) for group in shown for turn in group if turn.against}
    left = [turn for turn in found.undecided if _answer(turn) not in first]
    most = room.open_ + (room.weak - len(shown) if room.together else 0)
    listed, every = (_grouped(left, n) for n in (most, len(left)))
    wrong = [turn for turn in weak if _goes_first(turn)]
    failing = _grouped(wrong, len(wrong))
    known = {_answer(turn) for group in shown for turn in group}
    untold = [group for group in failing if known.isdisjoint(map(_answer, group))]
    return shown, untold, listed, [group for group in every if group not in listed]


def _answer(turn: WeakTurn) -> tuple[str, str]:
    return turn.cell.scenario, turn.assistant


def _goes_first(turn: WeakTurn) -> bool:
    failed = turn.finding is not None and turn.finding.result is Result.FAILED
    return failed or bool(turn.against)


def _grouped(weak: Sequence[WeakTurn], most: int) -> _Groups:
    """At most so many entries, each scenario's first, and a group's one, before its others.

    Turns of several scenarios that were answered in the same words are one, where they failed for
    the same reason or are undecided: whatever it is that they should have said, that is to be read
    once.
    """
    groups: dict[object, list[WeakTurn]] = {}
    for turn in weak:
        found = turn.finding
        same: object = (turn.cell, turn.turn)
        if found and _is_open(turn):
            same = turn.assistant
        elif found and found.why is not Why.SCORED_LOW:
            same = (turn.assistant, found.why, found.about)
        groups.setdefault(same, []).append(turn)
    entries = list(groups.values())
    return spread(entries, lambda g: g[0].cell.scenario, most, lambda g: g[0].of_group)


def _entry(
    run: Run, number: int, group: Sequence[WeakTurn], words: Words, width: int
) -> Iterator[Text]:
    """A turn, and what it stands for: the other personas, and the scenarios, that got the same."""
    first, *others = group
    is_brief = _Room.of(run).brief and _is_open(first)
    yield from spaced(_title(run, number, first, words, width))
    yield from _told(run, first, words, width)
    here = [turn for turn in others if turn.cell.scenario == first.cell.scenario]
    faults = dict.fromkeys(turn.blame for turn in (first, *here) if turn.blame and not is_brief)
    if faults:
        named = " · ".join(words.name("fault", fault) for fault in faults)
        yield from passage(words("fault"), wrap(named, width - INDENT))
    told: list[str] = []
    if alike := first.alike + sum(1 + turn.alike for turn in here):
        also = {name for t in here for name in (t.cell.persona, *t.alike_personas)}
        names = ", ".join(map(visible, sorted({*first.alike_personas, *also})))
        told.append(words("alike", n=alike, personas=names))
    apart = dict.fromkeys(t.cell.scenario for t in others if t.cell.scenario != first.cell.scenario)
    if apart:
        told.append(words("same", n=len(apart), names=", ".join(map(visible, apart))))
    for line in [" · ".join(told)] if is_brief and told else told:
        yield from passage("", wrap(line, width - INDENT))


def _is_open(turn: WeakTurn) -> bool:
    return turn.finding is not None and turn.finding.result is Result.UNDECIDED and not turn.against


def _telling(run: Run, turn: WeakTurn) -> Iterator[tuple[str, str]]:
    """What was expected and nobody could tell, or else the reason; then the words that show it."""
    found = turn.finding
    if found and found.why is Why.UNCLEAR and found.claim.startswith(ClaimKind.SAYS):
        yield "expected", " / ".join(found.about)
    elif found:
        yield "why", why_text(found, run.header.language)
    if turn.quote:
        yield "quote", turn.quote


def _told(run: Run, turn: WeakTurn, words: Words, width: int) -> Iterator[Text]:
    """What was asked and answered, and what is wrong with it."""
    yield from passage(words("user"), wrap(turn.user, width - INDENT, _Room.of(run).user))
    answer = wrap(turn.assistant or words("no_answer"), width - INDENT, _Room.of(run).bot)
    is_weak = turn.flagged or turn.against == "lenient"
    yield from passage(words("bot"), answer, width=width, weak=is_weak)
    if turn.against:
        odds = words.name("against", turn.against)
        yield from passage(words("judge_label"), wrap(odds, width - INDENT))
    yield from _because(run, turn, words, width)


def _because(run: Run, turn: WeakTurn, words: Words, width: int) -> Iterator[Text]:
    """Why the conversation failed or is open, where this turn shows it; then why it is flagged."""
    found, room = turn.finding, _Room.of(run)
    for label, text in _telling(run, turn):
        yield from passage(words(label), wrap(text, width - INDENT, room.why))
    is_said = found is not None and found.why is Why.TARGET_FAILED  # with how it failed
    if turn.reason and not (is_said or (room.brief and found)):
        yield from passage(words("comment"), wrap(turn.reason, width - INDENT, 2))


def _none(run: Run, words: Words, width: int) -> Iterator[Text]:
    """That nothing is flagged, and which metrics flag nothing however low they are."""
    header, metrics = run.header, run.summary.metrics
    by = visible(header.score_by)
    key = "none_flagged"
    if header.is_of_rows:
        key = "none_under" if header.thresholds else "none_low"
    yield Text(words(key, score=by), BOLD)
    means = {n: m.value.mean for n, m in metrics.items() if m.threshold is None}
    low = [f"{visible(n)} {mean:.2f}" for n, mean in means.items() if mean is not None and mean < 1]
    if low:
        yield from paragraph(words("unwatched", metrics=", ".join(low)), width, DIM)


def _more(
    turn: WeakTurn, weak: Sequence[WeakTurn], flagged: Mapping[str, int], words: Words, width: int
) -> Iterator[Text]:
    """Below a scenario's first turn what else is flagged there."""
    scenario = turn.cell.scenario
    here = [t for t in weak if t.cell.scenario == scenario]
    more = flagged.get(scenario, 0) - sum(1 + t.alike for t in here)
    if more > 0 and turn is here[0]:
        yield from passage("", [words("more_weak", n=more)])


def _title(run: Run, number: int, turn: WeakTurn, words: Words, width: int) -> Text:
    score = run.summary.score
    raw = rating(score.info, turn.raw) if score else ""
    has_answer = turn.score is not None or turn.assistant
    value = figure(turn.score) if has_answer else words.name("gap", "target_failed")
    value += f" ({words('raw', raw=raw)})" if raw else ""
    if turn.finding is not None:
        value = f"{_MARKS.get(turn.finding.result, '')} {value}".strip()
    of_rows = run.header.is_of_rows
    place = row_name(turn.cell) if of_rows else where(turn.cell, turn.turn, words)
    return entry(number, place, (value, BAD), width)
