"""The share of the expected elements that stand in the bot's replies, found without a judge."""

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._lexical import elements


class ElementsLexical(Computed):
    """How many of `expected.elements` the replies so far hold; 0–1.

    Found by words: see `simulator.text.presence`. Not applicable where none are expected.
    """

    INFOS = (
        MetricInfo(
            "elements_lexical",
            "Expected elements",
            needs=("elements",),
            description="Share of the expected elements that the replies so far hold, by words.",
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The share, with a comment that names what is missing."""
        return {"elements_lexical": elements(evidence)}
