"""The verdict table: a conversation passed, failed, is undecided or unchecked, and why.

How each claim stands over a whole conversation comes first, from the readings of its answers; the
cause of a weak turn last, from where the documents hold its claims. The first line of the table
that applies decides; docs/*/results.md plays typical conversations through them.

A cause is a reading aid, never a score. A turn may have several: what harms the user comes before
what only fails to help, unless the search is what made the bot go wrong.

- A violated claim is UNSUPPORTED, but UNUSED where the bot said what another document says. A due
  refusal or hand-over that did not come is called so, also where words can't tell and nothing else
  is weak.
- A refusal of what can be answered is a WRONG_REFUSAL where a document that came holds the claim.
- What is missing is UNUSED if a document that came holds it, a RETRIEVAL_MISS if another one does,
  and a KNOWLEDGE_GAP if none does.
- Where no document that came holds it and an expected one did not come, it is a RETRIEVAL_MISS,
  whatever words find in the knowledge base.
- LOST_THREAD: a question that leans on the turn before, which was answered, is refused or missed.

What only reading can tell (STYLE) is left to people and judges.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from simulator.core.claim import (
    Claim,
    ClaimKind,
    Reader,
    Reading,
    Source,
    State,
    claims_of,
    counting,
    kind_of,
)
from simulator.core.outcome import Gap, MetricInfo, Outcome, Score, Unscored
from simulator.core.result import Because, Finding, Result, Why
from simulator.core.run import Episode, Turn
from simulator.core.soundness import first_unsound
from simulator.core.talk import StopReason, TargetFailure
from simulator.core.verdict import Word
from simulator.statistics.intervals import under

_LAST_FIRST = tuple(reversed(Reader))
NO_WORDS: Mapping[int, Word] = MappingProxyType({})
SUPPORT = "unsupported"
"""The entry of a client's `fail_on` that makes the claim SUPPORTED."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of one claim over a conversation.

    `reading` is the one that decides it, `turn` the answer that it is about, from 1; both are None
    where no answer was read. `needed`: the weakest reader that says so. `at_odds`: a model and
    words disagree about it.
    """

    claim: Claim
    state: State
    reading: Reading | None = None
    turn: int | None = None
    needed: Reader = Reader.WORDS
    at_odds: bool = False


class CountedAnswers:
    """The answers of a conversation, and which of them count.

    Args:
        episode: the conversation.
        words: what people say of its turns, all together, by turn.
    """

    def __init__(self, episode: Episode, words: Mapping[int, Word] = NO_WORDS) -> None:
        self.episode = episode
        self.words = words
        self.unsound = first_unsound(episode.turns)

    @cached_property
    def substantive(self) -> Sequence[Turn]:
        """Those that answer something: the bot did not fail, ask back or take leave.

        An answer may look like a question back, or like leave, and still say what is expected.
        """
        turns = [turn for turn in self.episode.turns if not failed(turn)]
        return [t for t in turns if not (t.asks_back or t.closes) or _says_something(t)]

    @cached_property
    def counting(self) -> Sequence[Turn]:
        """Those of them before the first message of the user that is not sound."""
        first = self.unsound
        return [t for t in self.substantive if first is None or t.exchange.turn < first]

    def accepts(self, turn: Turn) -> bool:
        """True if people say OK of this answer."""
        return self.words.get(turn.exchange.turn) is Word.OK

    @property
    def last(self) -> Turn | None:
        """The last answer, or else the last turn."""
        return next(iter((self.substantive or self.episode.turns)[-1:]), None)

    @property
    def are_read(self) -> bool:
        """True if readings are stored for all answers that count."""
        return all(turn.readings is not None for turn in self.counting)


def _says_something(turn: Turn) -> bool:
    """True if the answer says what a claim expects or, as a model reads it, the opposite."""
    return any(
        kind_of(reading.claim) is ClaimKind.SAYS
        and (
            reading.state is State.MET
            or (reading.state is State.VIOLATED and reading.reader is Reader.MODEL)
        )
        for reading in turn.readings or ()
    )


def standings(
    episode: Episode, words: Mapping[int, Word] = NO_WORDS, fail_on: Collection[str] = ()
) -> tuple[Standing, ...]:
    """As `standings_of`, for a conversation and what people say of its turns."""
    return standings_of(CountedAnswers(episode, words), fail_on)


def standings_of(answers: CountedAnswers, fail_on: Collection[str]) -> tuple[Standing, ...]:
    """How each claim of the scenario stands; empty where the run kept no scenario.

    A claim is violated if any answer violates it, else met if any meets it, else unknown if any
    reading is unknown, else unmet. Where the bot only asked back, it is unmet. A person's OK on an
    answer takes the violations of that answer away, and meets what no reader could tell of it.
    """
    scenario = answers.episode.scenario
    if scenario is None or not answers.episode.turns:
        return ()
    by_turn = [(turn, counting(turn.readings or ())) for turn in answers.counting]
    claims = claims_of(scenario.expected, supported=SUPPORT in fail_on)
    return tuple(_standing(claim, by_turn, answers) for claim in claims)


def failed(turn: Turn) -> bool:
    """True if the target failed instead of answering."""
    return isinstance(turn.exchange.reply, TargetFailure)


def _standing(
    claim: Claim, by_turn: Sequence[tuple[Turn, Mapping[str, Reading]]], answers: CountedAnswers
) -> Standing:
    read = [(t, _heard(claim, readings.get(claim.id), t, answers)) for t, readings in by_turn]
    if not read:
        return Standing(claim, State.UNKNOWN if answers.substantive else State.UNMET)
    for state in (State.VIOLATED, State.MET, State.UNKNOWN, State.UNMET):
        for turn, reading in read:
            if (reading.state if reading else State.UNKNOWN) is state and not (
                state is State.VIOLATED and answers.accepts(turn)
            ):
                return _by(claim, state, turn, reading)
    return _by(claim, State.MET, read[-1][0], _accepted_by_people(claim))  # with all its violations


def _heard(
    claim: Claim, reading: Reading | None, turn: Turn, answers: CountedAnswers
) -> Reading | None:
    """The reading that counts; an answer without one may say anything, unless people accept it."""
    if (reading is None or reading.state is State.UNKNOWN) and answers.accepts(turn):
        return _accepted_by_people(claim)
    return reading


def _accepted_by_people(claim: Claim) -> Reading:
    return Reading(claim.id, State.MET, Reader.PERSON)


def _by(claim: Claim, state: State, turn: Turn, reading: Reading | None) -> Standing:
    by_reader = {r.reader: r.state for r in turn.readings or () if r.claim == claim.id}
    same = [reader for reader in _LAST_FIRST if by_reader.get(reader) is state]
    model, words = by_reader.get(Reader.MODEL), by_reader.get(Reader.WORDS)
    at_odds = (model, words) == (State.MET, State.VIOLATED)
    heard = reading.reader if reading else Reader.WORDS
    needed = same[0] if same else heard
    return Standing(claim, state, reading, turn.exchange.turn, needed, at_odds=at_odds)


ELEMENTS, ANSWER, REFUSAL, GROUNDED = "elements_lexical", "answer_lexical", "refusal", "grounded"
HIT = "retrieval_hit"
CHECKS = (ELEMENTS, ANSWER, REFUSAL, GROUNDED, HIT)
"""The computed metrics that every run has: they cost nothing, and decide nothing."""
_DECIDE_NOTHING = frozenset({*CHECKS, "lexical"})
_BROKEN_OFF = frozenset({StopReason.USER_FAILED, StopReason.USER_INVALID})

VIOLATED = {
    ClaimKind.SAYS: Why.CONTRADICTS,
    ClaimKind.MUST_NOT: Why.FORBIDDEN,
    ClaimKind.DECLINES: Why.ANSWERED,
    ClaimKind.HANDS_OVER: Why.NEVER_HANDED_OVER,
    ClaimKind.ANSWERS: Why.REFUSED,
    ClaimKind.SUPPORTED: Why.UNSUPPORTED,
}
"""What a violated claim of each kind decides."""
_UNMET = {
    **VIOLATED,
    ClaimKind.SAYS: Why.NEVER_SAID,
    ClaimKind.DECLINES: Why.NEVER_REFUSED,
}
_MET = {
    ClaimKind.SAYS: Why.SAID,
    ClaimKind.HANDS_OVER: Why.HANDED_OVER,
    ClaimKind.DECLINES: Why.RIGHTLY_REFUSED,
    ClaimKind.ANSWERS: Why.NOT_REFUSED,
    ClaimKind.MUST_NOT: Why.SAID,
    ClaimKind.SUPPORTED: Why.SAID,
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides results in one run.

    Attributes:
        limits: thresholds by metric.
        scoring: the metrics with a threshold that can fail a last answer: judged ones, and those
            that a client limits beyond the checks; True for those that a judge scores.
        fail_on: of `unsupported` and `late`, what fails a conversation by itself.
    """

    limits: Mapping[str, float]
    scoring: Mapping[str, bool]
    fail_on: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, metrics: Iterable[MetricInfo], limits: Mapping[str, float], fail_on: Iterable[str] = ()
    ) -> "Rules":
        """Those of a run with these metrics."""
        scoring = {
            info.name: "judge" in info.needs
            for info in metrics
            if info.name in limits and info.name not in _DECIDE_NOTHING
        }
        return cls(limits, scoring, frozenset(fail_on))


