"""How far the documents that the bot had bear out what it says, found without a judge."""

from collections.abc import Sequence
from dataclasses import replace

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Held


class Grounded(Held):
    """How far the reply's statements are borne out by the documents that came with it; 0-1.

    The value is the mean support of its statements, 1: all of each of them stands there; but just
    under 0.6 at most where one of them is not borne out, so that a threshold of 0.6 flags exactly
    these replies. Parts: `borne_out`, the share of the statements whose support is 0.6 or more;
    `weakest`, the lowest support; `contradicted`, how many of them the documents contradict by a
    number, a name or a denial; `invented`, how many have a number or a name that stands neither
    there nor in the knowledge base; `elsewhere`, 1 where a question that only follows up is
    answered, wholly, from another entry of the knowledge base than the expected ones. Named are the
    sentences that are not borne out, those two kinds first, then those of which most is not, and
    the comment quotes them. What
    states something, and what supports it, is found by words: `simulator.text.grounding`.

    What the scenario expects is right as well: an expected answer is one more document, and a
    sentence that plainly says an expected element is borne out, unless it also has a number or a
    name from elsewhere or may say the opposite. Where all that is expected was said, or a due
    refusal came, what is said beside it is flagged only if it is contradicted or invented, or less
    than a third of its words stand anywhere. A telephone number, address or link that stands
    anywhere in the knowledge base may be named with every answer.

    Where no document came with the reply, the nearest entries of the knowledge base take their
    place. Not applicable where there is neither, or where the reply states nothing: it only asks
    back, refuses, or points elsewhere.
    """

    INFOS = (
        MetricInfo(
            "grounded",
            "Borne out by the documents",
            needs=("context",),
            description="How far the documents bear out what the reply states, by words.",
            parts=("borne_out", "weakest", "contradicted", "invented", "elsewhere"),
        ),
    )

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """What it yields; with a knowledge base it needs no documents of the bot's."""
        if not self._grounding.has_entries:
            return self.INFOS
        return tuple(replace(info, needs=()) for info in self.INFOS)

    async def score(self, evidence: Evidence) -> Outcomes:
        """The mean support, with a comment that quotes what is not borne out."""
        return {"grounded": await self._grounding.of(evidence)}
