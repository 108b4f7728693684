"""What is asked: a scenario, what would be right, and the part of it that a user may see."""

from dataclasses import dataclass, field

from simulator.core.persona import Language, Persona


@dataclass(frozen=True, slots=True)
class Expected:
    """What a right answer looks like. Never shown to a simulated user.

    `answerable` None means that the scenario does not say.
    """

    answer: str = ""
    elements: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    answerable: bool | None = None
    escalate: bool = False

    @property
    def can_be_answered(self) -> bool | None:
        """As the scenario says, or else by its giving anything that an answer would have."""
        if self.answerable is not None:
            return self.answerable
        return True if self.answer or self.elements or self.documents else None

    @property
    def decides_refusal(self) -> bool:
        """Whether it tells if the bot has to answer, to refuse, or to hand over to a person."""
        return self.escalate or self.can_be_answered is not None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One thing that users come with. An empty `personas` means all of the client's."""

    id: str
    query: str
    goal: str = ""
    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    expected: Expected = field(default_factory=Expected)
    personas: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """All that a simulated user knows of its task. It holds no expected answer, by type."""

    language: Language
    persona: Persona
    query: str
    goal: str
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    turns: tuple[str, ...]
    max_turns: int
    min_turns: int
    seed: int

    @classmethod
    def of(
        cls, scenario: Scenario, persona: Persona, *, max_turns: int, min_turns: int, seed: int
    ) -> "Brief":
        """The part of a scenario that `persona` may see."""
        return cls(
            language=persona.language,
            persona=persona,
            query=scenario.query,
            goal=scenario.goal,
            known=scenario.known,
            unknown=scenario.unknown,
            turns=scenario.turns,
            max_turns=max_turns,
            min_turns=min_turns,
            seed=seed,
        )