def finding_of(
    episode: Episode,
    rules: Rules,
    words: Mapping[int, Word] = NO_WORDS,
    *,
    doubted: bool = False,
) -> Finding:
    """The result of a conversation that came to its end.

    Args:
        episode: the conversation with its readings and outcomes.
        rules: those of its run.
        words: what people say of its turns, all together, by turn.
        doubted: the judge's own health is in doubt: its ratings alone decide nothing.
    """
    return findings_of(episode, rules, words, sides=(doubted,))[0]


def findings_of(
    episode: Episode, rules: Rules, words: Mapping[int, Word], sides: Iterable[bool]
) -> list[Finding]:
    """As `finding_of`, for each of `sides`: whether the judge is in doubt; the rest is the same."""
    talk = _Conversation(episode, rules, words)
    plain = next((finding for line in _CLAIMS if (finding := line(talk)) is not None), None)
    return [plain or _rated(talk, _Ratings(talk, doubted=doubted)) for doubted in sides]


class _Conversation:
    """A conversation as the lines of the table look at it."""

    def __init__(self, episode: Episode, rules: Rules, words: Mapping[int, Word]) -> None:
        self.episode, self.rules, self.words = episode, rules, words
        self.answers = CountedAnswers(episode, words)
        last = self.answers.last
        self.last = last.exchange.turn if last else None

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        return standings_of(self.answers, self.rules.fail_on)

    @property
    def misses(self) -> bool:
        """True if documents are expected, and none of them came with any answer that counts."""
        hits = [turn.outcomes.get(HIT) for turn in self.answers.counting]
        values = [hit.value for hit in hits if isinstance(hit, Score)]
        return bool(values) and not any(values)

    def of(self, state: State) -> list[Standing]:
        """The claims that stand so."""
        return [standing for standing in self.standings if standing.state is state]

    @property
    def needed(self) -> set[Reader]:
        """The readers without whom some claim would not stand as it does."""
        return {standing.needed for standing in self.standings}

    def finding(self, why: Why, standing: Standing, *others: Standing) -> Finding:
        """A finding that the readings of these claims show."""
        of_kind = [s.claim for s in (standing, *others) if s.claim.kind is standing.claim.kind]
        about = tuple(claim.text for claim in of_kind if claim.text)
        is_open = why.result is Result.UNDECIDED
        turn = standing.turn or self.last
        return Finding(
            why.result,
            why,
            turn,
            about=about,
            claim=standing.claim.id,
            decided_by=None if is_open else standing.needed,
            because=self._because(standing, turn, about),
        )

    def _because(
        self, standing: Standing, turn: int | None, about: Sequence[str]
    ) -> Because | None:
        """What the stored causes and readings tell of an answer."""
        if turn is not None and self.episode.turns[turn - 1].blame == Fault.RETRIEVAL_MISS:
            return Because.MISSED
        reading = standing.reading
        is_open = standing.state is State.UNKNOWN and not standing.at_odds and len(about) == 1
        if is_open and reading and reading.quote:  # what holds for one claim is told of one
            return Because.DENIED
        return None


