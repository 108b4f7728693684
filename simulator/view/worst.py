"""The worst turns of a run, worst first, and why a turn is flagged, in words."""

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from simulator.core.claim import ClaimKind, State, claims_of, counting
from simulator.core.clean import cut
from simulator.core.health import FollowUps
from simulator.core.outcome import Score
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, WeakTurn
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.scenario import Expected
from simulator.core.talk import TargetFailure
from simulator.statistics.chance import seldom
from simulator.view.reasons import quote_of, reason_beside

T = TypeVar("T")
_KEPT = 200  # turns
_TEXT = 2_000  # characters of each text
_SEVERAL, _RARE = 5, 0.01  # lost follow-ups from which on they are told, unless by chance
_Key = tuple[bool, int, int, float, Cell, int]
_Kind = tuple[str, int]  # a scenario, and the hash of what was answered there


class Group(NamedTuple):
    """What failures have in common that one thing would fix.

    `entry` is the id of the expected document or, where there is none (`of_scenario`), that of the
    scenario.
    """

    blame: str
    entry: str
    of_scenario: bool


@dataclass(slots=True)
class _Alike:
    """Turns of one scenario that were answered in the same words; the worst stands for them."""

    key: _Key
    turn: WeakTurn
    personas: Counter[str] = field(default_factory=Counter)
    groups: set[Group] = field(default_factory=set[Group])

    def shown(self) -> WeakTurn:
        others = self.personas.copy()
        others[self.turn.cell.persona] -= 1
        names = tuple(sorted(name for name, count in others.items() if count))
        return replace(self.turn, alike=others.total(), alike_personas=names)


class Worst:
    """Keeps the worst turns: first those that tell against the judge.

    Then one for each group of failures that one thing would mend, in their order. Then those that
    show why their conversation failed, those of scenarios that always fail first, or why it is
    undecided. Within each, failed targets come first, then it goes by score, by place.
    """

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._kinds: dict[_Kind, _Alike] = {}
        self._bar: float | None = None  # scores above it are not among the lowest

    def add_if_low(self, header: RunHeader, cell: Cell, turn: Turn) -> None:
        """Take in a turn that nothing flags, if its score is not perfect and among the lowest."""
        outcome = turn.outcomes.get(header.score_by)
        if not isinstance(outcome, Score) or outcome.value >= 1:
            return
        if self._bar is None or outcome.value <= self._bar:
            self.add(header, cell, turn)

    def add(
        self,
        header: RunHeader,
        cell: Cell,
        turn: Turn,
        against: str = "",
        finding: Finding | None = None,
        group: Group | None = None,
    ) -> None:
        """Take in one turn; `against`: how the judge's readings differ from what words prove.

        `finding` is that of its conversation, where it shows why that failed or is undecided, and
        `group` what it has in common with others that failed.
        """
        reply = turn.exchange.reply
        failed = isinstance(reply, TargetFailure)
        answer = (reply.fault, reply.message) if isinstance(reply, TargetFailure) else reply.text
        weak = _weak_turn(header, cell, turn, finding, against)
        rank = 0 if failed else 2 if weak.score is None else 1
        shows = 2 if finding is None else int(finding.result is not Result.FAILED)
        key = (not against, shows, rank, weak.score or 0.0, cell, weak.turn)
        alike = self._kinds.setdefault((cell.scenario, hash(answer)), _Alike(key, weak))
        alike.personas[cell.persona] += 1
        alike.groups |= {group} if group else set()
        if key < alike.key:
            alike.key, alike.turn = key, weak
        if len(self._kinds) >= 2 * self._kept:
            self._shorten()

    def turns(
        self, groups: Sequence[Group] = (), always: Set[str] = frozenset()
    ) -> tuple[WeakTurn, ...]:
        """The worst turns, worst first; those that were answered alike in a scenario are one.

        Args:
            groups: of each, in this order, its most common answer comes before all others.
            always: the scenarios that fail in every conversation.
        """
        self._shorten()
        most = {self._most_common(group): place for place, group in reversed([*enumerate(groups)])}
        ordered: list[tuple[tuple[object, ...], WeakTurn]] = []
        for kind, alike in self._kinds.items():
            fair, shows, *others = alike.key
            place = most.get(kind, len(groups))
            is_once = shows == 0 and kind[0] not in always
            shown = replace(alike.shown(), of_group=kind in most)
            ordered.append(((fair, place, shows, is_once, *others), shown))
        return tuple(shown for _, shown in sorted(ordered, key=lambda item: item[0]))

    def _most_common(self, group: Group) -> _Kind | None:
        """The answer that most conversations of a group got, the worst of these."""
        of = {kind: alike for kind, alike in self._kinds.items() if group in alike.groups}
        totals = Counter[int]()
        for (_, text), alike in of.items():
            totals[text] += alike.personas.total()
        return min(of, key=lambda kind: (-totals[kind[1]], of[kind].key), default=None)

    def _shorten(self) -> None:
        """Sort; where there are too many, no scenario's second is kept before another's first."""
        ordered = sorted(self._kinds.items(), key=lambda item: item[1].key)
        kept = spread(ordered, lambda item: item[0][0], self._kept)
        self._kinds = dict(kept)
        if len(kept) < len(ordered):
            self._bar = kept[-1][1].turn.score


