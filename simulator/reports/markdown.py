"""A run as a comment under a pull request: the verdict first, then what to mend."""

import re
from collections.abc import Iterator, Sequence

from simulator.console.blocks import figure
from simulator.core.clean import cut, visible
from simulator.core.comparison import CellChange, Change, Comparison, Moved, Since
from simulator.core.result import FaultGroup, Result, WeakTurn
from simulator.core.run import CellSummary, Run
from simulator.formats.own_files import text_file
from simulator.reports._figures import figures, how_it_went, joined, local_time, what_ran
from simulator.reports._results import has_heat, heat_rows, marks, passing
from simulator.view.reasons import reason_text
from simulator.view.summary import gate
from simulator.words import Words

LONGEST = 60_000
"""Characters of a report; GitHub takes 65,536 in a comment."""
_FAULTS, _TURNS, _ROWS, _TEXT, _NAME = 5, 10, 60, 300, 80
_GATE = {True: "✅", False: "❌", None: "❔"}
# What GitHub would take for markup, for a person or for another issue.
_MARKUP = re.compile(r"[\\`*_\[\]|~]")
_ENTITIES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "@": "&#64;",
    "#": "&#35;",
    "://": "&#58;//",
    "www.": "www&#46;",
}
_SIGNS = re.compile("|".join(map(re.escape, _ENTITIES)))


class Markdown:
    """Markdown for GitHub and whatever draws its tables."""

    NEEDS_PATH = True
    SINCE = True

    def write(self, run: Run, path: str | None, since: Since | None = None) -> None:
        """Write the report to `path`, at most `LONGEST` characters.

        Args:
            run: the run.
            path: the file.
            since: what became of it since the run before, where there is one.

        Raises:
            InputError: there is no path, or the file cannot be written.
        """
        words = Words(run.header.language, "page", "report", "result")
        with text_file(path) as file:
            file.writelines(fitting(_parts(run, since, words), words("md.cut", id=run.header.id)))

    def compare(
        self, comparison: Comparison, before: Run, after: Run, lines: Sequence[str], path: str
    ) -> None:
        """Write what became of B beside A; what newly fails stands before all else.

        Args:
            comparison: of the two.
            before: A.
            after: B.
            lines: what is to be said of it first, in the client's language.
            path: the file.

        Raises:
            InputError: the file cannot be written.
        """
        words = Words(after.header.language, "page", "report")
        left_out = words("md.cut", id=after.header.id)
        with text_file(path) as file:
            file.writelines(fitting(_compared(comparison, lines, words), left_out))


def _compared(comparison: Comparison, lines: Sequence[str], words: Words) -> Iterator[str]:
    cells = comparison.cells
    failing = cells.newly_failing
    must = any(cell.must_pass for cell in failing)
    sign = "❌" if must or comparison.change is Change.REGRESSED else "⚠️" if failing else "✅"
    first, *others = lines or [""]
    yield f"## {sign} {plain(first)}\n\n"
    before, after = comparison.before, comparison.after
    yield f"`{before.id}` → `{after.id}` · {plain(after.client)}\n\n"
    yield from _changed(comparison, others, words)
    yield f"`mogi compare {before.id} {after.id}`\n"


def _changed(comparison: Comparison, lines: Sequence[str], words: Words) -> Iterator[str]:
    """What newly fails, what is to be said of it, and what newly passes."""
    failing, passing = comparison.cells.newly_failing, comparison.cells.newly_passing
    views = {(m.cell.scenario, m.cell.persona): m for m in comparison.fell.told}
    if failing:
        heads = [words("newly.failing"), words("why"), words("question"), words("answer")]
        rows = [_newly(cell, views.get((cell.scenario, cell.persona)), words) for cell in failing]
        yield f"### {words('newly.failing')}\n\n" + table(heads, rows[:_TURNS])
        if rows[_TURNS:]:
            yield folded(words("more_cells", n=len(rows[_TURNS:])), table(heads, rows[_TURNS:]))
    yield "".join(f"{plain(line)}\n\n" for line in lines)
    if passing:
        names = [[plain(cut(cell.name, _NAME))] for cell in passing]
        body = table([words("newly.passing")], names)
        yield folded(f"{words('newly.passing')}: {len(passing)}", body)


def _newly(cell: CellChange, moved: Moved | None, words: Words) -> list[str]:
    name = plain(cut(cell.name, _NAME)) + (" ‼️" if cell.must_pass else "")
    why = words.name("reason", cell.why) if moved is None else moved.after.reason
    said = (moved.after.user, moved.after.assistant) if moved else ("", "")
    return [name, plain(cut(why, _TEXT)), *(plain(cut(text, _TEXT)) for text in said)]


