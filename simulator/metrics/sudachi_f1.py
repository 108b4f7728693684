"""The words that a reply shares with the expected answer, and where it contradicts it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from simulator.core.outcome import MetricInfo, Outcomes, Score
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.core.worker import apart
from simulator.metrics._context import Computed
from simulator.metrics._expected import (
    NOTHING_EXPECTED,
    differing_words,
    join_comments,
    wanted_answers,
)
from simulator.reading.sameness import opposes
from simulator.text.clauses import Clause, statements
from simulator.text.en.quantities import amounts_in
from simulator.text.ja.quantities import amounts_of
from simulator.text.ja.sudachi import tokenized
from simulator.text.quantities import Amounts, conflicting
from simulator.text.token_f1 import (
    Overlap,
    beyond,
    comparable_form,
    counted_words,
    is_japanese,
    overlap_of,
    squad_words,
)
from simulator.words import Words

_ALIKE = 0.5  # of all words of two clauses, so many are in both


class SudachiF1(Computed):
    """Token F1 of the reply and the nearest of the `expected.answer`s; 0–1, higher is better.

    Formula: c = size of the multiset intersection of the words of both; precision = c / words of
    the reply, recall = c / words of the expected answer, F1 = 2pr / (p + r), or 0 if c is 0. Words:
    see `simulator.text.token_f1.overlap_of` (Japanese by Sudachi, English as in SQuAD). This is the
    corrected form of a formula published in 2024, which `sudachi_f1_legacy` computes unchanged.

    Parts: `precision`, `recall`, and two flags of 0 or 1. `negation_conflict`: one text negates a
    clause, and the other text affirms the clauses that share half of their words with it
    (返品できます / 返品できません). `number_conflict`: for some unit, each text has an amount that
    the other doesn't (1.5% / 15%; 3日 and 三日, 60分 and 1時間 are the same), see
    `simulator.text.quantities`. An amount that is only missing or only added isn't a conflict.

    Needs an expected answer: without one, it's not applicable. An empty reply scores 0.

    Don't use it to judge whether an answer is correct: paraphrases score low, and the same words in
    another order score 1. The flags detect negations and numbers, but not opposites
    (有料 / 無料). Short expected answers make long replies look bad: in that case, read `recall`.
    """

    INFOS = (
        MetricInfo(
            "sudachi_f1",
            "Token F1",
            needs=("answer",),
            description="Words shared with the expected answer: the harmonic mean of "
            "precision and recall.",
            parts=("precision", "recall", "negation_conflict", "number_conflict"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The F1, with a comment that names contradictions and the words that differ."""
        reply, truths = evidence.exchange.assistant, wanted_answers(evidence.scenario.expected)
        size = len(reply) + sum(map(len, truths))
        best = await apart(size, _best, reply, truths, evidence.language)
        if best is None:
            return {"sudachi_f1": NOTHING_EXPECTED}
        f1 = best.overlap.f1
        comment = _conflicts(evidence, negation=best.negation, number=best.number)
        if f1 < 1:
            comment = join_comments(
                evidence, comment, differing_words(evidence, best.lacks, best.adds)
            )
        parts = {
            "precision": best.overlap.precision,
            "recall": best.overlap.recall,
            "negation_conflict": float(best.negation),
            "number_conflict": float(best.number),
        }
        return {"sudachi_f1": Score(f1, f1, comment, parts)}


@dataclass(frozen=True, slots=True)
class Match:
    """How an answer and the right one compare.

    `negation`: one says no where the other says yes. `number`: for some unit, each names an amount
    that the other does not. `lacks` and `adds`: the words of the right answer that the answer has
    not, or not as often, and the other way round, in the order of their text.
    """

    overlap: Overlap
    negation: bool
    number: bool
    lacks: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()


def match(answer: str, truth: str, language: Language) -> Match | None:
    """The comparison of two texts of any length; None where the right answer is empty."""
    answer, truth = comparable_form(answer), comparable_form(truth)
    if not truth.strip():
        return None
    japanese = is_japanese(f"{answer}\n{truth}", language)
    own, right = _read(answer, japanese), _read(truth, japanese)
    return Match(
        overlap_of(own.words, right.words, answer, truth),
        negation=_negated(answer, truth, "ja" if japanese else "en"),
        number=conflicting(own.amounts, right.amounts),
        lacks=beyond(right.words, own.words),
        adds=beyond(own.words, right.words),
    )


@dataclass(frozen=True, slots=True)
class _Text:
    words: Sequence[str]
    amounts: Amounts


@lru_cache(maxsize=64)  # an expected answer is compared with all that is replied in its scenario
def _read(text: str, japanese: bool) -> _Text:  # noqa: FBT001
    if not japanese:
        return _Text(squad_words(text), amounts_in(text))
    lists = tokenized(text)
    return _Text(counted_words(lists), amounts_of(lists))


def _negated(answer: str, truth: str, language: Language) -> bool:
    """True if a clause of one text denies what its like in the other text affirm."""
    own, other = _clauses(answer, language), _clauses(truth, language)
    return any(_is_opposed(c, other) for c in own) or any(_is_opposed(c, own) for c in other)


def _clauses(text: str, language: Language) -> list[Clause]:
    return [c for sentence in statements(text, language) for c in sentence.clauses if c.keys]


def _is_opposed(clause: Clause, others: Sequence[Clause]) -> bool:
    alike = [o for o in others if len(clause.keys & o.keys) >= _ALIKE * len(clause.keys | o.keys)]
    return bool(alike) and all(opposes(clause, other) for other in alike)


def _best(reply: str, truths: Sequence[str], language: Language) -> Match | None:
    """The comparison with that right answer which shares most with the reply, as in SQuAD."""
    matches = [compared for truth in truths if (compared := match(reply, truth, language))]
    return max(matches, key=lambda compared: compared.overlap.f1, default=None)


def _conflicts(evidence: Evidence, *, negation: bool, number: bool) -> str:
    """A comment that names the contradictions to the expected answer; empty without any."""
    words = Words(evidence.language, "comment")
    wrong = {"denied": negation, "number": number}
    return words("and").join(words(key) for key, is_so in wrong.items() if is_so)
