"""How much of the expected answer a reply holds, in its order."""

from simulator.core.bounds import LOOKED_AT
from simulator.core.concurrency import beside
from simulator.core.outcome import MetricInfo, Outcomes, Score
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._lexical import (
    NOTHING_EXPECTED,
    differing_words,
    wanted_answers,
)
from simulator.text.rouge_l import rouge_l


class RougeL(Computed):
    """ROUGE-L recall of the reply against `expected.answer`; 0–1, higher is better.

    Formula: c = length of the longest common subsequence of the words of both; the value is the
    recall, c / words of the expected answer. Parts: `recall`, `precision` = c / words of the
    reply, and `f1` = 2pr / (p + r). Words as in `sudachi_f1`; see `simulator.text.rouge_l`.

    The value is the recall, because people call an answer right that says what was expected and
    more besides, and precision and F1 take that for a fault. So it says nothing of what else is
    said: a reply that recites a whole document scores 1. Read `precision` beside it.

    Of several expected answers the one with the greatest recall counts.

    Needs an expected answer: without one it is not applicable. An empty reply scores 0.
    """

    INFOS = (
        MetricInfo(
            "rouge_l",
            "ROUGE-L recall",
            needs=("answer",),
            description="How many words of the expected answer stand there, in its order.",
            parts=("recall", "precision", "f1"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The recall, with a comment that names the words that are missing."""
        said, truths = evidence.exchange.assistant, wanted_answers(evidence.scenario.expected)
        size = len(said) + sum(map(len, truths))
        found = await beside(LOOKED_AT * size, rouge_l, said, truths, evidence.language)
        if found is None:
            return {"rouge_l": NOTHING_EXPECTED}
        shares = found.overlap
        parts = {"recall": shares.recall, "precision": shares.precision, "f1": shares.f1}
        comment = differing_words(evidence, found.lacks, ())
        return {"rouge_l": Score(shares.recall, shares.recall, comment, parts)}
