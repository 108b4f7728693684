"""What computed checks say of each answer, where they are plain: a judge can be held against it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import Final

from simulator.core.outcome import NO_DOCUMENTS, Gap, Outcome, Score, Unscored
from simulator.core.result import Why
from simulator.core.run import Episode, Turn
from simulator.core.scenario import Expected, element_name
from simulator.core.talk import TargetFailure
from simulator.statistics.intervals import under
from simulator.text.passages import contacts

CONTRADICTING: Final = ("elements_lexical", "answer_lexical", "grounded")
"""The metrics that tell of a contradiction."""
RIGHT: Final = "right"
TELLING: Final = (
    "contradicted",  # an expectation or the documents, by number, name or negation
    "answered",  # what has no answer
    "wrong_refusal",  # with an expected document at hand
    "nothing_said",  # no expected element, or nothing of the expected answer, so far
    RIGHT,  # all that is expected, borne out, complete with this answer; or a due refusal
    "missing",  # an expected element that the last answer has still not brought
    "unsupported",  # a sentence in no document
)
"""What the facts can say of an answer; what tells most of a judge that says the contrary first."""


@dataclass(frozen=True, slots=True)
class Facts:
    """`name` is one of `TELLING`; `texts` are those it is about."""

    name: str
    texts: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether the answer is right, or else wrong."""
        return self.name == RIGHT


class State(Enum):
    """How an expectation stands; the larger, the worse."""

    MET = 1
    UNCLEAR = 2
    MISSED = 3


def state_of(score: Score) -> State:
    """Of elements or an expected answer; older runs cannot tell the unclear from the missing."""
    parts = score.parts
    if parts.get("missing", 0) > 0 or parts.get("met") == 0:
        return State.MISSED
    met = parts["met"] >= 1 if "met" in parts else score.value >= 1
    return State.MET if met else State.UNCLEAR


def only_points(score: Score) -> bool:
    """Whether all that was said of the elements are contacts, by replies that answer nothing."""
    return 0 < _part(score, "said") == _part(score, "pointed")


def element_names(expected: Expected | None) -> tuple[str, ...]:
    """What it is expected to say, as people read it."""
    return tuple(map(element_name, expected.elements)) if expected else ()


def facts_of(episode: Episode) -> list[Facts | None]:
    """For each turn what is plain of its answer; None where nothing is.

    What the judge cannot see is not held against it: a refusal is only wrong where the bot had
    found an expected document. Elements count over the replies so far, so an answer is only right
    that makes them complete, and one of several that is missing counts at the end.
    """
    turns = episode.turns
    found: list[Facts | None] = []
    counted = [n for n, turn in enumerate(turns) if _score(turn, "elements_lexical")]
    complete = False
    for n, turn in enumerate(turns):
        is_last = bool(counted) and n == counted[-1]
        wrong = _wrong(turn, last=is_last)
        whole = _is_whole(turn)
        right = wrong is None and (_rightly_refused(turn) or (whole and not complete))
        complete = complete or whole
        found.append(Facts(RIGHT) if right else wrong)
    return found


def _wrong(turn: Turn, *, last: bool) -> Facts | None:
    elements, answer = _score(turn, "elements_lexical"), _score(turn, "answer_lexical")
    refusal, grounded = _score(turn, "refusal"), _score(turn, "grounded")
    for score in (elements, answer, grounded):
        if _part(score, "contradicted"):
            return Facts("contradicted", score.named if score else ())
    if _part(refusal, "answered"):
        return Facts("answered")
    if _part(refusal, "refused"):
        hit = _score(turn, "retrieval_hit")
        is_wrong = refusal is not None and refusal.value == 0
        return Facts("wrong_refusal") if is_wrong and hit and hit.value > 0 else None
    missing = _part(elements, "missing")
    said = _part(elements, "said") + _part(elements, "unclear")
    if missing and elements and (last or not said):
        return Facts("missing" if said else "nothing_said", elements.named)
    if answer and answer.parts.get("met") == 0:
        return Facts("nothing_said", answer.named)
    return Facts("unsupported", grounded.named) if grounded and grounded.named else None


def is_flag(name: str, outcome: Outcome | None, limits: Mapping[str, float]) -> bool:
    """Whether a metric's outcome flags its turn: it is under its threshold, or tells of harm."""
    if not isinstance(outcome, Score):
        return False
    limit = limits.get(name)
    is_lost = name == "grounded" and outcome.parts.get("elsewhere", 0) > 0
    return harms(name, outcome) or (limit is not None and (is_lost or under(outcome.value, limit)))


def harms_of(
    turn: Turn, limits: Mapping[str, float], fail_on: Collection[str]
) -> Iterator[tuple[Why, str, Score]]:
    """What fails a conversation by one answer, by the metrics that show it."""
    for metric in (*CONTRADICTING, "refusal"):
        score = _score(turn, metric)
        if score is not None and harms(metric, score):
            yield (Why.ANSWERED if metric == "refusal" else Why.CONTRADICTS), metric, score
    score = _score(turn, "grounded")
    if score is not None and "unsupported" in fail_on and is_flag("grounded", score, limits):
        yield Why.UNSUPPORTED, "grounded", score


