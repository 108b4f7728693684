"""The share of the expected elements that an answer says, by words."""

from simulator.core.claim import ClaimKind
from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._expected import by_words, share_met


class ElementsLexical(Computed):
    """The share of `expected.elements` that the answer says, if text matching can decide; 0–1.

    With m elements `met`, u `unmet` and v `violated`, value = m / (m + u + v); these counts and the
    count of `unknown` elements are the parts. Any alternative of an element counts. The states are
    those that text matching stored with the turn. The comment lists the elements that are missing,
    contradicted, or not decided.

    No score (`unread`) if text matching can't decide any element. Not applicable without expected
    elements, or if the reply only asks a clarifying question or says goodbye.
    """

    INFOS = (
        MetricInfo(
            "elements_lexical",
            "Expected elements",
            needs=("elements",),
            description="Share of the expected elements that the answer contains, by "
            "text matching.",
            parts=("met", "unmet", "violated", "unknown"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The share, with a comment that names what is missing, contradicted and undecided."""
        claims = by_words(
            evidence, lambda claim: claim.kind is ClaimKind.SAYS and not claim.is_whole
        )
        return {"elements_lexical": share_met(evidence, claims, "no expected elements")}