class _Ratings:
    """What can fail the last answer by its number: judged metrics, and those a client limits."""

    def __init__(self, talk: _Conversation, *, doubted: bool) -> None:
        scoring, limits = talk.rules.scoring, talk.rules.limits
        self.doubted = doubted and any(scoring.values())
        last = talk.answers.last
        outcomes: dict[str, Outcome] = {
            **(last.outcomes if last else {}),
            **talk.episode.outcomes,
        }
        heard = [name for name, judged in scoring.items() if not (judged and self.doubted)]
        self.scored = {name: outcomes[name] for name in heard if name in outcomes}
        self.low = [
            name
            for name, outcome in self.scored.items()
            if isinstance(outcome, Score) and under(outcome.value, limits[name])
        ]
        self.names = [n for n, outcome in self.scored.items() if isinstance(outcome, Score)]
        is_judged = any(scoring[name] for name in self.names)
        self.reader = Reader.MODEL if is_judged else Reader.WORDS


def _person(talk: _Conversation) -> Finding | None:
    for word, why in ((Word.NG, Why.SAID_NG), (Word.UNSURE, Why.DIFFER)):
        turns = [turn for turn, verdict in talk.words.items() if verdict is word]
        if turns:
            turn, is_ng = min(turns), word is Word.NG
            by, alone = (Reader.PERSON, _alone(talk, turn)) if is_ng else (None, None)
            return Finding(why.result, why, turn, decided_by=by, alone=alone)
    return None


