"""The worst turns of a run, worst first, and why a turn is flagged, in words."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from simulator.core.clean import cut, hidden
from simulator.core.outcome import Outcome, Score
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.result import FaultGroup, Finding, Result
from simulator.core.run import Episode, RunHeader, Turn, WeakTurn
from simulator.core.talk import TargetFailure
from simulator.judging.facts import TELLING
from simulator.judging.result import ANSWER, ELEMENTS, GROUNDED, REFUSAL
from simulator.words import Words

T = TypeVar("T")
_KEPT = 200  # turns
UNDETERMINED = "undetermined"
"""The blame of a conversation that failed and nobody is known to be at fault for."""
_GROUPS = 50
_TEXT = 2_000  # characters of each text
_WORDED = frozenset({"lexical", ELEMENTS, ANSWER, REFUSAL})  # what these say, the reason says
_Key = tuple[int, int, int, float, Cell, int]
_Kind = tuple[str, int]  # a scenario, and the hash of what was answered there


@dataclass(slots=True)
class _Alike:
    """Turns of one scenario that were answered in the same words; the worst stands for them."""

    key: _Key
    turn: WeakTurn
    personas: Counter[str] = field(default_factory=Counter)

    def shown(self) -> WeakTurn:
        others = self.personas.copy()
        others[self.turn.cell.persona] -= 1
        names = tuple(sorted(name for name, count in others.items() if count))
        return replace(self.turn, alike=others.total(), alike_personas=names)


class Worst:
    """Keeps the worst turns: first those that tell most against the judge.

    Then those that show why their conversation failed, or why it is undecided; among the others
    those with a number or a name that no document holds. Within each, failed targets come first,
    then it goes by score, then by place.
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
    ) -> None:
        """Take in one turn; `against`: the fact that its rating speaks against.

        `finding` is that of its conversation, where it shows why that failed or is undecided.
        """
        reply = turn.exchange.reply
        failed = isinstance(reply, TargetFailure)
        said = (reply.fault, reply.message) if isinstance(reply, TargetFailure) else reply.text
        weak = replace(_weak_turn(header, cell, turn, finding), against=against)
        rank = 0 if failed else 2 if weak.score is None else 1
        telling = TELLING.index(against) if against else len(TELLING)
        key = (telling, _told(turn, finding), rank, weak.score or 0.0, cell, weak.turn)
        found = self._found.setdefault((cell.scenario, hash(said)), _Alike(key, weak))
        found.personas[cell.persona] += 1
        if key < found.key:
            found.key, found.turn = key, weak
        if len(self._found) >= 2 * self._kept:
            self._shorten()

    def turns(self) -> tuple[WeakTurn, ...]:
        """The worst turns, worst first; those that were answered alike in a scenario are one."""
        self._shorten()
        return tuple(found.shown() for found in self._found.values())

    def _shorten(self) -> None:
        """Sort; where there are too many, no scenario's second is kept before another's first."""
        found = sorted(self._found.items(), key=lambda item: item[1].key)
        kept = spread(found, lambda item: item[0][0], self._kept)
        self._found = dict(kept)
        if len(kept) < len(found):
            self._bar = kept[-1][1].turn.score


class FaultGroups:
    """Groups the conversations that failed by what would mend them: blame × expected entry."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str, bool], tuple[Cell, Turn]] = {}
        self._scenarios: dict[tuple[str, str, bool], Counter[str]] = {}

    def add(self, episode: Episode, finding: Finding) -> None:
        """Count one conversation with what came of it."""
        if finding.result is not Result.FAILED or not episode.turns:
            return
        turn = episode.turns[(finding.turn or 0) - 1]  # the last, if it is no single one
        expected = episode.scenario.expected.documents if episode.scenario else ()
        entry = expected[0] if expected else episode.cell.scenario
        key = (turn.blame or UNDETERMINED, entry, not expected)
        here = (episode.cell, turn)
        self._first[key] = min(self._first.get(key, here), here, key=lambda each: each[0])
        self._scenarios.setdefault(key, Counter())[episode.cell.scenario] += 1

    def groups(self) -> tuple[FaultGroup, ...]:
        """Those with the most conversations first."""
        ordered = sorted(self._scenarios.items(), key=lambda item: (-item[1].total(), item[0]))
        return tuple(self._group(key, scenarios) for key, scenarios in ordered[:_GROUPS])

    def _group(self, key: tuple[str, str, bool], scenarios: Counter[str]) -> FaultGroup:
        cell, turn = self._first[key]
        texts = cut(turn.exchange.user, _TEXT), cut(turn.exchange.assistant, _TEXT)
        return FaultGroup(
            *key, scenarios.total(), tuple(sorted(scenarios)), cell, turn.exchange.turn, *texts
        )


def _told(turn: Turn, finding: Finding | None) -> int:
    """How much a turn tells: of its conversation, or by what it invents."""
    if finding is not None:
        return 0 if finding.result is Result.FAILED else 1
    grounded = turn.outcomes.get(GROUNDED)
    invents = isinstance(grounded, Score) and grounded.parts.get("invented", 0) > 0
    return 2 if invents else 3


def spread(items: Sequence[T], group: Callable[[T], str], most: int) -> list[T]:
    """At most so many of them, in their order; no group's second before another's first."""
    earlier: Counter[str] = Counter()
    ranked = []
    for place, item in enumerate(items):
        ranked.append((earlier[group(item)], place))
        earlier[group(item)] += 1
    return [items[place] for place in sorted(place for _, place in sorted(ranked)[:most])]


def _weak_turn(header: RunHeader, cell: Cell, turn: Turn, finding: Finding | None) -> WeakTurn:
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
    )


def _beside(header: RunHeader, turn: Turn, finding: Finding | None) -> str:
    """Why a turn is flagged, without what the reason of its conversation's result says already."""
    if finding is None or finding.metric not in _WORDED:
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
