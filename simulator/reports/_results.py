"""How many conversations passed, and what decided those that did not: above the score."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Literal

from rich.text import Text

from simulator.console.layout import wrap
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.persona import Language
from simulator.core.result import Result, Why
from simulator.core.run import CellResults, CellSummary, ResultSummary, Run
from simulator.statistics.intervals import FEWEST_CLUSTERS
from simulator.view.reasons import decider
from simulator.view.results import TO_BE_READ
from simulator.words import Words

_HARM = frozenset({Why.CONTRADICTS, Why.FORBIDDEN, Why.ANSWERED, Why.UNSUPPORTED})
_OPEN = 0.2  # if a larger share is undecided, no pass rate is shown but its bounds
_REASONS = 4  # others are added up, unless it is one
_NAMED = 3  # scenarios
JUDGE_TOKENS = 1_700
"""Of a judge's call about one turn, on average: measured on the demo, three rubrics or so."""
READER_TOKENS: Mapping[Language, int] = {"en": 220, "ja": 500}
"""Of a call about one claim in an answer: its instruction, question, answer and claim, likewise."""
MENDED_FIRST = 5
"""Groups of failing conversations that are named first."""
MARKS = {Result.FAILED: "✗", Result.UNDECIDED: "?", Result.UNCHECKED: "–"}
"""What stands before a conversation that did not pass."""
_STYLES = {Result.PASSED: GOOD, Result.FAILED: BAD, Result.UNDECIDED: WARN, Result.UNCHECKED: DIM}
_ALWAYS = (Result.PASSED, Result.FAILED)


def applied(run: Run) -> Run:
    """The run without the metrics to which nothing applied in all of it."""
    score_by, metrics = run.header.score_by, run.summary.metrics
    idle = {
        name
        for name, metric in metrics.items()
        if metric.not_applicable and not metric.scored and not metric.unscored and name != score_by
    }
    kept = {name: metric for name, metric in metrics.items() if name not in idle}
    infos = tuple(info for info in run.header.metrics if info.name not in idle)
    header = replace(run.header, metrics=infos)
    return replace(run, header=header, summary=replace(run.summary, metrics=kept))


def passing(run: Run, words: Words) -> Text:
    """`20 of 31 scenarios pass; 3 fail in every persona, 6 in some, 2 are undecided`."""
    found = run.summary.results
    if not found.scenarios:
        return Text(words("pass.none"), WARN)
    key = "pass.rows" if run.header.is_of_rows else "pass"
    text = Text(words(key, passing=found.passing, n=found.scenarios), BOLD)
    where = _everywhere(run)
    also = ".also" if found.failing else ""
    others = (
        (found.failing, f"pass.fail{where}", BAD),
        (found.mixed, f"pass.mixed{where}{also}", BAD),
        (found.left_open, "pass.open", WARN),
        (found.silent if not run.header.is_of_rows else 0, "pass.silent", DIM),
    )
    between = words("pass.then")
    for n, told, style in others:
        if n:
            text.append(between).append(words(told, n=n), style)
            between = words.comma
    return text


def _everywhere(run: Run) -> str:
    """What a scenario that fails altogether fails in."""
    cells = run.summary.cells
    if len({persona for persona, _ in cells}) > 1:
        return ".personas"
    return ".repeats" if any(cell.conversations > 1 for cell in cells.values()) else ""


def results(run: Run, words: Words) -> Iterator[tuple[str, Text]]:
    """A line for each result: how many conversations have it, and why."""
    found = run.summary.results
    reasons = Words(run.header.language, "result")
    widest = max(len(f"{n:,}") for n in found.counts.values())
    for result in Result:
        if not found[result] and result not in _ALWAYS:
            continue
        text = Text(f"{found[result]:>{widest},}", _STYLES[result] if found[result] else BOLD)
        if result is Result.PASSED:
            text.append(_rate(run, words))
        else:
            text.append(f"   {_reasons(found, result, reasons)}".rstrip())
        yield words(f"head.{result}"), text
        if result is Result.PASSED and found.repaired:
            yield "", Text(words("repaired", n=found.repaired), WARN)
    yield from _decided(run, words, reasons)


