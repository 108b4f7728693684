"""Whether an answer says the expected answer, by words."""

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._expected import by_words, share_met


class AnswerLexical(Computed):
    """1 if this answer says one of `expected.answers`, 0 if it does not or says otherwise.

    Words can seldom tell: a gap (`unread`) where they cannot. The state is the one that the words
    reader stored with the turn; parts: 1 for that state (`met`, `unmet` or `violated`), 0 for the
    others.

    Not applicable without an expected answer, where the scenario has elements (then these are
    checked instead) or cannot be answered (what is expected then is a refusal), and on a reply that
    only asks back or takes leave.
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
