"""How much of the expected answer a reply holds, in its order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simulator.core.outcome import MetricInfo, Outcomes, Score
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.core.worker import apart
from simulator.metrics._context import Computed
from simulator.metrics._expected import (
    NOTHING_EXPECTED,
    differing_words,
    wanted_answers,
)
from simulator.text.token_f1 import (
    Overlap,
    beyond,
    comparable_form,
    content_words,
    harmonic,
    is_japanese,
    overlap_of_marks,
    squad_words,
)


class RougeL(Computed):
    """ROUGE-L recall of the reply against `expected.answer`; 0–1, higher is better.

    Formula: c = length of the longest common subsequence of the words of both; the value is the
    recall, c / words of the expected answer. Parts: `recall`, `precision` = c / words of the
    reply, and `f1` = 2pr / (p + r). Words as in `sudachi_f1`.

    The value is the recall, because people accept an answer that says what was expected and more,
    but precision and F1 penalize it. So the value ignores additions: a reply that recites a whole
    document scores 1. Read `precision` as well.

    If there are several expected answers, the one with the highest recall counts.

    Needs an expected answer: without one, it's not applicable. An empty reply scores 0.
    """

    INFOS = (
        MetricInfo(
            "rouge_l",
            "ROUGE-L recall",
            needs=("answer",),
            description="Share of the expected answer's words that the answer contains, "
            "in the same order.",
            parts=("recall", "precision", "f1"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The recall, with a comment that names the words that are missing."""
        reply, truths = evidence.exchange.assistant, wanted_answers(evidence.scenario.expected)
        size = len(reply) + sum(map(len, truths))
        nearest = await apart(size, rouge_l, reply, truths, evidence.language)
        if nearest is None:
            return {"rouge_l": NOTHING_EXPECTED}
        shares = nearest.overlap
        parts = {"recall": shares.recall, "precision": shares.precision, "f1": shares.f1}
        comment = differing_words(evidence, nearest.lacks, ())
        return {"rouge_l": Score(shares.recall, shares.recall, comment, parts)}


@dataclass(frozen=True, slots=True)
class Subsequence:
    """The longest common subsequence of two texts, as shares of each text's words.

    `lacks`: the words of the right answer that the answer has not, or not as often.
    """

    overlap: Overlap
    lacks: tuple[str, ...] = ()


def rouge_l(answer: str, truths: Iterable[str], language: Language) -> Subsequence | None:
    """ROUGE-L of an answer and the right one of several that it comes nearest to.

    With c the length of the longest common subsequence of their words: recall = c / words of the
    right answer, precision = c / words of the answer, F1 = 2pr / (p + r). Nearest is the greatest
    recall, and of equal ones the greatest precision. Words are those of `token_f1.overlap_of`, so
    that Japanese has some: the original's are runs of a-z and digits, without stemming.

    None where no right answer holds any text. Source: Lin, *ROUGE: A Package for Automatic
    Evaluation of Summaries* (2004), sentence level.
    """
    compared = [_compared(answer, truth, language) for truth in truths if truth.strip()]
    return max(compared, key=lambda f: (f.overlap.recall, f.overlap.precision), default=None)


def longest_common(words: Sequence[str], right: Sequence[str]) -> int:
    """The length of the longest common subsequence of two lists of words.

    One bit for each word of `right`, so that a row of the usual table is one sum of whole numbers
    (Hyyrö, *Bit-Parallel LCS-length Computation Revisited*, 2004).
    """
    places: dict[str, int] = {}
    for place, word in enumerate(right):
        places[word] = places.get(word, 0) | 1 << place
    whole = row = (1 << len(right)) - 1
    for word in words:
        met = row & places.get(word, 0)
        row = ((row + met) | (row - met)) & whole
    return len(right) - row.bit_count()


def _compared(answer: str, truth: str, language: Language) -> Subsequence:
    answer, truth = comparable_form(answer), comparable_form(truth)
    read = content_words if is_japanese(f"{answer}\n{truth}", language) else squad_words
    words, right = read(answer), read(truth)
    if not words and not right:
        return Subsequence(overlap_of_marks(answer, truth))
    common = longest_common(words, right)
    return Subsequence(harmonic(common, len(words), len(right)), beyond(right, words))