def _decided(run: Run, words: Words, results: Words) -> Iterator[tuple[str, Text]]:
    """Who decided how many; what is left to whom, and what settles that."""
    found, left = run.summary.results, run.summary.unsettled
    by = {reader.value: n for reader, n in found.decided.items() if n}
    n, open_ = sum(by.values()), found[Result.UNDECIDED]
    if not n and not open_:
        return
    reader = results.name("reader", next(iter(by), ""))
    of = {"n": n, "total": n + open_, "by": results.counts("reader", by), "reader": reader}
    text = Text(words(f"decided.{('none', 'one', 'several')[min(len(by), 2)]}", **of))
    judged = any("judge" in info.needs for info in run.header.metrics)
    if left.talks:
        key = "needs.person" if judged else "needs.any"
        answers = {"answers": left.answers, "minutes": max(1, round(left.seconds / 60))}
        text.append(words.semicolon).append(words(key, n=left.talks, **answers), WARN)
    yield words("decided"), text
    ways = {"judge": (run.summary.turns, JUDGE_TOKENS)}
    if left.calls and not run.header.is_of_file:  # which has no client.yaml
        ways["reader"] = left.calls, READER_TOKENS[run.header.language]
    for way, (calls, each) in ({} if judged or not left.talks else ways).items():
        cost = {"calls": calls, "tokens": round(calls * each, -2)}
        yield "", Text(words(f"settle.{way}", run=run.header.id, **cost), DIM)
    if left.talks:
        yield "", Text(words("settle.person", run=run.header.id), DIM)
    for why in [why for why in found.whys if Why(why).result is Result.UNDECIDED]:
        if Why(why) not in TO_BE_READ:
            told = f"{results.name('reason', why)}: {decider(Why(why), run.header)}"
            yield "", Text(told, DIM)


def mend(run: Run, words: Words, width: int) -> Iterator[Text]:
    """The lines of what to mend first: fault and expected entry, with how many fail for it."""
    groups = run.summary.fault_groups[:MENDED_FIRST]
    if not groups or run.header.is_of_rows:
        return
    talks, failed = sum(g.conversations for g in groups), run.summary.results[Result.FAILED]
    yield Text(words("mend", n=len(groups), talks=talks, of=failed), BOLD)
    widest = max(len(f"{group.conversations:,}") for group in groups)
    for group in groups:
        fault = words.name("fault", group.blame)
        about = f"{fault} — {visible(group.entry)}: " if group.entry else f"{fault} — "
        head = f" {group.conversations:>{widest},}  "
        line = wrap(f"{about}{group.question}", width - len(head), 1)
        yield Text.assemble((head, BAD), *line)


def follow_ups(run: Run, words: Words) -> Iterator[tuple[str, Text]]:
    """That questions which lean on the turn before plainly fare worse than first ones.

    And whose own question nobody got answered at first: what is asked later may hide that.
    """
    if (found := run.summary.follow_ups).are_lost:
        told = words("follow_ups_text", **asdict(found))
        yield words("follow_ups"), Text(told, BAD)
    if names := found.only_later:
        more = "…" if len(names) > _NAMED else ""
        listed = words.comma.join([*map(visible, names[:_NAMED]), *([more] if more else [])])
        yield words("only_later"), Text(words("only_later_text", n=len(names), names=listed), WARN)


def bounds(found: ResultSummary) -> tuple[float, float] | None:
    """Between what the pass rate is, where too much is undecided for one number."""
    whole = found[Result.PASSED] + found[Result.FAILED] + found[Result.UNDECIDED]
    if found.worst is None or found.best is None or found[Result.UNDECIDED] <= _OPEN * whole:
        return None
    return found.worst, found.best


def _rate(run: Run, words: Words) -> str:
    found = run.summary.results
    if ends := bounds(found):
        return f"   {words('pass_rate.open', worst=f'{ends[0]:.2f}', best=f'{ends[1]:.2f}')}"
    rate, parts = found.pass_rate, [""]
    if rate.mean is not None:
        parts.append(words("pass_rate", rate=f"{rate.mean:.2f}"))
        if rate.low is not None and rate.high is not None:
            parts.append(words("interval", low=f"{rate.low:.2f}", high=f"{rate.high:.2f}"))
        else:
            parts.append(too_few(run, words, "decided"))
    if found[Result.UNDECIDED] and found.worst is not None and found.best is not None:
        worst, best = f"{found.worst:.2f}", f"{found.best:.2f}"
        parts.append(words("pass_rate.bounds", worst=worst, best=best))
    return "   ".join(parts)


