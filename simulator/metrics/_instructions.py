"""What a judge is told before it sees any turn: its task, the rubrics, the guidelines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.core.rubric import SEEN, Aspect, Example, Labels, Ratings, Rubric, Said, Scope
from simulator.metrics._evidence import label

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt
    from simulator.metrics._section import Section


def system_message(
    sections: Sequence[Section], guidelines: Sequence[str], prompt: Prompt, scope: Scope = "turn"
) -> str:
    """The system message of judge.md; it holds nothing that changes from turn to turn.

    Several sections share one look at the evidence, so each is told which blocks are its own. To
    ask nicely is weaker than not to show: a rubric that must not know the right answer at all is
    judged apart (`calls: apart`), at the price of a call of its own.
    """
    listed = "\n".join(f"- {guideline}" for guideline in guidelines)
    told = [section.told() for section in sections]
    if len({frozenset(section.sees) for section in sections}) > 1:
        told = [f"{t}\n\n{_uses(s, prompt, scope)}" for t, s in zip(told, sections, strict=True)]
    return prompt.render(
        "system" if scope == "turn" else "system.talk",
        rubrics="\n\n".join(told),
        guidelines=listed or prompt.render("none"),
    )


def rubric_told(rubric: Rubric, prompt: Prompt) -> str:
    """A rubric with all that belongs to it."""
    told = [
        prompt.render(
            "rubric",
            id=rubric.id,
            title=rubric.title,
            instruction=rubric.instruction,
            aspects="\n\n".join(_aspect(aspect, prompt) for aspect in rubric.aspects),
        )
    ]
    if rubric.may_not_apply:
        told.append(prompt.render("rubric.may_not_apply", when=rubric.may_not_apply))
    for number, example in enumerate(rubric.examples, start=1):
        told.append(_example(number, example, rubric.scope, prompt))
    return "\n\n".join(told)


def _uses(section: Section, prompt: Prompt, scope: Scope) -> str:
    labels = [label(name, prompt, scope) for name in SEEN if name in section.sees]
    return prompt.render("rubric.uses", id=section.id, blocks=" ".join(labels))


def _aspect(aspect: Aspect, prompt: Prompt) -> str:
    return prompt.render(
        "aspect",
        name=aspect.name,
        title=aspect.title,
        question=aspect.question,
        anchors="\n".join(_anchors(aspect)),
    )


def _anchors(aspect: Aspect) -> list[str]:
    """The scale in words; its ends or its labels too, where no anchor tells them."""
    scale, anchors = aspect.scale, aspect.anchors
    if isinstance(scale, Labels):
        return [_anchor(word, anchors.get(word, "")) for word in scale.values]
    low, high = (scale.low, scale.high) if isinstance(scale, Ratings) else (0, 1)
    lines = [_anchor(said, text) for said, text in sorted(anchors.items())]
    return lines if {low, high} <= anchors.keys() else [f"{low}–{high}", *lines]


def _anchor(said: Said, text: str) -> str:
    return f"{_word(said)}: {text}" if text else _word(said)


def _word(said: Said) -> str:
    return f"{said:g}" if isinstance(said, float) else str(said)


def _example(number: int, example: Example, scope: Scope, prompt: Prompt) -> str:
    blocks = [
        f"{label(name, prompt, scope)}\n{example.evidence[name]}"
        for name in SEEN
        if name in example.evidence
    ]
    said = [f"{name}: {_word(answer)}" for name, answer in example.said.items()]
    return prompt.render(
        "rubric.example",
        number=str(number),
        blocks="\n".join(blocks),
        comment=example.comment,
        ratings=", ".join(said or ["not_applicable: true"]),
    )
