"""Whether an answer says the expected answer, by words."""

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._expected import by_words, share_met


class AnswerLexical(Computed):
    """1 if this answer says one of `expected.answers`, 0 if it doesn't or if it contradicts them.

    Text matching can rarely decide this: no score (`unread`) if it can't. The state is the one that
    text matching stored with the turn; parts: 1 for that state (`met`, `unmet` or `violated`), 0
    for the others.

    Not applicable without an expected answer, if the scenario has elements (which are checked
    instead) or can't be answered (the bot should then decline), or if the reply only asks a
    clarifying question or says goodbye.
    """

    INFOS = (
        MetricInfo(
            "answer_lexical",
            "Expected answer",
            needs=("answer",),
            description="Whether the answer contains the expected answer, by text matching.",
            parts=("met", "unmet", "violated", "unknown"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """1 or 0, with a comment where the answer is missing or contradicted."""
        claims = by_words(evidence, lambda claim: claim.is_whole)
        return {"answer_lexical": share_met(evidence, claims, "no expected answer to check")}
