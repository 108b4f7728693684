"""How much of the expected answer stands in the bot's replies, found without a judge."""

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Held
from simulator.metrics._lexical import answer


class AnswerLexical(Held):
    """The share of the expected answer's content that the replies so far hold; 0–1.

    Content are its content words and its numbers with their units; without any of its numbers the
    share is 0. Of several expected answers the best counts. Parts: `met`, 1 where it is plainly
    there (all its sentences, or nine tenths of its content with every number), 0 where the replies
    hold less than a tenth of its content, else 0.5; `contradicted`, 1 where this reply contradicts
    it by a number, a name or a negation. Where it is unclear, `unsaid`, of how many of its
    sentences hardly anything is there: they stand first in `named`, which goes by how little of
    each is held; and `least`, the share of the first of them, 0–1, a quarter less where the reply
    denies more or less often. Found by words: see `simulator.text.expectations`.

    Not applicable without an expected answer, where the scenario cannot be answered (what is
    expected then is a refusal), and on a reply that only asks back.
    """

    INFOS = (
        MetricInfo(
            "answer_lexical",
            "Expected answer",
            needs=("answer",),
            description="Share of the expected answer that the replies so far hold, by words.",
            parts=("met", "contradicted", "unsaid", "least"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The share, with a comment where it is not plainly met."""
        return {"answer_lexical": await self._grounding.check(answer, evidence)}
