"""A run as a comment under a pull request: the verdict first, then what to mend."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.text import Text

from simulator.core.clean import cut, visible
from simulator.core.result import FaultGroup, Result, WeakTurn
from simulator.core.run import Run
from simulator.formats.own_files import text_file
from simulator.view.compare_view import CompareView, Sign, Worse, cell_name
from simulator.view.first_screen import fault_about
from simulator.view.run_view import GateResult, Line, joined, local_time, view_of
from simulator.view.summary import HeatMap, cell_text
from simulator.view.worst import reason_text, score_name, screen_names
from simulator.words import Words
from simulator.worksheets.columns import HEADS, ColumnId

LONGEST = 60_000
"""Characters of a report; GitHub takes 65,536 in a comment."""
_TURNS, _ROWS, _TEXT, _NAME = 10, 60, 300, 80
_GATE: Mapping[GateResult, str] = {"passed": "✅", "failed": "❌", "undecided": "❔"}
_SIGN: Mapping[Sign, str] = {"failed": "❌", "doubtful": "⚠️", "passed": "✅"}
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
    """GitHub-flavored Markdown."""

    NEEDS_PATH = True
    SINCE = True

    def write(self, run: Run, path: str | None, since: CompareView | None = None) -> None:
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

    def compare(self, view: CompareView, before: Run, after: Run, path: str) -> None:
        """Write what became of B beside A; what got worse is before all else.

        Args:
            view: the two beside each other.
            before: A.
            after: B.
            path: the file.

        Raises:
            InputError: the file cannot be written.
        """
        words = Words(after.header.language, "page", "report")
        left_out = words("md.cut", id=after.header.id)
        with text_file(path) as file:
            file.writelines(fitting(_compared(view, words), left_out))


def _compared(view: CompareView, words: Words) -> Iterator[str]:
    first, *others = view.sentences or [Text("")]
    yield f"## {_SIGN[view.sign]} {plain(first.plain)}\n\n"
    before, after = view.comparison.before, view.comparison.after
    yield f"`{before.id}` → `{after.id}` · {plain(after.client)}\n\n"
    yield from _changed(view, others, words)
    yield f"`mogi compare {before.id} {after.id}`\n"


def _changed(view: CompareView, sentences: Sequence[Text], words: Words) -> Iterator[str]:
    """What got worse, what is to be said of it, from which result to which, what newly passes."""
    if view.worse:
        heads = ["", words("why"), *_heads(words, "user", "assistant")]
        rows = [_worse(each, words) for each in view.worse]
        yield f"### {words('newly.worse')}\n\n" + table(heads, rows[:_TURNS])
        if rows[_TURNS:]:
            left = words("more_scenarios", n=len(rows[_TURNS:]))
            yield folded(left, table(heads, rows[_TURNS:]))
        cells = view.comparison.states.lasting
        named = [[_cell(view, c.name), plain(view.words(f"worse.{c.how}"))] for c in cells]
        yield folded(f"{words('newly.worse')}: {len(cells)}", table(["", ""], named))
    yield "".join(f"{plain(text.plain)}\n\n" for text in sentences)
    if view.matrix is not None:
        yield table(view.matrix.heads, view.matrix.rows)
    if passing := view.comparison.cells.newly_passing:
        names = [[_cell(view, cell.name)] for cell in passing]
        body = table([words("newly.passing")], names)
        yield folded(f"{words('newly.passing')}: {len(passing)}", body)


def _cell(view: CompareView, name: str) -> str:
    return plain(cut(cell_name(view.comparison, name), _NAME))


def _worse(worse: Worse, words: Words) -> list[str]:
    name = plain(cut(worse.name, _NAME)) + (" ‼️" if worse.must_pass else "")
    more = words("more_cells", n=worse.others) if worse.others else ""
    way = words.comma.join(filter(None, (worse.way, worse.replays, more)))
    texts = (worse.why, worse.moved.after.user, worse.answer)
    return [f"{name}: {plain(way)}", *(plain(cut(text, _TEXT)) for text in texts)]


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


def _parts(run: Run, since: CompareView | None, words: Words) -> Iterator[str]:
    header, summary = run.header, run.summary
    view = view_of(run, Words(header.language, "report"))
    sign = f"{_GATE[view.gate]} {words(f'gate.{view.gate}')}: " if view.gate else ""
    yield f"## {sign}{plain(view.passing.plain)}\n\n"
    yield f"`{header.id}` · {plain(view.title.plain)} · {plain(view.size.plain)}\n\n"
    yield f"{plain(view.verified.plain)}\n\n"
    if since is not None:
        before = since.comparison.before
        yield f"{words('since', id=f'`{before.id}`', time=plain(local_time(before)))}\n\n"
        yield from _changed(since, (*since.first, *since.then), words)
    yield _figures("figures", view.lines, words)
    if groups := view.fix_first:
        yield f"### {plain(view.fix_head)}\n\n"
        heads = [words("md.talks"), words("blame"), words("md.about"), *_heads(words, "user")]
        yield table(heads, [_fault(group, words) for group in groups])
    if weak := [turn for turn in summary.weak if turn.finding][:_TURNS]:
        body = "\n".join(_turn(turn, run, words) for turn in weak)
        yield folded(words("md.worst", n=len(weak), of=summary.results[Result.FAILED]), body)
    if view.heat:
        yield folded(words("map", score=plain(score_name(header))), _map(view.heat, words))
    yield folded(words("facts"), _figures("facts", view.ended, words))
    yield f"`mogi show {header.id}` · `mogi view {header.id}`\n"


def _figures(head: str, lines: Sequence[Line], words: Words) -> str:
    rows = [[plain(line.label), plain(line.text.plain)] for line in joined(lines)]
    return table([words(head), ""], rows)


def _fault(group: FaultGroup, words: Words) -> list[str]:
    return [
        f"**{group.weight:,}**",
        plain(fault_about(replace(group, entry=""), words)),
        plain(cut(group.entry, _NAME)) or "–",
        plain(cut(group.question, _TEXT)),
    ]


def _turn(turn: WeakTurn, run: Run, words: Words) -> str:
    name = plain(cut(f"{turn.cell.scenario} · {turn.cell.persona}", _NAME))
    why = (
        plain(reason_text(turn.finding, run.header.language, screen_names(run.header)))
        if turn.finding
        else ""
    )
    question, answered = plain(cut(turn.user, _TEXT)), plain(cut(turn.assistant, _TEXT))
    answered = answered or words("no_answer")
    return f"**{name}** — {why}\n> {question}\n>\n> → {answered}\n"


def _map(heat: HeatMap, words: Words) -> str:
    rows = [*heat.scenarios[:_ROWS], *([heat.total] if heat.is_total_shown else [])]
    cells = [[plain(cut(row.name, _NAME)), *map(cell_text, heat.shown(row))] for row in rows]
    left = len(heat.scenarios) - _ROWS
    more = f"{words('more_scenarios', n=left)}\n" if left > 0 else ""
    return f"{table(['', *map(plain, heat.heads)], cells)}{words('legend')}\n\n{more}"


def _heads(words: Words, *columns: ColumnId) -> list[str]:
    """What columns are called, as in the worksheets."""
    return [HEADS[column][words.language].capitalize() for column in columns]
