"""Why turns are flagged and conversations have their result, worded, and the lists of the worst.

from collections import Counter
Equal answers stand in a list once.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

from simulator.core.claim import Claim, ClaimKind, Reader, State, claims_of, counting, kind_of
from simulator.core.clean import cut, hidden
from simulator.core.health import FollowUps
from simulator.core.outcome import Outcome, Score
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.result import FaultGroup, Finding, Result, WeakTurn, Why
from simulator.core.run import Episode, RunHeader, RunSummary, Turn
from simulator.core.scenario import Expected
from simulator.core.talk import TargetFailure
from simulator.results.verdict import CHECKS
from simulator.statistics.paired import seldom
from simulator.words import Words

Names = Mapping[str, str] | None  # what metrics are called; by their ids where None

_STOPS = (".", "!", "?", "。", "！", "？")
_OPEN = frozenset({Why.UNCLEAR, Why.AT_ODDS})
_BY_NAME = frozenset({Why.UNSOUND, Why.UNSCORED, Why.TARGET_FAILED})  # about tags, gaps, faults
_WORDED = frozenset({"lexical", *CHECKS})  # what these say, the reason says


def metrics_of(header: RunHeader) -> list[str]:
    """The metrics of a run by their ids, that of its score first."""
    return list(dict.fromkeys((header.score_by, *(info.name for info in header.metrics))))


def metric_names(header: RunHeader) -> dict[str, str]:
    """What people call the metrics, by their ids; with the id where two are called alike."""
    words = Words(header.language, "metric")
    titles = {info.name: words.find(f"title.{info.name}") or info.title for info in header.metrics}
    called = {name: titles.get(name) or name for name in metrics_of(header)}
    alike = Counter(called.values())
    return {name: f"{t} ({name})" if alike[t] > 1 else t for name, t in called.items()}


def screen_names(header: RunHeader) -> Mapping[str, str]:
    """What a screen calls the metrics: titles in Japanese, ids in English."""
    return metric_names(header) if header.language == "ja" else {}


def score_name(header: RunHeader) -> str:
    """What a screen calls the metric of the run's score."""
    return screen_names(header).get(header.score_by, header.score_by)


def persona_names(header: RunHeader) -> Mapping[str, str]:
    """What a screen calls the personas: names in Japanese, ids in English."""
    return header.personas if header.language == "ja" else {}


def why_text(finding: Finding, language: Language, names: Names = None) -> str:
    """Why a conversation has its result, as a phrase for people.

    `names`: what metrics are called there; those without one go by their ids.
    """
    words = Words(language, "result", "report")
    texts = _texts(finding, names, words)
    texts = texts or [why_text(alone, language, names) for alone in (finding.alone,) if alone]
    quoted = words.comma.join(words("quoted", text=text) for text in texts)
    ends = (finding.because, "of") if texts else (f"{finding.because}.bare",)
    keys = (f"why.{finding.why}.{end}" for end in ends)
    key = next(filter(words.find, keys), f"why.{finding.why}")
    return words(key, about=_joined(texts, words), quoted=quoted)


def reason_text(finding: Finding, language: Language, names: Names = None) -> str:
    """The same in few words, for lists: `not all was said: 30 minutes`."""
    words = Words(language, "result", "report")
    if finding.alone and not finding.about:
        return words(f"why.{finding.why}.of", about=reason_text(finding.alone, language, names))
    keys = (f"reason.{finding.why}.{finding.because}", f"reason.{finding.why}")
    short = next(filter(None, map(words.find, keys)), None) or words(f"why.{finding.why}")
    return ": ".join(filter(None, (short, _joined(_texts(finding, names, words), words))))


def reasons_of(
    turn: WeakTurn, language: Language, names: Names = None
) -> Iterator[tuple[str, str]]:
    """What was expected and nobody could tell, or else the reason; then the words that show it.

    Each behind the key of its label.
    """
    finding = turn.finding
    if finding and finding.why is Why.UNCLEAR and finding.claim.startswith(ClaimKind.SAYS):
        yield "expected", " / ".join(finding.about)
    elif finding:
        yield "why", why_text(finding, language, names)
    if turn.quote:
        yield "quote", turn.quote


def result_text(finding: Finding, language: Language, names: Mapping[str, str]) -> str:
    """`failed: not said: 30 minutes`; `names`: what metrics are called there."""
    result = Words(language, "result").name("result", finding.result)
    return f"{result}: {why_text(finding, language, names)}"


def decider(why: Why, header: RunHeader) -> str:
    """What would decide what is undecided for this reason, as a phrase with its commands."""
    return Words(header.language, "result")(f"decide.{why}", run=header.id)


def claim_text(claim: Claim, words: Words) -> str:
    """A claim as people read it; `words` has the section result."""
    return _worded(claim.kind, claim.text, words)


def state_text(kind: ClaimKind, state: State, words: Words, reader: Reader | None = None) -> str:
    """What a claim's state is called: only what an answer should say is `not said`.

    With the reader, if one is given: `not said (words)`.
    """
    fails = kind is not ClaimKind.SAYS and state in (State.UNMET, State.VIOLATED)
    phrase = words("state.failed" if fails else f"state.{state}")
    if reader is None:
        return phrase
    return words("state.read_by", state=phrase, reader=words(f"reader.{reader}"))


def failure_text(failure: TargetFailure, language: Language) -> str:
    """`timeout: no answer within 60 s`; in Japanese with the kind of failure in Japanese."""
    kind = Words(language, "report").name("bot", failure.fault)
    return f"{kind}: {failure.message}" if failure.message else kind