def too_few(run: Run, words: Words, of: Literal["decided", "scored"]) -> str:
    """Why there is no interval: too few scenarios, or too few that count, where there are more."""
    enough = run.summary.results.scenarios >= FEWEST_CLUSTERS
    kind = "rows" if run.header.is_of_rows else "talks"
    return words(f"few.{of}.{kind}" if enough else f"few.{kind}")


def _reasons(found: ResultSummary, result: Result, words: Words) -> str:
    """`contradicts what is right 1 · not all was said 6 · other reasons 3`.

    What was said and does harm first, then the most frequent: others hide nothing that is worse.
    """
    every = {why: n for why, n in found.whys.items() if Why(why).result is result}
    every = dict(sorted(every.items(), key=lambda item: Why(item[0]) not in _HARM))
    named = dict(islice(every.items(), _REASONS if len(every) > _REASONS + 1 else None))
    others = {"others": sum(every.values()) - sum(named.values())}
    return words.counts("reason", named | others)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One scenario, or all of them."""

    name: str
    cells: Sequence[CellSummary]  # one for each persona, then all of them together


def has_heat(run: Run) -> bool:
    """Whether any cell has a score or a result."""
    cells = run.summary.cells.values()
    return any(cell.mean is not None or any(cell.results) for cell in cells)


def heat_rows(run: Run, words: Words) -> tuple[list[str], list[HeatRow], HeatRow]:
    """Personas and scenarios, each worst first, and a row for all scenarios together."""
    cells = run.summary.cells
    empty = CellSummary(None, 0, 0, 0)
    together = {p: _together(c for (q, _), c in cells.items() if q == p) for p, _ in cells}
    personas = sorted(together, key=lambda p: _rank(together[p], p))
    scenarios: dict[str, dict[str, CellSummary]] = {}
    for (persona, scenario), cell in cells.items():
        scenarios.setdefault(scenario, {})[persona] = cell
    rows = [
        HeatRow(name, [*(row.get(p, empty) for p in personas), _together(row.values())])
        for name, row in scenarios.items()
    ]
    rows.sort(key=lambda row: _rank(row.cells[-1], row.name))
    last = [*(together[p] for p in personas), _together(cells.values())]
    return personas, rows, HeatRow(words("all"), last)


def _together(cells: Iterable[CellSummary]) -> CellSummary:
    """Several cells as one; its mean is that of their conversations."""
    several = list(cells)
    scored = sum(c.scored for c in several)
    total = sum(c.mean * c.scored for c in several if c.mean is not None)
    return CellSummary(
        mean=total / scored if scored else None,
        conversations=sum(c.conversations for c in several),
        flagged=sum(c.flagged for c in several),
        gaps=sum(c.gaps for c in several),
        scored=scored,
        results=CellResults(*map(sum, zip(*(c.results for c in several), strict=True))),
    )


def _rank(cell: CellSummary, name: str) -> tuple[bool, float, float, float, str]:
    """Worst first: by the share that failed, that is undecided, by score; last what is silent."""
    silent = cell.mean is None and not any(cell.results)
    several = max(1, cell.conversations)
    failed, undecided = cell.results.failed / several, cell.results.undecided / several
    return silent, -failed, -undecided, -1.0 if cell.mean is None else cell.mean, name


def marks(cell: CellSummary, *, is_sum: bool = False) -> str:
    """`✗` failed and `?` undecided; of several repeats how many, of a sum of cells their number."""
    found = []
    for mark, n in (("✗", cell.results.failed), ("?", cell.results.undecided)):
        of = f"{n:,}" if is_sum else f"{n}/{cell.conversations}" if cell.conversations > 1 else ""
        found += [mark + of] if n else []
    return " ".join(found)