def _alone(talk: _Conversation, turn: int) -> Finding | None:
    """What shows without people's words that this answer fails."""
    finding = finding_of(talk.episode, talk.rules)
    return finding if (finding.result, finding.turn) == (Result.FAILED, turn) else None


def _target(talk: _Conversation) -> Finding | None:
    for turn in talk.episode.turns:
        if isinstance(reply := turn.exchange.reply, TargetFailure):
            about = (reply.fault.value, reply.message)
            why, number = Why.TARGET_FAILED, turn.exchange.turn
            return Finding(why.result, why, number, about=about)
    return None


def _violated(talk: _Conversation) -> Finding | None:
    violated = sorted(talk.of(State.VIOLATED), key=lambda standing: standing.turn or 0)
    if not violated:
        return None
    why = VIOLATED[violated[0].claim.kind]
    return talk.finding(why, *(s for s in violated if VIOLATED[s.claim.kind] is why))


def _accepted(talk: _Conversation) -> Finding | None:
    if talk.last is None or talk.words.get(talk.last) is not Word.OK:
        return None
    return Finding(Result.PASSED, Why.SAID_OK, talk.last, decided_by=Reader.PERSON)


def _unsound(talk: _Conversation) -> Finding | None:
    if (turn := talk.answers.unsound) is not None:
        tags = talk.episode.turns[turn - 1].soundness
        return Finding(Result.UNDECIDED, Why.UNSOUND, turn, about=tags)
    stop = talk.episode.stop.reason
    if stop in _BROKEN_OFF or talk.last is None:
        return Finding(Result.UNDECIDED, Why.UNSOUND, about=(stop.value,))
    return None


def _unread(talk: _Conversation) -> Finding | None:
    if talk.answers.are_read or not talk.standings:
        return None
    return Finding(Result.UNDECIDED, Why.UNREAD, talk.last)


def _unmet(talk: _Conversation) -> Finding | None:
    # Who never answered said nothing of it: that comes first.
    unmet = sorted(talk.of(State.UNMET), key=lambda s: s.claim.kind is not ClaimKind.ANSWERS)
    if not unmet:
        return None
    why = _UNMET[unmet[0].claim.kind]
    some = any(standing.claim.kind is ClaimKind.SAYS for standing in talk.of(State.MET))
    if why is Why.NEVER_SAID and some and talk.episode.stop.unasked:
        why = Why.UNASKED
    kind = unmet[0].claim.kind
    return talk.finding(why, *(s for s in unmet if s.claim.kind is kind))


