"""What the page says before any script runs: how it went, what to mend, and the map."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from simulator.console.blocks import figure
from simulator.core.clean import cut, visible
from simulator.core.comparison import CellChange, Comparison, Since
from simulator.core.result import FaultGroup, Result
from simulator.core.run import CellSummary, ResultSummary, Run
from simulator.reports._figures import figures, how_it_went, joined, local_time, what_ran
from simulator.reports._results import MENDED_FIRST, bounds, has_heat, heat_rows, marks, passing
from simulator.view.faults import Mending, alike
from simulator.view.summary import gate
from simulator.words import Words

_Line = tuple[str, str]  # a label and a text
_CELLS = 150  # of the map: what a page of every size can hold
_LISTED = 30  # cells that newly fail or pass
_NAME, _EXAMPLE, _SAID = 40, 90, 60  # characters
_WORDS = 2  # of users, that are shown of a fault
_MARKS = {"passed": "✓", "failed": "✗", "undecided": "?", "": "–"}
_GATE = {True: "passed", False: "failed", None: "undecided"}


def lead_values(run: Run, words: Words, since: Since | None = None) -> dict[str, Any]:
    """What the page's template fills in for a lead."""
    plain = Words(run.header.language, "report")
    ran = list(what_ran(run, plain))
    doubts, told = _parted(joined(figures(run, plain)), plain)
    faults = run.summary.fault_groups
    first = faults[:MENDED_FIRST]
    turns = sum(group.conversations for group in first)
    mending = Mending(run, first)
    causes = _causes(run, mending, words)
    return {
        "size": ran[1].plain,
        "verdict": _verdict(run, words),
        "headline": passing(run, plain).plain,
        "beside": [
            *({"text": f"{label}: {text}", "style": "undecided"} for label, text in doubts),
            *({"text": text, "style": "soft"} for text in _sound(run, words)),
            *({"text": line.plain, "style": "soft"} for line in ran[3:]),
        ],
        "since": _since(since, words),
        "tiles": list(_tiles(run, words)),
        "causes": causes,
        "faults_head": words("mend", n=len(first), talks=turns),
        "faults": [_fault(group, mending, words) for group in first],
        "heat": _heat(run, words) if has_heat(run) else None,
        "facts": [*told, *how_it_went(run, plain)],
    }


def compared_values(comparison: Comparison, lines: Sequence[str]) -> dict[str, Any]:
    """What the template of two runs fills in: the first of the lines is the headline."""
    words = Words(comparison.after.language, "page")
    return {
        "headline": lines[0] if lines else "",
        "lines": lines[1:],
        "tiles": [
            {
                "label": words(f"newly.{name}"),
                "value": f"{len(found):,}",
                "style": style if found else "",
                "href": f"#q=change%3A{name}",
            }
            for name, style, found in _newly(comparison)
        ],
    }


def changed_values(comparison: Comparison) -> list[dict[str, Any]]:
    """What the template of what newly fails and passes fills in; what must pass stands first."""
    words = Words(comparison.after.language, "page")
    return [
        {
            "head": words(f"newly.{name}"),
            "n": f"{len(found):,}",
            "style": style,
            "mark": _MARKS[style],
            "href": f"#q=change%3A{name}",
            "cells": [
                {"name": visible(c.name), "href": f"#q={_of_cell(c)}", "must": c.must_pass}
                for c in sorted(found, key=lambda cell: not cell.must_pass)[:_LISTED]
            ],
            "more": max(0, len(found) - _LISTED),
        }
        for name, style, found in _newly(comparison)
        if found
    ]


def _newly(comparison: Comparison) -> tuple[tuple[str, str, Sequence[CellChange]], ...]:
    cells = comparison.cells
    return (
        ("failing", "failed", cells.newly_failing),
        ("passing", "passed", cells.newly_passing),
    )


def _of_cell(cell: CellChange) -> str:
    return quote(f"scenario:{_quoted(cell.scenario)} persona:{_quoted(cell.persona)}")


def _parted(lines: list[_Line], plain: Words) -> tuple[list[_Line], list[_Line]]:
    """What makes users or judge doubtful, which a lead reads first, and all the others."""
    labels = {plain("simulator"), plain("judge")}
    doubts = [line for line in lines if line[0] in labels]
    return doubts, [line for line in lines if line not in doubts]


def _sound(run: Run, words: Words) -> Iterator[str]:
    """That nothing is odd about users, and about the judge, where that was looked at."""
    summary, health = run.summary, run.summary.judge_health
    of_users = summary.simulator
    odd = summary.soundness or summary.failures.get("user") or of_users.rerun or of_users.excluded
    if summary.conversations and not odd and not run.header.is_of_rows:
        yield words("users_sound")
    if health is not None and not health.warnings:
        yield words("judge_sound")


def _since(since: Since | None, words: Words) -> dict[str, Any] | None:
    if since is None:
        return None
    before = since.comparison.before
    return {
        "head": words("since", id=before.id, time=local_time(before)),
        "lines": since.lines,
    }


