"""A user who reads from a script: the scenario's turns, one after the other."""

from typing import Self

from simulator.core.errors import UserError
from simulator.core.scenario import Brief
from simulator.core.talk import Stop, StopReason, Talk, Utterance
from simulator.users._context import UserContext


class Scripted:
    """Says `turns` of the scenario in order, after its query, and is done with the last of them."""

    def __init__(self, brief: Brief) -> None:
        self._turns = brief.turns
        self._min_turns = brief.min_turns

    @classmethod
    def open(cls, brief: Brief, context: UserContext) -> Self:
        """A user for one conversation; it needs nothing of the context."""
        return cls(brief)

    async def speak(self, talk: Talk) -> Utterance:
        """The next line of the script; the stop comes with the last one.

        Raises:
            UserError: the script is used up before `min_turns`.
        """
        spoken = len(talk) - 1  # the query was nobody's turn
        done = Stop(StopReason.DONE, "the script has ended")
        if spoken < len(self._turns):
            last = spoken + 1 == len(self._turns)
            return Utterance(self._turns[spoken], done if last else None)
        if len(talk) < self._min_turns:
            raise UserError(
                f"the script ends after {len(talk)} turns, before min_turns ({self._min_turns})"
            )
        return Utterance(stop=done)