def _unknown(talk: _Conversation) -> Finding | None:
    if not (unknown := talk.of(State.UNKNOWN)):
        return None
    odd = [standing for standing in unknown if standing.at_odds]
    return talk.finding(Why.AT_ODDS if odd else Why.UNCLEAR, *(odd or unknown))


def _late(talk: _Conversation) -> Finding | None:
    if "late" not in talk.rules.fail_on or not talk.answers.substantive:
        return None
    first = talk.answers.substantive[0].exchange.turn
    late = [s for s in talk.of(State.MET) if s.claim.kind is ClaimKind.SAYS and s.turn != first]
    return talk.finding(Why.LATE, *late) if late else None


_CLAIMS: tuple[Callable[[_Conversation], Finding | None], ...] = (
    _person,
    _target,
    _violated,
    _accepted,
    _unsound,
    _unread,
    _unmet,
    _unknown,
)
"""The lines of the table that look at no rating, in their order."""


def _rated(talk: _Conversation, ratings: _Ratings) -> Finding:
    """The lines after them: ratings, and what is left where nothing failed."""
    for name, outcome in ratings.scored.items():
        if isinstance(outcome, Unscored) and outcome.reason is not Gap.NOT_APPLICABLE:
            about = (name, outcome.reason.value)
            return Finding(Result.UNDECIDED, Why.UNSCORED, talk.last, name, about)
    if ratings.low:
        low, name = tuple(ratings.low), ratings.low[0]
        why = Why.SCORED_LOW
        return Finding(why.result, why, talk.last, name, low, decided_by=ratings.reader)
    if late := _late(talk):
        return late
    return _passed(talk, ratings)


def _passed(talk: _Conversation, ratings: _Ratings) -> Finding:
    needed = talk.needed | ({ratings.reader} if ratings.names else set())
    by = next((reader for reader in Reader if reader in needed), None)
    for kind, why in _MET.items():
        if met := [s for s in talk.standings if s.claim.kind is kind]:
            if why is Why.NOT_REFUSED and ratings.names:
                break
            turn = max(standing.turn or 0 for standing in met) or talk.last
            if why is Why.NOT_REFUSED and talk.misses:  # it answers, and nobody knows from what
                open_ = Why.UNCLEAR
                claim = met[0].claim.id
                return Finding(open_.result, open_, talk.last, claim=claim, because=Because.MISSED)
            return Finding(why.result, why, turn, claim=met[0].claim.id, decided_by=by)
    if ratings.names:
        why, names = Why.SCORED_WELL, ratings.names
        return Finding(why.result, why, talk.last, names[0], decided_by=by)
    why = Why.JUDGE_IN_DOUBT if ratings.doubted else Why.NOTHING_EXPECTED
    return Finding(why.result, why, talk.last)


class Fault(StrEnum):
    """What has to be fixed; what harms the user first, then what caused it."""

    UNSUPPORTED = "unsupported"  # the answer contradicts what is right
    SHOULD_HAVE_REFUSED = "should_have_refused"
    SHOULD_HAVE_ESCALATED = "should_have_escalated"
    WRONG_REFUSAL = "wrong_refusal"
    LOST_THREAD = "lost_thread"  # what leans on the turn before: the bot did not get, or use, that
    RETRIEVAL_MISS = "retrieval_miss"  # the document that holds it did not come
    COPY_DIFFERS = "copy_differs"  # it came, but the bot's text of it is another one
    KNOWLEDGE_GAP = "knowledge_gap"  # no document in the knowledge base holds it
    UNUSED = "unused"  # it was retrieved, the answer leaves it out
    STYLE = "style"
    SIMULATOR = "simulator"  # what the simulated user said is not what a person would have
    UNDETERMINED = "undetermined"


HARMFUL = frozenset({Fault.UNSUPPORTED, Fault.SHOULD_HAVE_REFUSED, Fault.SHOULD_HAVE_ESCALATED})
"""What says something that should not be said, where others only fail to help."""


