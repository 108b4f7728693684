"""How well the documents of a turn are ranked, against those that the scenario expects."""

from simulator.core.outcome import MetricInfo, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._expected import DEPTHS, ranking
from simulator.statistics.ranking import ndcg_at, recall_at, reciprocal_rank


def _parts(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_at_{k}" for k in DEPTHS)


class Retrieval(Computed):
    """MRR, recall and nDCG of the documents returned with the reply, by their IDs; 0–1 each.

    Formulas and sources: `simulator.statistics.ranking`. `retrieval_mrr`: 1 / the rank of the first
    expected document (its mean over turns is the MRR). `retrieval_recall`: the share of the
    expected documents that were retrieved. `retrieval_ndcg`: 1 if they rank first, and less the
    further down they are. These use the whole list, whatever its length; the parts `recall_at_1`,
    `ndcg_at_5` … use only its beginning (hit@k are parts of `retrieval_hit`). Duplicate documents
    count once.

    Needs expected documents, and a bot that returns its documents in the order of its search. Not
    applicable if none are expected, as long as the bot has returned none, or if its documents have
    no IDs. A search that found nothing scores 0.

    Don't use it for bots that return only the documents they quote, or that re-sort them: the order
    then means nothing. To evaluate a search without a bot, use `mogi retrieval`.
    """

    INFOS = (
        MetricInfo(
            "retrieval_mrr",
            "Reciprocal rank",
            needs=("documents",),
            description="1 / the rank of the first expected document; the mean is the MRR.",
        ),
        MetricInfo(
            "retrieval_recall",
            "Document recall",
            needs=("documents",),
            description="Share of the expected documents that were retrieved for this turn.",
            parts=_parts("recall"),
        ),
        MetricInfo(
            "retrieval_ndcg",
            "Document nDCG",
            needs=("documents",),
            description="How high the expected documents rank; 1 is best.",
            parts=_parts("ndcg"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The three figures of this turn's documents."""
        ranked = ranking(evidence)
        if isinstance(ranked, Unscored):
            return {info.name: ranked for info in self.INFOS}
        expected = evidence.scenario.expected.documents
        recalls = {f"recall_at_{k}": recall_at(k, ranked, expected) for k in DEPTHS}
        gains = {f"ndcg_at_{k}": ndcg_at(k, ranked, expected) for k in DEPTHS}
        return {
            "retrieval_mrr": _score(reciprocal_rank(ranked, expected)),
            "retrieval_recall": _score(recall_at(None, ranked, expected), recalls),
            "retrieval_ndcg": _score(ndcg_at(None, ranked, expected), gains),
        }


def _score(value: float, parts: dict[str, float] | None = None) -> Score:
    return Score(value, value, parts=parts or {})
