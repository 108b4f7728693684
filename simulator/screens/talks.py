"""`mogi show RUN --failed …`: the conversations of a run, a line each, and why."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from simulator.console.layout import fit, fit_id, pad
from simulator.console.output import as_json, show_view
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.errors import InputError
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result
from simulator.core.run import Episode, Run
from simulator.figures.as_json import finding_json
from simulator.figures.results import reason_text
from simulator.plugins import suggest
from simulator.words import Words

_SHOWN = 40
_NAME = 0.45  # of the screen, at most, for a conversation's name
_GAP = "  "
_ORDER = (Result.FAILED, Result.UNDECIDED, Result.UNCHECKED, Result.PASSED)
_STYLES = {Result.FAILED: BAD, Result.UNDECIDED: WARN, Result.UNCHECKED: DIM, Result.PASSED: GOOD}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which conversations are listed: those that all of it is true of; empty means any.

    `words` stand somewhere in what was said, whatever their case; `blame`: of any turn.
    """

    failed: bool = False
    undecided: bool = False
    persona: str = ""
    scenario: str = ""
    tag: str = ""
    blame: str = ""
    words: str = ""

    def takes(self, episode: Episode) -> bool:
        """Whether a conversation is one of them."""
        cell, found, scenario = episode.cell, episode.finding, episode.scenario
        asked = {Result.FAILED: self.failed, Result.UNDECIDED: self.undecided}
        return (
            (not any(asked.values()) or (found is not None and asked.get(found.result, False)))
            and self.persona in ("", cell.persona)
            and self.scenario in ("", cell.scenario)
            and (not self.tag or (scenario is not None and self.tag in scenario.tags))
            and (not self.blame or any(self.blame in turn.blames for turn in episode.turns))
            and (not self.words or self.words.casefold() in _said(episode).casefold())
        )


def _said(episode: Episode) -> str:
    exchanges = (turn.exchange for turn in episode.turns)
    return "\n".join(text for e in exchanges for text in (e.user, e.assistant))


def show_talks(run: Run, wanted: Wanted, *, every: bool) -> None:
    """Print the conversations that are wanted; the first 40, or every one.

    Raises:
        InputError: as `talks`.
    """
    found = talks(run, wanted)
    show_view(lambda width: _lines(run, found, width, len(found) if every else _SHOWN))


def talks_json(run: Run, wanted: Wanted) -> dict[str, Any]:
    """What `mogi show RUN --failed --json` prints: every one of them, as `mogi export` names it.

    Raises:
        InputError: as `talks`.
    """
    told = [
        {"episode": c.key, **as_json(c, "scenario", "persona", "repeat"), **finding_json(f)}
        for c, f in talks(run, wanted)
    ]
    return {"run": run.header.id, "conversations": told}


def talks(run: Run, wanted: Wanted) -> list[tuple[Cell, Finding]]:
    """The conversations that are wanted, failed ones first.

    Raises:
        InputError: the run has no such persona, scenario, tag or blame.
    """
    found: list[tuple[Cell, Finding]] = []
    known: dict[str, set[str]] = {kind: set() for kind in ("persona", "scenario", "tag", "blame")}
    for episode in run.episodes():
        known["persona"].add(episode.cell.persona)
        known["scenario"].add(episode.cell.scenario)
        known["tag"].update(episode.scenario.tags if episode.scenario else ())
        known["blame"].update(blame for turn in episode.turns for blame in turn.blames)
        if episode.finding and wanted.takes(episode):
            found.append((episode.cell, episode.finding))
    for kind, names in known.items():
        asked = getattr(wanted, kind)
        if asked and asked not in names:
            message = f"run {run.header.id} has no {kind} {asked!r}"
            raise InputError(f"{message}; {suggest(asked, tuple(sorted(names)))}")
    found.sort(key=lambda talk: _ORDER.index(talk[1].result))  # stable: in the plan's order
    return found


def _lines(
    run: Run, found: Sequence[tuple[Cell, Finding]], width: int, most: int
) -> Iterator[Text]:
    words = Words(run.header.language, "show", "result")
    yield Text(words("listed", n=len(found), total=run.summary.conversations), BOLD)
    shown = found[:most]
    if not shown:
        return
    names = _names([cell for cell, _ in shown], int(width * _NAME))
    results = [words.name("result", finding.result) for _, finding in shown]
    turns = [f"{finding.turn}" if finding.turn else "" for _, finding in shown]
    heads = {name: words(f"head.{name}") for name in ("talk", "result", "turn", "why")}
    columns = ((heads["talk"], names), (heads["result"], results), (heads["turn"], turns))
    widths = [max(map(cell_len, (head, *cells))) for head, cells in columns]
    room = max(1, width - sum(widths) - len(widths) * len(_GAP))
    head = [pad(text, cells) for (text, _), cells in zip(columns, widths, strict=True)]
    yield Text(_GAP.join([*head, heads["why"]]), DIM)
    for name, result, turn, (_, finding) in zip(names, results, turns, shown, strict=True):
        yield Text.assemble(
            (pad(name, widths[0]), ""),
            _GAP,
            (pad(result, widths[1]), _STYLES[finding.result]),
            _GAP,
            f"{turn:>{widths[2]}}",
            _GAP,
            fit(reason_text(finding, run.header.language), room),
        )
    if len(found) > len(shown):
        yield Text(words("listed_more", n=len(found) - len(shown)), DIM)
    yield Text("")
    yield Text(f"  mogi show {run.header.id} {shlex.quote(visible(shown[0][0].key))}", DIM)


def _names(cells: Sequence[Cell], most: int) -> list[str]:
    """What `mogi show RUN` finds each by, if it is not too long: the scenario is cut then.

    Without the repeat where there is only one.
    """
    repeats = any(cell.repeat > 1 for cell in cells)
    found = []
    for cell in cells:
        end = visible(cell.key.removeprefix(cell.scenario))
        end = end if repeats else end.rpartition("/")[0]
        found.append(fit_id(cell.scenario, max(1, most - cell_len(end))) + end)
    return found
