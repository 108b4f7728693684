"""What the page says before any script runs: how it went, what to mend, and the map."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any
from urllib.parse import quote

from simulator.core.clean import cut, visible
from simulator.core.comparison import CellChange, WorseCell
from simulator.core.outcome import Interval
from simulator.core.result import FaultGroup, Result
from simulator.core.run import Episode, Run
from simulator.core.verdict import Verdict
from simulator.view.compare_view import CompareView, cell_name
from simulator.view.faults import BOT_ERROR, Mending, alike
from simulator.view.first_screen import next_steps, verified_lines, with_later
from simulator.view.results import as_it_counts
from simulator.view.run_view import RunView, joined, local_time, view_of
from simulator.view.summary import HeatMap, cell_text
from simulator.view.worst import score_name
from simulator.words import Words, nested

_CELLS = 150  # of the map: what a page of every size can hold
_SHOWN = 10  # scenarios in which something got worse
_LISTED = 30  # cells that newly fail or pass
_NAME, _EXAMPLE, _SAID = 40, 90, 60  # characters
_WORDS = 2  # of users, that are shown of a fault
# What changed in a cell, the gravest first, with the style of its kind.
_CHANGES = {
    "failing": "failed",
    "otherwise": "failed",
    "unjudged": "undecided",
    "passing": "passed",
}
_MARKS = {"passed": "✓", "failed": "✗", "undecided": "?", "": "–"}


def lead_values(run: Run, words: Words, causes: "Causes") -> dict[str, Any]:
    """What the page's template fills in for a lead; `causes` has seen every conversation."""
    view = causes.view
    lines, first = joined(view.lines), view.fix_first
    doubts = [f"{line.label}: {line.text.plain}" for line in lines if line.is_doubt]
    decided = Words(run.header.language, "report")("decided")
    return {
        "verified": verified_lines(run, view),
        "next": [{"command": command, "about": about} for command, about in next_steps(run)],
        "size": view.size.plain,
        "verdict": _verdict(view, words),
        "headline": view.passing.plain,
        "beside": [
            *({"text": text, "style": "undecided"} for text in doubts),
            *({"text": text, "style": "soft"} for text in _sound(run, words)),
            *({"text": line.plain, "style": "soft"} for line in view.models),
        ],
        "tiles": list(_tiles(run, view, words)),
        "causes": _causes(run, causes.counts, words),
        "faults_head": view.fix_head,
        "faults": [_fault(group, causes.mending, words) for group in first],
        "heat": _heat(run, view.heat, words) if view.heat else None,
        "facts": [
            (line.label, line.text.plain)
            for line in (*lines, *joined(view.ended))
            if not line.is_doubt and line.label != decided  # which the first lines tell
        ],
    }


def compared_values(view: CompareView) -> dict[str, Any]:
    """What the template of two runs fills in: the first sentence is the headline."""
    words = Words(view.words.language, "page")
    texts = [text.plain for text in view.sentences] or [""]
    counts = Counter(view.comparison.changes.values())
    first = max(1, len(view.first))
    return {
        "headline": texts[0],
        "lines": texts[1:first],
        "rest": texts[first:],
        "tiles": [
            {
                "label": words(f"newly.{name}"),
                "value": f"{counts[name]:,}",
                "style": style if counts[name] else "",
                "href": _link(change=name),
            }
            for name, style in _CHANGES.items()
        ],
    }


def changed_values(view: CompareView) -> dict[str, Any]:
    """What the template of what changed fills in; what must pass is first."""
    return {
        "worse": view.worse[:_SHOWN],
        "matrix": view.matrix,
        "groups": [group for name in _CHANGES for group in _group(name, view)],
    }


def _group(name: str, view: CompareView) -> Iterator[dict[str, Any]]:
    comparison, style = view.comparison, _CHANGES[name]
    cells = [cell for cell, change in comparison.changes.items() if change == name]
    if not cells:
        return
    changed: tuple[CellChange | WorseCell, ...] = (
        *comparison.states.lasting,
        *comparison.newly_failing,
        *comparison.cells.newly_passing,
    )
    must = {cell.name for cell in changed if cell.must_pass}
    parted = (
        (cell, *cell.rpartition("/")[::2]) for cell in sorted(cells, key=lambda c: c not in must)
    )
    yield {
        "head": Words(view.words.language, "page")(f"newly.{name}"),
        "n": f"{len(cells):,}",
        "style": style,
        "mark": _MARKS[style],
        "href": _link(change=name),
        "cells": [
            {
                "name": visible(cell_name(comparison, cell)),
                "href": _link(scenario=scenario, persona=persona),
                "must": cell in must,
            }
            for cell, scenario, persona in islice(parted, _LISTED)
        ],
        "more": max(0, len(cells) - _LISTED),
    }


def _sound(run: Run, words: Words) -> Iterator[str]:
    """That nothing is odd about users, and about the judge, where that was looked at."""
    summary, health = run.summary, run.summary.judge_health
    of_users = summary.simulator
    odd = summary.soundness or summary.failures.get("user") or of_users.rerun or of_users.excluded
    if summary.conversations and not odd and not run.header.is_of_rows:
        yield words("users_sound")
    if health is not None and not health.warnings:
        yield words("judge_sound")


