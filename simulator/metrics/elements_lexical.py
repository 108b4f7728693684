"""The share of the expected elements that stand in the bot's replies, found without a judge."""

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Held
from simulator.metrics._lexical import elements


class ElementsLexical(Held):
    """How many of `expected.elements` the replies so far hold; 0–1.

    With n elements, of which `said` are plainly there and `unclear` have most of their content
    there, in other words or spread, value = (said + unclear / 2) / n. Of an element's alternatives
    any one will do. Parts: `said`, `unclear` and `missing`, counts that sum to n; `contradicted`,
    the count of elements that this reply contradicts by a number, a name or a negation; `least`, of
    the unclear one whose words are least there, the share of them, 0–1; `pointed`, where there are
    any, the elements that are a contact, named by refusals alone. Named are
    those not plainly said, or, where the reply contradicts any, what was expected of these beside
    what it says. Found by words: see `simulator.text.expectations`.

    A reply that is wholly taken from another entry of the knowledge base than the expected ones,
    and shares next to nothing with these, may have said nothing in other words.

    Not applicable where none are expected, and on a reply that only asks back.
    """

    INFOS = (
        MetricInfo(
            "elements_lexical",
            "Expected elements",
            needs=("elements",),
            description="Share of the expected elements that the replies so far hold, by words.",
            parts=("said", "unclear", "missing", "contradicted", "least", "pointed"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The share, with a comment that names what is missing, unclear and contradicted."""
        return {"elements_lexical": await self._grounding.check(elements, evidence)}
