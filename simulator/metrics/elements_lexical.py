"""The share of the expected elements that an answer says, by words."""

from simulator.core.claim import ClaimKind
from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._expected import by_words, share_met


class ElementsLexical(Computed):
    """The share of `expected.elements` that this answer says, of those that words can decide; 0–1.

    With m elements `met`, u `unmet` and v `violated`, value = m / (m + u + v); these counts and
    that of `unknown` elements are its parts. Of an element's alternatives any one will do. The
    states are those that the words reader stored with the turn. The comment names the elements that
    are missing, contradicted, or not decided.

    A gap (`unread`) where words could decide none. Not applicable without expected elements, and on
    a reply that only asks back or takes leave.
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