@dataclass(frozen=True, slots=True)
class Traces:
    """What is known of one weak answer.

    Attributes:
        sources: by the id of a claim; missing where it is not known.
        hit: whether an expected document came; None where that is not known.
        follows_answered: the question leans on the turn before, and that was answered.
        unsound: the simulated user was not sound.
        from_another: what contradicts a claim is in a document that came and isn't expected.
    """

    claims: tuple[Claim, ...]
    readings: Mapping[str, Reading]
    sources: Mapping[str, Source]
    hit: bool | None = None
    follows_answered: bool = False
    unsound: bool = False
    from_another: bool = False

    def has(self, kind: ClaimKind, *states: State) -> bool:
        """True if a claim of this kind has one of these states."""
        return any(True for _ in self.where(kind, *states))

    def where(self, kind: ClaimKind, *states: State) -> Iterator[Source | None]:
        """Where the content of each such claim is."""
        for claim in self.claims:
            reading = self.readings.get(claim.id)
            if claim.kind is kind and reading is not None and reading.state in states:
                yield self.sources.get(claim.id)


_OPEN = (State.UNMET, State.UNKNOWN)
_MISSED = {
    Source.RETRIEVED: Fault.UNUSED,
    Source.NOT_RETRIEVED: Fault.RETRIEVAL_MISS,
    Source.COPY_DIFFERS: Fault.COPY_DIFFERS,
    Source.NOWHERE: Fault.KNOWLEDGE_GAP,
}
_DUE = {
    ClaimKind.DECLINES: Fault.SHOULD_HAVE_REFUSED,
    ClaimKind.HANDS_OVER: Fault.SHOULD_HAVE_ESCALATED,
}
_WANTS = {Fault.RETRIEVAL_MISS, Fault.COPY_DIFFERS, Fault.KNOWLEDGE_GAP, Fault.LOST_THREAD}
_ORDER = {fault: place for place, fault in enumerate(Fault)}


def causes_of(traces: Traces) -> tuple[Fault, ...]:
    """The causes of a weak turn, the one to read first at their head; never none."""
    causes = {*_harms(traces), *_gaps(traces)}
    refused = traces.has(ClaimKind.ANSWERS, State.UNMET)
    if traces.follows_answered and (refused or Fault.RETRIEVAL_MISS in causes):
        causes = causes - {Fault.RETRIEVAL_MISS, Fault.WRONG_REFUSAL} | {Fault.LOST_THREAD}
    if traces.unsound:
        causes.add(Fault.SIMULATOR)
    if causes & _WANTS:
        causes.discard(Fault.WRONG_REFUSAL)  # it refuses for want of the document
    causes = causes or {fault for kind, fault in _DUE.items() if traces.has(kind, State.UNKNOWN)}
    return tuple(sorted(causes, key=_ORDER.__getitem__)) or (Fault.UNDETERMINED,)


def _harms(traces: Traces) -> Iterator[Fault]:
    violated = (ClaimKind.SAYS, ClaimKind.MUST_NOT)
    if any(traces.has(kind, State.VIOLATED) for kind in violated):
        sources = [*traces.where(ClaimKind.SAYS, State.VIOLATED)]
        if traces.hit is False or Source.NOT_RETRIEVED in sources:
            yield Fault.RETRIEVAL_MISS
        elif Source.COPY_DIFFERS in sources:
            yield Fault.COPY_DIFFERS
        else:
            yield Fault.UNUSED if traces.from_another else Fault.UNSUPPORTED
    if traces.has(ClaimKind.SUPPORTED, State.VIOLATED, State.UNMET):
        yield Fault.UNSUPPORTED
    for kind, fault in _DUE.items():
        if traces.has(kind, State.VIOLATED, State.UNMET):
            yield fault


def _gaps(traces: Traces) -> Iterator[Fault]:
    """Where the way from the knowledge base to the answer broke."""
    missing = [*traces.where(ClaimKind.SAYS, *_OPEN)]
    refused = traces.has(ClaimKind.ANSWERS, State.UNMET)
    if refused:
        yield Fault.WRONG_REFUSAL
    for source in missing:
        if source is Source.RETRIEVED and refused:
            continue  # it refused what it had
        if traces.hit is False and source is not Source.RETRIEVED:
            yield Fault.RETRIEVAL_MISS
        if source is not None:
            yield _MISSED[source]
    if traces.hit is False and refused and not missing:
        yield Fault.RETRIEVAL_MISS
