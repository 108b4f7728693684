"""Five metrics of RAG answers, 1 to 5 each, added up: "18.05 of 25"."""

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.core.run import RunSummary

FIVE = (
    "gpt_relevance",
    "gpt_groundedness",
    "gpt_similarity",
    "gpt_fluency",
    "ada_cosine_similarity",
)
_MOST = 5  # what each of them adds at most


@dataclass(frozen=True, slots=True)
class RagSum:
    """The sum of the means, what it would be at best, and how many turns each mean is made of."""

    total: float
    of: int
    scored: Mapping[str, int]


def rag_sum(summary: RunSummary) -> RagSum | None:
    """The sum over those of the five that a run has scores of; None for fewer than two.

    Turns to which a metric does not apply are in no mean, so the means may be of different
    turns: look at `scored`. A sum of fewer than five is no part of 25 and says so.
    """
    found = {name: summary.metrics[name] for name in FIVE if name in summary.metrics}
    means = {name: m.value.mean for name, m in found.items() if m.value.mean is not None}
    if len(means) < 2:
        return None
    scored = {name: found[name].scored for name in means}
    return RagSum(_MOST * sum(means.values()), _MOST * len(means), scored)
