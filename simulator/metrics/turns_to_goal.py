"""How many turns it took until the user had what was wanted."""

from collections.abc import Sequence

from simulator.core.claim import State
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.core.scenario import Element
from simulator.core.talk import Stop, StopReason, Talk
from simulator.metrics._context import Computed
from simulator.metrics._expected import wanted_elements
from simulator.reading.words import says
from simulator.text.acts import is_courtesy
from simulator.words import Words

_BROKEN = {
    StopReason.TARGET_FAILED: Gap.TARGET_FAILED,
    StopReason.USER_FAILED: Gap.SIMULATOR_INVALID,
    StopReason.USER_INVALID: Gap.SIMULATOR_INVALID,
}


class TurnsToGoal(Computed):
    """The turn in which the user reached the goal; value = 1 / turn, raw = turn.

    The goal is reached in the first turn by which the replies contain all of `expected.elements`
    (as `simulator.reading.words.says` reads them). Without elements, it's reached when the user
    ends the conversation as done: in the last reply before that, not counting a closing thank-you.
    Scripted users are never done, so it's not applicable to them. If the scenario expects a
    handover, the handover is the goal.

    The value is 1 for the first turn, 0.5 for the second, and so on; 0 if the goal was never
    reached. In that case, raw is the number of turns plus one (the minimum that it would have
    taken), and the part `reached` is 0 instead of 1: read it together with the mean of raw.

    Not applicable to scenarios whose question can't be answered. A conversation that failed earlier
    (because of the bot or the simulated user) has no score. To use it, add it to `metrics`; it
    needs no calls.

    Don't use it to compare runs with different `max_turns`, which limits the count. Without
    elements, it only shows the simulated user's impression: a model is easier to satisfy than a
    rule-based user.
    """

    INFOS = (
        MetricInfo(
            "turns_to_goal",
            "Turns to the goal",
            description="1 / the turn in which the user got the answer; 0 if never.",
            scope="talk",
            parts=("reached",),
        ),
    )

    async def score_talk(self, evidence: Evidence, stop: Stop) -> Outcomes:
        """The turn that brought the goal, with a comment where none did."""
        return {"turns_to_goal": _outcome(evidence, stop)}


def _outcome(evidence: Evidence, stop: Stop) -> Outcome:
    expected = evidence.scenario.expected
    if expected.answerable is False:
        return Unscored(Gap.NOT_APPLICABLE, "the scenario's question can't be answered")
    elements = wanted_elements(expected)
    if elements:
        turn = _turn_of(elements, evidence)
    elif evidence.scripted:
        return Unscored(Gap.NOT_APPLICABLE, "no expected elements, and no user to satisfy")
    else:
        ends = {StopReason.DONE, *([StopReason.ESCALATED] if expected.escalate else [])}
        turn = _content(evidence.talk, evidence.language) if stop.reason in ends else 0
    if turn:
        return Score(1 / turn, float(turn), parts={"reached": 1.0})
    if stop.reason in _BROKEN:
        return Unscored(_BROKEN[stop.reason], stop.detail)
    turns = len(evidence.talk)
    comment = Words(evidence.language, "comment")("not_reached", turns=turns)
    return Score(0.0, float(turns + 1), comment, {"reached": 0.0})


def _turn_of(elements: Sequence[Element], evidence: Evidence) -> int:
    """The first turn by which all elements have been said; 0 for none."""
    open_ = [*elements]
    for exchange in evidence.talk.exchanges:
        reply, language = exchange.assistant, evidence.language
        open_ = [e for e in open_ if not any(says(reply, w, language) is State.MET for w in e)]
        if not open_:
            return exchange.turn
    return 0


def _content(talk: Talk, language: Language) -> int:
    """The turn with which a user who is done became content."""
    turn = len(talk)
    while turn > 1 and is_courtesy(talk.exchanges[turn - 1].user, language):
        turn -= 1
    return turn
