"""The score of a turn where there is no judge: what was expected of it, and nothing invented."""

from collections.abc import Set
from dataclasses import replace
from typing import Self

from simulator.core.bounds import LOOKED_AT
from simulator.core.concurrency import beside
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed, MetricContext
from simulator.metrics._grounding import Grounding
from simulator.metrics._lexical import UNCLEAR, answer, asks_back_only, elements, refusal


class Lexical(Computed):
    """What a turn is worth by words alone; 0–1. It never passes for a judge's score.

    The content: `elements_lexical` where elements are expected, else `answer_lexical` where an
    answer is, else 1 for a refusal or a hand-over that was due. It is 0 where this reply
    contradicts an element or the expected answer, or where `refusal` is wrong, and no more than
    `grounded` where that finds a statement that is not borne out, and 0.5 where it finds an answer
    from elsewhere. Not to refuse earns nothing, nor
    does a document that was found. A check that the client leaves out (`thresholds: {grounded:
    null}`) counts for nothing here either.

    Not applicable where none of this is expected, and on a reply that only asks back. Where only
    documents or `answerable: true` are, a wrong refusal is worth 0, and nothing else has a score.
    """

    INFOS = (
        MetricInfo(
            "lexical",
            "Lexical score",
            description=(
                "The expected elements, answer or refusal, 0 where the reply contradicts them, "
                "less where no document bears it out; the score of a run without a judge."
            ),
            any_of=("elements", "answer", "answerable"),
        ),
    )

    def __init__(self, grounding: Grounding, left_out: Set[str]) -> None:
        self._grounding = grounding
        self._left_out = left_out

    @classmethod
    def open(cls, context: MetricContext) -> Self:
        """The metric, by those of its checks that the run has."""
        return cls(context.grounding, context.left_out)

    async def score(self, evidence: Evidence) -> Outcomes:
        """The score, with the comments of what it is made of."""
        checks = {"elements_lexical": elements, "answer_lexical": answer}
        outcomes = {
            name: await self._grounding.check(check, evidence)
            for name, check in checks.items()
            if name not in self._left_out
        }
        if "refusal" not in self._left_out:
            size = LOOKED_AT * len(evidence.exchange.assistant)
            outcomes["refusal"] = await beside(size, refusal, evidence)
        found = _outcome(evidence, outcomes)
        if isinstance(found, Score) and found.value and "grounded" not in self._left_out:
            found = _borne_out(found, await self._grounding.of(evidence))
        return {"lexical": found}


def _outcome(evidence: Evidence, outcomes: Outcomes) -> Outcome:
    found = {n: part for n, part in outcomes.items() if isinstance(part, Score)}
    comment = " / ".join(part.comment for part in found.values() if part.comment)
    wrong = "refusal" in found and found["refusal"].value == 0
    if wrong or any(part.parts.get("contradicted") for part in found.values()):
        return Score(0.0, 0.0, comment)
    expected = evidence.scenario.expected
    if not (expected.escalate or expected.can_be_answered is False):
        found.pop("refusal", None)  # not to refuse is no content
    if not found:
        why = "the reply only asks back" if asks_back_only(evidence) else "no content is expected"
        return Unscored(Gap.NOT_APPLICABLE, why)
    value = next(iter(found.values())).value
    return Score(value, value, comment)


def _borne_out(found: Score, grounded: Outcome) -> Score:
    """The score, no more than that of `grounded` where a statement is not borne out."""
    if not isinstance(grounded, Score):
        return found
    most = [grounded.value] if grounded.named else []
    value = min(found.value, *most, UNCLEAR if grounded.parts.get("elsewhere") else 1.0)
    return replace(found, value=value, raw=value)