def turn_reason(header: RunHeader, turn: Turn, finding: Finding | None, names: Names = None) -> str:
    """Why a turn is flagged or, where no metric flags it, the comment on its score.

    One that is flagged without a comment is so because of the result of its conversation, whose
    `finding` says why, perhaps of another turn.
    """
    score = turn.outcomes.get(header.score_by)
    comment = score.comment if isinstance(score, Score) else ""
    text = flag_reason(header, turn, names) or comment
    if text or not turn.flagged or finding is None:
        return text
    why = why_text(finding, header.language, screen_names(header))
    if finding.turn in (None, turn.exchange.turn):
        return why
    return f"{Words(header.language, 'report')('turn', n=finding.turn)}: {why}"


def reason_beside(header: RunHeader, turn: Turn, finding: Finding | None) -> str:
    """`turn_reason` without what the reason of the conversation's result says already."""
    if finding is None or not finding.claim:
        return turn_reason(header, turn, finding)
    flags = tuple(name for name in turn.flags if name not in _WORDED)
    return flag_reason(header, replace(turn, flags=flags))


def flag_reason(header: RunHeader, turn: Turn, names: Names = None) -> str:
    """Why a turn is flagged, in one text: the failure, or the comments of what is too low.

    `names`: what metrics are called there; those without one go by their own.
    """
    reply = turn.exchange.reply
    if isinstance(reply, TargetFailure):
        return failure_text(reply, header.language)
    names = screen_names(header) if names is None else names
    by_score_first = sorted(turn.flags, key=lambda name: name != header.score_by)
    reasons: list[str] = []
    for name in by_score_first:
        outcome = turn.outcomes.get(name)
        comment = outcome.comment if isinstance(outcome, Score) else ""
        if not comment or not any(comment in reason for reason in reasons):
            reasons.append(_flag_text(header, name, turn.outcomes, names))
    if count := hidden(turn.exchange.assistant):
        reasons.append(Words(header.language, "result")("reason.hidden", n=count))
    return " / ".join(reasons)


def _flag_text(
    header: RunHeader, name: str, outcomes: Mapping[str, Outcome], names: Mapping[str, str]
) -> str:
    outcome, called = outcomes.get(name), names.get(name, name)
    if not isinstance(outcome, Score):
        return called
    comment = outcome.comment or f"{outcome.value:.2f} < {header.thresholds.get(name, 1.0):g}"
    return comment if name == header.score_by and outcome.comment else f"{called}: {comment}"


def quote_of(turn: Turn, finding: Finding | None) -> str:
    """The words of the answer that the deciding reading quotes; empty where there are none."""
    finding = (finding and finding.alone) or finding
    if finding is None or finding.turn != turn.exchange.turn or not finding.claim:
        return ""
    reading = counting(turn.readings or ()).get(finding.claim)
    quote = reading.quote if reading else ""
    return "" if quote.strip() == turn.exchange.assistant.strip() else quote


def _worded(kind: ClaimKind, text: str, words: Words) -> str:
    return text if kind is ClaimKind.SAYS else words(f"claim.{kind}", text=text)


def _texts(finding: Finding, names: Names, words: Words) -> list[str]:
    texts = [(names or {}).get(name, name) for name in finding.about]
    texts = [_called(name, words) for name in texts] if finding.why in _BY_NAME else texts
    if finding.why in _OPEN and finding.claim:
        texts = [_worded(kind_of(finding.claim), text, words) for text in texts or [""]]
    return [*filter(None, texts)]


def _joined(texts: Sequence[str], words: Words) -> str:
    are_sentences = any(text.endswith(_STOPS) for text in texts)
    return (" / " if are_sentences else words.comma).join(texts)


def _called(name: str, words: Words) -> str:
    """What a tag, a gap, a stop or a failure is called; a text as it is."""
    names = (words.find(f"{kind}.{name}") for kind in ("tag", "gap", "stop", "bot"))
    return next(filter(None, names), name)


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

    @classmethod
    def of(cls, group: FaultGroup) -> "Group":
        """That of its conversations."""
        return cls(group.blame, group.entry, group.of_scenario)


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
        self._later: dict[str, list[bool]] = {}  # whether a later turn was answered

    def add(self, episode: Episode) -> None:
        """Count one conversation, if its scenario says that there is an answer."""
        of = episode.scenario
        if not (episode.turns and of and of.expected.can_be_answered) or of.expected.escalate:
            return
        name, (before, *others) = episode.cell.scenario, episode.turns
        states = [_states(turn, of.expected) for turn in episode.turns]
        self._first.setdefault(name, []).append(_is_lost(before, states[0]))
        later = False
        for number, turn in enumerate(others, 1):
            if turn.follows_up and _is_answered(before, states[number - 1]):
                self._asked.setdefault(name, []).append(_is_lost(turn, states[number]))
            later |= _is_answered(turn, states[number])
            before = turn
        self._later.setdefault(name, []).append(later)

    def summary(self, failing: Set[str] = frozenset()) -> FollowUps:
        """The figures so far; `failing`: the scenarios that always fail, which is told by that."""
        both = [[*map(_most, by_scenario.values())] for by_scenario in (self._asked, self._first)]
        (lost, scenarios), (first_lost, first) = ((sum(some), len(some)) for some in both)
        p = seldom(lost, scenarios, first_lost, first) if scenarios and first else None
        every = sum(map(sum, self._asked.values()))
        only_later = {n for n in self._first if all(self._first[n]) and all(self._later[n])}
        return FollowUps(
            asked=sum(map(len, self._asked.values())),
            lost=every,
            scenarios=scenarios,
            first=sum(map(len, self._first.values())),
            first_lost=sum(map(sum, self._first.values())),
            only_later=tuple(sorted(only_later - failing)),
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
