"""How many conversations passed, and what decided those that did not: above the score."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import islice
from typing import Literal

from rich.text import Text

from simulator.console.blocks import paragraph
from simulator.console.layout import fit
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.result import Result, Why
from simulator.core.run import ResultSummary, Run
from simulator.statistics.intervals import FEWEST_CLUSTERS
from simulator.words import Words

_HARM = frozenset({Why.CONTRADICTS, Why.ANSWERED, Why.UNSUPPORTED, Why.INVENTED, Why.ADVISED})
_REASONS = 2  # that are named
_INVENTED = 3  # that are quoted
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
        for name in ("repaired", "beside") if result is Result.PASSED else ():
            if n := getattr(found, name):
                yield "", Text(words(name, n=n), WARN)


def invented(run: Run, words: Words, width: int) -> Iterator[Text]:
    """The lines of what may be made up: undecided for a number or a name that no document has."""
    n = run.summary.results.whys.get(Why.INVENTED, 0)
    if not n:
        return
    yield from paragraph(words("invented", n=n), width, BOLD)
    whys = ((turn, turn.finding.why) for turn in run.summary.undecided if turn.finding)
    said = (f"{visible(t.cell.scenario)}: {t.unsupported}" for t, w in whys if w is Why.INVENTED)
    for line in islice(dict.fromkeys(said), _INVENTED):
        yield Text(f" ?  {fit(visible(line), width - 4)}", WARN)
    if n > _INVENTED:
        yield Text(f"    mogi show {run.header.id} --undecided", DIM)


def follow_ups(run: Run, words: Words) -> Iterator[tuple[str, Text]]:
    """That questions which lean on the turn before plainly fare worse than first ones."""
    if (found := run.summary.follow_ups).are_lost:
        told = words("follow_ups_text", **asdict(found))
        yield words("follow_ups"), Text(told, BAD)


def _rate(run: Run, words: Words) -> str:
    found = run.summary.results
    rate, parts = found.pass_rate, [""]
    if rate.mean is not None:
        parts.append(words("pass_rate", rate=f"{rate.mean:.2f}"))
        if rate.low is not None and rate.high is not None:
            parts.append(words("interval", low=f"{rate.low:.2f}", high=f"{rate.high:.2f}"))
        else:
            parts.append(too_few(run, words, "decided"))
    if found[Result.UNDECIDED] and found.worst is not None and found.best is not None:
        ends = {"worst": f"{found.worst:.2f}", "best": f"{found.best:.2f}"}
        parts.append(words("pass_rate.bounds", **ends))
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
