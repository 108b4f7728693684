"""`mogi show RUN --failed …`: the conversations of a run, a line for those alike, and why."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from simulator.console.layout import fit, fit_id, pad
from simulator.console.output import show_view
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import cut, visible
from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result
from simulator.core.run import Episode, Run
from simulator.plugins import suggest
from simulator.results.cause import Fault
from simulator.view.faults import alike, shown_turn
from simulator.view.reasons import quote_of, reason_text, screen_names
from simulator.words import Words

_SHOWN = 40
_SAID = 200  # characters of what is to be read
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
        cell, finding, scenario = episode.cell, episode.finding, episode.scenario
        wanted = {Result.FAILED: self.failed, Result.UNDECIDED: self.undecided}
        return (
            (
                not any(wanted.values())
                or (finding is not None and wanted.get(finding.result, False))
            )
            and self.persona in ("", cell.persona)
            and self.scenario in ("", cell.scenario)
            and (not self.tag or (scenario is not None and self.tag in scenario.tags))
            and (not self.blame or any(self.blame in turn.blames for turn in episode.turns))
            and (not self.words or self.words.casefold() in _transcript(episode).casefold())
        )


class Listed(NamedTuple):
    """A conversation; those of one `group` have blame, expected entry and answer in common.

    `excerpt`: what of it is to be read: the words that show why, or the answer's beginning.
    """

    cell: Cell
    finding: Finding
    group: int
    excerpt: str = ""


def _transcript(episode: Episode) -> str:
    exchanges = (turn.exchange for turn in episode.turns)
    return "\n".join(text for e in exchanges for text in (e.user, e.assistant))


def _to_read(episode: Episode, blame: str) -> str:
    """What of a conversation is to be read.

    Of an undecided one, and of one that passed though a turn has the blame that was asked for.
    """
    finding, blamed = episode.finding, [t for t in episode.turns if blame and blame in t.blames]
    if finding is not None and finding.result is Result.UNDECIDED and episode.turns:
        turn = episode.turns[shown_turn(episode, finding) - 1]
    elif finding is not None and finding.result is Result.PASSED and blamed:
        turn = blamed[0]
    else:
        return ""
    return cut(quote_of(turn, finding) or turn.exchange.assistant, _SAID)


def show_talks(run: Run, wanted: Wanted, *, every: bool) -> None:
    """Print the conversations that are wanted: the first 40 lines, or each by itself.

    Those that failed for the same reason with the same answer are a line, with their number.

    Raises:
        InputError: as `talks`.
    """
    listed = talks(run, wanted)
    show_view(lambda width: _lines(run, listed, width, every=every))


def talks(run: Run, wanted: Wanted) -> list[Listed]:
    """The conversations that are wanted, failed ones first.

    Raises:
        InputError: the run has no such persona, scenario, tag or blame.
    """
    wanted = replace(wanted, blame=_fault(wanted.blame, run.header.language))
    listed: list[Listed] = []
    known: dict[str, set[str]] = {kind: set() for kind in ("persona", "scenario", "tag", "blame")}
    for episode in run.episodes():
        known["persona"].add(episode.cell.persona)
        known["scenario"].add(episode.cell.scenario)
        known["tag"].update(episode.scenario.tags if episode.scenario else ())
        known["blame"].update(blame for turn in episode.turns for blame in turn.blames)
        if episode.finding and wanted.takes(episode):
            group = hash(alike(episode, episode.finding))
            listed.append(
                Listed(episode.cell, episode.finding, group, _to_read(episode, wanted.blame))
            )
    for kind, names in known.items():
        name = getattr(wanted, kind)
        if name and name not in names:
            message = f"run {run.header.id} has no {kind} {name!r}"
            raise InputError(f"{message}; {suggest(name, tuple(sorted(names)))}")
    listed.sort(key=_rank)  # stable: in the plan's order
    return listed


def _fault(blame: str, language: Language) -> str:
    """The id of a cause that reports call by its name: *Retrieved but not used*."""
    words = Words(language, "report")
    called = {words.name("fault", fault).casefold(): fault.value for fault in Fault}
    return called.get(blame.casefold(), blame)


def _grouped(listed: Sequence[Listed]) -> list[list[Listed]]:
    """Those alike together, by result; of these the most frequent first."""
    groups: dict[object, list[Listed]] = {}
    for talk in listed:
        groups.setdefault((talk.finding.result, talk.group), []).append(talk)
    return sorted(groups.values(), key=lambda group: (_rank(group[0]), -len(group)))


def _rank(talk: Listed) -> int:
    """Those that failed first."""
    return _ORDER.index(talk.finding.result)


def _lines(run: Run, listed: Sequence[Listed], width: int, *, every: bool) -> Iterator[Text]:
    words = Words(run.header.language, "show", "result", "report")
    groups = [[talk] for talk in listed] if every else _grouped(listed)
    shown = groups if every else groups[:_SHOWN]
    key = "listed" if len(groups) == len(listed) else "listed_alike"
    yield Text(words(key, n=len(listed), total=run.summary.conversations), BOLD)
    if not shown:
        return
    firsts = [group[0] for group in shown]
    columns = {
        "talk": _names([talk.cell for talk in firsts], int(width * _NAME)),
        "alike": [f"{len(group):,}" if len(group) > 1 else "" for group in shown],
        "result": [words.name("result", talk.finding.result) for talk in firsts],
        "turn": [f"{talk.finding.turn or ''}" for talk in firsts],
    }
    if key == "listed":
        del columns["alike"]
    heads = {name: words(f"head.{name}") for name in columns}
    widths = {name: max(map(cell_len, (heads[name], *columns[name]))) for name in columns}
    room = max(1, width - sum(widths.values()) - len(widths) * len(_GAP))
    head = [pad(heads[name], widths[name]) for name in columns]
    yield Text(_GAP.join([*head, words("head.why")]), DIM)
    for number, talk in enumerate(firsts):
        line = Text()
        for name, texts in columns.items():
            text = texts[number]
            is_number = name in ("alike", "turn")
            cell = f"{text:>{widths[name]}}" if is_number else pad(text, widths[name])
            line.append(cell, _STYLES[talk.finding.result] if name == "result" else "")
            line.append(_GAP)
        yield line.append(
            fit(reason_text(talk.finding, run.header.language, screen_names(run.header)), room)
        )
        if talk.excerpt:
            answer = f"{words('bot')}: {talk.excerpt}"
            yield Text(f"    {fit(answer, width - 4)}", DIM)
    if left := len(listed) - sum(map(len, shown)):
        yield Text(words("listed_more", n=left), DIM)
    yield Text("")
    yield Text(f"  mogi show {run.header.id} {shlex.quote(visible(firsts[0].cell.key))}", DIM)


def _names(cells: Sequence[Cell], most: int) -> list[str]:
    """What `mogi show RUN` finds each by, if it is not too long: the scenario is cut then.

    Without the repeat where there is only one.
    """
    repeats = any(cell.repeat > 1 for cell in cells)
    names = []
    for cell in cells:
        end = visible(cell.key.removeprefix(cell.scenario))
        end = end if repeats else end.rpartition("/")[0]
        names.append(fit_id(cell.scenario, max(1, most - cell_len(end))) + end)
    return names
