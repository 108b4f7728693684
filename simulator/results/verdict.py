"""The verdict table: a conversation passed, failed, is undecided or unchecked.

The first line that applies decides; docs/*/results.md plays typical conversations through them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from simulator.core.claim import ClaimKind, Reader, State
from simulator.core.outcome import Gap, MetricInfo, Outcome, Score, Unscored
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode
from simulator.core.talk import StopReason, TargetFailure
from simulator.core.verdict import Word
from simulator.results.standing import NO_WORDS, CountedAnswers, Standing, standings_of
from simulator.statistics.intervals import under

ELEMENTS, ANSWER, REFUSAL, GROUNDED = "elements_lexical", "answer_lexical", "refusal", "grounded"
CHECKS = (ELEMENTS, ANSWER, REFUSAL, GROUNDED, "retrieval_hit")
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
        return Finding(
            why.result,
            why,
            standing.turn or self.last,
            about=about,
            claim=standing.claim.id,
            decided_by=None if is_open else standing.needed,
        )


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
            by = Reader.PERSON if word is Word.NG else None
            return Finding(why.result, why, min(turns), decided_by=by)
    return None


def _target(talk: _Conversation) -> Finding | None:
    for turn in talk.episode.turns:
        if isinstance(reply := turn.exchange.reply, TargetFailure):
            about = (reply.fault.value, reply.message)
            why, number = Why.TARGET_FAILED, turn.exchange.turn
            return Finding(why.result, why, number, about=about, decided_by=Reader.WORDS)
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
            return Finding(why.result, why, talk.last, claim=met[0].claim.id, decided_by=by)
    if ratings.names:
        why, names = Why.SCORED_WELL, ratings.names
        return Finding(why.result, why, talk.last, names[0], decided_by=by)
    why = Why.JUDGE_IN_DOUBT if ratings.doubted else Why.NOTHING_EXPECTED
    return Finding(why.result, why, talk.last)
