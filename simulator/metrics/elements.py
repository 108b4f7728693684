"""Expected elements, judged one by one, and whether the answer holds anything beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, create_model

from simulator.core.health import Scope
from simulator.core.outcome import MetricInfo, Outcomes, Score
from simulator.core.ports import Evidence
from simulator.core.scenario import Scenario, element_name
from simulator.llm.structured import (
    CleanText,
    FormModel,
    real_number,
    whole_number,
)
from simulator.metrics._context import MetricContext, Tokens
from simulator.metrics._judge.rubric import middle, vote_ends

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt

_CHECK: Tokens = (15, 60, 250)  # tokens of one check with its explanation
_MOST = 1_000_000  # elements are numbered below this


class Elements:
    """How fully the replies contain the scenario's expected elements, rated by a judge; 0-1.

    The judge gives each expected element a score from 0 to 1 with an explanation, over the
    replies so far, and one more to "the answer says nothing beyond these". With n elements

        value = (sum of the n scores + score of "nothing beyond") / (n + 1)

    so with few elements, additions weigh heavily. Therefore there are two parts: `coverage`, the
    mean of the n scores, and `excess`, 1 - the score of "nothing beyond" (0: nothing was added). An
    honest "I don't know" to a question with 3 elements has the value 0.25, coverage 0 and excess 0.

    mogi asks for it in the judge's call for all rubrics (`calls: together`), or in its own call.
    With several votes, the median of each check counts. Not applicable if a scenario expects no
    elements.

    Don't use it for elements that are whole paragraphs: a judge then finds each of them "in part",
    so the value says little. If answers may contain more than was asked, read `coverage` instead.
    """

    INFOS: ClassVar[tuple[MetricInfo, ...]] = (
        MetricInfo(
            "elements",
            "Expected elements, judged",
            needs=("judge", "elements"),
            description="How fully the answers so far contain each expected element, and "
            "whether the answer adds anything else.",
            parts=("coverage", "excess"),
        ),
    )
    PROMPTS: ClassVar[tuple[str, ...]] = ("elements",)
    id = "elements"
    infos = INFOS
    # The source text is in sight, so that other words for the same can be told.
    sees = ("talk", "documents", "question", "answer", "expected_elements")
    scope: Scope = "turn"

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt

    @classmethod
    def section(cls, context: MetricContext) -> Self:
        """The section of the judge's call that asks for it."""
        return cls(context.prompts("elements"))

    def instructions(self) -> str:
        """How to go through the elements; they themselves come with the evidence."""
        return self._prompt.render("section", id=self.id)

    def why_not(self, scenario: Scenario, *, documents: bool) -> str:
        """There has to be something expected."""
        return "" if scenario.expected.elements else "no expected elements"

    def form(self, scenario: Scenario) -> type[FormModel]:
        """A check for each element, and one for what goes beyond them; exactly so many."""
        return _form(len(scenario.expected.elements))

    def writes(self, scenario: Scenario) -> Tokens:
        """An explanation and a score for each check."""
        low, likely, high = (each * (len(scenario.expected.elements) + 1) for each in _CHECK)
        return low, likely, high

    def outcomes(self, evidence: Evidence, answers: Sequence[FormModel]) -> Outcomes:
        """The mean over all checks; the comment goes through them one by one."""
        votes = [_checks(answer) for answer in answers]
        scores = [middle([vote[n][0] for vote in votes], float) for n in range(len(votes[0]))]

        def distance(vote: list[tuple[float, str]]) -> float:
            return sum(abs(own - score) for (own, _), score in zip(vote, scores, strict=True))

        nearest = min(votes, key=distance)
        expected = map(element_name, evidence.scenario.expected.elements)
        names = [*expected, self._prompt.render("nothing_else")]
        lines = [
            f"{score:g} {name}: {why}"
            for name, score, (_, why) in zip(names, scores, nearest, strict=True)
        ]
        value = fmean(scores)
        parts = {"coverage": fmean(scores[:-1]), "excess": 1 - scores[-1]}
        parts |= vote_ends([fmean(score for score, _ in vote) for vote in votes])
        return {"elements": Score(value, value, "\n".join(lines), parts)}


class _Check(FormModel):
    """The last check of the form; the others have their element's number, too."""

    explanation: CleanText
    score: real_number(0, 1)  # type: ignore[valid-type]


class _Numbered(FormModel):
    number: whole_number(1, _MOST)  # type: ignore[valid-type]
    explanation: CleanText
    score: real_number(0, 1)  # type: ignore[valid-type]


@lru_cache(maxsize=256)
def _form(count: int) -> type[FormModel]:
    def in_order(checks: list[Any]) -> list[Any]:
        if sorted(check.number for check in checks) != list(range(1, count + 1)):
            raise ValueError(f"there has to be one check for each of the elements 1 to {count}")
        return sorted(checks, key=lambda check: int(check.number))

    checks = Annotated[list[_Numbered], AfterValidator(in_order)]
    model: type[FormModel] = create_model(
        "Elements", __base__=FormModel, checks=(checks, ...), nothing_else=(_Check, ...)
    )
    return model


def _checks(answer: Any) -> list[tuple[float, str]]:
    """Scores with their explanations: of the elements in their order, then of what is beyond."""
    return [(c.score, c.explanation.strip()) for c in (*answer.checks, answer.nothing_else)]
