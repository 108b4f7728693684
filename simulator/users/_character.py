"""What a model that plays a user is told about its part: the system message of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.core.persona import Persona
from simulator.core.scenario import Brief

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt


def system_message(brief: Brief, prompt: Prompt, mark: str) -> str:
    """The part `system` of user.md, filled from a brief; the same in all turns.

    `mark` is what ends the talk where the model cannot answer in fields.
    """
    persona = brief.persona
    return prompt.render(
        "system",
        name=persona.name,
        description=persona.description,
        traits=_listed(persona.traits, prompt),
        style=_style(persona, prompt),
        behaviours=_listed([b.does for b in persona.behaviours], prompt),
        query=brief.query,
        goal=brief.goal or brief.query,
        known=_listed(brief.known, prompt),
        unknown=_listed(brief.unknown, prompt),
        max_turns=str(brief.max_turns),
        mark=mark,
    )


def _style(persona: Persona, prompt: Prompt) -> str:
    style = persona.style
    return prompt.render(
        "style",
        length=str(style.length),
        politeness=prompt.render(f"politeness.{style.politeness}"),
        disclosure=prompt.render(f"disclosure.{style.disclosure}"),
        dissatisfaction=style.dissatisfaction,
        patience=str(persona.patience),
    )


def _listed(items: Sequence[str], prompt: Prompt) -> str:
    return "\n".join(f"- {item}" for item in items) or prompt.render("none")
