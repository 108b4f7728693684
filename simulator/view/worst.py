"""The worst turns of a run, worst first, and why a turn is flagged, in words."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TypeVar

from simulator.core.claim import ClaimKind, State, claims_of, counting
from simulator.core.clean import cut, hidden
from simulator.core.health import FollowUps
from simulator.core.outcome import Outcome, Score
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, WeakTurn
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.scenario import Expected
from simulator.core.talk import TargetFailure
from simulator.results.verdict import CHECKS
from simulator.statistics.chance import seldom
from simulator.words import Words

T = TypeVar("T")
_KEPT = 200  # turns
_TEXT = 2_000  # characters of each text
_SEVERAL, _RARE = 5, 0.01  # lost follow-ups from which on they are told, unless by chance
_WORDED = frozenset({"lexical", *CHECKS})  # what these say, the reason says
_Key = tuple[bool, int, int, float, Cell, int]
_Kind = tuple[str, int]  # a scenario, and the hash of what was answered there
Group = tuple[str, str, bool]
"""What failures alike have in common: the blame, the entry, whether that is the scenario's id."""


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
        self._found: dict[_Kind, _Alike] = {}
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
        said = (reply.fault, reply.message) if isinstance(reply, TargetFailure) else reply.text
        weak = _weak_turn(header, cell, turn, finding, against)
        rank = 0 if failed else 2 if weak.score is None else 1
        shows = 2 if finding is None else int(finding.result is not Result.FAILED)
        key = (not against, shows, rank, weak.score or 0.0, cell, weak.turn)
        found = self._found.setdefault((cell.scenario, hash(said)), _Alike(key, weak))
        found.personas[cell.persona] += 1
        found.groups |= {group} if group else set()
        if key < found.key:
            found.key, found.turn = key, weak
        if len(self._found) >= 2 * self._kept:
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
        for kind, found in self._found.items():
            fair, shows, *others = found.key
            place = most.get(kind, len(groups))
            is_once = shows == 0 and kind[0] not in always
            shown = replace(found.shown(), of_group=kind in most)
            ordered.append(((fair, place, shows, is_once, *others), shown))
        return tuple(shown for _, shown in sorted(ordered, key=lambda item: item[0]))

    def _most_common(self, group: Group) -> _Kind | None:
        """The answer that most conversations of a group got, the worst of these."""
        of = {kind: found for kind, found in self._found.items() if group in found.groups}
        said = Counter[int]()
        for (_, text), found in of.items():
            said[text] += found.personas.total()
        return min(of, key=lambda kind: (-said[kind[1]], of[kind].key), default=None)

    def _shorten(self) -> None:
        """Sort; where there are too many, no scenario's second is kept before another's first."""
        found = sorted(self._found.items(), key=lambda item: item[1].key)
        kept = spread(found, lambda item: item[0][0], self._kept)
        self._found = dict(kept)
        if len(kept) < len(found):
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
        both = [[*map(_most, found.values())] for found in (self._asked, self._first)]
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


def _most(found: Sequence[bool]) -> bool:
    return 2 * sum(found) > len(found)


def quote_of(turn: Turn, finding: Finding | None) -> str:
    """The words of the answer that the deciding reading quotes; empty where there are none."""
    if finding is None or finding.turn != turn.exchange.turn or not finding.claim:
        return ""
    reading = counting(turn.readings or ()).get(finding.claim)
    quote = reading.quote if reading else ""
    return "" if quote.strip() == turn.exchange.assistant.strip() else quote


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
        reason=cut(_beside(header, turn, finding), _TEXT),
        blame=turn.blame,
        raw=score.raw if score else None,
        flagged=turn.flagged or (finding is not None and finding.result is Result.FAILED),
        finding=finding,
        quote=cut(quote_of(turn, finding), _TEXT),
        against=against,
    )


def _beside(header: RunHeader, turn: Turn, finding: Finding | None) -> str:
    """Why a turn is flagged, without what the reason of its conversation's result says already."""
    if finding is None or not finding.claim:
        score = turn.outcomes.get(header.score_by)
        return flag_reason(header, turn) or (score.comment if isinstance(score, Score) else "")
    flags = tuple(name for name in turn.flags if name not in _WORDED)
    return flag_reason(header, replace(turn, flags=flags))


def failure_text(failure: TargetFailure, language: Language) -> str:
    """`timeout: no answer within 60 s`; in Japanese with the kind of failure in Japanese."""
    kind = Words(language, "report").name("bot", failure.fault)
    return f"{kind}: {failure.message}" if failure.message else kind


def flag_reason(header: RunHeader, turn: Turn, names: Mapping[str, str] | None = None) -> str:
    """Why a turn is flagged, in one text: the failure, or the comments of what is too low.

    `names`: what metrics are called there; those without one go by their own.
    """
    reply = turn.exchange.reply
    if isinstance(reply, TargetFailure):
        return failure_text(reply, header.language)
    by_score_first = sorted(turn.flags, key=lambda name: name != header.score_by)
    reasons: list[str] = []
    for name in by_score_first:
        outcome = turn.outcomes.get(name)
        said = outcome.comment if isinstance(outcome, Score) else ""
        if not said or not any(said in reason for reason in reasons):
            reasons.append(_why(header, name, turn.outcomes, names or {}))
    if count := hidden(turn.exchange.assistant):
        reasons.append(Words(header.language, "result")("reason.hidden", n=count))
    return " / ".join(reasons)


def _why(
    header: RunHeader, name: str, outcomes: Mapping[str, Outcome], names: Mapping[str, str]
) -> str:
    outcome, called = outcomes.get(name), names.get(name, name)
    if not isinstance(outcome, Score):
        return called
    said = outcome.comment or f"{outcome.value:.2f} < {header.thresholds.get(name, 1.0):g}"
    return said if name == header.score_by and outcome.comment else f"{called}: {said}"
