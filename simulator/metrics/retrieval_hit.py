"""Whether an expected document was retrieved for this turn."""

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._lexical import DEPTHS, retrieval


class RetrievalHit(Computed):
    """1 if any one of `expected.documents` came with the reply, else 0.

    Parts: `hit_at_1`, `hit_at_3` and `hit_at_5`, whether it was among the first 1, 3 or 5.
    The comment names those that did not come, also of a hit. A bot that reports its documents and
    found none has missed them. Not applicable where none are expected, as long as the target has
    reported none in the talk (it may have read any), where its documents have no ids, and on a
    reply that only asks back.
    """

    INFOS = (
        MetricInfo(
            "retrieval_hit",
            "Expected document retrieved",
            needs=("documents",),
            description="Whether one of the expected documents was retrieved for this turn.",
            parts=tuple(f"hit_at_{k}" for k in DEPTHS),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """Hit or miss, with a comment that names the documents that did not come."""
        return {"retrieval_hit": retrieval(evidence)}
