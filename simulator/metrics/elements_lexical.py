"""The share of the expected elements that stand in the bot's replies, found without a judge."""

from collections.abc import Sequence
from typing import ClassVar, Self

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import MetricContext
from simulator.metrics._lexical import elements


class ElementsLexical:
    """How many of `expected.elements` the replies so far hold; 0–1.

    Found by words: see `simulator.text.presence`. Not applicable where none are expected.
    """

    INFOS: ClassVar[tuple[MetricInfo, ...]] = (
        MetricInfo(
            "elements_lexical",
            "Expected elements",
            needs=("elements",),
            description="Share of the expected elements that the replies so far hold, by words.",
        ),
    )

    @classmethod
    def open(cls, context: MetricContext) -> Self:
        """The metric; it needs nothing of the context."""
        return cls()

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """One: the share."""
        return self.INFOS

    async def score(self, evidence: Evidence) -> Outcomes:
        """The share, with a comment that names what is missing."""
        return {"elements_lexical": elements(evidence)}