def fitting(parts: Iterator[str], left_out: str) -> Iterator[str]:
    """The parts that fit, in their order, and where one does not, a line that says so."""
    room = LONGEST - len(left_out) - 2
    for part in parts:
        if len(part) > room:
            yield f"\n{left_out}\n"
            return
        room -= len(part)
        yield part


def plain(text: str) -> str:
    """A text that nobody here wrote, on one line, so that nothing in it is markup."""
    text = _MARKUP.sub(r"\\\g<0>", visible(text))
    return _SIGNS.sub(lambda sign: _ENTITIES[sign[0]], text)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; its cells are markdown already."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + "\n"


def folded(summary: str, body: str) -> str:
    """A part that opens when somebody wants it."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n</details>\n\n"


def _parts(run: Run, since: Since | None, words: Words) -> Iterator[str]:
    header, summary = run.header, run.summary
    report = Words(header.language, "report")
    passes = gate(summary, header.gate) if header.gate else None
    word = words(f"gate.{ {True: 'passed', False: 'failed', None: 'undecided'}[passes] }")
    sign = f"{_GATE[passes]} {word}: " if header.gate else ""
    yield f"## {sign}{plain(passing(run, report).plain)}\n\n"
    told = [line.plain for line in what_ran(run, report)]
    yield f"`{header.id}` · {plain(told[0])} · {plain(told[1])}\n\n"
    if since is not None:
        before = since.comparison.before
        yield f"{words('since', id=f'`{before.id}`', time=plain(local_time(before)))}\n\n"
        yield from _changed(since.comparison, since.lines, words)
    yield table(
        [words("figures"), ""], [[plain(a), plain(b)] for a, b in joined(figures(run, report))]
    )
    if faults := summary.fault_groups[:_FAULTS]:
        talks = sum(group.conversations for group in faults)
        yield f"### {words('mend', n=len(faults), talks=talks)}\n\n"
        heads = [words("md.talks"), words("blame"), words("md.about"), words("question")]
        yield table(heads, [_fault(group, words) for group in faults])
    if weak := [turn for turn in summary.weak if turn.finding][:_TURNS]:
        body = "\n".join(_turn(turn, run, words) for turn in weak)
        yield folded(words("md.worst", n=len(weak), of=summary.results[Result.FAILED]), body)
    if has_heat(run):
        yield folded(words("map", score=plain(header.score_by)), _map(run, words))
    went = [[plain(label), plain(text)] for label, text in how_it_went(run, report)]
    yield folded(words("facts"), table([words("facts"), ""], went))
    yield f"`mogi show {header.id}` · `mogi view {header.id}`\n"


def _fault(group: FaultGroup, words: Words) -> list[str]:
    return [
        f"**{group.conversations:,}**",
        words.name("fault", group.blame),
        plain(cut(group.entry, _NAME)) or "–",
        plain(cut(group.question, _TEXT)),
    ]


def _turn(turn: WeakTurn, run: Run, words: Words) -> str:
    name = plain(cut(f"{turn.cell.scenario} · {turn.cell.persona}", _NAME))
    why = plain(reason_text(turn.finding, run.header.language)) if turn.finding else ""
    asked, answered = plain(cut(turn.user, _TEXT)), plain(cut(turn.assistant, _TEXT))
    answered = answered or words("no_answer")
    return f"**{name}** — {why}\n> {asked}\n>\n> → {answered}\n"


def _map(run: Run, words: Words) -> str:
    personas, scenarios, total = heat_rows(run, Words(run.header.language, "report"))
    several = len(personas) > 1
    heads = ["", *map(plain, personas), *([words("all")] if several else [])]
    rows = [*scenarios[:_ROWS], *([total] if len(scenarios) > 1 else [])]
    body = table(
        heads,
        [
            [plain(cut(row.name, _NAME)), *map(_cell, row.cells if several else row.cells[:1])]
            for row in rows
        ],
    )
    left = len(scenarios) - _ROWS
    more = f"{words('more_scenarios', n=left)}\n" if left > 0 else ""
    return f"{body}{words('legend')}\n\n{more}"


def _cell(cell: CellSummary) -> str:
    return f"{marks(cell) or ('✓' if cell.results.passed else '')} {figure(cell.mean)}".strip()
