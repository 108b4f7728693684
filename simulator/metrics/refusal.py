"""Whether the bot refuses where it must, hands over where it must, and answers where it can."""

from dataclasses import replace

from simulator.core.claim import ClaimKind
from simulator.core.outcome import MetricInfo, Outcome, Outcomes, Score
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._expected import by_words, no_answer, share_met
from simulator.text.acts import is_refusal, sends_to_a_person
from simulator.words import Words

_KINDS = frozenset({ClaimKind.DECLINES, ClaimKind.HANDS_OVER, ClaimKind.ANSWERS})


class Refusal(Computed):
    """1 if this reply declines or hands over when it should, and only then; otherwise 0.

    "I don't know" is correct if there is no answer, and wrong if there is one. A scenario with an
    answer, elements or documents can be answered unless it has `answerable: false`. With `escalate:
    true`, the bot must hand the user over to a person; with `answerable: false` as well, it must
    say nothing else. A scenario with none of these isn't applicable, except for answers from a
    file, such as a log: there, a reply that declines is 0. Replies that only ask a clarifying
    question, thank or say goodbye (*You're welcome!*) aren't applicable either. The state of each
    of these claims is the one that text matching stored with the turn; no score (`unread`) if it
    can't decide. Parts, 0 or 1: `refused` and, if the bot should hand over, `handed_over`: whether
    this reply does so.
    """

    INFOS = (
        MetricInfo(
            "refusal",
            "Correct refusals",
            needs=("answerable",),
            description=(
                "Whether the bot declines only if there is no answer, and hands over if it should."
            ),
            parts=("refused", "handed_over"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """Right or wrong, with a comment that says what was wrong."""
        return {"refusal": _refusal(evidence)}


def _refusal(evidence: Evidence) -> Outcome:
    claims = by_words(evidence, lambda claim: claim.kind in _KINDS)
    if evidence.logged and not evidence.claims:
        return no_answer(evidence) or _of_a_log(evidence)
    share = share_met(evidence, claims, "the scenario doesn't say if it's answerable")
    if not isinstance(share, Score):
        return share
    reply = evidence.exchange.assistant, evidence.language  # which the reader asked as well
    parts = {"refused": float(is_refusal(*reply))}
    if evidence.scenario.expected.escalate:
        parts["handed_over"] = float(sends_to_a_person(*reply))
    right = float(share.value == 1)
    return replace(share, value=right, raw=right, parts=parts)


def _of_a_log(evidence: Evidence) -> Score:
    """Whether a reply refuses of which nobody knows what would be right."""
    refused = is_refusal(evidence.exchange.assistant, evidence.language)
    value, comment = float(not refused), Words(evidence.language, "comment")("refused_in_log")
    return Score(value, value, comment if refused else "", {"refused": float(refused)})
