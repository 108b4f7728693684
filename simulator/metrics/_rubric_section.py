"""A rubric as a section of what the judge is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Unscored
from simulator.core.ports import Evidence
from simulator.core.rubric import Aspect, Ratings, Rubric, Scope
from simulator.core.scenario import Scenario
from simulator.llm.structured import FormModel
from simulator.metrics._form import judgement_form, judgement_of
from simulator.metrics._instructions import rubric_told
from simulator.metrics._section import Tokens
from simulator.metrics._votes import Ruling, counted

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt

# What a rubric sees or asks that not every scenario has, and what `MetricInfo.needs` calls it.
_NEEDS = {"expected_answer": "answer", "expected_elements": "elements"}
# Tokens of a comment with its conclusion, and of each answer behind its name.
_COMMENT: Tokens = (60, 250, 1200)
_ANSWER: Tokens = (10, 25, 50)
_NO_RIGHT = "the scenario does not say what would be right"


class RubricSection:
    """One rubric; each of its aspects is a metric."""

    def __init__(self, rubric: Rubric, prompt: Prompt) -> None:
        self.rubric = rubric
        self._prompt = prompt
        self._form = judgement_form(rubric)

    @property
    def id(self) -> str:
        """The rubric's id."""
        return self.rubric.id

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """One metric for each aspect."""
        return [aspect_info(self.rubric, aspect) for aspect in self.rubric.aspects]

    @property
    def sees(self) -> tuple[str, ...]:
        """As its file says."""
        return self.rubric.sees

    @property
    def scope(self) -> Scope:
        """As its file says."""
        return self.rubric.scope

    def told(self) -> str:
        """Its instruction, its aspects and their scales, and its worked examples."""
        return rubric_told(self.rubric, self._prompt)

    def why_not(self, scenario: Scenario, *, documents: bool) -> str:
        """It compares with something that this scenario, or this target, does not give."""
        sees, expected = self.rubric.sees, scenario.expected
        if "expected_answer" in sees and not expected.answer:
            return "no expected answer"
        if "expected_elements" in sees and not expected.elements:
            return "no expected elements"
        if "documents" in self.rubric.needs and not documents:
            return "the target has reported no documents so far"
        return "" if self._rulings(scenario) else _NO_RIGHT

    def form(self, scenario: Scenario) -> type[FormModel]:
        """Comment, conclusion, perhaps whether it applies, and an answer for each aspect."""
        return self._form

    def writes(self, scenario: Scenario) -> Tokens:
        """A comment with its conclusion, and the answers."""
        low, likely, high = (
            comment + answer * len(self.rubric.aspects)
            for comment, answer in zip(_COMMENT, _ANSWER, strict=True)
        )
        return low, likely, high

    def outcomes(self, evidence: Evidence, answers: Sequence[FormModel]) -> Outcomes:
        """The middle one of several votes, for each aspect."""
        gap = Unscored(Gap.NOT_APPLICABLE, _NO_RIGHT)
        outcomes: dict[str, Outcome] = dict.fromkeys((a.name for a in self.rubric.aspects), gap)
        votes = [judgement_of(self.rubric, answer) for answer in answers]
        return outcomes | counted(self._rulings(evidence.scenario), votes)

    def _rulings(self, scenario: Scenario) -> list[Ruling]:
        """Of the aspects that apply to a scenario."""
        right = [(aspect, _yes_is_right(aspect, scenario)) for aspect in self.rubric.aspects]
        return [Ruling(aspect, yes) for aspect, yes in right if yes is not None]


def _yes_is_right(aspect: Aspect, scenario: Scenario) -> bool | None:
    """None where the scenario does not tell.

    Handing over what has no answer is neither right nor wrong, unless the scenario asks for it.
    """
    expected = scenario.expected
    if aspect.right_if == "unanswerable":
        return None if expected.can_be_answered is None else not expected.can_be_answered
    if aspect.right_if == "escalate" and not expected.escalate:
        return False if expected.can_be_answered else None
    return True


def aspect_info(rubric: Rubric, aspect: Aspect) -> MetricInfo:
    """The metric that an aspect of a rubric is."""
    low, high = aspect.scale.ends
    needs = ["judge", *(need for seen, need in _NEEDS.items() if seen in rubric.sees)]
    needs += ["context"] if "documents" in rubric.needs else []
    needs += ["answerable"] if aspect.right_if else []
    return MetricInfo(
        name=aspect.name,
        title=aspect.title,
        low=low,
        high=high,
        needs=tuple(needs),
        # A share or a label is its own value, unless that was turned round.
        rated=isinstance(aspect.scale, Ratings) or aspect.low_is_good,
        description=aspect.question,
        scope=rubric.scope,
    )
