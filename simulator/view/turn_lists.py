"""The worst turns and the undecided conversations as lists show them, equal answers once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from simulator.core.result import Result, WeakTurn, Why
from simulator.core.run import RunHeader, RunSummary
from simulator.view.worst import spread

_LARGE = 100  # conversations, from which on less of each is shown


@dataclass(frozen=True)
class Entry:
    """Turns that were answered in the same words and are to be read once, the worst first."""

    turns: tuple[WeakTurn, ...]

    @property
    def first(self) -> WeakTurn:
        """The turn that stands for all of them."""
        return self.turns[0]

    @property
    def count(self) -> int:
        """How many turns it stands for."""
        return sum(1 + turn.alike for turn in self.turns)

    @cached_property
    def here(self) -> tuple[WeakTurn, ...]:
        """The turns of the first one's scenario."""
        return tuple(t for t in self.turns if t.cell.scenario == self.first.cell.scenario)

    @property
    def blames(self) -> tuple[str, ...]:
        """Whose fault these are."""
        return tuple(dict.fromkeys(turn.blame for turn in self.here if turn.blame))

    @property
    def alike(self) -> int:
        """How many others of the scenario it stands for."""
        return sum(1 + turn.alike for turn in self.here) - 1

    @property
    def personas(self) -> tuple[str, ...]:
        """The personas of these, sorted."""
        others = {turn.cell.persona for turn in self.here[1:]}
        return tuple(sorted(others.union(*(turn.alike_personas for turn in self.here))))

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The other scenarios with the same answer."""
        names = dict.fromkeys(turn.cell.scenario for turn in self.turns)
        return tuple(name for name in names if name != self.first.cell.scenario)


@dataclass(frozen=True, slots=True)
class TurnLists:
    """Both lists; no answer is in both.

    What is undecided is in the list of what would decide it; but where judge and facts disagree it
    comes first.

    Attributes:
        worst: the worst turns, each scenario's worst one before its others.
        also_failed: what failed and has no room there.
        undecided: the undecided conversations.
        also_undecided: those that have no room there.
        is_brief: whether less of each is shown, because there are many conversations.
        weak: how many turns are weak; None where the worst are only the lowest.
        flagged: turns by scenario.
    """

    worst: tuple[Entry, ...]
    also_failed: tuple[Entry, ...]
    undecided: tuple[Entry, ...]
    also_undecided: tuple[Entry, ...]
    is_brief: bool
    weak: int | None
    flagged: Counter[str]

    @classmethod
    def of(cls, header: RunHeader, summary: RunSummary) -> "TurnLists":
        """The lists of a run; a large one is read as a whole, so it shows fewer of the worst."""
        is_large = summary.conversations >= _LARGE and not header.is_of_rows
        undecided = {_answer(turn) for turn in summary.undecided}
        weak = [t for t in summary.weak if _goes_first(t) or _answer(t) not in undecided]
        worst = _entries(weak, 5 if is_large else 10)
        shown = [turn for entry in worst for turn in entry.turns]
        at_odds = {_answer(turn) for turn in shown if turn.against}
        left = [turn for turn in summary.undecided if _answer(turn) not in at_odds]
        listed = _entries(left, 10 if is_large else 15 - len(worst))
        known = {_answer(turn) for turn in shown}
        failed = _entries([turn for turn in weak if _goes_first(turn)])
        # What the judge took and the facts do not may not be flagged, and is weak all the same.
        unflagged = sum(1 + t.alike for t in summary.weak if t.against and not t.flagged)
        is_weak = all(turn.flagged or turn.against for turn in shown)
        flagged: Counter[str] = Counter()
        for (_, scenario), cell in summary.cells.items():
            flagged[scenario] += cell.flagged
        return cls(
            worst=worst,
            also_failed=tuple(e for e in failed if known.isdisjoint(map(_answer, e.turns))),
            undecided=listed,
            also_undecided=tuple(entry for entry in _entries(left) if entry not in listed),
            is_brief=is_large,
            weak=summary.flagged + unflagged if is_weak else None,
            flagged=flagged,
        )

    def more_weak(self, entry: Entry) -> int:
        """How many turns are flagged in the scenario beside the listed ones, at its first entry."""
        scenario = entry.first.cell.scenario
        listed = [t for e in self.worst for t in e.turns if t.cell.scenario == scenario]
        if entry.first is not listed[0]:
            return 0
        return max(0, self.flagged[scenario] - sum(1 + turn.alike for turn in listed))


def is_undecided(turn: WeakTurn) -> bool:
    """Whether it shows why its conversation is undecided."""
    return turn.finding is not None and turn.finding.result is Result.UNDECIDED and not turn.against


def _answer(turn: WeakTurn) -> tuple[str, str]:
    return turn.cell.scenario, turn.assistant


def _goes_first(turn: WeakTurn) -> bool:
    failed = turn.finding is not None and turn.finding.result is Result.FAILED
    return failed or bool(turn.against)


def _entries(turns: Sequence[WeakTurn], most: int | None = None) -> tuple[Entry, ...]:
    """At most so many entries, each scenario's first, and a group's one, before its others.

    Turns of several scenarios that were answered in the same words are one, where they failed for
    the same reason or are undecided.
    """
    groups: dict[object, list[WeakTurn]] = {}
    for turn in turns:
        finding = turn.finding
        same: object = (turn.cell, turn.turn)
        if is_undecided(turn):
            same = turn.assistant
        elif finding and finding.why is not Why.SCORED_LOW:
            same = (turn.assistant, finding.why, finding.about)
        groups.setdefault(same, []).append(turn)
    entries = [Entry(tuple(group)) for group in groups.values()]
    most = len(entries) if most is None else most
    chosen = spread(
        entries, lambda e: e.first.cell.scenario, most, lambda entry: entry.first.of_group
    )
    return tuple(chosen)
