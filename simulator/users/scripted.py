"""A user who reads from a script: the scenario's turns, one after the other."""

from typing import ClassVar, Self

from simulator.core.errors import UserError
from simulator.core.scenario import Brief
from simulator.core.talk import Stop, StopReason, Talk, Utterance
from simulator.users._context import UserContext
from simulator.words import Words


class Scripted:
    """Says `turns` of the scenario in order, after its query; the last of them ends the talk.

    It stops as out of turns (MAX_TURNS), never as done: that a script is at its end says nothing
    of whether anything was solved.
    """

    SCRIPTED: ClassVar[bool] = True

    def __init__(self, brief: Brief) -> None:
        self._turns = brief.turns
        self._min_turns = brief.min_turns
        self._ended = Stop(StopReason.MAX_TURNS, Words(brief.language, "user")("script_ended"))

    @classmethod
    def open(cls, brief: Brief, context: UserContext) -> Self:
        """A user for one conversation; it needs nothing of the context."""
        return cls(brief)

    async def speak(self, talk: Talk) -> Utterance:
        """What is said next by the script; the stop comes with its last line.

        Raises:
            UserError: the script is used up before `min_turns`.
        """
        spoken = len(talk) - 1  # the query was nobody's turn
        if spoken < len(self._turns):
            last = spoken + 1 == len(self._turns) and talk.next_turn >= self._min_turns
            return Utterance(self._turns[spoken], self._ended if last else None)
        if len(talk) < self._min_turns:
            raise UserError(
                f"the script ends after {len(talk)} turns, before min_turns ({self._min_turns})"
            )
        return Utterance(stop=self._ended)
