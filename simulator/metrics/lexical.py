"""The score of a turn where there is no judge: elements, documents and refusals together."""

from simulator.core.outcome import Gap, MetricInfo, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._lexical import elements, refusal, retrieval


class Lexical(Computed):
    """The mean of what applies among elements_lexical, retrieval_hit and refusal; 0–1.

    A rough guide by words alone: it never passes for a judge's score.
    """

    INFOS = (
        MetricInfo(
            "lexical",
            "Lexical score",
            description=(
                "Mean of those of elements_lexical, retrieval_hit and refusal that apply; "
                "the score of a run without a judge."
            ),
            any_of=("elements", "documents", "answerable"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The mean, with the comments of its parts."""
        parts = (elements(evidence), retrieval(evidence), refusal(evidence))
        scores = [part for part in parts if isinstance(part, Score)]
        if not scores:
            return {"lexical": Unscored(Gap.NOT_APPLICABLE, "the scenario expects nothing")}
        mean = sum(score.value for score in scores) / len(scores)
        comment = " / ".join(score.comment for score in scores if score.comment)
        return {"lexical": Score(mean, mean, comment)}
