"""The result of a conversation: passed, failed, undecided or unchecked.

It comes of the first line that holds; docs/*/results.md plays typical talks through them:

1.  a person said NG of an answer; or people do not agree on one, or cannot tell;
2.  the target failed; or an answer, before any unsound turn of the user, did harm: it contradicts
    an expectation or the documents, or answers what has no answer (an answer that a person calls
    OK did none);
3.  a person called the last answer OK;
4.  the user was not sound; or what could fail it has no score;
5.  expectations and ratings together, where the talk ended: see `_TABLE`.

What answers a follow-up from an entry of another matter is unclear; so is what nobody asked for.
What is right, beside a number or a name from nowhere, is as unclear: only reading tells.
A missed expectation fails a talk though another one is unclear: that one could not save it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from simulator.core.outcome import Gap, MetricInfo, Outcome, Score, Unscored
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, Turn
from simulator.core.scenario import Expected
from simulator.core.soundness import first_unsound
from simulator.core.talk import StopReason, TargetFailure
from simulator.core.verdict import Word
from simulator.judging.facts import (
    State,
    element_names,
    failed,
    first_beside,
    first_refusal_wrong,
    from_nowhere,
    harms_of,
    is_flag,
    is_unsupported,
    made_up,
    may_be_unasked,
    never_answered,
    never_due,
    only_names_contacts,
    only_points,
    refused_before,
    state_of,
    worst_named,
)
from simulator.statistics.intervals import under

ELEMENTS, ANSWER, REFUSAL, GROUNDED = "elements_lexical", "answer_lexical", "refusal", "grounded"
_RESTS_ON = (ELEMENTS, ANSWER, REFUSAL, GROUNDED)
CHECKS = (*_RESTS_ON, "retrieval_hit")
"""The computed metrics that every run has: they cost nothing; the last explains, and no more."""
_NO_SCORE_OF_ITS_OWN = frozenset({*CHECKS, "lexical"})
_BROKEN_OFF = frozenset({StopReason.USER_FAILED, StopReason.USER_INVALID})
_WHYS = {State.MET: Why.SAID, State.UNCLEAR: Why.UNCLEAR, State.MISSED: Why.NEVER_SAID}
_NOBODY: Mapping[int, Word] = MappingProxyType({})


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
            if info.name in limits and info.name not in _NO_SCORE_OF_ITS_OWN
        }
        return cls(limits, scoring, frozenset(fail_on))


def finding_of(
    episode: Episode,
    rules: Rules,
    words: Mapping[int, Word] = _NOBODY,
    *,
    doubted: bool = False,
) -> Finding:
    """The result of a conversation that came to its end.

    Args:
        episode: the conversation with the outcomes of its metrics.
        rules: those of its run.
        words: what people say of its turns, all together, by turn.
        doubted: the judge's own health is in doubt: its ratings alone decide nothing.
    """
    return findings_of(episode, rules, words, sides=(doubted,))[0]


def findings_of(
    episode: Episode, rules: Rules, words: Mapping[int, Word], sides: Iterable[bool]
) -> list[Finding]:
    """As `finding_of`, for each of `sides`: whether the judge is in doubt; the rest is the same."""
    talk = _Talk(episode, rules, words)
    plain = next((found for line in _PLAIN if (found := line(talk)) is not None), None)
    return [plain or talk.rated(doubted=doubted) for doubted in sides]


@dataclass(frozen=True, slots=True)
class _Fact:
    state: State
    why: Why
    metric: str
    about: tuple[str, ...] = ()
    turn: int | None = None  # the last answer, if not another one shows it


class _Talk:
    """A conversation as the lines look at it."""

    def __init__(self, episode: Episode, rules: Rules, words: Mapping[int, Word]) -> None:
        self.episode, self.rules, self.words = episode, rules, words
        self.doubted = False
        turns = episode.turns
        answers = [turn for turn in turns if not (failed(turn) or turn.asks_back or turn.closes)]
        self.came = bool(answers)
        self.answers = [turn for turn in answers if words.get(turn.exchange.turn) is not Word.OK]
        self.last = next(iter((answers or turns)[-1:]), None)
        self.unsound = first_unsound(turns)

    def rated(self, *, doubted: bool) -> Finding:
        """What is found by the lines that look at ratings."""
        self.doubted = doubted and any(self.rules.scoring.values())
        for name in ("low", "scored", "rating"):  # what hangs on it
            self.__dict__.pop(name, None)
        return _unscored(self) or _at_its_end(self)

    def finding(self, result: Result, why: Why, metric: str = "", *about: str) -> Finding:
        """A finding that the last answer shows."""
        turn = self.last.exchange.turn if self.last else None
        return Finding(result, why, turn, metric, about)

    def latest(self, metric: str) -> Score | None:
        """The latest score of a metric, in answers that no person accepted."""
        found = (turn.outcomes.get(metric) for turn in reversed(self.answers))
        return next((outcome for outcome in found if isinstance(outcome, Score)), None)

    @property
    def expected(self) -> Expected | None:
        """What its scenario expects, where the run kept that."""
        return self.episode.scenario.expected if self.episode.scenario else None

    @cached_property
    def fact(self) -> _Fact | None:
        """What the checks say of it as a whole: the worst of what was due and what was to say."""
        content = self._content()
        is_said = content is not None and (content.state is State.MET or content.why is Why.POINTED)
        due = self._due(is_said)
        found = [fact for fact in (due, content) if fact]
        worst = max(found, key=lambda fact: fact.state.value, default=None)
        # To have answered something else shows more than to have refused what came after it.
        if due and content and due.why is Why.REFUSED and content.turn and due.turn:
            worst = content if content.turn < due.turn else worst
        is_due = self.expected is not None and self.expected.refusal_due
        may_be_advice = worst is not None and (
            worst.state is State.MET or (is_due and worst.state is State.UNCLEAR)
        )
        return (self._from_nowhere(content, due=is_due) if may_be_advice else None) or worst

    def _from_nowhere(self, content: _Fact | None, *, due: bool) -> _Fact | None:
        only_due = content is None or (due and only_names_contacts(self.expected))
        found = from_nowhere(self.answers, self.rules.limits, due=due, only_due=only_due)
        return _Fact(State.UNCLEAR, found[0], GROUNDED, *found[1:]) if found else None

    def _content(self) -> _Fact | None:
        pointed: _Fact | None = None
        for metric, wanted in ((ELEMENTS, "elements"), (ANSWER, "answers")):
            score = self.latest(metric)
            if score is not None:
                state = state_of(score)
                if metric == ELEMENTS and state is State.MET and only_points(score):
                    pointed = _Fact(
                        State.UNCLEAR, Why.POINTED, metric, element_names(self.expected)
                    )
                    continue
                if state is State.MISSED and may_be_unasked(self.episode, score):
                    return _Fact(State.UNCLEAR, Why.UNASKED, metric, score.named)
                if state is State.UNCLEAR and (gone := int(score.parts.get("unsaid", 0))):
                    return _Fact(state, Why.UNSAID, metric, score.named[:gone])
                first = refused_before(self.answers) if state is State.MET else ()
                is_missed = state is State.MISSED
                turn = (self._advice or first_beside(self.answers)) if is_missed else None
                return _Fact(state, _WHYS[state], metric, score.named or first, turn)
            if not self.came and self.expected and getattr(self.expected, wanted):
                return _Fact(State.MISSED, Why.NEVER_SAID, metric)  # the bot only asked back
        return pointed

    def _due(self, is_said: bool) -> _Fact | None:  # noqa: FBT001 (one caller, above)
        """Whether it refused and handed over where it had to, and only there."""
        score, expected = self.latest(REFUSAL), self.expected
        if score is None:
            never = never_due(self.episode)
            return _Fact(State.MISSED, never, REFUSAL) if never else None
        right, about = score.value >= 1, tuple[str, ...]()
        if expected is None:  # an older run: what was wrong is not known
            return None if right else _Fact(State.UNCLEAR, Why.UNCLEAR, REFUSAL)
        if expected.escalate:
            why = Why.HANDED_OVER if right else Why.NEVER_HANDED_OVER
        elif expected.answerable is False:
            why = Why.RIGHTLY_REFUSED if right else Why.NEVER_REFUSED
        elif right or (never := never_answered(self.answers, said=is_said)) is None:
            return None  # not to refuse is no content
        else:
            why = never
        if right or why is Why.REFUSED_LATER:  # a goodbye may come after it
            shows = next(t for t in reversed(self.answers) if t.outcomes.get(REFUSAL) is score)
        else:
            shows = first_refusal_wrong(self.answers)
        if why is Why.NEVER_HANDED_OVER:  # where it gave advice instead
            shows = next((t for t in self.answers if t.exchange.turn == self._advice), shows)
            about = made_up(shows)
        state = State.UNCLEAR if why is Why.REFUSED_LATER else State.MISSED
        return _Fact(State.MET if right else state, why, REFUSAL, about, shows.exchange.turn)

    @property
    def _advice(self) -> int | None:
        """The first answer that gives advice where a hand-over is due: that does the harm."""
        if self.expected is None or not self.expected.escalate:
            return None
        limits, answers = self.rules.limits, self.answers
        told = (t for t in answers if is_flag(GROUNDED, t.outcomes.get(GROUNDED), limits))
        return next((turn.exchange.turn for turn in told), None)

    @cached_property
    def low(self) -> list[str]:
        """The metrics under their threshold, in the last answer or for the whole talk."""
        limits = self.rules.limits
        return [
            name
            for name, outcome in self.scored.items()
            if isinstance(outcome, Score) and under(outcome.value, limits[name])
        ]

    @cached_property
    def scored(self) -> Mapping[str, Outcome]:
        """What can fail the last answer: judged metrics, and those that the client limits."""
        return self._scored_of(self.last, self.episode.outcomes)

    def _scored_of(self, turn: Turn | None, whole: Mapping[str, Outcome]) -> dict[str, Outcome]:
        found = {**(turn.outcomes if turn else {}), **whole}
        heard = (n for n, judged in self.rules.scoring.items() if not (judged and self.doubted))
        return {name: found[name] for name in heard if name in found}

    @cached_property
    def rating(self) -> bool | None:
        """Whether what could fail the last answer does; None where nothing could."""
        is_scored = any(isinstance(outcome, Score) for outcome in self.scored.values())
        return bool(self.low) if is_scored else None

    def was_rated_well(self, number: int) -> bool:
        """Whether what could fail an answer, had it been the last one, would not have."""
        turn = next(turn for turn in self.episode.turns if turn.exchange.turn == number)
        scored, limits = self._scored_of(turn, {}), self.rules.limits
        found = [(n, o.value) for n, o in scored.items() if isinstance(o, Score)]
        return bool(found) and not any(under(value, limits[name]) for name, value in found)


def _people(talk: _Talk) -> Finding | None:
    said = talk.words.items()
    ng = min((turn for turn, word in said if word is Word.NG), default=None)
    if ng is not None:
        return Finding(Result.FAILED, Why.SAID_NG, ng)
    unsure = min((turn for turn, word in said if word is Word.UNSURE), default=None)
    return None if unsure is None else Finding(Result.UNDECIDED, Why.DIFFER, unsure)


def _target(talk: _Talk) -> Finding | None:
    for turn in talk.episode.turns:
        if isinstance(reply := turn.exchange.reply, TargetFailure):
            about = (reply.fault.value, reply.message)
            return Finding(Result.FAILED, Why.TARGET_FAILED, turn.exchange.turn, "", about)
    return None


def _harm(talk: _Talk) -> Finding | None:
    for turn in talk.answers:
        number = turn.exchange.turn
        if talk.unsound is not None and number >= talk.unsound:
            return None
        for why, metric, score in harms_of(turn, talk.rules.limits, talk.rules.fail_on):
            kind = "contradicted" if why is Why.CONTRADICTS else "invented"
            named = worst_named(score, kind) if metric == GROUNDED else score.named
            return Finding(Result.FAILED, why, number, metric, named)
    return None


def _accepted(talk: _Talk) -> Finding | None:
    is_last = talk.last and talk.words.get(talk.last.exchange.turn) is Word.OK
    return talk.finding(Result.PASSED, Why.SAID_OK) if is_last else None


def _unsound(talk: _Talk) -> Finding | None:
    if talk.unsound is not None:
        tags = talk.episode.turns[talk.unsound - 1].soundness
        return Finding(Result.UNDECIDED, Why.UNSOUND, talk.unsound, "", tags)
    stop = talk.episode.stop.reason
    if stop in _BROKEN_OFF or talk.last is None:
        return Finding(Result.UNDECIDED, Why.UNSOUND, None, "", (stop.value,))
    return None


def _unscored(talk: _Talk) -> Finding | None:
    """Whether a score is missing on which the result hangs: any answer may do harm.

    What was missed fails the talk whatever other checks would have said.
    """
    is_missed = talk.fact is not None and talk.fact.state is State.MISSED
    checked = [] if is_missed else talk.answers
    places = [(turn, name, turn.outcomes.get(name)) for turn in checked for name in _RESTS_ON]
    places += [(talk.last, name, outcome) for name, outcome in talk.scored.items() if talk.last]
    for turn, name, outcome in places:
        if isinstance(outcome, Unscored) and outcome.reason is not Gap.NOT_APPLICABLE:
            about = (name, outcome.reason.value)
            return Finding(Result.UNDECIDED, Why.UNSCORED, turn.exchange.turn, name, about)
    return None


def _at_its_end(talk: _Talk) -> Finding:
    """What is expected, and what the last answer was rated, side by side: `_TABLE`.

    Rated low though all was said and borne out, and rated well though something was never said or
    nothing is borne out, facts and judge disagree.
    """
    fact = talk.fact
    state = fact.state if fact else None
    result, why = _TABLE[state, talk.rating]
    if (state, talk.rating) == (State.MET, _LOW) and is_unsupported(talk.last, talk.rules.limits):
        result, why = Result.FAILED, Why.SCORED_LOW
    if (state, talk.rating) == (State.UNCLEAR, _WELL) and _is_early(talk, fact):
        result, why = Result.UNDECIDED, None
    if (state, talk.rating) == (None, _WELL) and is_unsupported(
        talk.last, talk.rules.limits, wholly=True
    ):
        result, why = Result.UNDECIDED, Why.AT_ODDS
    if (state, talk.rating) == (None, None) and talk.doubted:
        result, why = Result.UNDECIDED, Why.JUDGE_IN_DOUBT
    if result is Result.PASSED and (late := _late(talk)):
        return late
    if why in (Why.SCORED_LOW, Why.SCORED_WELL) or fact is None:
        names = talk.low or list(talk.scored)
        return talk.finding(result, why or Why.NOTHING_EXPECTED, *names[:1], *talk.low)
    if why is None and fact.turn is not None:
        return Finding(result, fact.why, fact.turn, fact.metric, fact.about)
    return talk.finding(result, why or fact.why, fact.metric, *fact.about)


def _is_early(talk: _Talk, fact: _Fact | None) -> bool:
    """Whether an earlier answer made something up, and no rating of its own saves it."""
    if fact is None or fact.turn is None or fact.why not in (Why.ADVISED, Why.INVENTED):
        return False
    is_last = talk.last is not None and talk.last.exchange.turn == fact.turn
    return not (is_last or talk.was_rated_well(fact.turn))


def _late(talk: _Talk) -> Finding | None:
    """Where the client wants all of it at once: whether something came after the first answer."""
    for first in talk.answers[:1] if "late" in talk.rules.fail_on else ():
        score = first.outcomes.get(ELEMENTS)
        if isinstance(score, Score) and state_of(score) is State.MISSED:
            return Finding(Result.FAILED, Why.LATE, first.exchange.turn, ELEMENTS, score.named)
    return None


_LOW, _WELL = True, False  # whether what rates the last answer puts it under a threshold
_TABLE: Mapping[tuple[State | None, bool | None], tuple[Result, Why | None]] = {
    # None for the reason: that of the expectation
    (State.MISSED, _LOW): (Result.FAILED, None),
    (State.MISSED, _WELL): (Result.UNDECIDED, Why.AT_ODDS),
    (State.MISSED, None): (Result.FAILED, None),
    (State.UNCLEAR, _LOW): (Result.FAILED, Why.SCORED_LOW),
    (State.UNCLEAR, _WELL): (Result.PASSED, Why.SCORED_WELL),
    (State.UNCLEAR, None): (Result.UNDECIDED, None),
    (State.MET, _LOW): (Result.UNDECIDED, Why.AT_ODDS),
    (State.MET, _WELL): (Result.PASSED, None),
    (State.MET, None): (Result.PASSED, None),
    (None, _LOW): (Result.FAILED, Why.SCORED_LOW),
    (None, _WELL): (Result.PASSED, Why.SCORED_WELL),
    (None, None): (Result.UNCHECKED, Why.NOTHING_EXPECTED),
}
_PLAIN = (_people, _target, _harm, _accepted, _unsound)
