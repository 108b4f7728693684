"""What a model that plays a user is told about its part: the system message of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from simulator.core.persona import Persona, Slips
from simulator.core.scenario import Brief

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt

_OF_SO_MANY = 5


def user_system_message(brief: Brief, prompt: Prompt, mark: str) -> str:
    """The part `system` of user.md, filled from a brief; the same in all turns.

    `mark` is what ends the talk where the model cannot answer in fields.
    """
    persona = brief.persona
    return prompt.render(
        "system",
        name=persona.name,
        description=persona.description,
        traits=_listed(persona.traits, prompt),
        style=style_of(persona, prompt),
        behaviours=_behaviours(persona, prompt),
        query=brief.query,
        goal=brief.goal or brief.query,
        known=_listed(brief.known, prompt),
        unknown=_listed(brief.unknown, prompt),
        max_turns=str(brief.max_turns),
        mark=mark,
    )


def _behaviours(persona: Persona, prompt: Prompt) -> str:
    found = [
        prompt.render("behaviour", does=behaviour.does, violation=behaviour.violation)
        for behaviour in persona.behaviours
    ]
    return "\n".join(found) or prompt.render("none")


def style_of(persona: Persona, prompt: Prompt) -> str:
    """How a persona writes, in words: lines that begin with `- `, from the parts of user.md."""
    style = persona.style
    always = prompt.render(
        "style",
        length=str(style.length),
        politeness=prompt.render(f"politeness.{style.politeness}"),
        disclosure=prompt.render(f"disclosure.{style.disclosure}"),
        dissatisfaction=style.dissatisfaction,
        patience=str(persona.patience),
    )
    return "\n".join([always, *_where_it_applies(persona, prompt)])


def _where_it_applies(persona: Persona, prompt: Prompt) -> Iterator[str]:
    """What only some people do: nobody is told not to do the rest, or it would be on their mind."""
    style = persona.style
    if style.slips is not Slips.NONE:
        yield prompt.render(f"slips.{style.slips}")
    if style.asides:
        yield prompt.render("asides", **_ratio(style.asides))
    if persona.doubts:
        yield prompt.render("doubts", doubts=str(persona.doubts))


def _ratio(share: float) -> dict[str, str]:
    """A share as people say it: 2 of 3; never 0 of anything."""
    nearest = Fraction(share).limit_denominator(_OF_SO_MANY)
    nearest = max(nearest, Fraction(1, _OF_SO_MANY))
    return {"asides": str(nearest.numerator), "asides_of": str(nearest.denominator)}


def _listed(items: Sequence[str], prompt: Prompt) -> str:
    return "\n".join(f"- {item}" for item in items) or prompt.render("none")
