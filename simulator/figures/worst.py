"""The worst turns of a run, worst first, and why a turn is flagged, in words."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TypeVar

from simulator.core.clean import cut, hidden
from simulator.core.health import FollowUps
from simulator.core.outcome import Outcome, Score
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.result import Finding, InventedSentence, Result, WeakTurn
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.talk import TargetFailure
from simulator.judging.facts import TELLING, was_answered, went_astray, worst_named
from simulator.judging.result import ANSWER, ELEMENTS, GROUNDED, REFUSAL
from simulator.statistics.chance import seldom
from simulator.text.asking import asked_about, follows_up
from simulator.words import Words

T = TypeVar("T")
_KEPT = 200  # turns
_CHATTER = 2  # content words beside what a scenario says
_GROUPS = 50
_READ_FIRST = (Result.FAILED, Result.UNCHECKED, Result.UNDECIDED)
_TEXT = 2_000  # characters of each text
_WORDED = frozenset({"lexical", ELEMENTS, ANSWER, REFUSAL})  # what these say, the reason says
_Key = tuple[int, int, float, bool, int, float, Cell, int]
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
    """Keeps the worst turns: first those that tell most against the judge.

    Then one for each group of failures that one thing would mend, in their order. Then those that
    show why their conversation failed, those of scenarios that always fail first, or why it is
    undecided: of these first those with a number or a name that no document has, then those that
    hold least of a sentence of the expected answer. Among the others those with a number or a name
    that no document holds. Within each, failed targets come first, then it goes by score, by place.
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
        """Take in one turn; `against`: the fact that its rating speaks against.

        `finding` is that of its conversation, where it shows why that failed or is undecided, and
        `group` what it has in common with others that failed.
        """
        reply = turn.exchange.reply
        failed = isinstance(reply, TargetFailure)
        said = (reply.fault, reply.message) if isinstance(reply, TargetFailure) else reply.text
        weak = _weak_turn(header, cell, turn, finding, against)
        rank = 0 if failed else 2 if weak.score is None else 1
        telling = TELLING.index(against) if against else len(TELLING)
        told = _told(turn, finding, weak.unsupported)
        doubt = (finding.result is Result.UNDECIDED and _held(turn)) if finding else 0.0
        bare = not weak.unsupported
        key = (telling, told, doubt, bare, rank, weak.score or 0.0, cell, weak.turn)
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
            telling, told, *others = found.key
            place = most.get(kind, len(groups))
            is_once = told == 0 and kind[0] not in always
            shown = replace(found.shown(), of_group=kind in most)
            ordered.append(((telling, place, told, is_once, *others), shown))
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