def _verdict(run: Run, words: Words) -> dict[str, str]:
    """The gate's word where one was asked; else that none was."""
    if run.header.gate is None:
        return {"style": "", "mark": "", "text": words("no_gate")}
    style = _GATE[gate(run.summary, run.header.gate)]
    return {"style": style, "mark": _MARKS[style], "text": words(f"gate.{style}")}


def _tiles(run: Run, words: Words) -> Iterator[dict[str, str]]:
    found, score = run.summary.results, run.summary.score
    value, note = _pass_rate(found, words)
    yield {"label": words("pass_rate_tile"), "value": value, "note": note, "style": ""}
    for result in (Result.FAILED, Result.UNDECIDED, Result.PASSED):
        yield {
            "label": words(f"result.{result}"),
            "value": f"{found[result]:,}",
            "note": words("of_talks", n=run.summary.conversations),
            "style": result if found[result] else "",
            "href": f"#q=result%3A{result}" if found[result] else "",
        }
    if score and score.value.mean is not None:
        name = visible(score.info.name)
        yield {
            "label": words("score_tile"),
            "value": f"{score.value.mean:.2f}",
            "note": name,
            "style": "",
        }


def _pass_rate(found: ResultSummary, words: Words) -> tuple[str, str]:
    """The rate with its interval; or its bounds, where much is undecided."""
    rate = found.pass_rate
    if ends := bounds(found):
        return f"{ends[0]:.0%}–{ends[1]:.0%}", words("open_tile")
    known = [f"{end:.0%}" for end in (rate.low, rate.high) if end is not None]
    note = words("interval_tile", low=known[0], high=known[1]) if len(known) == 2 else ""
    return "–" if rate.mean is None else f"{rate.mean:.0%}", note


def _fault(group: FaultGroup, mending: Mending, words: Words) -> dict[str, str]:
    entry = visible(group.entry)
    key = "fault_scenario" if group.of_scenario else "fault_entry"
    key = key if entry else "fault_alone"
    title = words(key, fault=words.name("fault", group.blame), entry=cut(entry, _NAME))
    remedy, said = mending.of(group)
    told = Words(words.language, "improve")
    quoted = "".join(told("quoted", text=cut(visible(text), _SAID)) for text in said[:_WORDS])
    user = cut(visible(group.question), _EXAMPLE)
    query = f"blame:{group.blame}" + (f" about:{_quoted(group.entry)}" if entry else "")
    return {
        "n": f"{group.conversations:,}",
        "title": title,
        "remedy": told(f"remedy.{remedy}"),
        "example": told("said", words=quoted) if quoted else words("example", user=user),
        "href": f"#q={quote(query)}",
    }


def _causes(run: Run, mending: Mending, words: Words) -> dict[str, Any]:
    """How many failed by each cause, as many as its link leaves; one may have several."""
    found: Counter[str] = Counter()
    for episode in run.episodes():
        if (finding := episode.finding) and finding.result is Result.FAILED:
            blames = {blame for turn in episode.turns for blame in turn.blames}
            found.update({alike(episode, finding)[0], *blames})
            if episode.turns:
                mending.add(episode, finding)
    return {
        "head": words("causes", n=run.summary.results[Result.FAILED]),
        "each": [
            {
                "name": words.name("fault", blame),
                "n": f"{n:,}",
                "href": f"#q={quote(f'result:failed blame:{blame}')}",
            }
            for blame, n in sorted(found.items(), key=lambda item: (-item[1], item[0]))
        ],
    }


def _quoted(text: str) -> str:
    return f'"{text}"' if " " in text else text


def _heat(run: Run, words: Words) -> dict[str, Any]:
    personas, scenarios, total = heat_rows(run, words)
    rows = max(5, _CELLS // (len(personas) + 1))
    shown = [*scenarios[:rows], total] if len(scenarios) > 1 else scenarios
    several = len(personas) > 1
    left = len(scenarios) - rows
    return {
        "head": words("map", score=run.header.score_by),
        "heads": [*map(visible, personas), *([words("all")] if several else [])],
        "rows": [
            {
                "name": cut(visible(row.name), _NAME),
                "href": "#q=" + ("" if row is total else quote(f"scenario:{_quoted(row.name)}")),
                "cells": [
                    _cell(cell, is_sum=row is total or (several and at == len(personas)))
                    for at, cell in enumerate(row.cells if several else row.cells[:1])
                ],
            }
            for row in shown
        ],
        "more": " ".join(
            [words("legend"), *([words("more_scenarios", n=left)] if left > 0 else [])]
        ),
    }


def _cell(cell: CellSummary, *, is_sum: bool) -> dict[str, str]:
    passed, failed, undecided = cell.results
    style = "failed" if failed else "undecided" if undecided else "passed" if passed else ""
    sign = marks(cell, is_sum=is_sum) or (_MARKS["passed"] if passed else "")
    return {"style": style, "text": f"{sign} {figure(cell.mean)}".strip()}
