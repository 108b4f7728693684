"""Who asks: a persona's character, its way of writing, and its stock phrases."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Language = Literal["ja", "en"]
Opening = Literal["exact", "styled"]


class Politeness(StrEnum):
    """The register of a persona's messages."""

    PLAIN = "plain"
    POLITE = "polite"
    FORMAL = "formal"


class Disclosure(StrEnum):
    """How a persona gives out the facts it knows."""

    OPEN = "open"  # unasked
    ASKED = "asked"  # when asked
    GRUDGING = "grudging"  # only when asked, one at a time


class Slips(StrEnum):
    """The mistakes in a persona's messages."""

    NONE = "none"
    TYPING = "typing"  # letters swapped, doubled, left out; a wrong conversion
    SPEECH = "speech"  # what voice recognition makes of speech: fillers, words of the same sound


@dataclass(frozen=True, slots=True)
class Style:
    """How a persona writes. `length`: typical characters (ja) or words (en) of one turn.

    `asides`: the share of turns, 0 to 1, that say something beside the matter.
    """

    length: int
    politeness: Politeness
    disclosure: Disclosure
    dissatisfaction: str
    slips: Slips = Slips.NONE
    asides: float = 0.0


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Something a persona does, and what one would see if it were not kept."""

    does: str
    violation: str


@dataclass(frozen=True, slots=True)
class Persona:
    """A kind of person. `patience`: unhelpful answers borne before giving up (1 or more).

    Whoever goes by rules asks each question of the goal once before that.

    `doubts`: answers that settle something and are questioned all the same before one is taken.
    `phrases` maps an act of the agenda user (styled_query, ask, rephrase, tell, cannot_tell,
    doubt, aside, dissatisfied, give_up, satisfied) to its wordings.
    """

    id: str
    language: Language
    name: str
    description: str
    traits: tuple[str, ...]
    style: Style
    patience: int
    behaviours: tuple[Behaviour, ...] = ()
    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    doubts: int = 0

    @property
    def opens(self) -> Opening:
        """How the first message is worded where the client does not say.

        Whoever makes mistakes in writing makes them there as well, or half of such talks would
        hold none.
        """
        return "exact" if self.style.slips is Slips.NONE else "styled"