class InventedTally:
    """The sentences with a number or a name from nowhere, in conversations that did not pass."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[int, str]] = {}
        self._talks: Counter[str] = Counter()
        self._several = 0

    def add(self, episode: Episode, finding: Finding) -> None:
        """Count one conversation with what came of it."""
        if finding.result not in _READ_FIRST:
            return
        told = dict.fromkeys(s for turn in episode.turns for s in _invented(turn))
        here = _READ_FIRST.index(finding.result), episode.cell.scenario
        for sentence in told:
            self._first[sentence] = min(self._first.get(sentence, here), here)
        self._talks.update([*told])
        self._several += bool(told)

    def sentences(self) -> tuple[InventedSentence, ...]:
        """Those of failed conversations first, and of these what most of them have."""
        ordered = sorted(self._first.items(), key=lambda i: (i[1][0], -self._talks[i[0]], i[1][1]))
        return tuple(
            InventedSentence(cut(sentence, _TEXT), name, _READ_FIRST[rank], self._talks[sentence])
            for sentence, (rank, name) in ordered[:_GROUPS]
        )

    @property
    def conversations(self) -> int:
        """How many have any."""
        return self._several


def _invented(turn: Turn) -> tuple[str, ...]:
    """The sentence with a number or a name from nowhere that is least familiar."""
    score = turn.outcomes.get(GROUNDED) if GROUNDED in turn.flags else None
    is_so = isinstance(score, Score) and score.parts.get("invented", 0) > 0
    return worst_named(score, "invented")[:1] if isinstance(score, Score) and is_so else ()


class FollowUpTally:
    """Counts how questions that lean on the turn before fared, beside first ones."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._asked: dict[str, list[bool]] = {}  # by scenario: whether each was lost
        self._first: dict[str, list[bool]] = {}
        self._bare: list[bool] = []
        self._later: set[str] = set()  # scenarios with a later turn that was answered

    def add(self, episode: Episode) -> None:
        """Count one conversation, if its scenario says that there is an answer."""
        of = episode.scenario
        if not (episode.turns and of and of.expected.can_be_answered) or of.expected.escalate:
            return
        name, (before, *others) = episode.cell.scenario, episode.turns
        told = asked_about(f"{of.query}\n{of.goal}", self._language)
        asked = before.exchange.user
        self._first.setdefault(name, []).append(went_astray(before))
        for turn in others:
            user = turn.exchange.user
            leans = follows_up(user, asked, of.query, of.goal, self._language)
            if leans and was_answered(before):
                lost = went_astray(turn, before)
                self._asked.setdefault(name, []).append(lost)
                if len(asked_about(user, self._language) - told) <= _CHATTER:
                    self._bare.append(lost)
            if was_answered(turn):
                self._later.add(name)
            before, asked = turn, f"{asked}\n{user}"

    def summary(self, failing: Set[str] = frozenset()) -> FollowUps:
        """The figures so far; `failing`: the scenarios that always fail, which is told by that."""
        both = [[*map(_most, found.values())] for found in (self._asked, self._first)]
        (lost, scenarios), (first_lost, first) = ((sum(some), len(some)) for some in both)
        return FollowUps(
            asked=sum(map(len, self._asked.values())),
            lost=sum(map(sum, self._asked.values())),
            scenarios=scenarios,
            first=sum(map(len, self._first.values())),
            first_lost=sum(map(sum, self._first.values())),
            bare=len(self._bare),
            bare_lost=sum(self._bare),
            only_later=tuple(sorted(n for n in self._later - failing if all(self._first[n]))),
            p=seldom(lost, scenarios, first_lost, first) if scenarios and first else None,
        )


def _most(found: Sequence[bool]) -> bool:
    return 2 * sum(found) > len(found)


def _told(turn: Turn, finding: Finding | None, unsupported: str) -> int:
    """How much a turn tells: of its conversation, or by what it invents."""
    grounded = turn.outcomes.get(GROUNDED)
    invents = isinstance(grounded, Score) and grounded.parts.get("invented", 0) > 0
    if finding is None:
        return 3 if invents else 4
    if finding.result is Result.FAILED:
        return 0
    return 1 if invents and unsupported else 2


def _held(turn: Turn) -> float:
    """How much of what is expected it holds where it holds least."""
    found = (turn.outcomes.get(name) for name in (ANSWER, ELEMENTS))
    scores = [one for one in found if isinstance(one, Score)]
    return min((one.parts.get("least", one.value) for one in scores), default=1.0)


def unsupported(turn: Turn) -> str:
    """The sentence of which the documents bear out least, where the turn is flagged for one."""
    grounded = turn.outcomes.get(GROUNDED)
    if GROUNDED not in turn.flags or not isinstance(grounded, Score):
        return ""
    return next(iter(grounded.named), "")


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
        unsupported=cut(unsupported(turn), _TEXT) if finding else "",
        against=against,
    )


def _beside(header: RunHeader, turn: Turn, finding: Finding | None) -> str:
    """Why a turn is flagged, without what the reason of its conversation's result says already."""
    if finding is None or finding.metric not in {*_WORDED, GROUNDED}:
        score = turn.outcomes.get(header.score_by)
        return flag_reason(header, turn) or (score.comment if isinstance(score, Score) else "")
    flags = tuple(n for n in turn.flags if n not in {*_WORDED, finding.metric, GROUNDED})
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