def harms(metric: str, score: Score) -> bool:
    """Whether an answer contradicts what is right, or answers what has no answer."""
    if metric in CONTRADICTING:
        return score.parts.get("contradicted", 0) > 0
    return metric == "refusal" and score.parts.get("answered", 0) > 0


def failed(turn: Turn) -> bool:
    """Whether the target failed instead of replying."""
    return isinstance(turn.exchange.reply, TargetFailure)


def is_idle(outcome: Outcome | None) -> bool:
    """Whether a metric was asked and does not apply."""
    return isinstance(outcome, Unscored) and outcome.reason is Gap.NOT_APPLICABLE


def all_said(turn: Turn) -> bool:
    """Whether all elements, or else the expected answer, have plainly been said by now."""
    score = _score(turn, "elements_lexical") or _score(turn, "answer_lexical")
    return score is not None and state_of(score) is State.MET


def worst_named(grounded: Score, kind: str) -> tuple[str, ...]:
    """The sentences that are `contradicted`, or `invented`; or else the one borne out least."""
    first = int(_part(grounded, "contradicted")) if kind == "invented" else 0
    named = grounded.named[first : first + int(_part(grounded, kind))]
    return named or grounded.named[:1]


def made_up(turn: Turn) -> tuple[str, ...]:
    """The sentences with a number or a name from nowhere, or that contradict the documents."""
    score = _score(turn, "grounded")
    return (
        score.named[: int(_part(score, "contradicted") + _part(score, "invented"))] if score else ()
    )


def is_harmful(turn: Turn) -> bool:
    """Whether it plainly makes something up, or contradicts what is right or the documents."""
    scores = [_score(turn, n) for n in ("grounded", "elements_lexical", "answer_lexical")]
    return bool(made_up(turn)) or any(_part(score, "contradicted") for score in scores)


def never_due(episode: Episode) -> Why | None:
    """What was due, and never came, where the bot only asked back: no answer was checked."""
    expected = episode.scenario.expected if episode.scenario else None
    found = [turn.outcomes.get("refusal") for turn in episode.turns]
    if expected is None or not found or not all(map(is_idle, found)):
        return None
    if expected.escalate:
        return Why.NEVER_HANDED_OVER
    return Why.NEVER_REFUSED if expected.answerable is False else None


def from_nowhere(
    turns: Sequence[Turn], limits: Mapping[str, float], *, due: bool, only_due: bool
) -> tuple[Why, tuple[str, ...], int] | None:
    """The first answer that has a number or a name from nowhere, or is of another matter.

    Of another matter at first, or once all that is expected was said: between, what came later
    repairs. Where a refusal or a hand-over is `due`, any statement may be advice that should not
    have been given: until that comes, and beside it if nothing else was to be said (`only_due`).
    """
    for turn in turns:
        score, said = turn.outcomes.get("grounded"), turn.exchange.assistant
        number, is_early = turn.exchange.turn, due and not _did_what_was_due(turn)
        if number == 1 and answers_beside(turn):  # the scenario's own question
            return Why.ELSEWHERE, (said,), number
        if is_early and "grounded" in limits and _is_unread(turn):
            return Why.ADVISED, (said,), number
        if not isinstance(score, Score) or not is_flag("grounded", score, limits):
            continue
        if _part(score, "elsewhere") and all_said(turn):
            return Why.ELSEWHERE, (said,), number
        if _part(score, "invented"):
            return Why.INVENTED, score.named[:1], number
        if only_due or is_early:
            return Why.ADVISED, score.named[:1], number
    return None


def _did_what_was_due(turn: Turn) -> bool:
    """Whether a due refusal came with it, or a due hand-over by then."""
    score = _score(turn, "refusal")
    return score is not None and score.value >= 1


def _is_unread(turn: Turn) -> bool:
    """Whether it states something, and there was no document to bear that out."""
    found = turn.outcomes.get("grounded")
    return is_idle(found) and isinstance(found, Unscored) and found.detail == NO_DOCUMENTS


def is_unsupported(turn: Turn | None, limits: Mapping[str, float], *, wholly: bool = False) -> bool:
    """Whether a sentence of it is in no document; or `wholly`: none of them is in any."""
    score = turn.outcomes.get("grounded") if turn else None
    if not isinstance(score, Score) or not is_flag("grounded", score, limits):
        return False
    return not wholly or score.parts.get("borne_out") == 0


def only_names_contacts(expected: Expected | None) -> bool:
    """Whether a number or an address is all that is expected: that says nothing of the matter."""
    if expected is None or expected.answers or not expected.elements:
        return False
    return all(contacts(way) for element in expected.elements for way in element)


