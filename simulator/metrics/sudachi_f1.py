"""The words that a reply shares with the expected answer, and where it contradicts it."""

from collections.abc import Sequence

from simulator.core.bounds import LOOKED_AT
from simulator.core.concurrency import beside
from simulator.core.outcome import MetricInfo, Outcomes, Score
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._expected import (
    NOTHING_EXPECTED,
    differing_words,
    join_comments,
    wanted_answers,
)
from simulator.text.matching import Match, match
from simulator.words import Words


class SudachiF1(Computed):
    """Token F1 of the reply and the nearest of the `expected.answer`s; 0–1, higher is better.

    Formula: c = size of the multiset intersection of the words of both; precision = c / words of
    the reply, recall = c / words of the expected answer, F1 = 2pr / (p + r), 0 where c is 0.
    Words: see `simulator.text.token_f1.overlap` (Japanese by Sudachi, English as in SQuAD). It is
    the sound form of a formula published in 2024, which `sudachi_f1_legacy` computes as it was.

    Parts: `precision`, `recall`, and two flags of 0 or 1. `negation_conflict`: a word that one
    text only affirms is only denied by the other (返品できます / 返品できません), see
    `simulator.text.claims`. `number_conflict`: for some unit each text names an amount that the
    other does not (1.5% / 15%; 3日 and 三日, 60分 and 1時間 are the same), see
    `simulator.text.quantities`. An amount that is only missing, or only added, is no conflict.

    Needs an expected answer: without one it is not applicable. An empty reply scores 0.

    Not for judging whether an answer is right: other words for the same thing score low, and the
    same words in another order score 1. The flags know negations and numbers, no opposites
    (有料 / 無料). Short expected answers make long replies look bad: read recall then.
    """

    INFOS = (
        MetricInfo(
            "sudachi_f1",
            "Token F1",
            needs=("answer",),
            description="Words shared with the expected answer: the mean of precision and recall.",
            parts=("precision", "recall", "negation_conflict", "number_conflict"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The F1, with a comment that names contradictions and the words that differ."""
        said, truths = evidence.exchange.assistant, wanted_answers(evidence.scenario.expected)
        size = len(said) + sum(map(len, truths))
        found = await beside(LOOKED_AT * size, _best, said, truths, evidence.language)
        if found is None:
            return {"sudachi_f1": NOTHING_EXPECTED}
        f1 = found.overlap.f1
        comment = _conflicts(evidence, negation=found.negation, number=found.number)
        if f1 < 1:
            comment = join_comments(
                evidence, comment, differing_words(evidence, found.lacks, found.adds)
            )
        parts = {
            "precision": found.overlap.precision,
            "recall": found.overlap.recall,
            "negation_conflict": float(found.negation),
            "number_conflict": float(found.number),
        }
        return {"sudachi_f1": Score(f1, f1, comment, parts)}


def _best(said: str, truths: Sequence[str], language: Language) -> Match | None:
    """The comparison with that right answer which shares most with the reply, as in SQuAD."""
    found = [compared for truth in truths if (compared := match(said, truth, language))]
    return max(found, key=lambda compared: compared.overlap.f1, default=None)


def _conflicts(evidence: Evidence, *, negation: bool, number: bool) -> str:
    """A comment that names the contradictions to the expected answer; empty without any."""
    words = Words(evidence.language, "comment")
    wrong = {"denied": negation, "number": number}
    return words("and").join(words(key) for key, is_so in wrong.items() if is_so)
