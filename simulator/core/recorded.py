"""A talk that was held already: what was said, and what it is judged against."""

from dataclasses import dataclass, field

from simulator.core.persona import Persona
from simulator.core.plan import Cell
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, Stop, StopReason

NOBODY = "-"
"""The persona of rows that name none."""


@dataclass(frozen=True, slots=True)
class RecordedTalk:
    """One conversation as it was held. `soundness` are the tags of each turn's user, by turn.

    `scripted`: as `Evidence` has it.
    """

    cell: Cell
    scenario: Scenario
    persona: Persona
    exchanges: tuple[Exchange, ...]
    stop: Stop = field(default_factory=lambda: Stop(StopReason.MAX_TURNS))
    soundness: tuple[tuple[str, ...], ...] = ()
    scripted: bool = False