def since_values(since: CompareView) -> dict[str, Any]:
    """What the template of the part about the run before fills in."""
    before, words = since.comparison.before, Words(since.words.language, "page")
    return {
        "head": words("since", id=before.id, time=local_time(before)),
        "lines": [text.plain for text in since.first],
        "rest": [text.plain for text in since.then],
    }


def _verdict(view: RunView, words: Words) -> dict[str, str]:
    """The gate's word where one was asked; else that none was."""
    if view.gate is None:
        return {"style": "", "mark": "", "text": words("no_gate")}
    return {"style": view.gate, "mark": _MARKS[view.gate], "text": words(f"gate_chip.{view.gate}")}


def _tiles(run: Run, view: RunView, words: Words) -> Iterator[dict[str, str]]:
    results, score = run.summary.results, run.summary.score
    value, note = _pass_rate(results.pass_rate, view.pass_rate_bounds, words)
    yield {"label": words("pass_rate_tile"), "value": value, "note": note, "style": ""}
    for result in (Result.FAILED, Result.UNDECIDED, Result.PASSED):
        yield {
            "label": words(f"gate.{result}"),
            "value": f"{results[result]:,}",
            "note": words("of_talks", n=run.summary.conversations),
            "style": result if results[result] else "",
            "href": _link(result=result) if results[result] else "",
        }
    if score and score.value.mean is not None:
        mean, name = f"{score.value.mean:.2f}", visible(score_name(run.header))
        yield {"label": words("score_tile"), "value": mean, "note": name, "style": ""}


def _pass_rate(rate: Interval, bounds: tuple[float, float] | None, words: Words) -> tuple[str, str]:
    """The rate with its interval; or its bounds, where much is undecided."""
    known = (end for end in bounds or (rate.low, rate.high) if end is not None)
    ends = [words("percent", n=100 * end) for end in known]
    if bounds:
        return words.to.join(ends), words("open_tile")
    note = words("interval_tile", low=ends[0], high=ends[1]) if ends else ""
    return "–" if rate.mean is None else words("percent", n=100 * rate.mean), note


def _fault(group: FaultGroup, mending: Mending, words: Words) -> dict[str, str]:
    entry = visible(group.entry)
    is_scenario = group.of_scenario and group.blame != BOT_ERROR
    key = "fault_scenario" if is_scenario else "fault_entry"
    key = key if entry else "fault_alone"
    title = words(key, fault=words.name("fault", group.blame), entry=cut(entry, _NAME))
    title = with_later(group, title, words)
    remedy, texts = mending.of(group)
    improve = Words(words.language, "improve")
    said = (nested(cut(visible(text), _SAID)) for text in texts[:_WORDS])
    quoted = "".join(improve("quoted", text=text) for text in said)
    user = cut(visible(group.question), _EXAMPLE)
    answer = cut(visible(group.answer), _EXAMPLE)
    about = {"about": group.entry} if entry and '"' not in entry else {}
    return {
        "n": f"{group.weight:,}",
        "title": title,
        "remedy": improve(f"remedy.{remedy}"),
        "example": improve("said", words=quoted) if quoted else words("example", user=user),
        "answer": answer and words("bot_said", answer=nested(answer)),
        "href": _link(blame=group.blame, **about),
    }


class Causes:
    """What conversations failed by, and what would mend them; one may have several causes."""

    def __init__(self, run: Run) -> None:
        self.view = view_of(run, Words(run.header.language, "report"))
        self.mending = Mending(run, self.view.fix_first)
        self.counts: Counter[str] = Counter()

    def add(self, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        """Count one conversation as it counts by people's verdicts."""
        episode = as_it_counts(episode, verdicts)
        if (finding := episode.finding) and finding.result is Result.FAILED:
            blames = {blame for turn in episode.turns for blame in turn.blames}
            self.counts.update({alike(episode, finding).group.blame, *blames})
            if episode.turns:
                self.mending.add(episode, finding)


def _causes(run: Run, counts: Counter[str], words: Words) -> dict[str, Any]:
    """How many failed by each cause, as many as its link leaves."""
    return {
        "head": words("causes", n=run.summary.results[Result.FAILED]),
        "each": [
            {
                "name": words.name("fault", blame),
                "n": f"{n:,}",
                "href": _link(result="failed", blame=blame),
            }
            for blame, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        ],
    }


def _link(**fields: str) -> str:
    """The address of the conversations with these values, of all of them without any."""
    return "#q=" + quote(" ".join(f"{name}:{_quoted(value)}" for name, value in fields.items()))


def _quoted(text: str) -> str:
    return f'"{text}"' if " " in text else text


def _heat(run: Run, heat: HeatMap, words: Words) -> dict[str, Any]:
    most = max(5, _CELLS // (len(heat.personas) + 1))
    rows, left = heat.scenarios[:most], len(heat.scenarios) - most
    more = [words("more_scenarios", n=left)] if left > 0 else []
    return {
        "head": words("map", score=score_name(run.header)),
        "heads": [visible(head) for head in heat.heads],
        "rows": [
            {
                "name": cut(visible(row.name), _NAME),
                "href": _link() if row is heat.total else _link(scenario=row.name),
                "cells": [
                    {"style": cell.result or "", "text": cell_text(cell)}
                    for cell in heat.shown(row)
                ],
            }
            for row in (*rows, *([heat.total] if heat.is_total_shown else []))
        ],
        "more": " ".join([words("legend"), *more]),
    }
