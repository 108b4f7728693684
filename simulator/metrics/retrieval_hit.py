"""Whether an expected document was retrieved for this turn."""

from simulator.core.outcome import MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._expected import ASKS_BACK, DEPTHS, ranking
from simulator.statistics.ranking import hit_at
from simulator.text.acts import only_asks_back
from simulator.words import Words


class RetrievalHit(Computed):
    """1 if at least one of `expected.documents` was returned with the reply, otherwise 0.

    Parts: `hit_at_1`, `hit_at_3` and `hit_at_5`: whether it was among the first 1, 3 or 5. The
    comment lists the expected documents that are missing, even for a hit. If a bot returns its
    documents and found none, that's a miss. Not applicable if none are expected, as long as the bot
    has returned none in the conversation (it may have read any), if its documents have no IDs, or
    if the reply only asks a clarifying question.
    """

    INFOS = (
        MetricInfo(
            "retrieval_hit",
            "Expected document retrieved",
            needs=("documents",),
            description="Whether at least one expected document was retrieved for this turn.",
            parts=tuple(f"hit_at_{k}" for k in DEPTHS),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """Hit or miss, with a comment that names the documents that did not come."""
        return {"retrieval_hit": _hit(evidence)}


def _hit(evidence: Evidence) -> Outcome:
    ranked = ranking(evidence)
    if isinstance(ranked, Unscored):
        return ranked
    if only_asks_back(evidence.exchange.assistant, evidence.language):
        return ASKS_BACK
    expected = evidence.scenario.expected.documents
    absent = [name for name in expected if name not in ranked]
    hit = float(len(absent) < len(expected))
    parts = {f"hit_at_{k}": hit_at(k, ranked, expected) for k in DEPTHS}
    words = Words(evidence.language, "comment")
    comment = words("not_retrieved", items=words.comma.join(absent)) if absent else ""
    return Score(hit, hit, comment, parts)
