"""Whether the bot refuses where it must, hands over where it must, and answers where it can."""

from simulator.core.bounds import LOOKED_AT
from simulator.core.concurrency import beside
from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._lexical import refusal


class Refusal(Computed):
    """1 if the reply refuses exactly when the scenario cannot be answered, else 0.

    "I don't know" is right where there is no answer and wrong where there is one. A scenario that
    gives an answer, elements or documents can be answered unless it says `answerable: false`.
    Where it says `escalate: true`, right is to send the user on to a person, in this turn or
    before it; with `answerable: false` as well, nothing else may be said. A scenario that gives
    none of these is not applicable, nor is a reply that only asks back, nor one that only thanks or
    takes leave after a turn in which nothing was asked (*You're welcome!*); an empty one is wrong.
    Parts, 0 or 1: `refused` and `handed_over`, whether this reply does so, and `answered`, whether
    it answered what has no answer. Found by rules:
    `simulator.text.refusals` and `simulator.text.handover`.
    """

    INFOS = (
        MetricInfo(
            "refusal",
            "Refusal right",
            needs=("answerable",),
            description=(
                "Whether the reply refuses if, and only if, there is no answer to give, "
                "and hands over where it has to."
            ),
            parts=("refused", "handed_over", "answered"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """Right or wrong, with a comment that says what was wrong."""
        size = len(evidence.exchange.assistant)
        return {"refusal": await beside(LOOKED_AT * size, refusal, evidence)}