def answers_it(turn: Turn) -> bool:
    """Whether it holds something that is expected, and does not refuse."""
    return not _part(_score(turn, "refusal"), "refused") and _held(turn) > 0


def never_answered(turns: Sequence[Turn], *, said: bool) -> Why | None:
    """What a refusal at the end comes to: where something was answered, it may be of anything.

    None where all that is expected was `said` by refusals alone.
    """
    if any(map(answers_it, turns)):
        return Why.REFUSED_LATER
    return None if said else Why.REFUSED


def may_be_unasked(episode: Episode, score: Score) -> bool:
    """Whether an element that is missing may belong to a question that the user never asked.

    Where a user of rules left a question of its goal unasked, and what it did ask brought something
    that is expected, or an answer that the documents bear out.
    """
    if not episode.stop.unasked:
        return False
    borne_out = (_part(_score(turn, "grounded"), "borne_out") for turn in episode.turns)
    return _part(score, "said") + _part(score, "unclear") > 0 or 1 in borne_out


def first_beside(turns: Sequence[Turn]) -> int | None:
    """The first answer, by number, that brought nothing expected beyond those before it.

    The scenario's own question comes first, and then the parts of its goal: later answers may be
    about something else.
    """
    held = 0.0
    for turn in turns:
        if _held(turn) <= held or (turn is turns[0] and answers_beside(turn)):
            return turn.exchange.turn
        held = _held(turn)
    return None


def first_refusal_wrong(turns: Sequence[Turn]) -> Turn:
    """The first answer that refused, or did not, where it had to do otherwise."""
    scored = ((turn, _score(turn, "refusal")) for turn in turns)
    return next(turn for turn, score in scored if score is not None and score.value < 1)


def is_wrong_refusal(turn: Turn) -> bool:
    """Whether it refuses what can be answered."""
    score = _score(turn, "refusal")
    return score is not None and score.value == 0 and _part(score, "refused") > 0


def refused_before(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The numbers of the turns that refused what was answered later, as texts."""
    early = takewhile(lambda turn: not all_said(turn), turns)
    return tuple(str(turn.exchange.turn) for turn in early if is_wrong_refusal(turn))


def went_astray(turn: Turn, before: Turn | None = None) -> bool:
    """Whether a question that can be answered was refused, or answered from another entry.

    That is: an entry of another matter, or no expected document came and nothing that is expected,
    beyond what the turn `before` had; or one came, but not first, and there is nothing of it.
    """
    if is_wrong_refusal(turn) or _part(_score(turn, "grounded"), "elsewhere"):
        return True
    hit = _score(turn, "retrieval_hit")
    if hit is None:
        return False
    if not hit.value:
        return _held(turn) <= (_held(before) if before else 0)
    return before is None and answers_beside(turn)


def answers_beside(turn: Turn) -> bool:
    """Whether an expected document came, but not first, and nothing of the right answer.

    Or no element: but one such as an amount stands anywhere, and tells nothing beside an answer.
    """
    hit, answer = _score(turn, "retrieval_hit"), _score(turn, "answer_lexical")
    elements, refused = _score(turn, "elements_lexical"), _part(_score(turn, "refusal"), "refused")
    if refused or not (hit and hit.value) or _part(hit, "hit_at_1"):
        return False
    none = elements is not None and not _part(elements, "said") + _part(elements, "unclear")
    return none or bool(answer and answer.parts.get("met") == 0)


def was_answered(turn: Turn) -> bool:
    """Whether it went not astray, and holds something expected, or an expected document led it."""
    hit = _score(turn, "retrieval_hit")
    return not went_astray(turn) and (_held(turn) > 0 or _part(hit, "hit_at_1") > 0)


def _held(turn: Turn) -> float:
    """How much of what is expected has been said, or may have been, by now."""
    answer = _score(turn, "answer_lexical")
    elements = _score(turn, "elements_lexical")
    said = _part(elements, "said") + _part(elements, "unclear")
    return said + (answer.value if answer else 0.0)


def _is_whole(turn: Turn) -> bool:
    """Whether all that is expected has plainly been said by now."""
    elements, answer = _score(turn, "elements_lexical"), _score(turn, "answer_lexical")
    refusal = _score(turn, "refusal")
    if refusal is not None and refusal.value < 1:
        return False
    if elements is not None:
        short = _part(elements, "unclear") + _part(elements, "missing")
        return bool(_part(elements, "said")) and not short
    return bool(_part(answer, "met") == 1)


def _rightly_refused(turn: Turn) -> bool:
    refusal = _score(turn, "refusal")
    return refusal is not None and refusal.value == 1 and bool(_part(refusal, "refused"))


def _part(score: Score | None, name: str) -> float:
    return score.parts.get(name, 0.0) if score else 0.0


def _score(turn: Turn, name: str) -> Score | None:
    outcomes: Mapping[str, Outcome] = turn.outcomes
    found = outcomes.get(name)
    return found if isinstance(found, Score) else None
