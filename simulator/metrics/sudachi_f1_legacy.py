"""Token F1 for Japanese as it was published in 2024, for comparison with figures of then."""

from collections.abc import Sequence

from simulator.core.outcome import MetricInfo, Outcomes, Score
from simulator.core.ports import Evidence
from simulator.core.worker import apart
from simulator.metrics._context import Computed
from simulator.metrics._expected import NOTHING_EXPECTED, wanted_answers
from simulator.text.token_f1 import Overlap, legacy_overlap


class SudachiF1Legacy(Computed):
    """The published token F1 of the reply and the nearest `expected.answer`; 0–1, higher is better.

    Formula: see `simulator.text.token_f1.legacy_overlap`. Parts: `precision` and `recall`.

    Needs an expected answer: without one, it's not applicable. An empty reply scores 0.

    Use it only to compare with published results; otherwise use `sudachi_f1`. Repeated words lower
    it, even for the expected answer itself; 返品できます and 返品できません, 1.5% and 15%,
    高い and 安い count as the same; 「A」 is dropped as an article.
    """

    INFOS = (
        MetricInfo(
            "sudachi_f1_legacy",
            "Token F1 (as published)",
            needs=("answer",),
            description="The Japanese token F1 as published in 2024, including its flaws.",
            parts=("precision", "recall"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The F1."""
        reply, truths = evidence.exchange.assistant, wanted_answers(evidence.scenario.expected)
        if not truths:
            return {"sudachi_f1_legacy": NOTHING_EXPECTED}
        best = await apart(len(reply) + sum(map(len, truths)), _best, reply, truths)
        parts = {"precision": best.precision, "recall": best.recall}
        return {"sudachi_f1_legacy": Score(best.f1, best.f1, "", parts)}


def _best(reply: str, truths: Sequence[str]) -> Overlap:
    """The overlap with that right answer which shares most with the reply."""
    return max((legacy_overlap(reply, truth) for truth in truths), key=lambda overlap: overlap.f1)
