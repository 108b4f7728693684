"""What a judge is told before it sees any turn: its task, the rubrics, the guidelines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.core.rubric import Aspect, Rubric

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt


def system_message(rubrics: Sequence[Rubric], guidelines: Sequence[str], prompt: Prompt) -> str:
    """The part `system` of judge.md; it holds nothing that changes from turn to turn."""
    listed = "\n".join(f"- {guideline}" for guideline in guidelines)
    return prompt.render(
        "system",
        rubrics="\n\n".join(_rubric(rubric, prompt) for rubric in rubrics),
        guidelines=listed or prompt.render("none"),
    )


def _rubric(rubric: Rubric, prompt: Prompt) -> str:
    return prompt.render(
        "rubric",
        id=rubric.id,
        title=rubric.title,
        instruction=rubric.instruction,
        aspects="\n\n".join(_aspect(aspect, prompt) for aspect in rubric.aspects),
    )


def _aspect(aspect: Aspect, prompt: Prompt) -> str:
    return prompt.render(
        "aspect",
        name=aspect.name,
        title=aspect.title,
        question=aspect.question,
        anchors="\n".join(_anchors(aspect)),
    )


def _anchors(aspect: Aspect) -> list[str]:
    """The scale in words; its ends too, where no anchor tells them."""
    lines = [f"{rating}: {text}" for rating, text in sorted(aspect.anchors.items())]
    told = {aspect.low, aspect.high} <= aspect.anchors.keys()
    return lines if told else [f"{aspect.low}–{aspect.high}", *lines]