class FollowUpTally:
    """Counts how questions that lean on the turn before fared, beside first ones."""

    def __init__(self) -> None:
        self._asked: dict[str, list[bool]] = {}  # by scenario: whether each was lost
        self._first: dict[str, list[bool]] = {}
        self._later: set[str] = set()  # scenarios with a later turn that was answered

    def add(self, episode: Episode) -> None:
        """Count one conversation, if its scenario says that there is an answer."""
        of = episode.scenario
        if not (episode.turns and of and of.expected.can_be_answered) or of.expected.escalate:
            return
        name, (before, *others) = episode.cell.scenario, episode.turns
        states = [_states(turn, of.expected) for turn in episode.turns]
        self._first.setdefault(name, []).append(_is_lost(before, states[0]))
        for number, turn in enumerate(others, 1):
            if turn.follows_up and _is_answered(before, states[number - 1]):
                self._asked.setdefault(name, []).append(_is_lost(turn, states[number]))
            if _is_answered(turn, states[number]):
                self._later.add(name)
            before = turn

    def summary(self, failing: Set[str] = frozenset()) -> FollowUps:
        """The figures so far; `failing`: the scenarios that always fail, which is told by that."""
        both = [[*map(_most, by_scenario.values())] for by_scenario in (self._asked, self._first)]
        (lost, scenarios), (first_lost, first) = ((sum(some), len(some)) for some in both)
        p = seldom(lost, scenarios, first_lost, first) if scenarios and first else None
        every = sum(map(sum, self._asked.values()))
        return FollowUps(
            asked=sum(map(len, self._asked.values())),
            lost=every,
            scenarios=scenarios,
            first=sum(map(len, self._first.values())),
            first_lost=sum(map(sum, self._first.values())),
            only_later=tuple(sorted(n for n in self._later - failing if all(self._first[n]))),
            p=p,
            are_lost=p is not None and every >= _SEVERAL and p < _RARE,
        )


_States = Sequence[tuple[ClaimKind, State]]


def _states(turn: Turn, expected: Expected) -> _States:
    """The states of the claims of one answer that were read."""
    readings = counting(turn.readings or ())
    return [(c.kind, readings[c.id].state) for c in claims_of(expected) if c.id in readings]


def _is_lost(turn: Turn, states: _States) -> bool:
    """True if it was refused, or neither an expected document nor an expected claim came."""
    if (ClaimKind.ANSWERS, State.UNMET) in states:
        return True
    hit = turn.outcomes.get("retrieval_hit")
    missed = isinstance(hit, Score) and not hit.value
    return missed and (ClaimKind.SAYS, State.MET) not in states


def _is_answered(turn: Turn, states: _States) -> bool:
    """True if it was not lost, and met a claim or was led by an expected document."""
    hit = turn.outcomes.get("retrieval_hit")
    led = isinstance(hit, Score) and hit.parts.get("hit_at_1", 0) > 0
    return not _is_lost(turn, states) and (led or (ClaimKind.SAYS, State.MET) in states)


def _most(lost: Sequence[bool]) -> bool:
    return 2 * sum(lost) > len(lost)


def spread(
    items: Sequence[T],
    group: Callable[[T], str],
    most: int,
    always: Callable[[T], bool] = lambda _: False,
) -> list[T]:
    """At most so many of them, in their order; no group's second before another's first.

    Those that `always` takes are as good as a first.
    """
    earlier: Counter[str] = Counter()
    ranked = []
    for place, item in enumerate(items):
        ranked.append((0 if always(item) else earlier[group(item)], place))
        earlier[group(item)] += 1
    return [items[place] for place in sorted(place for _, place in sorted(ranked)[:most])]


def _weak_turn(
    header: RunHeader, cell: Cell, turn: Turn, finding: Finding | None, against: str
) -> WeakTurn:
    outcome = turn.outcomes.get(header.score_by)
    score = outcome if isinstance(outcome, Score) else None
    return WeakTurn(
        cell=cell,
        turn=turn.exchange.turn,
        user=cut(turn.exchange.user, _TEXT),
        assistant=cut(turn.exchange.assistant, _TEXT),
        score=score.value if score else None,
        reason=cut(reason_beside(header, turn, finding), _TEXT),
        blame=turn.blame,
        raw=score.raw if score else None,
        flagged=turn.flagged or (finding is not None and finding.result is Result.FAILED),
        finding=finding,
        quote=cut(quote_of(turn, finding), _TEXT),
        against=against,
    )
